// What Lua puts on the board is what is read from it: every field at its ends, whatever stood there
// before; a record is never seen half written; what has no room is refused.
#include "control/export/board.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct board *board;
static const struct dp_config config = {.nses = 10, .nsvcs = 20, .bvcs = 30, .mss = 1000};

static int begin(void **state)
{
    (void)state;
    board = board_create(&config);
    return board ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    board_destroy(board);
    return 0;
}

static struct octets word(const char *text)
{
    return (struct octets){(const uint8_t *)text, (uint32_t)strlen(text)};
}

static int64_t call(const char *name, const void *argument)
{
    for (uint32_t i = 0; i < board_call_count; i++)
        if (strcmp(board_calls[i].name, name) == 0)
            return board_calls[i].call(board, argument);
    fail_msg("no call %s", name);
    return 0;
}

static void expect_word(struct octets found, const char *wanted)
{
    assert_int_equal(found.n, strlen(wanted));
    assert_memory_equal(found.at, wanted, found.n);
}

static void put_ms(uint32_t id, const char *imsi, const char *state)
{
    struct board_ms ms = {.ms_id = id, .state = word(state)};
    strcpy(ms.imsi.text, imsi);
    assert_int_equal(call("ms", &ms), 0);
}

static void what_is_put_is_read(void **state)
{
    (void)state;
    struct board_nse nse = {9, 0xffff, word("up"), 255, 1};
    struct board_nsvc nsvc = {19, 9, 0xfffe, word("blocked")};
    struct board_bvc bvc = {29, 9, 0xabcd, word("unblocked")};
    assert_int_equal(call("nse", &nse), 0);
    assert_int_equal(call("nsvc", &nsvc), 0);
    assert_int_equal(call("bvc", &bvc), 0);
    assert_true(board_nse(board, 9, &nse));
    assert_true(nse.nse_id == 9 && nse.nsei == 0xffff && nse.features == 255);
    assert_int_equal(nse.extended_features, 1);
    expect_word(nse.state, "up");
    assert_true(board_nsvc(board, 19, &nsvc));
    assert_true(nsvc.nse_id == 9 && nsvc.nsvci == 0xfffe);
    expect_word(nsvc.state, "blocked");
    assert_true(board_bvc(board, 29, &bvc));
    assert_true(bvc.nse_id == 9 && bvc.bvci == 0xabcd);
    expect_word(bvc.state, "unblocked");
    assert_false(board_nse(board, 8, &nse) || board_nsvc(board, 18, &nsvc));
    assert_false(board_bvc(board, 28, &bvc));
    assert_int_equal(call("gone_bvc", &(uint32_t){29}), 0);
    assert_false(board_bvc(board, 29, &bvc));
}

static void an_imsi_keeps_its_zeros(void **state)
{
    static const char *const imsis[] = {"0", "000000000000000", "999999999999999", "00101", "7"};
    (void)state;
    struct board_ms ms;
    for (uint32_t i = 0; i < 5; i++)
        put_ms(100 + i, imsis[i], "up");
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(board_ms(board, 100 + i, &ms));
        assert_string_equal(ms.imsi.text, imsis[i]);
        assert_int_equal(board_ms_of(board, imsis[i]), 100 + i);
    }
    assert_int_equal(board_ms_of(board, "00"), UINT32_MAX);
    assert_int_equal(board_ms_of(board, ""), UINT32_MAX);
    assert_int_equal(board_ms_of(board, "12345678901234567890"), UINT32_MAX);
    assert_int_equal(board_ms_of(board, "00101x"), UINT32_MAX);
    put_ms(103, "00102", "suspended");
    assert_int_equal(board_ms_of(board, "00101"), UINT32_MAX);
    assert_true(board_ms(board, 103, &ms));
    expect_word(ms.state, "suspended");
}

static void found_by_what_the_wire_calls_it(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct board_nse nse = {i, (uint16_t)(100 + i), word("up"), 0, 0};
        struct board_bvc bvc = {i, i, 7, word("up")}; // one BVCI in each
        assert_int_equal(call("nse", &nse), 0);
        assert_int_equal(call("bvc", &bvc), 0);
    }
    assert_int_equal(board_nse_of(board, 102), 2);
    assert_int_equal(board_nse_of(board, 103), UINT32_MAX);
    assert_int_equal(board_bvc_of(board, 1, 7), 1);
    assert_int_equal(board_bvc_of(board, 1, 8), UINT32_MAX);
    assert_int_equal(board_nse_of(board, 0), UINT32_MAX); // what is empty is nobody's
}

static void beyond_the_room(void **state)
{
    (void)state;
    struct board_ms ms = {.ms_id = 1000, .state = word("up")};
    strcpy(ms.imsi.text, "1");
    assert_int_equal(call("ms", &ms), -ERANGE);
    assert_int_equal(call("gone_ms", &(uint32_t){UINT32_MAX}), -ERANGE);
    assert_false(board_ms(board, 1000, &ms));
    assert_false(board_ms(board, UINT32_MAX, &ms));
}

// The first have a place; what is beyond it is shown as nothing, and the others stay.
static void too_many_words(void **state)
{
    char name[16];
    struct board_ms ms;
    (void)state;
    for (uint32_t i = 0; i < 2 * BOARD_WORDS; i++) {
        snprintf(name, sizeof name, "state %u", i);
        put_ms(i, "1", name);
    }
    for (uint32_t i = 0; i < 2 * BOARD_WORDS; i++) {
        snprintf(name, sizeof name, "state %u", i);
        assert_true(board_ms(board, i, &ms));
        expect_word(ms.state, i < BOARD_WORDS - 1 ? name : "");
    }
}

// A reader sees one record or the other: digits and state belong together.
static void *write_in_turns(void *end)
{
    for (uint32_t i = 0; !__atomic_load_n((bool *)end, __ATOMIC_RELAXED); i++)
        put_ms(500, i % 2 ? "111111111111111" : "222", i % 2 ? "fifteen" : "three");
    return NULL;
}

static void never_half_written(void **state)
{
    pthread_t writer;
    bool end_it = false;
    struct board_ms ms;
    (void)state;
    put_ms(500, "222", "three");
    assert_int_equal(pthread_create(&writer, NULL, write_in_turns, &end_it), 0);
    for (uint32_t i = 0; i < 200000; i++) {
        assert_true(board_ms(board, 500, &ms));
        bool one = strcmp(ms.imsi.text, "111111111111111") == 0;
        assert_string_equal(ms.imsi.text, one ? "111111111111111" : "222");
        expect_word(ms.state, one ? "fifteen" : "three");
    }
    __atomic_store_n(&end_it, true, __ATOMIC_RELAXED);
    pthread_join(writer, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_put_is_read, begin, end),
        cmocka_unit_test_setup_teardown(an_imsi_keeps_its_zeros, begin, end),
        cmocka_unit_test_setup_teardown(found_by_what_the_wire_calls_it, begin, end),
        cmocka_unit_test_setup_teardown(beyond_the_room, begin, end),
        cmocka_unit_test_setup_teardown(too_many_words, begin, end),
        cmocka_unit_test_setup_teardown(never_half_written, begin, end),
    };
    return cmocka_run_group_tests_name("control/export/board", tests, NULL, NULL);
}
