// Streaming over UDP: packets of one size at a constant rate, or at one that changes: for each
// period a rate is drawn so that the mean is `rate` and the most is `peak` (aqm-2006 has 40 and 80
// kbit/s and does not tell the law).
#ifndef SLUICE_LAB_HOSTS_APP_STREAM_H
#define SLUICE_LAB_HOSTS_APP_STREAM_H

#include "lab/hosts/app_datagram.h"
#include "lab/hosts/draw.h"

#define APP_STREAM_RATE_MOST 1000000000

#define APP_STREAM_FIELDS(MUST, KEY, T)                                                           \
    APP_KEYS(KEY, T, "stream")                                                                    \
    APP_WAY_KEY(KEY, T, "stream")                                                                 \
    KEY(T, RATE, rate_bit_per_s, "stream.rate", NULL, 1, APP_STREAM_RATE_MOST, 40000,             \
        "mean rate of IP octets")                                                                 \
    KEY(T, RATE, peak_bit_per_s, "stream.peak", "constant rate", 1, APP_STREAM_RATE_MOST, 0,      \
        "the highest rate; each period's is uniform from 0, or as far below the mean, up to it; " \
        "with a peak of more than twice the mean, some periods have none")                        \
    DRAW_KEYS(KEY, T, TIME, period_ns, "stream.period", NULL, 1 * MS_IN_NS, APP_TIME_MOST,        \
              1 * S_IN_NS, "the time for which a drawn rate holds")                               \
    KEY(T, SIZE, packet_octets, "stream.packet", NULL, FLOW_DATAGRAM_LEAST, APP_OCTETS_MOST, 500, \
        "size of each IP packet")                                                                 \
    APP_ECT_KEY(KEY, T, "stream")
FIELD_KEYS_STRUCT(app_stream_config, APP_STREAM_FIELDS);
extern const struct field_record app_stream_config_record;

extern const struct app_kind app_stream_kind;

#endif
