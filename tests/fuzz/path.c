// See path.h: what goes in and comes out, and what must hold after each poll: the books balance
// (S8), no command was refused, and the path comes to rest; and after an input: nothing is held.
#include "tests/fuzz/path.h"

#include <errno.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <string.h>

#include "tests/fuzz/buffer.h"
#include "tests/dataplane/sched/check.h"

#define POLLS_MOST    600 // to rest, whatever was given
#define CHECK_EVERY   64  // polls, for the checks that look at everything
#define REMOVALS_MOST 20
#define LONGEST_NS    20000000000ULL // that anything is held for

struct path path;
struct path_totals path_totals;

void path_open(bool many)
{
    const char *why = NULL;
    memset(&path, 0, sizeof path);
    path.mss = many ? PATH_MSS_MANY : PATH_MSS;
    path.pdps = many ? PATH_MSS_MANY * PATH_NSAPIS : PATH_PDPS;
    struct dp_config config = path_config();
    path.dp = dp_create(&config, &why);
    if (!path.dp)
        fprintf(stderr, "no dataplane: %s\n", why);
    CHECK(path.dp);
    for (uint32_t w = 0; w < PATH_WORKERS; w++) {
        path.worker[w] = dp_worker(path.dp, w);
        for (int side = 0; side < STATS_SIDES; side++)
            path.end[w][side] = dp_far_end(path.dp, side, w);
    }
    path_plant(many);
}

static void sum_up(const struct stats_worker *s)
{
    const uint64_t *of = (const uint64_t *)s;
    uint64_t *sum = (uint64_t *)&path_totals.stats;
    for (size_t i = 0; i < sizeof path_totals.stats / sizeof *sum; i++)
        sum[i] += of[i];
    for (int r = 0; r < DROP_COUNT; r++) {
        path_totals.dropped[r] += s->up.drop[r].packets;
        for (int side = 0; side < STATS_SIDES; side++)
            path_totals.dropped[r] += s->of_port[side].drop[r].packets;
        for (int class = 0; class < CLASS_COUNT; class ++)
            path_totals.dropped[r] += s->of_class[class].drop[r].packets;
    }
}

// ---- In and out ----

static uint32_t take_frames(uint32_t w, enum stats_side side)
{
    struct rte_mbuf *m;
    uint32_t taken = 0;
    while (!path.stalled[side] && rte_ring_dequeue(path.end[w][side].from_port, (void **)&m) == 0) {
        CHECK(m->nb_segs == 1 && m->pkt_len == m->data_len);
        // Out of the pool's memory, in which a sanitizer sees nothing.
        uint8_t *b = malloc(m->data_len);
        memcpy(b, rte_pktmbuf_mtod(m, uint8_t *), m->data_len);
        path_check_frame(side, b, m->data_len);
        free(b);
        rte_pktmbuf_free(m);
        taken++;
    }
    return taken;
}

void path_take_events(void)
{
    struct event event;
    volatile uint8_t last;
    while (!path.events_left && dp_event(path.dp, &event)) {
        CHECK(event.kind < EVENT_COUNT);
        if (event.buffer && event.pdu.n)
            last = event.pdu.at[event.pdu.n - 1], (void)last;
        path_totals.events[event.kind]++;
        dp_event_done(path.dp, &event);
    }
}

static void check_all(const struct dp_worker *worker)
{
    const char *wrong = sched_check(worker->sched);
    if (wrong)
        fprintf(stderr, "the scheduler: %s\n", wrong);
    CHECK(!wrong);
}

// What came out of its ports; `next_ns` is when it wants to be called again.
static uint32_t poll_once(uint32_t w, uint64_t *next_ns)
{
    struct dp_worker *worker = path.worker[w];
    *next_ns = dp_poll(worker, path.now_ns);
    path.polls++;
    CHECK(*next_ns >= path.now_ns);
    CHECK(dp_balanced(worker));
    CHECK(dp_stats(worker)->commands_refused == 0);
    if (path.polls % CHECK_EVERY == 0)
        check_all(worker);
    return take_frames(w, STATS_GN) + take_frames(w, STATS_GB);
}

void path_poll(void)
{
    uint32_t taken, polls = 0;
    uint64_t next_ns;
    do {
        CHECK(polls++ < POLLS_MOST);
        taken = 0;
        path.next_ns = TIME_NEVER;
        for (uint32_t w = 0; w < PATH_WORKERS; w++) {
            if (path.asleep[w])
                continue;
            taken += poll_once(w, &next_ns);
            path.next_ns = next_ns < path.next_ns ? next_ns : path.next_ns;
        }
        path_take_events();
    } while (taken || path.next_ns == path.now_ns);
}

void path_wake(void)
{
    for (uint32_t w = 0; w < PATH_WORKERS; w++)
        path.asleep[w] = false;
    path.stalled[STATS_GN] = path.stalled[STATS_GB] = path.events_left = false;
    path_poll();
}

const struct state *path_state_of_ms(uint32_t ms)
{
    for (uint32_t w = 0; w < PATH_WORKERS; w++) {
        const struct state *state = &path.worker[w]->state;
        uint32_t bvc = state->ms[ms].bvc % PATH_BVCS;
        if (state_ms_of(state, state->bvc[bvc].nse, state->ms[ms].tlli) == ms)
            return state;
    }
    return &path.worker[0]->state;
}

uint32_t path_teid(uint32_t pdp)
{
    uint32_t teid = 0;
    for (uint32_t w = 0; w < PATH_WORKERS && !teid; w++)
        teid = path.worker[w]->state.pdp[pdp].teid;
    return teid;
}

void path_give(uint32_t w, enum stats_side side, const uint8_t *octets, uint32_t n, uint32_t cut,
               uint64_t nic_flags, uint32_t tailroom)
{
    struct rte_mbuf *m = NULL;
    uint32_t room = rte_pktmbuf_data_room_size(path.end[w][side].pool) - RTE_PKTMBUF_HEADROOM;
    if (rte_ring_full(path.end[w][side].to_port))
        path_poll();
    for (uint32_t at = 0, piece; at < n; at += piece, cut = n) {
        piece = n - at < room ? n - at : room;
        if (at == 0 && cut > 0 && cut < piece)
            piece = cut;
        struct rte_mbuf *part = buffer_of(path.end[w][side].pool, octets + at, piece,
                                          piece + tailroom < room ? tailroom : room - piece);
        if (part && m)
            CHECK(rte_pktmbuf_chain(m, part) == 0);
        else if (!m)
            m = part;
        if (!part)
            break; // a shorter frame, or none
    }
    if (!m)
        return;
    m->ol_flags |= nic_flags;
    m->vlan_tci = path_vlan(side);
    path_totals.frames++;
    if (rte_ring_enqueue(path.end[w][side].to_port, m) != 0)
        rte_pktmbuf_free(m);
}

// ---- The end ----

static void expect_nothing_held(uint32_t w)
{
    for (int side = 0; side < STATS_SIDES; side++) {
        struct dp_held held = dp_held(path.worker[w], side);
        CHECK(held.inner.packets == 0 && held.inner.octets == 0);
        CHECK(held.fragments.packets == 0 && held.fragments.octets == 0);
        CHECK(rte_mempool_in_use_count(path.end[w][side].pool) == 0);
        CHECK(rte_mempool_in_use_count(path.worker[w]->port[side].answer_pool) == 0);
    }
    CHECK(rte_mempool_in_use_count(path.worker[w]->segment_pool) == 0);
    check_all(path.worker[w]);
}

// What is not there is no fault here; a cell that is on its way out wants another round.
static bool removed(enum command_op op, uint32_t id, uint32_t slot)
{
    struct command c = {.op = op, .pfc_remove = {.ms_id = id, .slot = (uint8_t)slot}};
    int64_t code = dp_command(path.dp, &c);
    if (code == -EAGAIN)
        path_poll();
    return code != -EAGAIN && code != -EBUSY;
}

static bool remove_all(void)
{
    bool all = true;
    for (uint32_t i = 0; i < path.pdps; i++)
        all &= removed(COMMAND_pdp_remove, i, 0);
    for (uint32_t i = 0; i < path.mss; i++) {
        for (uint32_t slot = 0; slot < SCHED_SLOTS; slot++)
            all &= removed(COMMAND_pfc_remove, i, slot);
        all &= removed(COMMAND_ms_remove, i, 0);
    }
    for (uint32_t i = 0; i < PATH_BVCS; i++)
        all &= removed(COMMAND_bvc_remove, i, 0);
    for (uint32_t i = 0; i < PATH_NSVCS; i++)
        all &= removed(COMMAND_nsvc_remove, i, 0);
    path_poll();
    for (uint32_t i = 0; i < PATH_NSES; i++)
        all &= removed(COMMAND_nse_remove, i, 0);
    for (uint32_t i = 0; i < PATH_GGSNS; i++)
        all &= removed(COMMAND_ggsn_remove, i, 0);
    path_poll();
    return all;
}

void path_reset(void)
{
    path_wake();
    CHECK(dp_settled(path.dp));
    for (int rounds = 0; !remove_all(); rounds++)
        CHECK(rounds < REMOVALS_MOST);
    path.now_ns += LONGEST_NS;
    path_poll();
    for (uint32_t w = 0; w < PATH_WORKERS; w++)
        expect_nothing_held(w);
    path_plant(false);
}

static void empty_rings(uint32_t w, enum stats_side side)
{
    struct rte_mbuf *m;
    while (rte_ring_dequeue(path.end[w][side].from_port, (void **)&m) == 0 ||
           rte_ring_dequeue(path.end[w][side].to_port, (void **)&m) == 0)
        rte_pktmbuf_free(m);
}

void path_close(void)
{
    path.events_left = false;
    path_take_events();
    for (uint32_t w = 0; w < PATH_WORKERS; w++) {
        empty_rings(w, STATS_GN);
        empty_rings(w, STATS_GB);
        sum_up(dp_stats(path.worker[w]));
    }
    CHECK(dp_destroy(path.dp) == 0);
    path.dp = NULL;
}
