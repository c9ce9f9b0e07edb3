// Fragments of datagrams of letters: which are put together and which are not, and the bounds that
// capture_join.h names. Fragments of real packets, with checksums, are in tests/e2e/audit_doubt.py.
#include "lab/captures/read/capture_join.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"

// Twice the alphabet: up to 26 letters from each of the first 26.
static const uint8_t letters[] = "abcdefghijklmnopqrstuvwxyz"
                                 "abcdefghijklmnopqrstuvwxyz";
static struct capture_join *join;
static uint64_t frame;

static int begin(void **state)
{
    (void)state;
    frame = 0;
    join = capture_join_create();
    return join ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    capture_join_destroy(join);
    return 0;
}

// Those letters of the datagram with that identification.
static bool take(uint64_t stamp_ns, uint32_t id, uint32_t at, uint32_t length, bool more)
{
    struct capture_joined packet = {.stamp_ns = stamp_ns,
                                    .frame = ++frame,
                                    .ip = {.fragment = at || more,
                                           .first = at == 0,
                                           .more = more,
                                           .fragment_id = id,
                                           .fragment_at = at,
                                           .payload = {letters + at % 26, length, length}}};
    return capture_join_take(join, &packet);
}

// The next one is of that frame, and has so many letters of so many.
static void check_next(uint64_t now_ns, uint64_t of_frame, uint32_t captured, uint32_t length)
{
    struct capture_joined out;
    assert_true(capture_join_next(join, now_ns, &out));
    assert_int_equal(out.frame, of_frame);
    assert_int_equal(out.ip.payload.captured, captured);
    assert_int_equal(out.ip.payload.length, length);
    assert_memory_equal(out.ip.payload.octets, letters, captured);
}

static void check_none(uint64_t now_ns)
{
    struct capture_joined out;
    assert_false(capture_join_next(join, now_ns, &out));
}

static void test_any_order(void **state)
{
    (void)state;
    assert_false(take(0, 9, 0, 26, false)); // whole: it need not wait
    take(0, 1, 16, 8, false);
    take(0, 1, 8, 8, true);
    assert_true(take(0, 9, 0, 26, false)); // behind the others
    check_none(0);
    take(0, 1, 0, 8, true);
    check_next(0, 2, 24, 24);
    check_next(0, 4, 26, 26);
    take(0, 1, 0, 8, true); // the same identification once more
    take(0, 1, 8, 8, false);
    check_next(0, 6, 16, 16);
    check_none(UINT64_MAX);
}

static void test_wrong_pieces(void **state)
{
    static const struct {
        uint32_t at, length;
        bool more;
    } wrong[][2] = {
        {{16, 8, true}, {8, 8, false}},  // one behind the end
        {{24, 8, true}, {8, 16, false}}, // one that makes up for a hole, behind the end
        {{4, 8, true}, {12, 12, false}}, // one that overlaps
        {{16, 8, false}, {8, 8, false}}, // two ends
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t first = frame + 1;
        take(0, 1, 0, 8, true);
        for (int piece = 0; piece < 2; piece++)
            take(0, 1, wrong[i][piece].at, wrong[i][piece].length, wrong[i][piece].more);
        check_none(0);
        check_next(UINT64_MAX, first, 8, 8); // alone
        check_none(UINT64_MAX);
    }
    take(0, 1, 0, 8, true);
    take(0, 1, 32, 8, true);
    take(0, 1, 16, 8, false); // as many octets as up to the end, with a hole
    check_none(0);
    check_next(UINT64_MAX, frame - 2, 8, 8);
    take(0, 2, 0, 0, true); // nothing
    check_none(UINT64_MAX);
}

static void test_bounds(void **state)
{
    (void)state;
    take(0, 1, 0, 8, true);
    check_none(S_IN_NS / 5);
    check_next(S_IN_NS / 5 + 1, 1, 8, 8); // 0.2 s
    for (uint32_t i = 0; i < 63; i++) {
        take(0, 100 + i, 0, 8, true);
        check_none(0);
    }
    take(0, 200, 0, 8, true); // the 64th
    check_next(0, 2, 8, 8);
    check_none(0);
    for (uint32_t i = 0; i < 63; i++)
        check_next(UINT64_MAX, 3 + i, 8, 8);
    check_none(UINT64_MAX);
    for (uint32_t i = 0; i < 65; i++) // pieces of one
        take(0, 1, i * 8, 8, true);
    take(0, 1, 65 * 8, 8, false);
    check_next(UINT64_MAX, 66, 8, 8);
    take(0, 1, 65528, 26, false); // beyond 65535
    take(0, 1, 0, 8, true);
    check_next(UINT64_MAX, 132, 8, 8);
    check_none(UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_any_order, begin, end),
        cmocka_unit_test_setup_teardown(test_wrong_pieces, begin, end),
        cmocka_unit_test_setup_teardown(test_bounds, begin, end),
    };
    return cmocka_run_group_tests_name("lab/captures/read/capture_join", tests, NULL, NULL);
}
