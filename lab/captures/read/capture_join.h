// IP datagrams out of their fragments, in the order in which their first pieces came: packets wait
// while one in front of them lacks pieces. Bounded: 64 packets, 4 MB, 0.2 s; what is not whole by
// then is its first fragment alone, or nothing.
#ifndef SLUICE_LAB_CAPTURE_JOIN_H
#define SLUICE_LAB_CAPTURE_JOIN_H

#include "lab/captures/read/capture_ip.h"

struct capture_joined {
    uint64_t stamp_ns, time_ns, frame; // of its first piece, as they were given
    struct capture_ip ip;              // ip.fragment: pieces of it are missing
    bool joined;
};

struct capture_join;

struct capture_join *capture_join_create(void);
void capture_join_destroy(struct capture_join *join);
// Takes a packet, behind which capture_join_next() has to be asked; false: it need not wait, and
// nothing is in front of it. ip->fragment says what it is: the others are for keeping the order.
bool capture_join_take(struct capture_join *join, const struct capture_joined *packet);
// The next that need not wait any longer, which is valid until the next call of either. False:
// there is none. now_ns is of the newest stamp; UINT64_MAX: the end.
bool capture_join_next(struct capture_join *join, uint64_t now_ns, struct capture_joined *out);

#endif
