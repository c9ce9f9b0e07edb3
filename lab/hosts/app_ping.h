// Ping: ICMP echo from either end; each answer's round trip is recorded.
#ifndef SLUICE_LAB_HOSTS_APP_PING_H
#define SLUICE_LAB_HOSTS_APP_PING_H

#include "lab/hosts/app.h"

#define APP_PING_FIELDS(MUST, KEY, T)                                                           \
    APP_KEYS(KEY, T, "ping")                                                                    \
    KEY(T, CHOICE, way, "ping.way", "down up", APP_DOWN, APP_UP, APP_UP,                        \
        "the way of the requests: from the host to the MS, or up")                              \
    KEY(T, TIME, interval_ns, "ping.interval", NULL, 1 * MS_IN_NS, APP_TIME_MOST, 1 * S_IN_NS,  \
        "time from one request to the next")                                                    \
    KEY(T, COUNT, count, "ping.count", NULL, 0, 1000000, 0,                                     \
        "number of requests; 0: no end of them")                                                \
    KEY(T, SIZE, data_octets, "ping.size", NULL, 0, APP_OCTETS_MOST - FLOW_PING_LEAST, 56,      \
        "octets of data, as ping -s has them: the IP packet has 28 more")                       \
    KEY(T, TIME, timeout_ns, "ping.timeout", NULL, 1 * MS_IN_NS, 1000 * S_IN_NS, 100 * S_IN_NS, \
        "a ping without an answer for so long counts as unanswered; a later answer as a "       \
        "duplicate")
FIELD_KEYS_STRUCT(app_ping_config, APP_PING_FIELDS);
extern const struct field_record app_ping_config_record;

extern const struct app_kind app_ping_kind;

#endif
