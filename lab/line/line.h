// The network behind a ring port: what is sent to it becomes a real mbuf of the port's pool, what
// the port sends comes out as octets, each frame taking its time on a line of a given rate. One
// frame at a time is on the line; the next stays with the port, whose queues (one a worker) take
// turns. Both ways go into the capture, also what the port then had no room for (lost_packets), as
// a tap on the line would see it.
#ifndef SLUICE_LAB_LINE_LINE_H
#define SLUICE_LAB_LINE_LINE_H

#include "dataplane/dataplane.h"
#include "lab/engine/engine.h"
#include "lab/line/capture.h"

typedef void line_deliver_fn(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns);

struct rte_mbuf;

struct line {
    struct engine *engine;
    struct dp_far_end end[DP_WORKERS_MAX]; // of each of the port's queues
    uint32_t ends, next;                   // whose turn it is
    uint64_t rate_bit_per_s;               // of whole frames; 0 is no limit
    struct capture *capture;               // NULL: none
    line_deliver_fn *deliver;
    void *self;
    struct rte_mbuf *on_line;
    uint64_t sent_packets, sent_octets;           // into the port
    uint64_t lost_packets;                        // no buffer or no room: the port was overrun
    uint64_t delivered_packets, delivered_octets; // out of the port
};

// Puts the line into the engine; the caller has filled in what stands before `on_line`.
void line_attach(struct line *line);

// To one of the port's queues.
void line_send(struct line *line, uint32_t end, const uint8_t *frame, uint32_t octets,
               uint64_t now_ns);

// Frames on the line and behind the port, which sent them.
uint32_t line_under_way(const struct line *line);

// Frees what is still on the line, or waits for it, at the end of a run; returns how many frames.
uint32_t line_clear(struct line *line);

#endif
