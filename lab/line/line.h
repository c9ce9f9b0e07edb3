// The network behind a ring port: a frame to the port becomes an mbuf of the port's pool; a frame
// of the port takes its time on a line of a given rate and is delivered as octets. One frame is on
// the line at a time; the others wait in the port, whose queues (one per worker) take turns. The
// capture has both directions, as a tap on the line would, also frames that the port then has no
// room for (lost_packets).
#ifndef SLUICE_LAB_LINE_LINE_H
#define SLUICE_LAB_LINE_LINE_H

#include "dataplane/dataplane.h"
#include "lab/engine/engine.h"
#include "lab/line/capture.h"

typedef void line_deliver_fn(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns);

struct rte_mbuf;

// Hears the frames of the capture, while the lab runs.
struct line_tap {
    void (*frame)(void *self, uint64_t now_ns, const uint8_t *frame, uint32_t octets); // NULL: none
    void *self;
};

struct line {
    struct engine *engine;
    struct dp_far_end end[DP_WORKERS_MAX]; // the far end of each queue of the port
    uint32_t ends, next;                   // next: the queue to take a frame from
    uint64_t rate_bit_per_s;               // in octets of whole frames; 0: no limit
    struct capture *capture;               // NULL: none
    struct line_tap tap;
    line_deliver_fn *deliver;
    void *self;
    struct rte_mbuf *on_line;
    struct engine_timer end_of_frame;
    uint64_t sent_packets, sent_octets;           // into the port
    uint64_t lost_packets;                        // no mbuf, or no room in the port's ring
    uint64_t delivered_packets, delivered_octets; // out of the port
};

// Adds the line to the engine; the caller has filled in the fields before `on_line`.
void line_attach(struct line *line);

// Sends a frame to one of the port's queues. `tag`: which packet of the lab it carries, for
// line_tag; 0: none. Returns whether the port has it, now or soon.
bool line_send(struct line *line, uint32_t end, const uint8_t *frame, uint32_t octets, uint64_t tag,
               uint64_t now_ns);

// The tag with which a buffer came into the dataplane; the buffers that the dataplane itself
// takes have none of use.
uint64_t line_tag(const struct rte_mbuf *m);

// The number of frames on the line and in the port's rings.
uint32_t line_under_way(const struct line *line);

// Frees the frames on the line and in the rings at the end of a run. Returns their number.
uint32_t line_clear(struct line *line);

#endif
