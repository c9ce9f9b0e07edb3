// Push-to-talk (PoC): talk bursts of voice frames over UDP with silence between them. Alone, one
// end talks. In a group one member after the other talks, never two at a time; a member's frames go
// up to the server, which sends each to all other members as it arrives.
#ifndef SLUICE_LAB_HOSTS_APP_PTT_H
#define SLUICE_LAB_HOSTS_APP_PTT_H

#include "lab/hosts/app_datagram.h"
#include "lab/hosts/draw.h"

#define APP_PTT_FIELDS(MUST, KEY, T)                                                              \
    APP_KEYS(KEY, T, "ptt")                                                                       \
    APP_WAY_KEY(KEY, T, "ptt")                                                                    \
    KEY(T, COUNT, group, "ptt.group", NULL, 0, 1000000, 0,                                        \
        "the group's number, 0: alone; a group's first member's values hold for all, and way is " \
        "of no matter")                                                                           \
    KEY(T, TIME, interval_ns, "ptt.interval", NULL, 1 * MS_IN_NS, 10 * S_IN_NS, 200 * MS_IN_NS,   \
        "time between the packets of a burst, each with some voice frames")                       \
    KEY(T, SIZE, packet_octets, "ptt.packet", NULL, FLOW_DATAGRAM_LEAST, APP_OCTETS_MOST, 200,    \
        "size of each IP packet; 200 octets each 200 ms are the 8 kbit/s of aqm-2006")            \
    DRAW_KEYS(KEY, T, TIME, talk_ns, "ptt.talk", NULL, 1 * MS_IN_NS, APP_TIME_MOST, 5 * S_IN_NS,  \
              "a talk burst")                                                                     \
    DRAW_KEYS(KEY, T, TIME, silence_ns, "ptt.silence", "none", 1, APP_TIME_MOST, 5 * S_IN_NS,     \
              "the silence between bursts")                                                       \
    APP_ECT_KEY(KEY, T, "ptt")
FIELD_KEYS_STRUCT(app_ptt_config, APP_PTT_FIELDS);
extern const struct field_record app_ptt_config_record;

extern const struct app_kind app_ptt_kind;

#endif
