// See gb.h: gb_beside. The worker's thread also writes what comes to its two rings and empties what
// leaves them, so its no-drop rate is that of all of this, measured first and with full rings.
#include "bench/control/gb_parts.h"

#include <string.h>
#include <time.h>

#include <rte_launch.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "dataplane/wire/bytes.h"

#define BURST       32u
#define NPDU_OCTETS 576u
#define GTPU_OCTETS 8u
#define MEASURE_S   0.5
#define DRAIN_S     0.2
#define STRIDE      7919u

struct side {
    struct gb *gb;
    bool stop;
    uint32_t next_ms;
    uint64_t sent, flow_controls, acknowledged;
};

static double wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t wall_ns(void)
{
    return (uint64_t)(wall_s() * 1e9);
}

// ---- Traffic ----

static void put_gpdu(uint8_t *b, uint32_t teid)
{
    static const uint8_t head[] = {2, 0, 0, 0, 0, 1,  2,  0, 0, 0,   0, 4, 8, 0,   0x45, 0, 0,
                                   0, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 2, 192, 0,    2, 1};
    memset(b, 0, GB_OUTER_OCTETS + GTPU_OCTETS + NPDU_OCTETS);
    uint8_t *gtpu = gb_put_outer(b, head, 2152, GTPU_OCTETS + NPDU_OCTETS);
    gtpu[0] = 0x30;
    gtpu[1] = 255;
    put_be16(gtpu + 2, NPDU_OCTETS);
    put_be32(gtpu + 4, teid);
    gtpu[GTPU_OCTETS] = 0x45;
    put_be16(gtpu + GTPU_OCTETS + 2, NPDU_OCTETS);
}

// Of a context that is the first at its place.
static uint32_t first_teid(const struct dp_config *config, uint32_t pdp)
{
    struct teid_bits bits = teid_bits(config->workers, config->pdps);
    return state_teid_after(bits, config->secret_seed, 0, teid_make(bits, 0, 0, pdp), NULL);
}

static void offer(struct side *side)
{
    struct rte_mbuf *burst[BURST];
    if (rte_pktmbuf_alloc_bulk(side->gb->gn.pool, burst, BURST) != 0)
        return;
    for (uint32_t i = 0; i < BURST; i++) {
        put_gpdu(
            (uint8_t *)rte_pktmbuf_append(burst[i], GB_OUTER_OCTETS + GTPU_OCTETS + NPDU_OCTETS),
            first_teid(&side->gb->load.dp, side->next_ms));
        side->next_ms = (side->next_ms + STRIDE) % side->gb->shape.mss;
    }
    if (rte_ring_sp_enqueue_bulk(side->gb->gn.to_port, (void **)burst, BURST, NULL) == BURST)
        side->sent += BURST;
    else
        rte_pktmbuf_free_bulk(burst, BURST);
}

// An N-PDU of 576 octets goes in two LLC PDUs; the last one has no M bit in its SNDCP header.
static void hear(struct side *side)
{
    struct rte_mbuf *burst[BURST];
    uint32_t n;
    while ((n = rte_ring_sc_dequeue_burst(side->gb->end.from_port, (void **)burst, BURST, NULL)) >
           0) {
        for (uint32_t i = 0; i < n; i++)
            side->acknowledged += rte_pktmbuf_mtod(burst[i], uint8_t *)[GB_OUTER_OCTETS + 4] ==
                                  BSSGP_FLOW_CONTROL_MS_ACK_TYPE;
        rte_pktmbuf_free_bulk(burst, n);
    }
}

static void poll(struct side *side)
{
    dp_poll(dp_worker(side->gb->dp, 0), wall_ns());
    hear(side);
}

static uint64_t out_packets(const struct side *side)
{
    return dp_stats(dp_worker(side->gb->dp, 0))->of_class[CLASS_BACKGROUND].out_packets;
}

// As fast as it goes, nothing lost: the next burst when the last has been taken.
static double no_drop_rate(struct side *side)
{
    double start = wall_s();
    uint64_t before = out_packets(side);
    while (wall_s() - start < MEASURE_S) {
        offer(side);
        poll(side);
    }
    return (double)(out_packets(side) - before) / (wall_s() - start);
}

// What is due by then, in bursts.
static void offer_due(struct side *side, double elapsed_s, double rate, uint64_t from)
{
    if ((double)(side->sent - from + BURST) <= elapsed_s * rate)
        offer(side);
}

static void flow_control_due(struct side *side, double elapsed_s, double rate)
{
    for (uint32_t i = 0; i < BURST && (double)side->flow_controls < elapsed_s * rate; i++) {
        gb_say_flow_ms(side->gb);
        side->flow_controls++;
    }
}

// ---- Control's thread ----

static int control_loop(void *self)
{
    struct side *side = self;
    while (!__atomic_load_n(&side->stop, __ATOMIC_RELAXED))
        control_poll(&side->gb->control, wall_ns());
    return 0;
}

static void run(struct side *side, double rate, double flow_control_per_s, double seconds)
{
    uint64_t from = side->sent;
    double start = wall_s(), elapsed;
    while ((elapsed = wall_s() - start) < seconds) {
        offer_due(side, elapsed, rate, from);
        flow_control_due(side, elapsed, flow_control_per_s);
        poll(side);
    }
    while (wall_s() - start < seconds + DRAIN_S)
        poll(side);
}

struct gb_beside gb_beside(struct gb *gb, double part, double flow_control_per_s, double seconds)
{
    struct side side = {.gb = gb};
    double no_drop = no_drop_rate(&side);
    while (dp_queued(dp_worker(gb->dp, 0)).packets)
        poll(&side);
    uint64_t sent = side.sent, out = out_packets(&side);
    if (rte_eal_remote_launch(control_loop, &side, GB_CONTROL_LCORE) != 0)
        gb_die("control's thread is busy");
    run(&side, no_drop * part, flow_control_per_s, seconds);
    __atomic_store_n(&side.stop, true, __ATOMIC_RELAXED);
    rte_eal_wait_lcore(GB_CONTROL_LCORE);
    sent = side.sent - sent;
    return (struct gb_beside){.no_drop_mpps = no_drop / 1e6,
                              .mpps = (double)sent / seconds / 1e6,
                              .flow_control_per_s = (double)side.flow_controls / seconds,
                              .packets = sent,
                              .lost = sent - (out_packets(&side) - out),
                              .flow_controls = side.flow_controls,
                              .unanswered = side.flow_controls - side.acknowledged};
}
