// One end's row beside a model of it octet by octet: what has passed, what is sent again, what
// fills a hole; the round trips of typed cases; bounds of its records. The judgement of losses is
// tested in tests/e2e/gi.py, case by case.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_half.h"

static struct gi_half half;
static struct gi_records records;
static uint64_t now_ns;

static int begin(void **state)
{
    (void)state;
    half = (struct gi_half){0};
    gi_half_free_spares(&records);
    records = (struct gi_records){.limit_octets = 1 << 20};
    now_ns = 4200 * S_IN_NS;
    return 0;
}

static int end(void **state)
{
    (void)state;
    gi_half_end(&half, 0, false, &records);
    gi_half_free_spares(&records);
    return records.octets != 0;
}

static enum gi_half_sent send_octets(uint32_t sequence, uint32_t octets)
{
    struct gi_packet packet = {
        .time_ns = now_ns, .sequence = sequence, .data_octets = octets, .flags = TCP_ACK};
    return gi_half_send(&half, &packet, 0, 0, true, &records);
}

static struct gi_acked acknowledge(uint32_t number)
{
    struct gi_packet packet = {
        .time_ns = now_ns, .acknowledgement = number, .flags = TCP_ACK, .window = 9};
    const struct gi_receiver host = {.set_up = true};
    struct gi_acked acked;
    gi_half_ack(&half, &packet, &host, &records, &acked);
    return acked;
}

// ---- The model ----

#define MODEL 4000
static bool passed[MODEL];
static uint32_t una, next;
static uint64_t all_resent, all_filled; // packets of all rows

static uint32_t count_passed(uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++)
        n += i < una || passed[i];
    return n;
}

static void random_row(uint64_t seed)
{
    struct rng rng;
    uint64_t resent = 0, resent_packets = 0, filled_packets = 0;
    uint32_t base = (uint32_t)(0 - seed * 500); // some rows wrap
    rng_seed(&rng, seed, 0);
    memset(passed, 0, sizeof passed);
    una = next = 0;
    for (int i = 0; i < 400; i++) {
        now_ns += rng_below(&rng, 50) * MS_IN_NS;
        uint32_t octets = 2 + (uint32_t)rng_below(&rng, 60);
        uint32_t back = (uint32_t)rng_below(&rng, 200);
        uint32_t from = rng_below(&rng, 3) == 0 && next > back ? next - back
                        : rng_below(&rng, 8) == 0              ? next + back
                                                               : next;
        if (i == 0)
            from = 0;
        if (from + octets > MODEL)
            break;
        if (rng_below(&rng, 3) == 0) {
            uint32_t to = una;
            while (to < next && passed[to] && rng_below(&rng, 40))
                to++;
            assert_int_equal(acknowledge(base + to).advanced, to > una);
            una = to;
        }
        uint32_t seen = count_passed(from, from + octets), holes = 0;
        for (uint32_t k = from; k < from + octets && k < next; k++)
            holes += k >= una && !passed[k];
        resent += seen;
        resent_packets += seen > 0;
        filled_packets += holes > 0;
        enum gi_half_sent sent = send_octets(base + from, octets);
        assert_int_equal(sent, from == next ? GI_HALF_IN_ORDER : GI_HALF_OUT_OF_ORDER);
        memset(passed + from, true, octets);
        next = from + octets > next ? from + octets : next;
        assert_int_equal(half.resent_octets, resent);
        assert_int_equal(half.resent_packets, resent_packets);
        assert_int_equal(half.judged[GI_VERDICT_lost_upstream] + half.judged[GI_VERDICT_reordered],
                         filled_packets);
        assert_int_equal(half.next - base, next);
        assert_int_equal(half.una - base, una);
        assert_int_equal(half.unseen_acked, 0);
    }
    all_resent += resent_packets;
    all_filled += filled_packets;
}

static void test_rows_at_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        begin(state);
        random_row(seed);
        assert_false(end(state));
    }
    assert_true(all_resent > 3000 && all_filled > 600);
}

// ---- Typed cases ----

static void test_round_trips(void **state)
{
    (void)state;
    send_octets(1000, 100);
    now_ns += 20 * MS_IN_NS;
    send_octets(1100, 100);
    send_octets(1200, 100);
    now_ns += 100 * MS_IN_NS;
    assert_true(acknowledge(1100).exact); // 120 ms
    now_ns += 30 * MS_IN_NS;
    assert_false(acknowledge(1150).exact); // within a segment
    assert_true(acknowledge(1200).exact);  // 130 ms
    send_octets(1200, 100);
    now_ns += 300 * MS_IN_NS;
    assert_true(acknowledge(1300).exact); // of two sendings: no sample
    assert_int_equal(half.rtt.samples, 2);
    assert_int_equal(half.rtt.least_us, 120000);
    assert_int_equal(half.rtt.most_us, 130000);
    assert_int_equal(half.rtt.sum_us, 250000);
}

static void test_numbers_out_of_reach(void **state)
{
    (void)state;
    send_octets(1000, 100);
    assert_int_equal(send_octets(1000 + (65u << 20), 100), GI_HALF_FAR);
    assert_int_equal(send_octets(1000 - (65u << 20), 100), GI_HALF_FAR);
    assert_false(acknowledge(1000 + (64u << 20)).advanced);
    assert_int_equal(gi_half_flight(&half), 100);
    assert_true(acknowledge(2000).advanced); // what this capture has missed
    assert_int_equal(half.unseen_acked, 1);
    assert_int_equal(gi_half_flight(&half), 0);
}

static void test_records_are_bounded(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100000; i++)
        send_octets(i * 10, 10);
    assert_true(half.forgotten);
    assert_int_equal(half.count, 4096);
    assert_true(records.octets <= 4096 * sizeof(struct gi_record));
    gi_half_end(&half, 0, false, &records);
    begin(state);
    records.limit_octets = 1000;
    for (uint32_t i = 0; i < 1000; i++)
        send_octets(i * 20, 10); // each behind a hole
    assert_true(half.forgotten);
    assert_true(records.octets <= 1000);
}

static void test_one_way_keeps_little(void **state)
{
    struct gi_packet packet = {.flags = TCP_ACK, .data_octets = 10};
    (void)state;
    for (; packet.sequence < 10000; packet.sequence += 10)
        gi_half_send(&half, &packet, 0, 0, false, &records);
    assert_true(records.octets <= 16 * sizeof(struct gi_record));
}

// Of many halves that have each been through all sizes, what is not in use any more.
static void test_spares_are_bounded_and_counted(void **state)
{
    const uint32_t halves = 10000;
    struct gi_half *all = calloc(halves, sizeof *all);
    (void)state;
    records.limit_octets = 16 << 20;
    for (uint32_t sent = 0; sent < 9; sent++)
        for (uint32_t i = 0; i < halves; i++) {
            struct gi_packet packet = {.flags = TCP_ACK, .data_octets = 10, .sequence = 10 * sent};
            gi_half_send(&all[i], &packet, 0, 0, true, &records);
        }
    assert_in_range(records.spare_octets, 1, 99 << 10);
    assert_true(records.most_octets >= records.octets + records.spare_octets);
    for (uint32_t i = 0; i < halves; i++)
        gi_half_end(&all[i], 0, false, &records);
    assert_in_range(records.spare_octets, 1, 99 << 10);
    uint64_t spare_octets = 0;
    for (int size = 0; size < GI_SPARES; size++)
        for (const struct gi_spare *at = records.spare[size].first; at; at = at->next)
            spare_octets += (4u << size) * sizeof(struct gi_record);
    assert_int_equal(records.spare_octets, spare_octets);
    free(all);
}

// Each of many halves has a hole for each second segment, all of them filled.
static void test_late_ones_are_bounded(void **state)
{
    const uint32_t halves = 3000;
    struct gi_half *all = calloc(halves, sizeof *all);
    (void)state;
    records.limit_octets = 64 << 20;
    for (int parity = 1; parity >= 0; parity--)
        for (uint32_t i = 0; i < 40 * halves; i++) {
            uint32_t sequence = 20 * (i / halves) + 10 * (uint32_t)parity;
            struct gi_packet packet = {.flags = TCP_ACK, .data_octets = 10, .sequence = sequence};
            if (i < halves && parity)
                gi_half_send(&all[i],
                             &(struct gi_packet){
                                 .flags = TCP_ACK, .data_octets = 1, .sequence = (uint32_t)-1},
                             0, 0, true, &records);
            gi_half_send(&all[i % halves], &packet, 0, 0, true, &records);
        }
    assert_int_equal(records.late_room, GI_LATE_MOST + 1);
    assert_int_equal(records.late_free, 0);
    uint32_t free_ones = 0;
    for (uint32_t i = 0; i < halves; i++) {
        gi_half_end(&all[i], 0, false, &records);
        assert_int_equal(
            all[i].judged[GI_VERDICT_reordered] + all[i].judged[GI_VERDICT_lost_upstream], 40);
    }
    for (uint32_t i = records.late_free; i; i = records.late[i].next)
        free_ones++;
    assert_int_equal(free_ones, GI_LATE_MOST);
    free(all);
}

// As many of a size are kept as were given back, however often they were in use between.
static void test_a_spare_room_is_kept_each_time(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        send_octets(100, 10);
        assert_null(records.spare[0].first);
        gi_half_end(&half, 0, false, &records);
        half = (struct gi_half){0};
        assert_non_null(records.spare[0].first);
        assert_int_equal(records.spare[0].n, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_at_random),
        cmocka_unit_test_setup_teardown(test_round_trips, begin, end),
        cmocka_unit_test_setup_teardown(test_numbers_out_of_reach, begin, end),
        cmocka_unit_test_setup_teardown(test_records_are_bounded, begin, end),
        cmocka_unit_test_setup_teardown(test_one_way_keeps_little, begin, end),
        cmocka_unit_test_setup_teardown(test_spares_are_bounded_and_counted, begin, end),
        cmocka_unit_test_setup_teardown(test_late_ones_are_bounded, begin, end),
        cmocka_unit_test_setup_teardown(test_a_spare_room_is_kept_each_time, begin, end),
    };
    return cmocka_run_group_tests_name("lab/captures/gi/gi_half", tests, NULL, NULL);
}
