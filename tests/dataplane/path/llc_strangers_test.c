// LLC frames to strangers, phones that are no MSs (command bvc_llc): octet for octet; charged to
// their cell and their NSE, as a plain leaky bucket finds that sees all that leaves (TS 48.018
// 8.2.3.2); in their cell's order; and they take no place of an MS, nor of strangers elsewhere.
#include "tests/dataplane/path/llc.h"

#include <errno.h>

#include "tests/dataplane/random.h"

// What came out for strangers: the number is in the frame (llc.h).
static struct {
    uint32_t tlli, number;
    uint16_t bvci;
} strange[FRAMES_MAX];
static uint32_t stranges;
static const uint8_t *options;
static size_t options_n;

// The LLC PDU of a DL-UNITDATA: behind the fixed part and elements with a length.
static const uint8_t *llc_of(const uint8_t *b, size_t n, size_t *llc_n)
{
    size_t at = 16;
    while (at + 2 < n && b[at] != 0x0e)
        at += 2 + (b[at + 1] & 0x7fu);
    assert_true(at + 2 < n);
    at += b[at + 1] & 0x80 ? 2 : 3;
    *llc_n = n - at;
    return b + at;
}

static void judge_stranger(const struct ip_datagram *d)
{
    uint8_t wanted[1526];
    size_t n;
    const uint8_t *b = d->octets, *llc = llc_of(b, d->n, &n);
    uint32_t number = (uint32_t)llc[2] << 8 | llc[3];
    uint32_t tlli = (uint32_t)b[5] << 24 | (uint32_t)b[6] << 16 | (uint32_t)b[7] << 8 | b[8];
    if (tlli >> 28 == 0xc) { // an MS's
        judge(d);
        return;
    }
    expect_octets(expect_octets(b, "\0\0", 2) + 2, "\0", 1);
    expect_octets(b + 9, "\0\0\x21\x16\x82", 5);
    if (options)
        expect_octets(b + 16, options, options_n);
    assert_int_equal(b[16 + (options ? options_n : 0)], options ? 0x0e : b[16]);
    assert_int_equal(n, frame_of(number, wanted));
    assert_memory_equal(llc, wanted, n);
    assert_true(stranges < FRAMES_MAX);
    strange[stranges].tlli = tlli;
    strange[stranges].number = number;
    strange[stranges++].bvci = (uint16_t)(b[2] << 8 | b[3]);
}

static void open_strangers(uint32_t workers, bool ipv6)
{
    open_world(workers, ipv6);
    p.on_llc = judge_stranger;
    stranges = 0;
    options = NULL;
    options_n = 0;
}

static uint32_t give_stranger(uint32_t bvc, uint32_t tlli)
{
    uint8_t octets[1526];
    uint32_t number = numbers++, n = (uint32_t)frame_of(number, octets);
    DO(bvc_llc, .bvc_id = bvc, .tlli = tlli, .pdu = {octets, n});
    return number;
}

static void every_octet_is_there(void **state)
{
    static uint8_t all[] = {0x13, 0x83, 1,    2,    3,    0x0a, 0x82, 0x12, 0x34, 0x0d,
                            0x83, 0x09, 0x10, 0x10, 0x1f, 0x84, 0x81, 0x82, 0x83, 0x84};
    struct command c = {.op = COMMAND_bvc_llc,
                        .bvc_llc = {.bvc_id = 1,
                                    .tlli = 0x78123456,
                                    .has_ra_capability = true,
                                    .ra_capability = {all + 2, 3},
                                    .has_imsi = true,
                                    .imsi = {"00101"},
                                    .has_drx = true,
                                    .drx = 0x1234,
                                    .has_old_tlli = true,
                                    .old_tlli = 0x81828384}};
    (void)state;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        uint64_t octets = 0;
        open_strangers(1, ipv6);
        for (uint32_t i = 0; i < 100; i++) {
            uint8_t frame[1526];
            options = i % 2 ? all : NULL;
            options_n = sizeof all;
            if (i % 2) {
                c.bvc_llc.pdu = (struct octets){frame, (uint32_t)frame_of(numbers, frame)};
                octets += frame_of(numbers++, frame);
                path_do(&c);
            } else {
                octets += frame_of(numbers, frame);
                give_stranger(1, 0x78123456);
            }
            assert_int_equal(stranges, i + 1);
            assert_int_equal(strange[i].number, i);
            assert_int_equal(strange[i].tlli, 0x78123456);
            assert_int_equal(strange[i].bvci, 3);
        }
        struct dp_traffic bvc = dp_bvc_traffic(p.dp, 1);
        assert_int_equal(bvc.down_frames, 100);
        assert_int_equal(bvc.down_octets, octets);
        answers_are(100, 0);
        path_expect_conservation();
        path_close();
    }
}

static void what_is_refused(void **state)
{
    static const uint8_t octets[1600] = {0x41};
    (void)state;
    open_strangers(1, false);
    path_plain_ms(0, 0, 500);
    TRY(-ERANGE, bvc_llc, .bvc_id = 0, .tlli = 7, .pdu = {octets, 0});
    TRY(-ERANGE, bvc_llc, .bvc_id = 0, .tlli = 7, .pdu = {octets, 1527});
    TRY(-ERANGE, bvc_llc, .bvc_id = PATH_BVCS, .tlli = 7, .pdu = {octets, 1});
    TRY(-ENOENT, bvc_llc, .bvc_id = 9, .tlli = 7, .pdu = {octets, 1});
    TRY(-EEXIST, bvc_llc, .bvc_id = 0, .tlli = p.ms[0].tlli, .pdu = {octets, 1});
    TRY(0, bvc_llc, .bvc_id = 1, .tlli = p.ms[0].tlli, .pdu = {octets, 4}); // elsewhere in its NSE
    TRY(-EMSGSIZE, bvc_llc, .bvc_id = 0, .tlli = 7, .pdu = {octets, 1}, .has_ra_capability = true,
        .ra_capability = {octets, 71});
    TRY(0, bvc_llc, .bvc_id = 2, .tlli = p.ms[0].tlli, .pdu = {octets, 4}); // of another NSE
    p.on_llc = NULL;
    p.blind = true;
    path_poll();
    path_close();
}

// ---- Buckets -----------------------------------------------------------------------------------

// A plain leaky bucket for cell 0 and one for its NSE: 10^9 units are an octet.
static struct plain_bucket {
    uint64_t rate_bit_per_s, level, at_ns, poured_octets;
    uint32_t max_octets;
} of_cell, of_nse;

static void pour(struct plain_bucket *b, size_t octets)
{
    uint64_t leaked = (p.now_ns - b->at_ns) * b->rate_bit_per_s / 8;
    b->level = (leaked < b->level ? b->level - leaked : 0) + octets * 1000000000;
    b->at_ns = p.now_ns;
    b->poured_octets += octets;
    if (b->level > b->max_octets * 1000000000ULL + 1000000000)
        fail_msg("overdrawn: %lu of %u octets", (unsigned long)(b->level / 1000000000),
                 b->max_octets);
}

static void see_frame(enum stats_side side, const uint8_t *frame, size_t n)
{
    size_t llc_n;
    if (side != STATS_GB || n < 60 || frame[42] != 0 || frame[46] != 0)
        return;
    uint16_t bvci = (uint16_t)(frame[44] << 8 | frame[45]);
    if (bvci > 3) // of NSE 1
        return;
    llc_of(frame + 42, n - 42, &llc_n);
    if (of_nse.max_octets)
        pour(&of_nse, n - 14);
    if (bvci == 2)
        pour(&of_cell, llc_n);
}

// Strangers beside MSs that flood their cell, for 100 s: no overdraw, nothing is idle, and the
// strangers' frames are not starved by small packets.
static void a_flooded_cell(void **state)
{
    (void)state;
    for (int pipe = 0; pipe < 2; pipe++) {
        random_begin();
        open_strangers(1, false);
        p.on_frame = see_frame;
        p.lossy_down = p.any_lifetime = true;
        path_bvc_flow(0, 16000, 3000);
        of_cell = (struct plain_bucket){.rate_bit_per_s = 16000, .max_octets = 3000};
        of_nse = (struct plain_bucket){0};
        if (pipe) {
            DO(nse_bucket, .nse_id = 0, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 120,
               .bucket_octets = 4000);
            of_nse = (struct plain_bucket){.rate_bit_per_s = 12000, .max_octets = 4000};
        }
        for (uint32_t ms = 0; ms < 3; ms++)
            path_plain_ms(ms, 0, 500);
        uint32_t given = 0, octets = 0;
        for (uint32_t i = 0; i < 1000; i++) {
            for (uint32_t ms = 0; ms < 3; ms++)
                path_down(ms, random_in(40, 200));
            if (i % 10 == 0) {
                uint8_t frame[1526];
                octets += (uint32_t)frame_of(numbers, frame);
                give_stranger(0, 0x78000000 + i);
                given++;
            }
            path_run_until(p.now_ns + 100 * MS_IN_NS);
        }
        const struct plain_bucket *narrow = pipe ? &of_nse : &of_cell;
        assert_true(narrow->poured_octets > 0.99 * 100 * (double)narrow->rate_bit_per_s / 8);
        path_run_until(p.now_ns + 9 * S_IN_NS);
        assert_int_equal(stranges, given);
        for (uint32_t i = 0; i < given; i++)
            assert_int_equal(strange[i].number, i);
        answers_are(given, 0);
        assert_true(octets > 20000);
        p.blind = true;
        path_close();
    }
}

// A frame that the cell refuses is passed by no other stranger's of that cell; those of another
// cell go.
static void the_order_of_a_cell(void **state)
{
    (void)state;
    open_strangers(1, false);
    path_bvc_flow(0, 8000, 1600);
    path_bvc_flow(1, 8000, 1600);
    numbers = 6; // 1526 octets, so the next large one waits for 1.5 s
    give_stranger(0, 1);
    for (uint32_t i = 0; i < 9; i++) {
        numbers = i == 0 ? 13 : 20 + i;
        give_stranger(0, 1 + i % 3);
    }
    assert_int_equal(stranges, 1);
    numbers = 40;
    give_stranger(1, 1);
    assert_int_equal(stranges, 2);
    path_run_until(9 * S_IN_NS);
    assert_int_equal(stranges, 11);
    assert_int_equal(strange[2].number, 13);
    for (uint32_t i = 3; i < 11; i++)
        assert_int_equal(strange[i].number, 18 + i);
    path_close();
}

static void it_waits_with_a_blocked_or_stopped_cell(void **state)
{
    (void)state;
    open_strangers(1, false);
    DO(bvc_block, .bvc_id = 0, .blocked = true);
    give_stranger(0, 1);
    path_run_until(p.now_ns + S_IN_NS);
    assert_int_equal(stranges, 0);
    DO(bvc_block, .bvc_id = 0, .blocked = false);
    assert_int_equal(stranges, 1);
    path_bvc_flow(0, 0, 1000);
    give_stranger(0, 1);
    path_run_until(p.now_ns + S_IN_NS);
    assert_int_equal(stranges, 1);
    path_bvc_flow(0, 8000, 1000);
    assert_int_equal(stranges, 2);
    DO(nse_bucket, .nse_id = 0, .has_rate_100_bit_per_s = true, .bucket_octets = 1000);
    give_stranger(0, 1);
    path_run_until(p.now_ns + S_IN_NS);
    assert_int_equal(stranges, 2);
    DO(nse_bucket, .nse_id = 0);
    assert_int_equal(stranges, 3);
    path_close();
}

// After 10 s, with its cell, or without an NS-VC; the frames of an MS and of other cells stay.
static void it_ends_unsent(void **state)
{
    (void)state;
    open_strangers(1, false);
    path_plain_ms(0, 1, 500);
    for (uint32_t bvc = 0; bvc < 3; bvc++)
        path_bvc_flow(bvc, 0, 1000);
    for (uint32_t i = 0; i < 6; i++)
        give_stranger(i % 3, 1);
    give(0);
    answers_are(0, 0);
    DO(bvc_remove, 0);
    answers_are(2, 2);
    path_bvc(0, 0, 2); // another one of the same number
    assert_int_equal(stranges, 0);
    path_bvc_flow(2, TIME_NEVER, 0);
    assert_int_equal(stranges, 2);
    answers_are(4, 2);
    path_run_until(p.now_ns + 10 * S_IN_NS);
    answers_are(7, 5);
    assert_int_equal(wents, 0);
    path_bvc_flow(1, TIME_NEVER, 0);
    path_nsvc_remove(0);
    give_stranger(1, 1);
    answers_are(8, 6);
    path_close();
}

static void at_the_end_they_are_released(void **state)
{
    (void)state;
    open_strangers(1, false);
    path_bvc_flow(0, 0, 1000);
    for (uint32_t i = 0; i < 300; i++)
        give_stranger(0, i);
    answers_are(300 - SCHED_FRAMES, 300 - SCHED_FRAMES);
    path_close();
}

// ---- Places ------------------------------------------------------------------------------------

static uint32_t came_to(uint32_t tlli)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < stranges; i++)
        n += strange[i].tlli == tlli;
    return n;
}

// Any number of strangers in a stopped cell, one frame each: its MSs keep theirs, other cells'
// strangers too, and the youngest strangers are left.
static void strangers_of_a_cell_are_one(void **state)
{
    (void)state;
    open_strangers(1, false);
    path_plain_ms(0, 0, 500);
    path_plain_ms(1, 0, 500);
    for (uint32_t bvc = 0; bvc < 3; bvc++)
        path_bvc_flow(bvc, 0, 100000);
    for (uint32_t i = 0; i < 20; i++) {
        give(i % 2);
        give_stranger(1, 0x70000000 + i % 3);
        give_stranger(2, 0x70000000);
    }
    for (uint32_t i = 0; i < 1000; i++)
        give_stranger(0, 0x78000000 + i);
    answers_are(1060 - SCHED_FRAMES, 1060 - SCHED_FRAMES);
    for (uint32_t bvc = 0; bvc < 3; bvc++)
        path_bvc_flow(bvc, TIME_NEVER, 0);
    assert_int_equal(wents, 20);
    assert_int_equal(stranges, SCHED_FRAMES - 20);
    assert_int_equal(came_to(0x70000000), 7 + 20);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(came_to(0x78000000 + i), i >= 1000 - (SCHED_FRAMES - 60));
    path_close();
}

// A TLLI that floods loses its own oldest frames, and no other stranger of its cell.
static void a_flood_for_one_stranger(void **state)
{
    (void)state;
    open_strangers(1, false);
    path_bvc_flow(0, 0, 100000);
    for (uint32_t i = 0; i < 30; i++)
        give_stranger(0, 0x78000000 + i % 10);
    for (uint32_t i = 0; i < 1000; i++)
        give_stranger(0, 0x79000000);
    path_bvc_flow(0, TIME_NEVER, 0);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(came_to(0x78000000 + i), 3);
    assert_int_equal(came_to(0x79000000), SCHED_FRAMES - 30);
    assert_int_equal(strange[stranges - 1].number, 1029);
    path_close();
}

// An MS that floods loses to strangers, too.
static void a_flood_for_an_ms(void **state)
{
    (void)state;
    open_strangers(1, false);
    path_plain_ms(0, 0, 500);
    path_bvc_flow(0, 0, 100000);
    for (uint32_t i = 0; i < 100; i++)
        give_stranger(0, i);
    for (uint32_t i = 0; i < 1000; i++)
        give(0);
    path_bvc_flow(0, TIME_NEVER, 0);
    assert_int_equal(stranges, 100);
    assert_int_equal(wents, SCHED_FRAMES - 100);
    path_close();
}

static void of_a_cell_of_another_worker(void **state)
{
    (void)state;
    open_strangers(2, false);
    for (uint32_t i = 0; i < 30; i++)
        give_stranger(i % 3, 5);
    assert_int_equal(stranges, 30);
    assert_int_equal(dp_stats(dp_worker(p.dp, 0))->of_port[STATS_GB].answers, 20);
    assert_int_equal(dp_stats(dp_worker(p.dp, 1))->of_port[STATS_GB].answers, 10);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_octet_is_there),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(a_flooded_cell),
        cmocka_unit_test(the_order_of_a_cell),
        cmocka_unit_test(it_waits_with_a_blocked_or_stopped_cell),
        cmocka_unit_test(it_ends_unsent),
        cmocka_unit_test(at_the_end_they_are_released),
        cmocka_unit_test(strangers_of_a_cell_are_one),
        cmocka_unit_test(a_flood_for_one_stranger),
        cmocka_unit_test(a_flood_for_an_ms),
        cmocka_unit_test(of_a_cell_of_another_worker),
    };
    return cmocka_run_group_tests_name("path_llc_strangers", tests, path_start_eal, NULL);
}
