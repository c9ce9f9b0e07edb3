// Real threads: one polls each of two workers by a real clock, a third is control and the network:
// it moves MSs to and fro, removes and makes contexts, and feeds both ports at the wrong queues;
// and a fourth has the live view and traces packets in the meantime. What went in has come out, was
// dropped under a reason, or is still there.
#include "tests/dataplane/path/path.h"

#include <pthread.h>
#include <string.h>

#include "dataplane/view/view.h"
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/path/clock.h"
#include "tests/dataplane/random.h"
#include "tests/dataplane/path/unseen.h"

#define WORKERS 2u
#define MSS     40u

#define ASK_NAP_NS 20000

static bool stop;
static bool unbalanced[WORKERS];

static void *run_worker(void *number)
{
    uint32_t w = (uint32_t)(uintptr_t)number;
    struct dp_worker *worker = dp_worker(p.dp, w);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        dp_poll(worker, clock_ns());
        unbalanced[w] |= !dp_balanced(worker);
    }
    return NULL;
}

// ---- The fourth thread: it fails by counting, for CMocka's assertions are the first one's ----

static struct dp_query query;
static uint64_t answers[VIEW_TRACE + 1], wrong_answers, records;

// Of one moment: no N-PDU has left, or waits, that had not come.
static bool stats_are_right(const struct dp_query *q)
{
    struct stats_balance down = stats_balance(&q->stats);
    uint64_t come = down.inner_packets + down.moved.packets;
    uint64_t gone = down.packets.out + down.dropped_inner.packets;
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        gone += q->queues[i].queued_npdus;
    return (int64_t)(come - gone) >= 0;
}

static bool bvcs_are_right(const struct dp_query *q, uint32_t worker)
{
    return q->n == 1 && q->bvc[0].bvc_id == worker && q->bvc[0].bvci == 2 + worker;
}

// Each MS once, by its place at the worker.
static bool mss_are_right(const struct dp_query *q, uint32_t worker)
{
    bool right = q->n <= MSS, seen[MSS] = {false};
    for (uint32_t i = 0; i < q->n && right; i++) {
        uint32_t ms = q->ms[i].ms_id;
        right = q->ms[i].bvc_id == worker && ms < MSS && !seen[ms] &&
                (i == 0 || q->place[i - 1] < q->place[i]);
        if (right)
            seen[ms] = true;
    }
    return right;
}

static bool answer_is_right(const struct dp_query *q, uint32_t worker)
{
    switch (q->kind) {
    case VIEW_STATS:
        return stats_are_right(q);
    case VIEW_BVCS:
        return bvcs_are_right(q, worker);
    case VIEW_TRACE:
        return true;
    default:
        return mss_are_right(q, worker);
    }
}

static void ask(uint32_t worker, enum view_kind kind, struct trace *trace)
{
    query = (struct dp_query){.kind = kind, .of = VIEW_ALL, .end = VIEW_ALL, .trace = trace};
    dp_ask(p.dp, worker, &query);
    while (!dp_answered(p.dp, worker)) // a worker polls until this thread has ended
        nanosleep(&(struct timespec){.tv_nsec = ASK_NAP_NS}, NULL);
    answers[kind]++;
    wrong_answers += !answer_is_right(&query, worker);
}

// One trace ends, half read perhaps, and another begins.
static void trace_again(void)
{
    static const struct trace_wish wish = {TRACE_ANY, TRACE_ANY, TRACE_PACKETS_MAX};
    for (uint32_t w = 0; w < WORKERS; w++)
        ask(w, VIEW_TRACE, NULL);
    wrong_answers += dp_trace_begin(p.dp, &wish) != 0;
    for (uint32_t w = 0; w < WORKERS; w++)
        ask(w, VIEW_TRACE, dp_trace(p.dp, w));
}

// Records of this trace, in the order of their times.
static void take_records(uint32_t worker)
{
    static struct trace_record record[256];
    uint32_t n = dp_trace_take(p.dp, worker, record, 256);
    struct trace_progress progress = dp_trace_progress(p.dp);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = (uint16_t)(record[i].packet - progress.first);
        wrong_answers += number >= progress.packets || record[i].stage >= TRACE_STAGES ||
                         (i && record[i].time_ns < record[i - 1].time_ns);
    }
    records += n;
}

static bool stop_asking;

// Once at least, however slow the machine.
static void *run_asker(void *unused)
{
    do {
        trace_again();
        for (uint32_t w = 0; w < WORKERS; w++) {
            ask(w, VIEW_STATS, NULL);
            ask(w, VIEW_BVCS, NULL);
            ask(w, VIEW_MSS, NULL);
            take_records(w);
        }
    } while (!__atomic_load_n(&stop_asking, __ATOMIC_ACQUIRE));
    for (uint32_t w = 0; w < WORKERS; w++) // of all traffic, if it has come round but once
        take_records(w);
    return unused;
}

static void expect_answers(void)
{
    print_message("# %lu answers of each kind, %lu records of traces\n",
                  (unsigned long)answers[VIEW_STATS], (unsigned long)records);
    assert_int_equal(wrong_answers, 0);
    assert_true(answers[VIEW_STATS] && answers[VIEW_BVCS] && answers[VIEW_MSS] && records);
}

static uint32_t one_of(uint32_t count)
{
    return (uint32_t)(random_next() % count);
}

// One LLC PDU an N-PDU, so that frames are N-PDUs.
static void open_world(void)
{
    struct dp_config c = path_config(WORKERS);
    c.real_time = true;
    c.queue_packets = 500;
    path_open(&c);
    p.blind = true;
    path_ggsn(0, false);
    for (uint32_t i = 0; i < WORKERS; i++) {
        path_nse(i);
        path_nsvc(i, i, i % 2, 1);
        path_bvc(i, i, (uint16_t)(2 + i));
    }
    path_bvc_flow(1, 6000000, 20000); // where a queue stands
    for (uint32_t ms = 0; ms < MSS; ms++) {
        path_plain_ms(ms, ms % WORKERS, 1520);
        path_key(ms, ms % 3 ? ms % 3 + 2 : 0);
    }
}

// ---- The third thread ----

static uint64_t given[STATS_SIDES], taken[STATS_SIDES], moves;

static void give(enum stats_side side, const struct ip_frame *frame)
{
    given[side] += path_give(side, one_of(WORKERS), frame);
}

static void give_down(uint32_t pdp)
{
    static struct ip_frame frame;
    static uint8_t npdu[1400];
    struct ip_ends ends = path_ends_gn(0);
    path_gpdu(&frame, &ends, p.pdp[pdp].teid, npdu, random_in(1, sizeof npdu));
    give(STATS_GN, &frame);
}

static void give_up(uint32_t pdp)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[1400];
    struct ul_cell cell = path_cell(p.ms[pdp].bvc);
    unsigned n = ul_send(&p.ms[pdp].up, &cell, 3, 5, npdu, random_in(1, sizeof npdu), frames);
    for (unsigned i = 0; i < n; i++)
        give(STATS_GB, &frames[i]);
}

static void take_all(void)
{
    struct event event;
    for (int side = 0; side < STATS_SIDES; side++)
        taken[side] += path_take((enum stats_side)side, UINT32_MAX);
    while (dp_event(p.dp, &event)) {
        p.events[event.kind]++;
        dp_event_done(p.dp, &event);
    }
}

static void make_pdp(uint32_t id)
{
    struct command c = {.op = COMMAND_pdp,
                        .pdp = {.pdp_id = id,
                                .ms_id = id,
                                .nsapi = 5,
                                .sapi = 3,
                                .has_ggsn_id = true,
                                .ggsn_teid = 1 + id}};
    int64_t teid = dp_command(p.dp, &c);
    assert_true(teid > 0);
    p.pdp[id].teid = (uint32_t)teid;
}

static void command_something(void)
{
    uint32_t ms = one_of(MSS), bvc = one_of(WORKERS);
    switch (one_of(8)) {
    case 0:
        TRY(0, pdp_remove, ms);
        make_pdp(ms);
        break;
    case 1:
        TRY(0, ms_freeze, ms);
        break;
    case 2:
    case 3:
        TRY(0, ms_release, ms);
        break;
    default:
        TRY(0, ms_move, .ms_id = ms, .bvc_id = bvc);
        moves += p.ms[ms].bvc != bvc;
        p.ms[ms].bvc = bvc;
    }
}

// Not more than the command rings hold.
static void command_some(void)
{
    for (uint32_t left = one_of(20); left > 0 && dp_settled(p.dp); left--)
        for (uint32_t at_once = one_of(30); at_once > 0; at_once--)
            command_something();
}

// Of an MS that a worker may just hear, send away or get. What ThreadSanitizer says counts; which
// value it is, dataplane_read_test.c tells.
static void look_at_silence(void)
{
    dp_events_now(p.dp, clock_ns());
    assert_true(dp_ms_silence_ns(p.dp, one_of(MSS)) < 3600 * S_IN_NS);
}

// So long, and on a slow machine until something has happened.
static void be_the_world_for(uint64_t end_ns)
{
    while (clock_ns() < end_ns || (moves < 50 && clock_ns() < 10 * end_ns)) {
        for (uint32_t n = one_of(30); n > 0; n--) {
            give_down(one_of(MSS));
            if (one_of(3) == 0)
                give_up(one_of(MSS));
        }
        command_some();
        look_at_silence();
        take_all();
    }
}

static void settle(void)
{
    for (uint32_t ms = 0; ms < MSS; ms++)
        TRY(0, ms_release, ms);
    uint64_t end_ns = clock_ns() + 20 * S_IN_NS;
    while (!dp_settled(p.dp)) {
        assert_true(clock_ns() < end_ns); // no worker waits for ever
        take_all();
    }
}

// ---- What is left ----

struct sums {
    uint64_t rx[STATS_SIDES], tx[STATS_SIDES], astray, moved, refused, dropped_down, dropped_up;
    uint64_t host[STATS_SIDES], queued, out_up, npdus_up, answered;
};

static struct sums sum_up(void)
{
    struct sums sums = {0};
    for (uint32_t w = 0; w < WORKERS; w++) {
        const struct stats_worker *stats = dp_stats(dp_worker(p.dp, w));
        struct stats_balance down = stats_balance(stats), up = stats_balance_up(stats);
        for (int side = 0; side < STATS_SIDES; side++) {
            const struct stats_port *port = &stats->of_port[side];
            sums.rx[side] += port->rx_packets;
            sums.tx[side] += port->tx_packets;
            sums.host[side] += port->host_packets;
            sums.astray += port->strays_out_packets - port->strays_in_packets;
        }
        sums.answered += stats->of_port[STATS_GN].answers - stats->of_port[STATS_GN].answers_unsent;
        sums.moved += down.moved.packets;
        sums.refused += stats->commands_refused;
        sums.dropped_down += down.packets.dropped;
        sums.dropped_up += up.packets.dropped;
        sums.out_up += up.packets.out;
        sums.npdus_up += stats->up.npdus;
        sums.queued += dp_queued(dp_worker(p.dp, w)).packets;
    }
    return sums;
}

static void run_to_rest(void)
{
    uint64_t next_ns;
    p.now_ns = clock_ns();
    for (uint32_t i = 0; i < 100000; i++) {
        bool work = path_poll_once(&next_ns);
        take_all();
        if (!work && next_ns == TIME_NEVER)
            break;
        p.now_ns = next_ns < p.now_ns + 10 * MS_IN_NS ? next_ns : p.now_ns + 10 * MS_IN_NS;
    }
}

static void expect_all_accounted(void)
{
    struct sums sums = sum_up();
    assert_int_equal(sums.astray, 0);
    assert_int_equal(sums.moved, 0);
    assert_int_equal(sums.refused, 0);
    assert_int_equal(sums.queued, 0);
    for (int side = 0; side < STATS_SIDES; side++) {
        assert_int_equal(sums.rx[side], given[side]);
        assert_int_equal(sums.tx[side], taken[side]);
    }
    assert_int_equal(given[STATS_GN], sums.host[STATS_GN] + taken[STATS_GB] + sums.dropped_down);
    assert_int_equal(taken[STATS_GN], sums.npdus_up + sums.answered);
    assert_int_equal(given[STATS_GB],
                     sums.host[STATS_GB] + sums.out_up + sums.dropped_up + p.events[EVENT_ns]);
    print_message("# %lu moves; %lu N-PDUs came down, %lu went; %lu segments came up, %lu went\n",
                  (unsigned long)moves, (unsigned long)given[STATS_GN],
                  (unsigned long)taken[STATS_GB], (unsigned long)given[STATS_GB],
                  (unsigned long)sums.out_up);
    assert_true(moves > 20 && taken[STATS_GB] > 100 && sums.out_up > 100);
}

static void two_threads_lose_nothing(void **state)
{
    pthread_t thread[WORKERS], asker;
    (void)state;
    random_begin();
    open_world();
    path_poll();
    take_all();
    memset(taken, 0, sizeof taken);
    clock_begin();
    for (uint32_t w = 0; w < WORKERS; w++)
        assert_int_equal(pthread_create(&thread[w], NULL, run_worker, (void *)(uintptr_t)w), 0);
    assert_int_equal(pthread_create(&asker, NULL, run_asker, NULL), 0);
    be_the_world_for(2 * S_IN_NS);
    settle();
    __atomic_store_n(&stop_asking, true, __ATOMIC_RELEASE);
    pthread_join(asker, NULL);
    expect_answers();
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (uint32_t w = 0; w < WORKERS; w++) {
        pthread_join(thread[w], NULL);
        assert_false(unbalanced[w]);
    }
    run_to_rest();
    expect_all_accounted();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_threads_lose_nothing)};
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
