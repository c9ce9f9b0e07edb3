// UDP datagrams in one direction: at constant intervals or as a Poisson process, all the time or in
// on-periods, with sizes drawn from a list.
#ifndef SLUICE_LAB_HOSTS_APP_TRAFFIC_H
#define SLUICE_LAB_HOSTS_APP_TRAFFIC_H

#include "lab/hosts/app_datagram.h"
#include "lab/hosts/draw.h"

#define APP_TRAFFIC_SIZES_MOST 32

enum app_traffic_arrivals { APP_TRAFFIC_CONSTANT, APP_TRAFFIC_POISSON };

#define APP_TRAFFIC_FIELDS(MUST, KEY, T)                                                           \
    APP_KEYS(KEY, T, "traffic")                                                                    \
    APP_WAY_KEY(KEY, T, "traffic")                                                                 \
    KEY(T, RATE, rate_bit_per_s, "traffic.rate", NULL, 1, 100000000000ULL, 8000,                   \
        "mean rate of IP octets, within on-periods")                                               \
    KEY(T, CHOICE, arrivals, "traffic.pattern", "constant poisson", APP_TRAFFIC_CONSTANT,          \
        APP_TRAFFIC_POISSON, APP_TRAFFIC_CONSTANT,                                                 \
        "the intervals: all equal, or exponential with the same mean")                             \
    DRAW_KEYS(KEY, T, TIME, on_ns, "traffic.on", "always on", 1, APP_TIME_MOST, 0, "an on-period") \
    DRAW_KEYS(KEY, T, TIME, off_ns, "traffic.off", "always on", 1, APP_TIME_MOST, 0,               \
              "the pause between on-periods")                                                      \
    APP_ECT_KEY(KEY, T, "traffic")                                                                 \
    MUST(T, OCTETS, sizes, 2, 2 * APP_TRAFFIC_SIZES_MOST,                                          \
         "IP packet sizes, 16 bits each in network order, of which each packet draws one")
FIELD_KEYS_STRUCT(app_traffic_config, APP_TRAFFIC_FIELDS);
extern const struct field_record app_traffic_config_record;

extern const struct app_kind app_traffic_kind;

#endif
