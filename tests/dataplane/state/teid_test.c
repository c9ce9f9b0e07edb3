// TEIDs: they name worker and place, and otherwise tell nothing of each other.
#include "dataplane/state/teid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// in this order
#include <cmocka.h>

// As many bits as are needed: 1 place none, 2 one, 3 and 4 two, and so on.
static void worker_and_index_have_the_bits_they_need(void **state)
{
    static const struct {
        uint32_t workers, places;
        uint8_t worker, index;
    } cases[] = {{1, 1, 0, 0},    {2, 2, 1, 1},         {3, 3, 2, 2},
                 {4, 4, 2, 2},    {5, 500, 3, 9},       {1, 512, 0, 9},
                 {1, 513, 0, 10}, {16, 4194304, 4, 22}, {0, 0, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct teid_bits bits = teid_bits(cases[i].workers, cases[i].places);
        assert_int_equal(bits.worker, cases[i].worker);
        assert_int_equal(bits.index, cases[i].index);
    }
}

static void each_part_is_found_again(void **state)
{
    struct teid_bits all = teid_bits(16, 4194304), one = teid_bits(1, 1), few = teid_bits(3, 500);
    (void)state;
    assert_true(teid_make(all, 15, 63, 0x3fffff) == 0xffffffff);
    assert_true(teid_make(all, 2, 1, 5) == 0x20400005);
    assert_true(teid_make(one, 0, 0x12345678, 0) == 0x12345678);
    assert_true(teid_make(few, 2, 0x1fffff, 7) == 0xbffffe07);
    assert_int_equal(teid_worker(all, 0xe0400005), 14);
    assert_int_equal(teid_worker(one, 0xffffffff), 0);
    assert_int_equal(teid_worker(few, 0xbffffe07), 2);
    assert_int_equal(teid_index(few, 0xbffffe07), 7);
    assert_int_equal(teid_index(one, 0xffffffff), 0);
    assert_int_equal(teid_random(few, 0xbffffe07), 0x1fffff);
    assert_int_equal(teid_random(all, 0xffffffff), 63);
    assert_true(teid_random(one, 0xffffffff) == 0xffffffff);
}

// Also where chance has six bits only.
static void a_place_has_another_teid_each_time(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 16; workers *= 4) {
        struct teid_bits bits = teid_bits(workers, 4194304);
        uint32_t index = 4000000, teid = teid_make(bits, workers - 1, 0, index);
        for (uint32_t turn = 0; turn < 10000; turn++) {
            uint32_t next = state_teid_after(bits, 7, turn, teid, NULL);
            assert_int_equal(teid_worker(bits, next), workers - 1);
            assert_int_equal(teid_index(bits, next), index);
            assert_int_not_equal(next, teid);
            assert_int_not_equal(teid_random(bits, next), 0);
            teid = next;
        }
    }
}

// A turn's TEID says nothing of the next: all of the random bits change about half of the time, and
// no step from place to place, nor from seed to seed, is there twice as often as chance has it.
static void one_teid_does_not_tell_another(void **state)
{
    struct teid_bits bits = teid_bits(1, 1024);
    uint32_t changed[22] = {0}, same_step = 0, former_step = 0;
    (void)state;
    for (uint32_t place = 0; place < 1023; place++) {
        uint32_t a = teid_random(bits, state_teid_after(bits, 7, 0, place, NULL));
        uint32_t b = teid_random(bits, state_teid_after(bits, 7, 0, place + 1, NULL));
        for (uint32_t i = 0; i < 22; i++)
            changed[i] += (a ^ b) >> i & 1;
        same_step += b - a == former_step;
        former_step = b - a;
        assert_int_not_equal(a, teid_random(bits, state_teid_after(bits, 8, 0, place, NULL)));
    }
    for (uint32_t i = 0; i < 22; i++)
        assert_in_range(changed[i], 1023 / 2 - 100, 1023 / 2 + 100);
    assert_int_equal(same_step, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worker_and_index_have_the_bits_they_need),
        cmocka_unit_test(each_part_is_found_again),
        cmocka_unit_test(a_place_has_another_teid_each_time),
        cmocka_unit_test(one_teid_does_not_tell_another),
    };
    return cmocka_run_group_tests_name("state/teid", tests, NULL, NULL);
}
