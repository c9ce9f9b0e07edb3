// CAKE against a plain model of the order of its queues, and against closed formulas: when a packet
// leaves, when COBALT marks or drops, what each MS gets, and that nothing is forgotten.
#include "lab/net/cake.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "tests/dataplane/wire/judge.h"

#define PACKETS 20000

static struct engine *engine;
static struct cake *cake;
static struct {
    uint32_t number, tos;
    uint64_t at_ns;
} out[PACKETS];
static uint32_t outs, lost[NET_LOSSES], sent;

static uint32_t number_of(const uint8_t *ip)
{
    return (uint32_t)ip[24] << 24 | (uint32_t)ip[25] << 16 | (uint32_t)ip[26] << 8 | ip[27];
}

static void deliver(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    (void)self;
    assert_int_equal(now_ns, engine_now_ns(engine));
    assert_int_equal(plain_checksum(ip, 20), 0);
    assert_int_equal(ip[2] << 8 | ip[3], octets);
    out[outs].number = number_of(ip);
    out[outs].tos = ip[1];
    out[outs++].at_ns = now_ns;
}

static void lose(void *self, const uint8_t *ip, uint32_t octets, enum net_loss why, uint64_t now_ns)
{
    (void)self, (void)ip, (void)octets, (void)now_ns;
    lost[why]++;
}

static void make(const struct cake_config *config)
{
    outs = sent = 0;
    memset(lost, 0, sizeof lost);
    engine = engine_create();
    cake = cake_create(engine, config, &(struct net_owner){NULL, deliver, lose}, 1, 0);
}

// UDP of a flow of an MS, with the packet's number in front of its data.
static void send(uint32_t ms, uint32_t flow, uint32_t octets, uint8_t tos)
{
    uint8_t ip[2000] = {0x45, tos, (uint8_t)(octets >> 8), (uint8_t)octets, [8] = 64, [9] = 17};
    const uint8_t ends[] = {203, 0, 113, 9, 10, 0, 0, (uint8_t)ms, 0, 80, 4, (uint8_t)flow};
    memcpy(ip + 12, ends, sizeof ends);
    put32(ip + 24, sent++);
    put16(ip + 10, plain_checksum(ip, 20));
    cake_send(cake, ip, octets, engine_now_ns(engine));
}

static void expect_balance(void)
{
    const struct net_counters *c = &cake_counters(cake)->net;
    uint64_t gone = c->out.packets + c->held.packets, octets = c->out.octets + c->held.octets;
    for (int why = 0; why < NET_LOSSES; why++) {
        gone += c->lost[why].packets;
        octets += c->lost[why].octets;
        assert_int_equal(c->lost[why].packets, lost[why]);
    }
    assert_int_equal(c->in.packets, sent);
    assert_int_equal(gone, sent);
    assert_int_equal(octets, c->in.octets);
    assert_int_equal(c->out.packets, outs);
}

static void run_to(uint64_t until_ns)
{
    assert_int_equal(engine_run(engine, until_ns, NULL, NULL), 0);
    expect_balance();
}

static void release(void)
{
    cake_destroy(cake);
    engine_destroy(engine);
}

// At 48 kbit/s 600 octets take 100 ms. The first leaves at once, packet i when i are transmitted;
// after a pause the next leaves at once again, and none has saved anything up.
static void test_the_shaper(void **state)
{
    (void)state;
    make(&(struct cake_config){.rate_bit_per_s = 48000, .rtt_ns = 100 * S_IN_NS});
    for (int i = 0; i < 5; i++)
        send(1, 1, 600, 0);
    run_to(10 * S_IN_NS);
    for (int i = 0; i < 3; i++)
        send(1, 1, 600, 0);
    run_to(20 * S_IN_NS);
    assert_int_equal(outs, 8);
    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(out[i].number, i);
        assert_int_equal(out[i].at_ns,
                         i < 5 ? i * 100 * MS_IN_NS : 10 * S_IN_NS + (i - 5) * 100 * MS_IN_NS);
    }
    release();
}

// ---- The order, by a model of arrays ----

#define MSS        4
#define FLOWS_MS   3
#define FLOWS      (MSS * FLOWS_MS)
#define QUANTUM    300
#define MODEL_KEEP 4000

struct model_packet {
    uint32_t number, octets;
};

enum { NOWHERE, NEW, OLD };

static struct {
    struct model_packet queue[FLOWS][MODEL_KEEP];
    int begin[FLOWS], end[FLOWS], where[FLOWS];
    double deficit[FLOWS];
    int list[2][FLOWS + 1], n[2]; // new, old
    uint64_t free_ns;
    uint32_t order[PACKETS];
    uint32_t ins, outs;
} model;

// Flows of the MS that are among the old ones and not empty when they came there, or that have got
// a packet since.
static bool counted[FLOWS];

static double quantum_of(int flow)
{
    int load = 0;
    for (int i = flow / FLOWS_MS * FLOWS_MS; i < (flow / FLOWS_MS + 1) * FLOWS_MS; i++)
        load += counted[i];
    return QUANTUM / (load ? (double)load : 1.0);
}

static void model_move_first(int from, int to)
{
    int flow = model.list[from][0];
    memmove(&model.list[from][0], &model.list[from][1], sizeof(int) * (size_t)--model.n[from]);
    counted[flow] = to == 1 && (counted[flow] || model.begin[flow] < model.end[flow]);
    model.where[flow] = to < 0 ? NOWHERE : OLD;
    if (to >= 0)
        model.list[to][model.n[to]++] = flow;
}

static void model_serve(void)
{
    for (;;) {
        int from = model.n[0] ? 0 : 1, flow = model.list[from][0];
        if (model.deficit[flow] <= 0) {
            model_move_first(from, 1);
            model.deficit[flow] += quantum_of(flow);
        } else if (model.begin[flow] == model.end[flow]) {
            model_move_first(from, -1);
        } else {
            struct model_packet p = model.queue[flow][model.begin[flow]++];
            model.deficit[flow] -= p.octets;
            model.order[model.outs++] = p.number;
            model.free_ns += (p.octets * 8 * S_IN_NS + 47999) / 48000; // rounded up
            return;
        }
    }
}

// Nothing looks at the lists while all queues are empty.
static void model_to(uint64_t now_ns)
{
    while (model.free_ns <= now_ns && model.outs < model.ins)
        model_serve();
}

// What leaves at this instant leaves before the packet comes.
static void model_send(int flow, uint32_t number, uint32_t octets, uint64_t now_ns)
{
    model_to(now_ns);
    model.queue[flow][model.end[flow]++] = (struct model_packet){number, octets};
    model.ins++;
    if (model.where[flow] == NOWHERE) {
        model.deficit[flow] = quantum_of(flow);
        model.where[flow] = NEW;
        model.list[0][model.n[0]++] = flow;
    } else if (model.where[flow] == OLD) {
        counted[flow] = true;
    }
    if (model.free_ns <= now_ns) {
        model.free_ns = now_ns;
        model_to(now_ns);
    }
}

// COBALT keeps still, for its target is 5 s and longer than any wait.
static void test_the_order(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5, 5);
    memset(&model, 0, sizeof model);
    memset(counted, 0, sizeof counted);
    make(&(struct cake_config){.rate_bit_per_s = 48000, .rtt_ns = 100 * S_IN_NS});
    uint64_t at_ms = 0;
    for (int i = 0; i < 5000; i++) {
        at_ms += rng_below(&rng, 10) ? rng_below(&rng, 160) : rng_below(&rng, 1500);
        int flow = (int)rng_below(&rng, FLOWS);
        uint32_t octets = rng_below(&rng, 3) ? 40 + (uint32_t)rng_below(&rng, 100) : 1500;
        run_to(at_ms * MS_IN_NS);
        model_send(flow, sent, octets, at_ms * MS_IN_NS);
        send((uint32_t)(flow / FLOWS_MS), (uint32_t)flow, octets, 0);
    }
    run_to((at_ms + 100000) * MS_IN_NS);
    model_to(UINT64_MAX / 2);
    assert_int_equal(outs, 5000);
    assert_int_equal(model.outs, 5000);
    uint32_t out_of_turn = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(out[i].number, model.order[i]);
        out_of_turn += out[i].number != i;
    }
    assert_true(out_of_turn > 1000);
    release();
}

// Four MSs, the first with 1 flow and so on: each gets a quarter, but for a packet of each flow.
static void test_each_ms_gets_as_much(void **state)
{
    (void)state;
    uint32_t got[4] = {0}, of[PACKETS];
    make(&(struct cake_config){.rate_bit_per_s = 48000, .rtt_ns = 100 * S_IN_NS});
    for (int i = 0; i < 30; i++)
        for (uint32_t ms = 0; ms < 4; ms++)
            for (uint32_t flow = 0; flow <= ms; flow++) {
                for (uint32_t k = 0; k < 12 / (ms + 1); k++) {
                    of[sent] = ms;
                    send(ms, flow, 500, 0);
                }
            }
    run_to(84 * S_IN_NS); // 1000 of the 1440 packets
    for (uint32_t i = 0; i < outs; i++)
        got[of[out[i].number]]++;
    for (int ms = 0; ms < 4; ms++)
        assert_true(got[ms] * 4 + 16 > outs && got[ms] * 4 < outs + 16);
    assert_int_equal(cake_counters(cake)->flows, 10);
    assert_int_equal(cake_counters(cake)->hosts, 4);
    release();
}

// ---- COBALT ----

#define MTU_MS  250.0 // 1500 octets at 48 kbit/s
#define OFFERED 400   // packets of 1500 octets, one each 125 ms: twice the rate

// The k-th signal falls due interval / sqrt(k) behind the one before, from the first head on that
// has waited for 4 MTU times; the next head carries it. The interval is that of the paper: rtt and
// by how much 1.5 MTU times are longer than the target, or twice these.
static uint32_t due_signals(double *due_ms, double first_over_ms, double last_ms)
{
    double target_ms = 1.5 * MTU_MS, interval_ms = 100 + target_ms - 5;
    interval_ms = interval_ms > 2 * target_ms ? interval_ms : 2 * target_ms;
    uint32_t n = 0;
    for (double at_ms = first_over_ms; (at_ms += interval_ms / sqrt(n + 1)) < last_ms;)
        due_ms[n++] = at_ms;
    return n;
}

static void overload(uint8_t tos)
{
    make(&(struct cake_config){.rate_bit_per_s = 48000, .rtt_ns = 100 * MS_IN_NS});
    for (uint64_t i = 0; i < OFFERED; i++) {
        run_to(i * 125 * MS_IN_NS);
        send(1, 1, 1500, tos);
    }
    run_to(OFFERED * 125 * MS_IN_NS);
}

// Packet i is offered at i 125 ms and leaves at i 250 ms: its wait is i 125 ms, which is more than
// 4 MTU times from the ninth on.
static void test_marks(void **state)
{
    (void)state;
    double due_ms[4 * OFFERED], at_ms;
    overload(2);
    uint32_t n = due_signals(due_ms, 9 * MTU_MS, OFFERED * 125), k = 0, marks = 0;
    for (uint32_t i = 0; i < outs; i++) {
        at_ms = i * MTU_MS;
        assert_int_equal(out[i].number, i);
        assert_int_equal(out[i].at_ns, (uint64_t)(at_ms * 1e6));
        bool signal = k < n && due_ms[k] <= at_ms + 1e-3;
        // Signals that fall due faster than heads come are carried by each of them.
        k += signal;
        assert_int_equal(out[i].tos, signal ? 3 : 2);
        marks += signal;
        if (signal && k < n && due_ms[k] <= at_ms)
            break;
    }
    assert_true(marks >= 8);
    assert_int_equal(lost[NET_LOSS_cake_aqm], 0);
    assert_true(cake_counters(cake)->marked >= marks);
    release();
}

// Without ECN each signal is a packet less, and the next head leaves at the same instant.
static void test_drops(void **state)
{
    (void)state;
    overload(0);
    assert_true(lost[NET_LOSS_cake_aqm] > 10);
    assert_int_equal(cake_counters(cake)->marked, 0);
    assert_int_equal(lost[NET_LOSS_cake_full], 0);
    for (uint32_t i = 0; i < outs; i++)
        assert_int_equal(out[i].at_ns, i * (uint64_t)(MTU_MS * 1e6));
    release();
}

// Eight flows take turns of a packet each 2 s. The packet after the first that has waited for more
// than 4 MTU times, which are 1 s, is marked: the second of the last three flows, whose first one
// left after 1.25 s and more, and the third of all. However many flows there are, they hold no
// signal back.
static void test_many_flows_hold_no_signal_back(void **state)
{
    (void)state;
    make(&(struct cake_config){.rate_bit_per_s = 48000, .rtt_ns = 100 * MS_IN_NS});
    for (uint32_t i = 0; i < 64; i++)
        send(i % 8, i % 8, 1500, 2);
    run_to(20 * S_IN_NS);
    uint32_t marks = 0;
    for (uint32_t i = 0; i < outs && out[i].at_ns < 6 * S_IN_NS; i++)
        marks += out[i].tos == 3;
    assert_int_equal(marks, 3 + 8);
    release();
}

// 4 MiB are held at most; each of 1500 octets beyond takes the first of the longest queue, which is
// the second flow's.
static void test_the_limit(void **state)
{
    (void)state;
    make(&(struct cake_config){.rate_bit_per_s = 48000, .rtt_ns = 100 * MS_IN_NS});
    send(1, 1, 1500, 0);
    send(1, 1, 1500, 0);
    for (int i = 0; i < 3000; i++)
        send(2, 2, 1500, 0);
    expect_balance();
    assert_int_equal(outs, 1);
    assert_int_equal(cake_counters(cake)->net.held.packets, (4 << 20) / 1500);
    assert_int_equal(lost[NET_LOSS_cake_full], 3002 - 1 - (4 << 20) / 1500);
    run_to(1 * S_IN_NS);
    assert_int_equal(out[1].number == 1 || out[2].number == 1, 1);
    release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_shaper),
        cmocka_unit_test(test_the_order),
        cmocka_unit_test(test_each_ms_gets_as_much),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_drops),
        cmocka_unit_test(test_many_flows_hold_no_signal_back),
        cmocka_unit_test(test_the_limit),
    };
    return cmocka_run_group_tests_name("lab/net/cake", tests, NULL, NULL);
}
