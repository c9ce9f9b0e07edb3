// Bringing up: as many rounds as it takes, at one instant or later ones, to an instant at rest.
#include "lab/engine/engine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define UNTIL_NS 1000u
#define LATER_NS 400u

static struct {
    struct engine *engine;
    uint32_t rounds, up_after; // polls so far; with how many it is up
    uint32_t left;             // work after that, a round each
    bool sent, taken, answered;
    struct engine_timer answer;
} seen;

static bool is_up(void *self)
{
    return self == &seen && seen.rounds >= seen.up_after;
}

// Has work until it is up, and then some that is left.
static uint64_t poll(void *self, uint64_t now_ns)
{
    assert_ptr_equal(self, &seen);
    if (!is_up(&seen)) {
        seen.rounds++;
        return now_ns;
    }
    seen.left -= seen.left > 0;
    return seen.left ? now_ns : UINT64_MAX;
}

// Waits for an answer, which is the other side's.
static uint64_t poll_for_answer(void *self, uint64_t now_ns)
{
    (void)self, (void)now_ns;
    seen.sent = true;
    seen.rounds = seen.answered;
    return UINT64_MAX;
}

static void answer(void *self, uint64_t now_ns)
{
    (void)self;
    assert_true(now_ns == LATER_NS);
    seen.answered = true;
    engine_wake(seen.engine);
}

static bool take_what_was_sent(void *self, uint64_t now_ns)
{
    (void)self, (void)now_ns;
    if (!seen.sent || seen.taken)
        return false;
    seen.taken = true;
    engine_timer_init(&seen.answer, answer, NULL);
    engine_set(seen.engine, &seen.answer, LATER_NS);
    return true;
}

static void begin(engine_poll_fn *poller, uint32_t up_after)
{
    memset(&seen, 0, sizeof seen);
    seen.up_after = up_after;
    seen.engine = engine_create();
    engine_add_poller(seen.engine, poller, &seen);
}

static void expect(int fault, uint64_t now_ns)
{
    assert_int_equal(engine_bring_up(seen.engine, UNTIL_NS, is_up, &seen), fault);
    assert_true(engine_now_ns(seen.engine) == now_ns);
}

static void end(void)
{
    engine_destroy(seen.engine);
}

// More than a run would take at one instant.
static void test_any_number_of_rounds(void **state)
{
    (void)state;
    begin(poll, 5000);
    expect(0, 0);
    assert_int_equal(seen.rounds, 5000);
    end();
}

static void test_what_is_up_comes_to_rest(void **state)
{
    (void)state;
    begin(poll, 3);
    seen.left = 7;
    expect(0, 0);
    assert_int_equal(seen.left, 0);
    end();
}

static void test_what_is_up_and_never_rests(void **state)
{
    (void)state;
    begin(poll, 3);
    seen.left = 5000;
    expect(-ELOOP, 0);
    end();
}

static void test_an_answer_takes_its_time(void **state)
{
    (void)state;
    begin(poll_for_answer, 1);
    engine_add_endpoint(seen.engine, take_what_was_sent, NULL);
    expect(0, LATER_NS);
    assert_true(seen.answered);
    end();
}

static void test_an_answer_that_never_comes(void **state)
{
    (void)state;
    begin(poll_for_answer, 1);
    expect(-ETIMEDOUT, 0);
    end();
}

// A signal in the middle: the caller's function stops the engine.
static bool is_never_up(void *self)
{
    (void)self;
    if (++seen.rounds == 3)
        engine_stop(seen.engine);
    return false;
}

static uint64_t poll_again(void *self, uint64_t now_ns)
{
    (void)self;
    return now_ns + 1;
}

static void test_a_stop_ends_it(void **state)
{
    (void)state;
    begin(poll_again, 0);
    assert_int_equal(engine_bring_up(seen.engine, UNTIL_NS, is_never_up, &seen), -EINTR);
    assert_int_equal(seen.rounds, 3);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_rounds),
        cmocka_unit_test(test_what_is_up_comes_to_rest),
        cmocka_unit_test(test_what_is_up_and_never_rests),
        cmocka_unit_test(test_an_answer_takes_its_time),
        cmocka_unit_test(test_an_answer_that_never_comes),
        cmocka_unit_test(test_a_stop_ends_it),
    };
    return cmocka_run_group_tests_name("lab/engine/bring_up", tests, NULL, NULL);
}
