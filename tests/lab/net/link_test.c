// The link against closed formulas: when each packet arrives, how many are lost, and that nothing
// is forgotten at any instant.
#include "lab/net/link.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PACKETS 100000

static struct engine *engine;
static struct link link_;
static struct {
    uint64_t number[PACKETS], at_ns[PACKETS];
    uint32_t n;
    uint64_t lost_number[PACKETS];
    uint32_t lost[NET_LOSSES], losses;
} seen;

static uint64_t number_of(const uint8_t *ip)
{
    uint64_t number;
    memcpy(&number, ip, sizeof number);
    return number;
}

// Every octet that was sent arrives: the number at the front, its low octet as the rest.
static void expect_content(const uint8_t *ip, uint32_t octets)
{
    for (uint32_t i = 8; i < octets; i++)
        assert_int_equal(ip[i], ip[0]);
}

// What is sent has a tag, but one in four.
static uint64_t tag_of(uint64_t number)
{
    return number % 4 == 3 ? 0 : ~number;
}

static void deliver(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    assert_ptr_equal(self, &seen);
    assert_true(link_.tag == tag_of(number_of(ip)));
    expect_content(ip, octets);
    seen.number[seen.n] = number_of(ip);
    seen.at_ns[seen.n++] = now_ns;
}

static void lose(void *self, const uint8_t *ip, uint32_t octets, enum net_loss why, uint64_t now_ns)
{
    assert_ptr_equal(self, &seen);
    assert_int_equal(now_ns, engine_now_ns(engine));
    assert_true(link_.tag == tag_of(number_of(ip)));
    expect_content(ip, octets);
    seen.lost_number[seen.losses++] = number_of(ip);
    seen.lost[why]++;
}

static void make(const struct link_config *config)
{
    memset(&seen, 0, sizeof seen);
    engine = engine_create();
    link_setup(&link_, engine, config, &(struct net_owner){&seen, deliver, lose}, 1, 0);
}

static void send(uint64_t number, uint32_t octets)
{
    uint8_t ip[2000];
    memset(ip, (int)(number & 255), sizeof ip);
    memcpy(ip, &number, sizeof number);
    if (tag_of(number))
        link_send_tagged(&link_, ip, octets, tag_of(number), engine_now_ns(engine));
    else
        link_send(&link_, ip, octets, engine_now_ns(engine));
}

static void expect_balance(void)
{
    const struct net_counters *c = &link_.counters;
    uint64_t packets = c->out.packets + c->held.packets, octets = c->out.octets + c->held.octets;
    for (int why = 0; why < NET_LOSSES; why++) {
        packets += c->lost[why].packets;
        octets += c->lost[why].octets;
        assert_int_equal(c->lost[why].packets, seen.lost[why]);
    }
    assert_int_equal(packets, c->in.packets);
    assert_int_equal(octets, c->in.octets);
    assert_int_equal(c->out.packets, seen.n);
}

static void run_to(uint64_t until_ns)
{
    assert_int_equal(engine_run(engine, until_ns, NULL, NULL), 0);
    expect_balance();
}

static void release(void)
{
    expect_balance();
    link_release(&link_);
    engine_destroy(engine);
}

// At 64 kbit/s an octet takes 125 us: packet i of k octets each is there after (i + 1) * k * 125 us
// and the latency.
static void test_rate_and_latency(void **state)
{
    (void)state;
    make(&(struct link_config){.rate_bit_per_s = 64000, .latency_ns = 30 * MS_IN_NS});
    for (uint64_t i = 0; i < 100; i++)
        send(i, 400);
    assert_int_equal(link_.counters.held.packets, 100);
    assert_int_equal(link_.waiting.packets, 99);
    run_to(10 * S_IN_NS);
    assert_int_equal(seen.n, 100);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(seen.number[i], i);
        assert_int_equal(seen.at_ns[i], (i + 1) * 50 * MS_IN_NS + 30 * MS_IN_NS);
    }
    release();
}

// An idle line begins at once, not at the end of a slot.
static void test_an_idle_line_begins_at_once(void **state)
{
    (void)state;
    make(&(struct link_config){.rate_bit_per_s = 64000});
    send(0, 40);
    run_to(7 * MS_IN_NS);
    send(1, 80);
    run_to(1 * S_IN_NS);
    assert_int_equal(seen.at_ns[0], 5 * MS_IN_NS);
    assert_int_equal(seen.at_ns[1], 17 * MS_IN_NS);
    release();
}

static void test_no_rate(void **state)
{
    (void)state;
    make(&(struct link_config){.latency_ns = 5 * MS_IN_NS, .queue_packets = 1});
    for (uint64_t i = 0; i < 2000; i++)
        send(i, 1500);
    assert_int_equal(seen.n, 0);
    run_to(5 * MS_IN_NS - 1);
    assert_int_equal(seen.n, 0);
    run_to(5 * MS_IN_NS);
    assert_int_equal(seen.n, 2000);
    release();
}

// The one in transmission does not count: 1 + 3 fit by packets, and 1 + 2 by octets.
static void test_queue_limits(void **state)
{
    (void)state;
    make(&(struct link_config){.rate_bit_per_s = 64000, .queue_packets = 3});
    for (uint64_t i = 0; i < 10; i++)
        send(i, 100);
    assert_int_equal(seen.lost[NET_LOSS_link_queue], 6);
    assert_int_equal(seen.lost_number[0], 4);
    run_to(1 * S_IN_NS);
    assert_int_equal(seen.n, 4);
    release();
    make(&(struct link_config){.rate_bit_per_s = 64000, .queue_octets = 2000});
    for (uint64_t i = 0; i < 10; i++)
        send(i, 1000);
    assert_int_equal(seen.lost[NET_LOSS_link_queue], 7);
    send(10, 1);
    assert_int_equal(seen.lost[NET_LOSS_link_queue], 8);
    run_to(125 * MS_IN_NS); // the first is transmitted
    send(11, 1000);
    assert_int_equal(seen.lost[NET_LOSS_link_queue], 8);
    run_to(10 * S_IN_NS);
    assert_int_equal(seen.n, 4);
    release();
}

// Uniform in 0 to 20 ms: mean 10 ms; the standard deviation of the mean of 10 000 is 58 us. Sent 20
// ms apart, they cannot overtake each other.
static void test_jitter_is_uniform(void **state)
{
    uint64_t sum_ns = 0, least_ns = UINT64_MAX, most_ns = 0;
    (void)state;
    make(&(struct link_config){.latency_ns = 7 * MS_IN_NS, .jitter_ns = 20 * MS_IN_NS});
    for (uint64_t i = 0; i < 10000; i++) {
        run_to(i * 20 * MS_IN_NS);
        send(i, 100);
    }
    run_to(300 * S_IN_NS);
    assert_int_equal(seen.n, 10000);
    for (uint64_t i = 0; i < 10000; i++) {
        uint64_t late_ns = seen.at_ns[i] - i * 20 * MS_IN_NS;
        least_ns = late_ns < least_ns ? late_ns : least_ns;
        most_ns = late_ns > most_ns ? late_ns : most_ns;
        sum_ns += late_ns;
    }
    assert_in_range(sum_ns / 10000, 17 * MS_IN_NS - 240000, 17 * MS_IN_NS + 240000);
    assert_in_range(least_ns, 7 * MS_IN_NS, 7 * MS_IN_NS + 20000);
    assert_in_range(most_ns, 27 * MS_IN_NS - 20000, 27 * MS_IN_NS);
    release();
}

static void test_jitter_keeps_the_order(void **state)
{
    (void)state;
    make(&(struct link_config){.jitter_ns = 50 * MS_IN_NS});
    for (uint64_t i = 0; i < 5000; i++) {
        run_to(i * MS_IN_NS);
        send(i, 100);
    }
    run_to(10 * S_IN_NS);
    assert_int_equal(seen.n, 5000);
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(seen.number[i], i);
        assert_in_range(seen.at_ns[i], i * MS_IN_NS, (i + 50) * MS_IN_NS);
    }
    release();
}

// Two packets 10 ms apart with a jitter of 20 ms each: the second overtakes with a probability of
// 1/8; of 1000 pairs 125, standard deviation 10.5. None waits for another: the delays stay uniform.
static void test_overtaking(void **state)
{
    uint64_t sum_ns = 0;
    uint32_t overtaken = 0;
    (void)state;
    make(&(struct link_config){
        .latency_ns = 5 * MS_IN_NS, .jitter_ns = 20 * MS_IN_NS, .overtaking = true});
    for (uint64_t i = 0; i < 2000; i++) {
        run_to(i / 2 * 100 * MS_IN_NS + i % 2 * 10 * MS_IN_NS);
        send(i, 100);
    }
    run_to(300 * S_IN_NS);
    assert_int_equal(seen.n, 2000);
    for (uint32_t i = 0; i < 2000; i++) {
        uint64_t number = seen.number[i];
        sum_ns += seen.at_ns[i] - (number / 2 * 100 * MS_IN_NS + number % 2 * 10 * MS_IN_NS);
        overtaken += number != i && number % 2 == 0;
        assert_true(i == 0 || seen.at_ns[i] >= seen.at_ns[i - 1]);
    }
    assert_in_range(overtaken, 125 - 42, 125 + 42);
    assert_in_range(sum_ns / 2000, 15 * MS_IN_NS - 520000, 15 * MS_IN_NS + 520000);
    release();
}

static void send_all(void)
{
    for (uint64_t i = 0; i < PACKETS; i++)
        send(i, 40);
    run_to(1 * S_IN_NS);
}

// Binomial: 100 000 at 2 %: 2000, standard deviation 44.3. Of pairs of neighbours both are lost 40
// times: 4 standard deviations are 25.
static void test_independent_loss_is_binomial(void **state)
{
    uint32_t pairs = 0;
    (void)state;
    make(&(struct link_config){.loss_ppm = 20000});
    send_all();
    assert_in_range(seen.lost[NET_LOSS_link_random], 2000 - 177, 2000 + 177);
    for (uint32_t i = 1; i < seen.losses; i++)
        pairs += seen.lost_number[i] == seen.lost_number[i - 1] + 1;
    assert_in_range(pairs, 40 - 25, 40 + 25);
    assert_int_equal(seen.n + seen.losses, PACKETS);
    release();
}

// Every packet of the bad state is lost: mean runs of 5 lost and 95 good are a loss of 5 %, in
// about 1000 runs (standard deviation of their number 31, of their mean length 0.14).
static void test_bursts(void **state)
{
    uint32_t runs = 0, single = 0;
    (void)state;
    make(&(struct link_config){.lost_run_packets = 5, .good_run_packets = 95});
    send_all();
    for (uint32_t i = 0; i < seen.losses; i++) {
        bool begins = i == 0 || seen.lost_number[i] != seen.lost_number[i - 1] + 1;
        bool ends = i + 1 == seen.losses || seen.lost_number[i + 1] != seen.lost_number[i] + 1;
        runs += begins;
        single += begins && ends;
    }
    assert_int_equal(seen.lost[NET_LOSS_link_burst], seen.losses);
    assert_in_range(runs, 1000 - 124, 1000 + 124);
    assert_in_range(100 * seen.losses / runs, 500 - 57, 500 + 57);
    // Geometric: a fifth of the runs is one packet long.
    assert_in_range(1000 * single / runs, 200 - 51, 200 + 51);
    release();
}

static void test_all_is_lost(void **state)
{
    (void)state;
    make(&(struct link_config){.loss_ppm = 1000000, .rate_bit_per_s = 64000});
    send(0, 40);
    assert_int_equal(seen.losses, 0); // it is lost on the line, whose time it takes
    run_to(5 * MS_IN_NS);
    assert_int_equal(seen.lost[NET_LOSS_link_random], 1);
    release();
}

// Everything at once: at each instant of the run what came in is out, lost or held, and what is out
// is in order.
static void test_conservation_at_every_instant(void **state)
{
    struct rng rng;
    (void)state;
    make(&(struct link_config){.rate_bit_per_s = 1000000,
                               .latency_ns = 3 * MS_IN_NS,
                               .jitter_ns = 9 * MS_IN_NS,
                               .loss_ppm = 30000,
                               .lost_run_packets = 3,
                               .good_run_packets = 50,
                               .queue_packets = 20,
                               .queue_octets = 9000});
    rng_seed(&rng, 7, 7);
    uint64_t t_ns = 0, waited = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        t_ns += rng_exponential(&rng, 6 * MS_IN_NS);
        run_to(t_ns);
        send(i, 20 + (uint32_t)rng_below(&rng, 1481));
        expect_balance();
        waited += link_.waiting.packets;
    }
    assert_true(waited > 20000 && seen.lost[NET_LOSS_link_queue] > 100);
    run_to(t_ns + 10 * S_IN_NS);
    assert_int_equal(link_.counters.held.packets, 0);
    assert_int_equal(link_.counters.held.octets, 0);
    assert_int_equal(seen.n + seen.losses, 20000);
    for (uint32_t i = 1; i < seen.n; i++)
        assert_true(seen.number[i] > seen.number[i - 1] && seen.at_ns[i] >= seen.at_ns[i - 1]);
    release();
}

// What is sent from inside `deliver` is delivered in a later round, without recursion.
static void answer(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    static uint32_t depth;
    assert_int_equal(depth, 0);
    depth++;
    deliver(self, ip, octets, now_ns);
    for (uint64_t i = 0; seen.n < 100 && i < 2; i++)
        send(1000 + seen.n + i, octets + 20);
    depth--;
}

static void test_sending_from_inside(void **state)
{
    (void)state;
    make(&(struct link_config){0});
    link_.owner.deliver = answer;
    send(0, 20);
    assert_int_equal(seen.n, 0);
    assert_int_equal(engine_run(engine, S_IN_NS, NULL, NULL), 0);
    assert_int_equal(seen.n, 2 * 99 + 1);
    release();
}

// Two that answer each other at once, for ever, are an error of the engine, not a hang.
static void answer_for_ever(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    deliver(self, ip, octets, now_ns);
    send(seen.n, octets);
}

static void test_an_endless_exchange(void **state)
{
    (void)state;
    make(&(struct link_config){0});
    link_.owner.deliver = answer_for_ever;
    send(0, 20);
    assert_int_equal(engine_run(engine, S_IN_NS, NULL, NULL), -ELOOP);
    assert_in_range(seen.n, 900, 1001);
    release();
}

static void test_faults_of_the_configuration(void **state)
{
    (void)state;
    assert_null(link_config_fault(&(struct link_config){0}));
    assert_null(
        link_config_fault(&(struct link_config){.lost_run_packets = 1, .good_run_packets = 1}));
    assert_string_equal(link_config_fault(&(struct link_config){.lost_run_packets = 1}),
                        "lost_run: needs good_run");
    assert_string_equal(link_config_fault(&(struct link_config){.good_run_packets = 1}),
                        "good_run: needs lost_run");
    assert_int_equal(link_config_record.octets, sizeof(struct link_config));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate_and_latency),
        cmocka_unit_test(test_an_idle_line_begins_at_once),
        cmocka_unit_test(test_no_rate),
        cmocka_unit_test(test_queue_limits),
        cmocka_unit_test(test_jitter_is_uniform),
        cmocka_unit_test(test_jitter_keeps_the_order),
        cmocka_unit_test(test_overtaking),
        cmocka_unit_test(test_independent_loss_is_binomial),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_all_is_lost),
        cmocka_unit_test(test_conservation_at_every_instant),
        cmocka_unit_test(test_sending_from_inside),
        cmocka_unit_test(test_an_endless_exchange),
        cmocka_unit_test(test_faults_of_the_configuration),
    };
    return cmocka_run_group_tests_name("lab/net/link", tests, NULL, NULL);
}
