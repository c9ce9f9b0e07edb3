// One of each structure that tests/gdb/printers.py prints, in states that the functions for readers
// know: gdb stops in printed_here(), and printed_test.py compares what gdb prints with the lines
// that this program prints. It is compiled with all that a debugger wants, in any tree.
#include <stdio.h>
#include <string.h>

#include <rte_mbuf.h>

#include "dataplane/sched/sched_tree.h"
#include "dataplane/state/state.h"
#include "tests/dataplane/sched/world.h"

struct printed {
    const struct rte_mbuf *frame, *inner, *framed, *chained, *lost;
    const struct tree_bvc *cell, *blocked, *no_cell;
    const struct tree_bvc_rest *rest;
    const struct tree_ms *own, *on_default;
    const struct pdu *pdu;
    const struct bucket *bucket, *unlimited, *stopped;
    const struct state_ms *ms, *held;
};

__attribute__((noipa)) static void printed_here(const struct printed *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

static struct rte_mbuf mbuf_of(uint8_t *octets, uint16_t length, uint16_t port)
{
    return (struct rte_mbuf){.buf_addr = octets - 16,
                             .data_off = 16,
                             .data_len = length,
                             .pkt_len = length,
                             .nb_segs = 1,
                             .port = port};
}

// UDP of 8 octets from 10.0.0.1 port 2152 to 10.0.0.2 port 2153.
#define IP_OCTETS                                                                                  \
    0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x08, 0x68, 0x08, 0x69, 0, \
        8, 0, 0
static uint8_t frame_octets[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, IP_OCTETS};
static uint8_t inner_octets[] = {IP_OCTETS};
static uint8_t framed_octets[] = {0, 0, 0x12, 0x34, 0, 0xc0, 0, 0, 1};

static void bucket_tell(const char *name, struct sched_bucket b, uint64_t now_ns)
{
    printf("%s %llu octets at %llu.%09llu s, Bmax = %u octets, R = %llu bit/s\n", name,
           b.level / BUCKET_UNITS_AN_OCTET, now_ns / S_IN_NS, now_ns % S_IN_NS, b.terms.max_octets,
           b.terms.rate * BUCKET_RATE_BIT_PER_S);
}

static void queued_tell(const char *name, struct sched_queued q)
{
    printf("%s %llu N-PDUs of %llu octets queued\n", name, (unsigned long long)q.packets,
           (unsigned long long)q.octets);
}

// Cell 0: MS 0 with a bucket, whose second N-PDU waits for it, and MS 1 on the cell's default. Cell
// 1 is blocked.
static struct world *world_make(void)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(80000, 8000), world_terms(12000, 3000));
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_cell_block(w, 1, true);
    uint32_t own = world_add_simple(w, 0, CLASS_BACKGROUND);
    uint32_t other = world_add_simple(w, 0, CLASS_STREAMING);
    world_ms_set(w, 0, world_terms(8000, 1000));
    world_run(w, S_IN_NS);
    for (uint32_t i = 0; i < 3; i++)
        world_put(w, own, 990, 0, 0, i != 0);
    world_put(w, other, 500, 0, 0, false);
    world_take(w);
    return w;
}

int main(void)
{
    struct world *w = world_make();
    struct sched *s = w->sched;
    struct rte_mbuf frame = mbuf_of(frame_octets, sizeof frame_octets, 3);
    struct rte_mbuf inner = mbuf_of(inner_octets, sizeof inner_octets, 0);
    struct rte_mbuf framed = mbuf_of(framed_octets, sizeof framed_octets, 1);
    struct rte_mbuf chained = frame, lost = frame;
    chained.nb_segs = 2;
    chained.pkt_len = 1042;
    lost.buf_addr = NULL;
    struct bucket unlimited = {.rate = BUCKET_UNLIMITED};
    struct bucket stopped = {.level = 27 * BUCKET_UNITS_AN_OCTET + BUCKET_UNITS_AN_OCTET / 2,
                             .at_ns = 5,
                             .max_octets = 100};
    struct state_ms ms = {
        .bvc = 7, .tlli = 0xc0000123, .sent = {1, 22, 333, 4}, .octets = 4321, .heard = 3};
    struct state_ms held = ms;
    held.enciphered = true;
    held.holds = STATE_HELD_BY_CONTROL | STATE_HELD_FOR_PAGING;
    const struct tree_pfc *pfc = tree_pfc(s, tree_pfc_id(0, 0));
    const struct pdu *pdu = &s->slot[pfc->queue.head];

    queued_tell("cell", sched_bvc_queued(s, 0));
    bucket_tell("cell", sched_bvc_bucket(s, 0, w->now_ns), w->now_ns);
    bucket_tell("bucket", sched_bvc_bucket(s, 0, w->now_ns), w->now_ns);
    queued_tell("own", sched_ms_queued(s, 0));
    bucket_tell("own", sched_ms_bucket(s, 0, w->now_ns), w->now_ns);
    queued_tell("on_default", sched_ms_queued(s, 1));
    printf("on_default %llu octets when charged last\n",
           sched_ms_bucket(s, 1, w->now_ns).level / BUCKET_UNITS_AN_OCTET);
    struct bucket_terms by_default = sched_ms_bucket(s, 1, w->now_ns).terms;
    printf("rest by default: Bmax = %u octets, R = %llu bit/s\n", by_default.max_octets,
           by_default.rate * BUCKET_RATE_BIT_PER_S);
    printf("pdu context %u, LLE 0, ECN-capable, came at 1.000000000 s\n", (uint32_t)pdu->context);
    fflush(stdout);
    printed_here(&(struct printed){&frame, &inner, &framed, &chained, &lost, &s->bvc[0], &s->bvc[1],
                                   &s->bvc[2], &s->bvc_rest[0], tree_ms(s, 0), tree_ms(s, 1), pdu,
                                   &s->bvc[0].bucket, &unlimited, &stopped, &ms, &held});
    world_close(w);
    return 0;
}
