// Round trips to a user of what was sent again: which sending it had. Each case is a short talk.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_half.h"

#define SEGMENT 100

// Two flows of one user; the second only tells what has come.
static struct gi_half half, other;
static struct gi_trips trips, other_trips;
static struct gi_rtt karn_rtt, other_karn;
static struct gi_order order;
static struct gi_records records;
static struct gi_acked acked; // nobody asks

static int begin(void **state)
{
    (void)state;
    half = other = (struct gi_half){.timestamps_seen = true};
    trips = other_trips = (struct gi_trips){0};
    karn_rtt = other_karn = (struct gi_rtt){0};
    order = (struct gi_order){0};
    records = (struct gi_records){.limit_octets = 1 << 20};
    return 0;
}

static int end(void **state)
{
    (void)state;
    gi_half_end(&half, 0, false, &records);
    gi_half_end(&other, 0, false, &records);
    gi_half_free_spares(&records);
    return records.octets != 0;
}

static void data_of(struct gi_half *of, uint64_t ms, uint32_t n, uint32_t timestamp)
{
    struct gi_packet packet = {.time_ns = ms * MS_IN_NS,
                               .sequence = n * SEGMENT,
                               .data_octets = SEGMENT,
                               .timestamp = timestamp,
                               .flags = TCP_ACK};
    gi_half_send(of, &packet, 0, 0, true, &records);
}

static void data(uint64_t ms, uint32_t n)
{
    data_of(&half, ms, n, 0);
}

static uint32_t us_of(uint64_t ms)
{
    return (uint32_t)(ms * 1000);
}

static void take_ack(uint64_t ms, uint32_t n, uint32_t echo, uint32_t from, uint32_t to)
{
    const struct gi_receiver user = {
        .set_up = true, .now_us = us_of(ms), .order = &order, .trips = &trips, .karn = &karn_rtt};
    struct gi_packet packet = {.time_ns = ms * MS_IN_NS,
                               .acknowledgement = n * SEGMENT,
                               .echo = echo,
                               .flags = TCP_ACK,
                               .window = 9,
                               .sack_blocks = to > from};
    packet.sack[0].left = from * SEGMENT;
    packet.sack[0].right = to * SEGMENT;
    gi_half_ack(&half, &packet, &user, &records, &acked);
}

// Of all below segment n.
static void ack(uint64_t ms, uint32_t n)
{
    take_ack(ms, n, 0, 0, 0);
}

static void ack_of_other(uint64_t ms, uint32_t n)
{
    const struct gi_receiver user = {.set_up = true,
                                     .now_us = us_of(ms),
                                     .order = &order,
                                     .trips = &other_trips,
                                     .karn = &other_karn};
    struct gi_packet packet = {
        .time_ns = ms * MS_IN_NS, .acknowledgement = n * SEGMENT, .flags = TCP_ACK, .window = 9};
    gi_half_ack(&other, &packet, &user, &records, &acked);
}

// The first segment takes 100 ms, the least there is.
static void start(void)
{
    data(1000, 0);
    ack(1100, 1);
}

// All samples besides that one, and how many Karn's rule takes besides.
static void expect(uint32_t samples, uint64_t sum_ms, uint32_t karn)
{
    assert_int_equal(half.rtt.samples, 1 + samples);
    assert_int_equal(half.rtt.sum_us, (100 + sum_ms) * 1000);
    assert_int_equal(karn_rtt.samples, 1 + karn);
}

static void test_sooner_than_the_least(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(3000, 1);
    ack(3050, 2);
    expect(1, 1050, 0);
}

static void test_timestamps(void **state)
{
    (void)state;
    start();
    data_of(&half, 2000, 1, 20);
    data_of(&half, 3000, 1, 30);
    take_ack(3500, 2, 20, 0, 0); // of the first
    data_of(&half, 4000, 2, 40);
    data_of(&half, 5000, 2, 50);
    take_ack(5500, 3, 50, 0, 0); // of the last
    expect(2, 1500 + 500, 0);
}

// What passed between the two has come, so the first one is lost.
static void test_order(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data_of(&other, 2500, 0, 0);
    data(3000, 1);
    ack_of_other(3200, 1);
    ack(3500, 2);
    expect(1, 500, 0);
}

// The same, by SACK, of the same flow.
static void test_order_by_sack(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(2100, 2);
    take_ack(2400, 1, 0, 2, 3);
    data(2500, 1);
    data(2600, 3);
    take_ack(2900, 2, 0, 0, 0); // it filled the hole, and 2 is known to have come
    expect(1, 400, 0);
}

static void test_next_ack_tells_the_first(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(2100, 2);
    data(3000, 1);
    ack(3500, 2); // of either
    expect(0, 0, 0);
    ack(3600, 3); // of what passed before the last one
    expect(2, 1500 + 1500, 0);
}

static void test_next_ack_tells_the_last(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(3000, 1);
    ack(3500, 2);
    data(3600, 2);
    ack(3800, 3);
    expect(2, 500 + 200, 1);
}

static void test_another_flow_tells_the_first(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data_of(&other, 2500, 0, 0);
    data(3000, 1);
    ack(3500, 2);
    ack_of_other(3700, 1); // it passed between the two
    data(3800, 2);
    ack(4000, 3);
    expect(2, 1500 + 200, 1);
}

static void test_duplicate_tells_the_first(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(3000, 1);
    ack(3500, 2);
    ack(3700, 2); // nothing is outstanding: it came twice
    expect(1, 1500, 0);
}

static void test_the_end_tells_the_last(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(3000, 1);
    ack(3500, 2);
    expect(0, 0, 0);
    gi_half_trips_end(&half, &trips);
    expect(1, 500, 0);
}

// Time-outs that are shorter than the round trip: each segment comes again.
static void test_each_again(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(3000, 1);
    ack(3500, 2);
    data(3500, 2);
    data(4500, 2);
    ack(5000, 3);
    expect(1, 1500, 0);
}

// A silence after which a difference of microseconds has the other sign.
#define LONG_MS (40 * 60 * 1000)

static void test_order_after_a_long_silence(void **state)
{
    (void)state;
    start();
    data(LONG_MS + 2000, 1);
    data(LONG_MS + 2100, 2);
    data(LONG_MS + 3000, 1);
    ack(LONG_MS + 3500, 2);
    expect(0, 0, 0);
    ack(LONG_MS + 3600, 3);
    expect(2, 1500 + 1500, 0);
}

static void test_next_ack_after_a_long_silence(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(3000, 1);
    ack(3500, 2);
    data(LONG_MS + 3600, 2);
    ack(LONG_MS + 3800, 3);
    expect(2, 500 + 200, 1);
}

// It waited for what came again before it: no sample.
static void test_behind_a_hole(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(2100, 2);
    ack(2300, 1);
    data(2500, 1);
    ack(2900, 3);
    expect(0, 0, 0);
}

// Nothing says that it waited.
static void test_beside_a_repetition(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(2100, 2);
    data(2500, 1);
    ack(2900, 3);
    expect(1, 800, 0);
}

// Nothing that came before it was behind here, where packets keep their order.
static void test_overtaken(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data(2100, 3);
    ack(2300, 2);
    data(2500, 2);
    ack(2700, 3);
    ack(2800, 4);
    expect(2, 300 + 200, 2);
}

static void test_three_times(void **state)
{
    (void)state;
    start();
    data(2000, 1);
    data_of(&other, 2500, 0, 0);
    data(3000, 1);
    data(4000, 1);
    ack_of_other(4200, 1);
    ack(4500, 2); // of the second or the third
    expect(0, 0, 0);
}

// Sums that would not fit are not kept.
static void test_sums_are_bounded(void **state)
{
    (void)state;
    start();
    for (uint32_t i = 1; i < 4; i++)
        data(2000, i);
    for (uint32_t i = 1; i < 4; i++)
        data(2000 + 1000 * 1000 + i, i);
    for (uint32_t i = 1; i < 4; i++)
        ack(2000 + 2000 * 1000, i + 1);
    gi_half_trips_end(&half, &trips);
    assert_true(half.rtt.samples < 4);
    assert_true(half.rtt.sum_us <= 2000ull * 1000 * 1000);
}

static void test_fin_to_the_host(void **state)
{
    const struct gi_receiver host = {.set_up = true};
    struct gi_packet fin = {.time_ns = S_IN_NS, .flags = TCP_ACK | TCP_FIN};
    struct gi_packet answer = {
        .time_ns = 2 * S_IN_NS, .acknowledgement = 1, .flags = TCP_ACK, .window = 9};
    (void)state;
    gi_half_send(&half, &fin, 0, 0, true, &records);
    gi_half_ack(&half, &answer, &host, &records, &acked);
    assert_int_equal(half.rtt.samples, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_sooner_than_the_least),
        CASE(test_timestamps),
        CASE(test_order),
        CASE(test_order_by_sack),
        CASE(test_next_ack_tells_the_first),
        CASE(test_next_ack_tells_the_last),
        CASE(test_another_flow_tells_the_first),
        CASE(test_duplicate_tells_the_first),
        CASE(test_the_end_tells_the_last),
        CASE(test_each_again),
        CASE(test_order_after_a_long_silence),
        CASE(test_next_ack_after_a_long_silence),
        CASE(test_behind_a_hole),
        CASE(test_beside_a_repetition),
        CASE(test_overtaken),
        CASE(test_three_times),
        CASE(test_sums_are_bounded),
        CASE(test_fin_to_the_host),
    };
    return cmocka_run_group_tests_name("lab/captures/gi/gi_half_trip", tests, NULL, NULL);
}
