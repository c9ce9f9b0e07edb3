// See path.h: a world from its beginning to its end, and time in it.
#include "tests/dataplane/path/path.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dataplane/drop_scopes.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/path/ends.h"
#include "tests/dataplane/path/judge.h"
#include "tests/dataplane/path/unseen.h"

struct path p;

// ---- Time ----

// T of the QoS profile (48.018 11.3.28) is in the octet before the lifetime.
static bool is_llc_of_control(const uint8_t *frame, size_t n, struct ip_datagram *d)
{
    static struct ip_reader reader = {.accept = {.ipv6 = true}};
    return p.on_llc && ip_read(&reader, frame, n, d) == IP_ERR_NONE && d->n >= 16 &&
           d->octets[0] == 0 && d->octets[4] == 0 && !(d->octets[11] & 0x10);
}

static void take_gb(const uint8_t *frame, size_t n)
{
    struct ip_datagram of_control;
    if (is_llc_of_control(frame, n, &of_control)) {
        p.on_llc(&of_control);
        return;
    }
    static struct ip_reader reader = {.accept = {.ipv6 = true}};
    struct ip_datagram datagram;
    int code = gb_receiver_frame(p.gb, frame, n);
    bool other = code == -GB_ERR_NS_TYPE || code == -GB_ERR_BSSGP_TYPE || code == -GB_ERR_NS_BVCI;
    if (other && p.on_gb && ip_read(&reader, frame, n, &datagram) == IP_ERR_NONE)
        p.on_gb(&datagram);
    else if (code && !p.refused_by_gb[-code])
        fail_msg("the receiver refused a frame from Gb: %s", gb_receiver_error_text(code));
}

static void take_gn(const uint8_t *frame, size_t n)
{
    int code = gn_receiver_frame(p.gn, frame, n);
    if (code && p.on_gn)
        p.on_gn(frame, n);
    else if (code)
        fail_msg("the receiver refused a frame from Gn: %s", gn_receiver_error_text(code));
}

uint32_t path_take(enum stats_side side, uint32_t most)
{
    uint32_t taken = 0;
    for (uint32_t w = 0; w < p.workers; w++) {
        struct rte_mbuf *m;
        for (uint32_t n = 0;
             n < most && rte_ring_dequeue(p.far[side][w].from_port, (void **)&m) == 0; n++) {
            unseen_take(m);
            if (p.on_frame)
                p.on_frame(side, rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
            if (!p.blind)
                (side == STATS_GN ? take_gn : take_gb)(rte_pktmbuf_mtod(m, uint8_t *), m->pkt_len);
            p.frames_out[side]++;
            p.octets_out[side] += m->pkt_len;
            rte_pktmbuf_free(m);
            taken++;
        }
    }
    return taken;
}

static bool take_events(void)
{
    struct event event;
    bool any = false;
    for (; dp_event(p.dp, &event); any = true) {
        p.events[event.kind]++;
        if (event.kind == EVENT_moved)
            p.ms[event.ms_id].bvc = event.bvc_id;
        if (p.on_event)
            p.on_event(&event);
        dp_event_done(p.dp, &event);
    }
    return any;
}

uint64_t path_order;

// xorshift64 (Marsaglia)
static uint32_t first_in_turn(void)
{
    path_order ^= path_order << 13;
    path_order ^= path_order >> 7;
    path_order ^= path_order << 17;
    return (uint32_t)(path_order % p.workers);
}

uint64_t path_poll_worker(uint32_t w)
{
    uint64_t next_ns = dp_poll(dp_worker(p.dp, w), p.now_ns);
    assert_true(next_ns >= p.now_ns);
    assert_true(dp_balanced(dp_worker(p.dp, w)));
    return next_ns;
}

bool path_poll_once(uint64_t *next_ns)
{
    *next_ns = TIME_NEVER;
    uint32_t first = first_in_turn(), step = path_order & 1 << 20 ? 1 : p.workers - 1;
    for (uint32_t i = 0; i < p.workers; i++) {
        uint64_t next = path_poll_worker((first + i * step) % p.workers);
        *next_ns = next < *next_ns ? next : *next_ns;
    }
    return *next_ns == p.now_ns;
}

static uint64_t poll_to_rest(void)
{
    uint64_t next_ns;
    for (uint32_t rounds = 0;; rounds++) {
        bool work = path_poll_once(&next_ns);
        if (!p.hold_events)
            work |= take_events();
        if (!p.hold_frames)
            work |= (path_take(STATS_GB, UINT32_MAX) + path_take(STATS_GN, UINT32_MAX)) > 0;
        if (!work)
            return next_ns;
        assert_true(rounds < 100000);
    }
}

void path_poll(void)
{
    poll_to_rest();
}

void path_run_until(uint64_t end_ns)
{
    for (;;) {
        uint64_t next_ns = poll_to_rest();
        if (next_ns > end_ns)
            break;
        p.now_ns = next_ns;
    }
    p.now_ns = end_ns;
    poll_to_rest();
}

// ---- Beginning and end ----

void path_open(const struct dp_config *c)
{
    const char *why = NULL;
    const struct ip_accept gb = {true, true, c->gb.mtu_octets}, gn = {true, true, c->gn.mtu_octets};
    if (p.dp) // the test before this one failed half way
        dp_destroy(p.dp);
    free(p.expected);
    memset(&p, 0, sizeof p);
    p.dp = dp_create(c, &why);
    if (!p.dp)
        fail_msg("no dataplane: %s", why);
    assert_int_equal(unseen_ports(), 0);
    p.workers = c->workers;
    p.worker = dp_worker(p.dp, 0);
    for (uint32_t w = 0; w < p.workers; w++)
        for (int side = 0; side < STATS_SIDES; side++)
            p.far[side][w] = dp_far_end(p.dp, side, w);
    p.gb = gb_receiver_new(path_judge_down, NULL);
    p.gn = gn_receiver_new(path_judge_up, NULL);
    gb_receiver_accept(p.gb, &gb);
    gn_receiver_accept(p.gn, &gn);
    gb_receiver_watch(p.gb, path_see_frame);
}

void path_open_small_config(const struct dp_config *c)
{
    path_open(c);
    gb_receiver_accept(p.gb, &(struct ip_accept){0});
    path_gn_from(GGSN, 32);
    path_nse(0);
    path_nsvc(0, 0, false, 1);
    path_bvc(0, 0, 2);
}

void path_open_small(uint32_t queue_packets, uint32_t gb_tx_frames)
{
    struct dp_config c = path_small_config(queue_packets, gb_tx_frames);
    path_open_small_config(&c);
}

static void drain(uint32_t w, enum stats_side side)
{
    struct rte_mbuf *m;
    while (rte_ring_dequeue(p.far[side][w].to_port, (void **)&m) == 0)
        rte_pktmbuf_free(m);
    while (rte_ring_dequeue(p.far[side][w].from_port, (void **)&m) == 0) {
        p.frames_out[side]++;
        p.octets_out[side] += m->pkt_len;
        rte_pktmbuf_free(m);
    }
}

void path_close(void)
{
    uint64_t frames[STATS_SIDES] = {0}, octets[STATS_SIDES] = {0}, fragmented[STATS_SIDES] = {0};
    for (uint32_t w = 0; w < p.workers; w++) {
        const struct stats_worker *stats = dp_stats(dp_worker(p.dp, w));
        for (int side = 0; side < STATS_SIDES; side++) {
            drain(w, (enum stats_side)side);
            frames[side] += stats->of_port[side].tx_packets;
            octets[side] += stats->of_port[side].tx_octets;
            fragmented[side] += stats->of_port[side].tx_fragmented;
        }
        expect_drop_scopes(stats);
        assert_int_equal(stats->commands_refused, 0);
    }
    for (int side = 0; side < STATS_SIDES; side++) {
        assert_true(p.frames_out[side] >= frames[side] + fragmented[side]);
        if (fragmented[side] == 0) {
            assert_int_equal(p.frames_out[side], frames[side]);
            assert_int_equal(p.octets_out[side], octets[side]);
        }
    }
    uint32_t held = dp_destroy(p.dp);
    p.dp = NULL;
    gb_receiver_free(p.gb);
    gn_receiver_free(p.gn);
    assert_int_equal(held, 0);
    assert_int_equal(p.wrong, 0);
}

static void add_drops(struct stats_drop *sum, const struct stats_drop *drop)
{
    sum->packets += drop->packets;
    sum->octets += drop->octets;
}

struct stats_drop path_dropped(enum drop_reason reason)
{
    struct stats_drop sum = {0};
    for (uint32_t w = 0; w < p.workers; w++) {
        const struct stats_worker *stats = dp_stats(dp_worker(p.dp, w));
        for (int side = 0; side < STATS_SIDES; side++)
            add_drops(&sum, &stats->of_port[side].drop[reason]);
        for (int c = 0; c < CLASS_COUNT; c++)
            add_drops(&sum, &stats->of_class[c].drop[reason]);
        add_drops(&sum, &stats->up.drop[reason]);
    }
    return sum;
}

void path_expect_all(void)
{
    // The reason first: it says more than a number that is too small.
    for (int reason = 0; reason < DROP_COUNT; reason++)
        if (path_dropped(reason).packets)
            fail_msg("%lu dropped: %s", (unsigned long)path_dropped(reason).packets,
                     stats_drop_names[reason]);
    for (uint32_t i = 0; i < PATH_PDPS; i++) {
        assert_int_equal(p.pdp[i].down.sent, p.pdp[i].down.received);
        assert_int_equal(p.pdp[i].up.sent, p.pdp[i].up.received);
    }
    assert_int_equal(gb_receiver_counters(p.gb)->partials_open, 0);
    assert_int_equal(gb_receiver_counters(p.gb)->partials_discarded, 0);
    assert_int_equal(gb_receiver_counters(p.gb)->datagrams_open, 0);
    assert_int_equal(gn_receiver_counters(p.gn)->datagrams_open, 0);
    for (uint32_t w = 0; w < p.workers; w++)
        for (int side = 0; side < STATS_SIDES; side++) {
            struct dp_held held = dp_held(dp_worker(p.dp, w), side);
            assert_int_equal(held.inner.packets + held.fragments.packets, 0);
        }
}

void path_expect_conservation(void)
{
    uint64_t down = 0, came = 0, delays = 0, gb_in = 0, npdus = 0, frames[STATS_SIDES] = {0};
    for (uint32_t w = 0; w < p.workers; w++) {
        const struct stats_worker *stats = dp_stats(dp_worker(p.dp, w));
        const struct stats_port *gn = &stats->of_port[STATS_GN], *gb = &stats->of_port[STATS_GB];
        expect_drop_scopes(stats);
        for (int reason = 0; reason < DROP_COUNT; reason++) {
            down += gn->drop[reason].packets;
            gb_in += gb->drop[reason].packets + stats->up.drop[reason].packets;
            for (int c = 0; c < CLASS_COUNT; c++)
                down += stats->of_class[c].drop[reason].packets;
        }
        for (int c = 0; c < CLASS_COUNT; c++) {
            came += stats->of_class[c].out_packets;
            for (int i = 0; i < STATS_DELAY_PLACES; i++)
                delays += stats->of_class[c].delays.npdus[i];
        }
        down += dp_held(dp_worker(p.dp, w), STATS_GN).inner.packets + gn->host_packets;
        gb_in += dp_held(dp_worker(p.dp, w), STATS_GB).inner.packets + gb->host_packets +
                 stats->up.out_packets;
        npdus += stats->up.npdus;
        for (int side = 0; side < STATS_SIDES; side++)
            frames[side] += stats->of_port[side].tx_packets;
    }
    assert_int_equal(p.frames_in[STATS_GN], came + down + p.events[EVENT_error_indication]);
    assert_int_equal(p.frames_in[STATS_GB], gb_in + p.events[EVENT_ns] + p.events[EVENT_stranger]);
    assert_int_equal(delays, came); // all frames that were made have gone
    if (!p.blind)
        assert_int_equal(p.down_received, came);
    if (!p.blind)
        assert_int_equal(p.up_received, npdus);
    assert_int_equal(p.frames_out[STATS_GB], frames[STATS_GB]);
    assert_int_equal(p.frames_out[STATS_GN], frames[STATS_GN]);
}

#define SEGMENT_BUFFERS_MOST 65536u
static struct rte_mbuf *segment_buffers[SEGMENT_BUFFERS_MOST];
static uint32_t segment_buffer_count;

void path_hold_segment_buffers(void)
{
    struct rte_mempool *pool = rte_mempool_lookup("segments0");
    struct rte_mbuf *m;
    assert_non_null(pool);
    segment_buffer_count = 0;
    while ((m = rte_pktmbuf_alloc(pool)) != NULL) {
        assert_true(segment_buffer_count < SEGMENT_BUFFERS_MOST);
        segment_buffers[segment_buffer_count++] = m;
    }
}

void path_give_segment_buffers(uint32_t n)
{
    for (; n > 0 && segment_buffer_count > 0; n--)
        rte_pktmbuf_free(segment_buffers[--segment_buffer_count]);
}

// The EAL keeps this thread, and so all that it starts, on one processor: threads would only take
// turns.
int path_start_eal(void **state)
{
    cpu_set_t all;
    (void)state;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return -1;
    if (eal_fixture_start("512") != 0 || unseen_pools() != 0)
        return -1;
    return sched_setaffinity(0, sizeof all, &all);
}
