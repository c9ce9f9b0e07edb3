// The segments to the user of one connection, and its ACKs, one by one: what a plot of sequence
// numbers over time shows.
#ifndef SLUICE_GI_SEQUENCE_H
#define SLUICE_GI_SEQUENCE_H

#include "lab/base/json.h"
#include "lab/captures/gi/gi_flow.h"

#define GI_SEQUENCE_POINTS 20000

enum gi_sequence_kind { GI_SEQUENCE_DATA, GI_SEQUENCE_AGAIN, GI_SEQUENCE_ACK };

struct gi_sequence {
    struct gi_end user, host; // host.port 0: no connection is followed
    uint64_t left_out;        // beyond the most
    uint64_t first_ns;
    bool begun_data, begun_ack;
    uint32_t first, highest; // numbers of the host's data
    uint32_t count;
    struct gi_sequence_point {
        uint64_t after_ns;
        int64_t octets; // from the first number on, to the end of the segment; or acknowledged
        enum gi_sequence_kind kind;
    } point[GI_SEQUENCE_POINTS];
};

// Of "10.0.0.1:40000,203.0.113.9:80"; an IPv6 address in brackets. False: it is none.
bool gi_sequence_read(struct gi_sequence *sequence, const char *text);
void gi_sequence_take(struct gi_sequence *sequence, const struct gi_packet *packet,
                      enum gi_side side);
void gi_sequence_put(const struct gi_sequence *sequence, struct json *json); // the key "sequence"

#endif
