// UDP datagrams in one direction: at constant intervals or as a Poisson process, all the time or in
// on-periods, with sizes drawn from a list.
#ifndef SLUICE_LAB_HOSTS_APP_UDP_H
#define SLUICE_LAB_HOSTS_APP_UDP_H

#include "lab/hosts/app_datagram.h"
#include "lab/hosts/draw.h"

#define APP_UDP_SIZES_MOST 32

enum app_udp_arrivals { APP_UDP_CONSTANT, APP_UDP_POISSON };

#define APP_UDP_FIELDS(MUST, KEY, T)                                                               \
    APP_KEYS(KEY, T, "udp")                                                                        \
    APP_WAY_KEY(KEY, T, "udp")                                                                     \
    KEY(T, RATE, rate_bit_per_s, "udp.rate", NULL, 1, 100000000000ULL, 8000,                       \
        "mean rate of IP octets, within on-periods")                                               \
    KEY(T, CHOICE, arrivals, "udp.pattern", "constant poisson", APP_UDP_CONSTANT, APP_UDP_POISSON, \
        APP_UDP_CONSTANT, "the intervals: all equal, or exponential with the same mean")           \
    DRAW_KEYS(KEY, T, TIME, on_ns, "udp.on", "always on", 1, APP_TIME_MOST, 0, "an on-period")     \
    DRAW_KEYS(KEY, T, TIME, off_ns, "udp.off", "always on", 1, APP_TIME_MOST, 0,                   \
              "the pause between on-periods")                                                      \
    APP_ECT_KEY(KEY, T, "udp")                                                                     \
    MUST(T, OCTETS, sizes, 2, 2 * APP_UDP_SIZES_MOST,                                              \
         "IP packet sizes, 16 bits each in network order, of which each packet draws one")
FIELD_KEYS_STRUCT(app_udp_config, APP_UDP_FIELDS);
extern const struct field_record app_udp_config_record;

extern const struct app_kind app_udp_kind;

#endif
