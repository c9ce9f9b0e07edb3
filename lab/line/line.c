// See line.h.
#include "lab/line/line.h"

#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <rte_ring.h>
#include <stdlib.h>

static void show(const struct line *line, const uint8_t *frame, uint32_t octets, uint64_t now_ns)
{
    if (line->capture)
        capture_frame(line->capture, now_ns, frame, octets);
    if (line->tap.frame)
        line->tap.frame(line->tap.self, now_ns, frame, octets);
}

static void deliver(struct line *line, struct rte_mbuf *m, uint64_t now_ns)
{
    const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
    line->delivered_packets++;
    line->delivered_octets += m->pkt_len;
    show(line, frame, m->pkt_len, now_ns);
    line->deliver(line->self, frame, m->pkt_len, now_ns);
    rte_pktmbuf_free(m);
}

static void line_end_of_frame(void *self, uint64_t now_ns)
{
    struct line *line = self;
    struct rte_mbuf *m = line->on_line;
    line->on_line = NULL;
    deliver(line, m, now_ns);
    engine_wake(line->engine); // more frames may wait in the port
}

// The next frame of the port, from its queues in turn; NULL: none.
static struct rte_mbuf *take(struct line *line)
{
    struct rte_mbuf *m;
    for (uint32_t tried = 0; tried < line->ends; tried++) {
        const struct dp_far_end *end = &line->end[line->next];
        line->next = (line->next + 1) % line->ends;
        if (rte_ring_sc_dequeue(end->from_port, (void **)&m) == 0)
            return m;
    }
    return NULL;
}

static bool line_input(void *self, uint64_t now_ns)
{
    struct line *line = self;
    struct rte_mbuf *m;
    bool worked = false;
    while (!line->on_line && (m = take(line)) != NULL) {
        worked = true;
        if (line->rate_bit_per_s == 0) {
            deliver(line, m, now_ns);
            continue;
        }
        line->on_line = m;
        uint64_t took_ns = units_line_time_ns(m->pkt_len, line->rate_bit_per_s);
        engine_set(line->engine, &line->end_of_frame, now_ns + took_ns);
    }
    return worked;
}

// Where DPDK keeps the tag in an mbuf; registered once for a process.
static int tag_at = -1;

static void tag_register(void)
{
    static const struct rte_mbuf_dynfield field = {
        .name = "sluice_lab_tag", .size = sizeof(uint64_t), .align = _Alignof(uint64_t)};
    tag_at = rte_mbuf_dynfield_register(&field);
    if (tag_at < 0)
        abort();
}

uint64_t line_tag(const struct rte_mbuf *m)
{
    return *RTE_MBUF_DYNFIELD(m, tag_at, const uint64_t *);
}

void line_attach(struct line *line)
{
    tag_register();
    engine_timer_init(&line->end_of_frame, line_end_of_frame, line);
    engine_add_endpoint(line->engine, line_input, line);
}

bool line_send(struct line *line, uint32_t end, const uint8_t *frame, uint32_t octets, uint64_t tag,
               uint64_t now_ns)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(line->end[end].pool);
    char *at = m ? rte_pktmbuf_append(m, (uint16_t)octets) : NULL;
    line->sent_packets++;
    line->sent_octets += octets;
    show(line, frame, octets, now_ns);
    engine_wake(line->engine);
    if (at) {
        memcpy(at, frame, octets);
        *RTE_MBUF_DYNFIELD(m, tag_at, uint64_t *) = tag;
        if (rte_ring_sp_enqueue(line->end[end].to_port, m) == 0)
            return true;
    }
    line->lost_packets++;
    rte_pktmbuf_free(m);
    return false;
}

uint32_t line_under_way(const struct line *line)
{
    uint32_t frames = line->on_line != NULL;
    for (uint32_t i = 0; i < line->ends; i++)
        frames += rte_ring_count(line->end[i].from_port);
    return frames;
}

uint32_t line_clear(struct line *line)
{
    uint32_t cleared = line->on_line != NULL;
    struct rte_mbuf *m = line->on_line;
    rte_pktmbuf_free(m);
    line->on_line = NULL;
    for (; (m = take(line)) != NULL; cleared++)
        rte_pktmbuf_free(m);
    for (uint32_t i = 0; i < line->ends; i++)
        for (; rte_ring_sc_dequeue(line->end[i].to_port, (void **)&m) == 0; cleared++)
            rte_pktmbuf_free(m);
    return cleared;
}
