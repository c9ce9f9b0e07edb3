// See generator.h.
#include "bench/throughput/generator.h"

#include <rte_mbuf_dyn.h>
#include <stdlib.h>
#include <string.h>

#define DRAIN_NS S_IN_NS
#define QUIET_NS (20 * MS_IN_NS) // what a device may take

// A stamp, or, in a run with a backlog, the packet's MS, beside the packet.
static int field_offset;
#define FIELD(m) (*RTE_MBUF_DYNFIELD(m, field_offset, uint64_t *))

static bool field_register(void)
{
    static const struct rte_mbuf_dynfield field = {
        .name = "sluice_bench", .size = sizeof(uint64_t), .align = _Alignof(uint64_t)};
    field_offset = rte_mbuf_dynfield_register(&field);
    return field_offset >= 0;
}

bool generator_open(struct generator *g, const struct population *population, uint32_t worker,
                    enum stats_side in_side, const struct generator *first)
{
    const struct bench_options *o = population->options;
    *g = (struct generator){.population = population,
                            .worker = worker,
                            .share = population_share(o, worker),
                            .in_side = in_side,
                            .random = 0x9e3779b97f4a7c15u * (worker + 1),
                            .in.device = RTE_MAX_ETHPORTS,
                            .out.device = RTE_MAX_ETHPORTS};
    enum stats_side out_side = in_side == STATS_GN ? STATS_GB : STATS_GN;
    if (!field_register() ||
        !port_end_open(&g->in, &population->ports, g->in_side, population->dp, worker,
                       first ? &first->in : NULL) ||
        !port_end_open(&g->out, &population->ports, out_side, population->dp, worker,
                       first ? &first->out : NULL))
        return false;
    if (o->steering == PORT_STEERING_ADDRESS)
        g->address = BENCH_GN_ADDRESS_OF(worker);
    if (!port_end_ready(&g->in) || !port_end_ready(&g->out)) {
        fprintf(stderr, "sluice bench: the ports' link does not come up\n");
        return false;
    }
    g->rings = g->in.to_port && g->out.from_port;
    g->turns.room = POPULATION_BACKLOG * o->backlogged + 1;
    g->turns.ms = malloc(g->turns.room * sizeof *g->turns.ms);
    g->early = generator_dropped(g);
    uint64_t drops[DROP_COUNT] = {0};
    generator_drops(g, drops);
    memcpy(g->early_drops, drops, sizeof drops);
    return g->turns.ms != NULL;
}

void generator_close(struct generator *g)
{
    port_end_close(&g->in);
    port_end_close(&g->out);
    free(g->turns.ms);
    g->turns.ms = NULL;
}

// ---- Sending ----

static uint32_t random_below(struct generator *g, uint32_t n)
{
    g->random ^= g->random << 13; // Marsaglia's xorshift
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (uint32_t)((g->random >> 32) * n >> 32);
}

static const struct frame *next_frame(struct generator *g)
{
    const struct frames *frames = &g->population->frames[g->in_side];
    uint32_t size = 0;
    if (frames->sizes > 1)
        for (uint32_t turn = random_below(g, frames->weights); turn >= frames->weight[size];)
            turn -= frames->weight[size++];
    return &frames->frame[size];
}

static void put_frame(struct generator *g, struct rte_mbuf *m, const struct frame *frame,
                      uint32_t ms)
{
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    m->data_len = frame->n;
    m->pkt_len = frame->n;
    if (g->in_side == STATS_GB) {
        memcpy(b, frame->octets, frame->n);
        frames_up_put(&g->up, g->population, g->worker, frame, ms, b);
    } else {
        frames_put(&g->population->frames[STATS_GN], frame, g->population->teid[ms], g->put++, b);
        if (g->address)
            frames_put_address(g->address, b);
    }
    if (g->rings)
        FIELD(m) = g->population->options->backlogged ? ms : g->stamp;
    else
        memcpy(b + frame->n - FRAMES_STAMP_OCTETS, &g->stamp, sizeof g->stamp);
}

void generator_send_to(struct generator *g, const uint32_t *ms, uint32_t n)
{
    struct rte_mbuf *m[OPTIONS_BURST];
    uint16_t pdus[OPTIONS_BURST];
    g->count.offered += n;
    if (rte_pktmbuf_alloc_bulk(g->in.pool, m, n) != 0)
        return; // all buffers are on their way, which is a refusal too
    for (uint32_t i = 0; i < n; i++) {
        const struct frame *frame = next_frame(g);
        pdus[i] = frame->pdus;
        put_frame(g, m[i], frame, ms[i]);
    }
    frames_up_encipher(&g->up);
    uint32_t sent = port_end_send(&g->in, m, n);
    for (uint32_t i = 0; i < sent; i++)
        g->count.pdus += pdus[i];
    for (uint32_t i = sent; i < n && g->in_side == STATS_GB; i++)
        g->population->sent_up[ms[i]]--; // or a flood would leave gaps that no LLE can bridge
    rte_pktmbuf_free_bulk(m + sent, n - sent);
    g->count.sent += sent;
}

void generator_send(struct generator *g, uint32_t n)
{
    uint32_t ms[OPTIONS_BURST];
    for (uint32_t i = 0; i < n; i++) {
        ms[i] = g->share.first + random_below(g, g->share.mss);
        __builtin_prefetch(&g->population->teid[ms[i]]);
    }
    generator_send_to(g, ms, n);
}

// ---- Receiving ----

static void note_latency(struct generator *g, uint64_t stamp, uint64_t now)
{
    if (stamp < now) // the stamp of a foreign frame is no sample
        histogram_add(g->latency, bench_clock_ns_of(now - stamp));
}

static void turn_comes(struct generator *g, uint32_t ms)
{
    struct generator_turns *t = &g->turns;
    if (t->n < t->room)
        t->ms[(t->first + t->n++) % t->room] = ms;
}

// With rings: a buffer of the port where it was sent ends its N-PDU.
static void take_buffers(struct generator *g, struct rte_mbuf **m, uint32_t n, uint64_t now)
{
    for (uint32_t i = 0; i < n; i++) {
        if (m[i]->pool != g->in.pool)
            continue;
        g->count.packets++;
        if (g->population->options->backlogged)
            turn_comes(g, (uint32_t)FIELD(m[i]));
        else if (g->latency)
            note_latency(g, FIELD(m[i]), now);
    }
}

static void take_octets(struct generator *g, struct rte_mbuf **m, uint32_t n, uint64_t now)
{
    const uint32_t behind = LLC_FCS_OCTETS + FRAMES_STAMP_OCTETS;
    for (uint32_t i = 0; i < n && g->latency; i++) {
        uint64_t stamp;
        if (m[i]->data_len < FRAMES_OUTER_OCTETS + behind)
            continue;
        memcpy(&stamp, rte_pktmbuf_mtod_offset(m[i], uint8_t *, m[i]->data_len - behind),
               sizeof stamp);
        note_latency(g, stamp, now);
    }
}

// What Sluice says to the side that sends: nothing that counts.
static void take_back(struct generator *g)
{
    struct rte_mbuf *m[OPTIONS_BURST];
    uint32_t n = g->in.device < RTE_MAX_ETHPORTS ? port_end_receive(&g->in, m, OPTIONS_BURST) : 0;
    rte_pktmbuf_free_bulk(m, n);
}

uint32_t generator_receive(struct generator *g)
{
    struct rte_mbuf *m[OPTIONS_BURST];
    uint32_t n = port_end_receive(&g->out, m, OPTIONS_BURST);
    if (n == 0) {
        take_back(g);
        return 0;
    }
    g->count.frames += n;
    if (g->rings)
        take_buffers(g, m, n, bench_clock_cycles());
    else
        take_octets(g, m, n, bench_clock_cycles());
    rte_pktmbuf_free_bulk(m, n);
    return n;
}

// ---- The sum ----

const struct stats_worker *generator_stats(const struct generator *g)
{
    return dp_stats(dp_worker(g->population->dp, g->worker));
}

static struct stats_balance balance(const struct generator *g)
{
    return g->in_side == STATS_GN ? stats_balance(generator_stats(g))
                                  : stats_balance_up(generator_stats(g));
}

uint64_t generator_dropped(const struct generator *g)
{
    return balance(g).packets.dropped - g->early;
}

void generator_drops(const struct generator *g, uint64_t packets[DROP_COUNT])
{
    const struct stats_worker *s = generator_stats(g);
    for (int r = 0; r < DROP_COUNT; r++) {
        packets[r] -= g->early_drops[r];
        packets[r] += s->of_port[STATS_GN].drop[r].packets + s->of_port[STATS_GB].drop[r].packets +
                      s->up.drop[r].packets;
        for (int c = 0; c < CLASS_COUNT; c++)
            packets[r] += s->of_class[c].drop[r].packets;
    }
}

uint64_t generator_came(const struct generator *g)
{
    const struct stats_port *in = &generator_stats(g)->of_port[g->in_side];
    return g->rings ? g->count.sent : in->rx_packets - g->early;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0; // foreign frames are not losses
}

static uint64_t frames_out(const struct generator *g, uint32_t worker)
{
    const struct dp_worker *w = dp_worker(g->population->dp, worker);
    const struct stats_port *out = &dp_stats(w)->of_port[!g->in_side];
    return out->tx_packets - out->answers;
}

// Between these generators and all workers: at both ends of the devices.
struct wire {
    uint64_t sent, came; // frames into Sluice
    uint64_t went, took; // frames out
    uint64_t packets;    // that these were, by Sluice
};

static struct wire wire_of(const struct generator *g)
{
    struct wire w = {0};
    for (uint32_t i = 0; i < g->population->options->workers; i++) {
        const struct stats_worker *stats = dp_stats(dp_worker(g->population->dp, i));
        w.came += stats->of_port[g->in_side].rx_packets;
        w.went += frames_out(g, i);
        w.packets +=
            (g->in_side == STATS_GN ? stats_balance(stats) : stats_balance_up(stats)).packets.out;
    }
    for (; g; g = g->other) {
        w.came -= g->early;
        w.sent += g->count.sent;
        w.took += g->count.frames;
    }
    return w;
}

uint64_t generator_astray(const struct generator *g)
{
    if (g->rings)
        return 0;
    struct wire w = wire_of(g);
    return less(w.went, w.took) + (g->population->ports.by_itself ? 0 : less(w.sent, w.came));
}

uint64_t generator_finished(const struct generator *g)
{
    uint64_t packets = 0;
    struct wire w = wire_of(g);
    if (!g->rings)
        return less(w.packets, less(w.went, w.took));
    for (; g; g = g->other)
        packets += g->count.packets;
    return packets;
}

// Over rings what another worker has handed on is here by `sent`, and over devices by `in`.
uint64_t generator_inside(const struct generator *g)
{
    struct stats_balance b = balance(g);
    uint64_t handed_on = generator_stats(g)->of_port[g->in_side].strays_out_packets;
    uint64_t came = g->rings ? g->count.sent + handed_on : b.packets.in - g->early;
    return came - b.packets.out - generator_dropped(g) - b.packets.aside;
}

void generator_poll_others(const struct generator *g, uint64_t now_ns)
{
    for (uint32_t i = 0; i < g->population->options->workers && !g->rings; i++)
        if (i != g->worker)
            dp_poll(dp_worker(g->population->dp, i), now_ns);
}

static uint64_t receive_all(struct generator *g)
{
    uint64_t frames = 0;
    for (; g; g = g->other)
        frames += generator_receive(g);
    return frames;
}

// Frames that one worker hands on to another are in neither's books.
static bool is_empty(const struct generator *g)
{
    uint64_t inside = 0;
    for (; g; g = g->other)
        inside += generator_inside(g);
    return inside == 0;
}

void generator_drain(struct generator *g)
{
    uint64_t start_ns = bench_clock_ns(), now_ns = start_ns;
    uint64_t last_ns = start_ns; // when something came
    while (now_ns - start_ns < DRAIN_NS) {
        now_ns = bench_clock_ns();
        generator_poll_others(g, now_ns);
        for (struct generator *one = g; one; one = one->other)
            dp_poll(dp_worker(one->population->dp, one->worker), now_ns);
        if (receive_all(g) > 0)
            last_ns = now_ns;
        else if (g->rings ? is_empty(g) : now_ns - last_ns > QUIET_NS)
            break;
    }
}

struct sums {
    uint64_t arrived, sent, waiting, inside, held, packets, out, dropped, frames, pdus;
};

static void add_to(struct sums *s, const struct generator *g)
{
    const struct dp_worker *worker = dp_worker(g->population->dp, g->worker);
    const struct stats_port *in = &generator_stats(g)->of_port[g->in_side];
    struct stats_balance b = balance(g);
    s->arrived += in->rx_packets - in->strays_out_packets + in->strays_in_packets;
    s->sent += g->count.sent;
    s->waiting += g->rings && !g->shares_queue ? rte_ring_count(g->in.to_port) : 0;
    s->inside += generator_inside(g);
    s->held += dp_held(worker, g->in_side).inner.packets;
    s->packets += g->count.packets;
    s->out += b.packets.out;
    s->dropped += b.packets.dropped;
    s->frames += g->count.frames;
    s->pdus += g->count.pdus;
}

static const char *fault_of_one(const struct generator *g)
{
    if (!dp_balanced(dp_worker(g->population->dp, g->worker)))
        return "the worker's books do not balance";
    if (g->population->ports.by_itself && generator_dropped(g))
        return "Sluice dropped packets";
    if (g->rings && frames_out(g, g->worker) != g->count.frames)
        return "other frames came out than Sluice says";
    return NULL;
}

const char *generator_fault(const struct generator *g)
{
    struct sums s = {0};
    struct wire wire = wire_of(g);
    bool rings = g->rings;
    for (; g; g = g->other) {
        const char *fault = fault_of_one(g);
        if (fault)
            return fault;
        add_to(&s, g);
    }
    if (!rings && wire.went < wire.took)
        return "more frames came out than Sluice says";
    if (rings && s.arrived + s.waiting != s.sent)
        return "the ports have not received what was sent";
    if (s.inside != s.waiting + s.held)
        return "packets are neither in Sluice nor have they left it";
    if (rings && s.packets != s.out)
        return "other packets came out than Sluice says";
    if (rings && s.inside == 0 && s.dropped == 0 && s.frames != s.pdus)
        return "other LLC PDUs came out than the packets make";
    return NULL;
}
