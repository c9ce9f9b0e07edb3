// The engine: order of timers, rest at each instant, wake-ups, and time that only goes forward.
#include "lab/engine/engine.h"

#include <errno.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/random.h"

static struct {
    struct engine *engine;
    uint64_t now_ns[4096]; // of each call that was noted, in order
    uintptr_t who[4096];
    uint32_t calls;
    struct engine_timer timer[8192];
    uint32_t timers;
} seen;

static int make_engine(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    seen.engine = engine_create();
    return 0;
}

static int destroy_engine(void **state)
{
    (void)state;
    engine_destroy(seen.engine);
    return 0;
}

static void note(void *self, uint64_t now_ns)
{
    assert_true(seen.calls < 4096);
    assert_true(now_ns == engine_now_ns(seen.engine));
    seen.now_ns[seen.calls] = now_ns;
    seen.who[seen.calls++] = (uintptr_t)self;
}

// Sets a timer of its own for each call.
static struct engine_timer *call_at(uint64_t t_ns, engine_fire_fn *fire, void *self)
{
    assert_true(seen.timers < sizeof seen.timer / sizeof seen.timer[0]);
    struct engine_timer *timer = &seen.timer[seen.timers++];
    engine_timer_init(timer, fire, self);
    engine_set(seen.engine, timer, t_ns);
    return timer;
}

static struct engine_timer *at(uint64_t t_ns, uintptr_t who)
{
    return call_at(t_ns, note, (void *)who);
}

static void run_to(uint64_t until_ns)
{
    assert_int_equal(engine_run(seen.engine, until_ns, NULL, NULL), 0);
    assert_true(engine_now_ns(seen.engine) == until_ns);
}

static void expect_call(uint32_t i, uint64_t now_ns, uintptr_t who)
{
    assert_true(i < seen.calls);
    assert_true(seen.now_ns[i] == now_ns);
    assert_int_equal(seen.who[i], who);
}

// --- Timers --------------------------------------------------------------------------------------

static void test_empty_run(void **state)
{
    (void)state;
    assert_true(engine_now_ns(seen.engine) == 0);
    run_to(5);
    run_to(5);
    run_to(7);
    assert_int_equal(seen.calls, 0);
}

static void test_timers_fire_in_order_of_time(void **state)
{
    (void)state;
    at(30, 3);
    at(10, 1);
    at(20, 2);
    run_to(25);
    assert_int_equal(seen.calls, 2);
    expect_call(0, 10, 1);
    expect_call(1, 20, 2);
    run_to(30);
    expect_call(2, 30, 3);
}

static void test_the_end_is_inclusive(void **state)
{
    (void)state;
    at(10, 1);
    at(11, 2);
    run_to(10);
    assert_int_equal(seen.calls, 1);
    expect_call(0, 10, 1);
    run_to(11);
    assert_int_equal(seen.calls, 2);
}

static void test_ties_fire_in_order_of_setting(void **state)
{
    (void)state;
    for (uintptr_t who = 0; who < 1000; who++)
        at(who % 3 ? 20 : 10, who);
    run_to(20);
    uint32_t i = 0;
    for (uintptr_t who = 0; who < 1000; who += 3)
        expect_call(i++, 10, who);
    for (uintptr_t who = 0; who < 1000; who++)
        if (who % 3)
            expect_call(i++, 20, who);
    assert_int_equal(seen.calls, 1000);
}

static void set_two_more(void *self, uint64_t now_ns)
{
    note(self, now_ns);
    at(3, 31); // has passed
    at(now_ns, 32);
}

// A time that has passed means at once, behind what was already due.
static void test_timers_for_the_past(void **state)
{
    (void)state;
    call_at(10, set_two_more, (void *)1);
    at(10, 2);
    at(11, 4);
    run_to(20);
    expect_call(0, 10, 1);
    expect_call(1, 10, 2);
    expect_call(2, 10, 31);
    expect_call(3, 10, 32);
    expect_call(4, 11, 4);
    at(5, 6);
    run_to(30);
    expect_call(5, 20, 6);
}

static void test_random_timers_against_sorting(void **state)
{
    enum { TIMERS = 4000 };
    static uint64_t t_ns[TIMERS];
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < TIMERS; i++)
        at(t_ns[i] = random_next() % 1500, i);
    run_to(1500);
    assert_int_equal(seen.calls, TIMERS);
    for (uint32_t i = 0; i < TIMERS; i++) {
        assert_true(seen.now_ns[i] == t_ns[seen.who[i]]);
        if (i == 0)
            continue;
        assert_true(seen.now_ns[i - 1] <= seen.now_ns[i]);
        if (seen.now_ns[i - 1] == seen.now_ns[i])
            assert_true(seen.who[i - 1] < seen.who[i]);
    }
}

// Each timer sets another, somewhere before or after now; each fires at its time or at once.
static uint64_t due_ns[4096];

static void set_another(void *self, uint64_t now_ns)
{
    assert_true(now_ns == due_ns[(uintptr_t)self]);
    note(self, now_ns);
    if (seen.calls >= 3000)
        return;
    uint64_t wanted_ns = now_ns + random_next() % 100;
    wanted_ns = wanted_ns > 30 ? wanted_ns - 30 : 0;
    due_ns[seen.calls] = wanted_ns > now_ns ? wanted_ns : now_ns;
    call_at(wanted_ns, set_another, (void *)(uintptr_t)seen.calls);
}

static void test_time_never_goes_back(void **state)
{
    (void)state;
    random_begin();
    due_ns[0] = 0;
    call_at(0, set_another, (void *)0);
    run_to(1000000);
    assert_int_equal(seen.calls, 3000);
    for (uint32_t i = 1; i < seen.calls; i++)
        assert_true(seen.now_ns[i - 1] <= seen.now_ns[i]);
}

// --- Handles -------------------------------------------------------------------------------------

static void test_a_timer_that_is_moved(void **state)
{
    (void)state;
    struct engine_timer *timer = at(10, 1);
    assert_true(engine_timer_is_set(timer));
    at(20, 2);
    engine_set(seen.engine, timer, 30);
    at(30, 3);
    run_to(25);
    assert_int_equal(seen.calls, 1);
    expect_call(0, 20, 2);
    engine_set(seen.engine, timer, 30); // behind the other, which was set for 30 before
    run_to(40);
    assert_int_equal(seen.calls, 3);
    expect_call(1, 30, 3);
    expect_call(2, 30, 1);
    assert_false(engine_timer_is_set(timer));
}

static void test_a_timer_that_is_cancelled(void **state)
{
    (void)state;
    struct engine_timer *timer = at(10, 1);
    at(10, 2);
    engine_cancel(seen.engine, timer);
    engine_cancel(seen.engine, timer);
    assert_false(engine_timer_is_set(timer));
    run_to(10);
    assert_int_equal(seen.calls, 1);
    expect_call(0, 10, 2);
    engine_set(seen.engine, timer, 20);
    run_to(20);
    expect_call(1, 20, 1);
}

// A slow model beside the heap: an array of times, in which the earliest is searched.
enum { MODEL_TIMERS = 60 };
static struct {
    struct engine_timer timer;
    uint64_t t_ns, set; // t_ns UINT64_MAX: not set; set: counts up
} model[MODEL_TIMERS];
static uint64_t model_sets, model_fired;

static uint32_t model_first(void)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < MODEL_TIMERS; i++)
        if (model[i].t_ns < model[first].t_ns ||
            (model[i].t_ns == model[first].t_ns && model[i].set < model[first].set))
            first = i;
    return first;
}

static void model_change(uint64_t now_ns)
{
    uint32_t i = (uint32_t)(random_next() % MODEL_TIMERS);
    assert_int_equal(engine_timer_is_set(&model[i].timer), model[i].t_ns != UINT64_MAX);
    if (random_next() % 3 == 0) {
        engine_cancel(seen.engine, &model[i].timer);
        model[i].t_ns = UINT64_MAX;
        return;
    }
    model[i].t_ns = now_ns + 1 + random_next() % 50;
    model[i].set = model_sets++;
    engine_set(seen.engine, &model[i].timer, model[i].t_ns);
}

static void model_fire(void *self, uint64_t now_ns)
{
    uint32_t i = (uint32_t)(uintptr_t)self;
    assert_int_equal(model_first(), i);
    assert_true(model[i].t_ns == now_ns);
    model[i].t_ns = UINT64_MAX;
    model_fired++;
    for (uint32_t n = (uint32_t)(random_next() % 4); n > 0; n--)
        model_change(now_ns);
}

static void test_random_changes_against_a_plain_model(void **state)
{
    (void)state;
    random_begin();
    model_sets = model_fired = 0;
    for (uintptr_t i = 0; i < MODEL_TIMERS; i++) {
        engine_timer_init(&model[i].timer, model_fire, (void *)i);
        model[i].t_ns = UINT64_MAX;
    }
    for (uint64_t t = 0; t < 20000; t++) {
        run_to(t);
        model_change(t);
    }
    assert_true(model_fired > 10000);
}

static void test_a_run_into_the_past_leaves_time_alone(void **state)
{
    (void)state;
    run_to(100);
    engine_run(seen.engine, 50, NULL, NULL);
    assert_true(engine_now_ns(seen.engine) == 100);
}

// --- Endpoints and pollers -----------------------------------------------------------------------

struct party {
    uint32_t left; // calls in which it has something to do
    uint32_t calls;
    uint64_t wake_ns;
};

static bool input(void *self, uint64_t now_ns)
{
    struct party *party = self;
    note(self, now_ns);
    party->calls++;
    if (party->left == 0)
        return false;
    party->left--;
    return true;
}

static uint64_t poll(void *self, uint64_t now_ns)
{
    struct party *party = self;
    note(self, now_ns);
    party->calls++;
    if (party->left) {
        party->left--;
        return now_ns;
    }
    return now_ns < party->wake_ns ? party->wake_ns : TIME_NEVER;
}

static void wake(void *self, uint64_t now_ns)
{
    note(self, now_ns);
    engine_wake(seen.engine);
}

static void test_an_instant_comes_to_rest(void **state)
{
    struct party endpoint = {.left = 5}, poller = {.left = 9, .wake_ns = TIME_NEVER};
    (void)state;
    engine_add_endpoint(seen.engine, input, &endpoint);
    engine_add_poller(seen.engine, poll, &poller);
    run_to(10);
    assert_int_equal(endpoint.left, 0);
    assert_int_equal(poller.left, 0);
    for (uint32_t i = 0; i < seen.calls; i++)
        assert_true(seen.now_ns[i] == 0);
}

// Within a round: timers, then endpoints, then pollers, each in the order in which they were added.
static void test_order_within_a_step(void **state)
{
    struct party endpoints[2] = {{0}}, pollers[2] = {{.wake_ns = 10}, {.wake_ns = 10}};
    (void)state;
    engine_add_poller(seen.engine, poll, &pollers[0]);
    engine_add_poller(seen.engine, poll, &pollers[1]);
    engine_add_endpoint(seen.engine, input, &endpoints[0]);
    engine_add_endpoint(seen.engine, input, &endpoints[1]);
    call_at(10, wake, (void *)1);
    run_to(10);
    uint32_t i = 0;
    while (i < seen.calls && seen.now_ns[i] < 10)
        i++;
    expect_call(i + 0, 10, 1);
    expect_call(i + 1, 10, (uintptr_t)&endpoints[0]);
    expect_call(i + 2, 10, (uintptr_t)&endpoints[1]);
    expect_call(i + 3, 10, (uintptr_t)&pollers[0]);
    expect_call(i + 4, 10, (uintptr_t)&pollers[1]);
}

static void test_pollers_are_woken(void **state)
{
    struct party early = {.wake_ns = 100}, late = {.wake_ns = 250};
    (void)state;
    engine_add_poller(seen.engine, poll, &early);
    engine_add_poller(seen.engine, poll, &late);
    run_to(1000);
    bool at_100 = false, at_250 = false;
    for (uint32_t i = 0; i < seen.calls; i++) {
        assert_true(seen.now_ns[i] == 0 || seen.now_ns[i] == 100 || seen.now_ns[i] == 250);
        at_100 |= seen.now_ns[i] == 100 && seen.who[i] == (uintptr_t)&early;
        at_250 |= seen.now_ns[i] == 250 && seen.who[i] == (uintptr_t)&late;
    }
    assert_true(at_100 && at_250);
}

// A timer that sends nothing to the parties costs them no call; one that wakes them has all of them
// called at its instant, before the poller's own time comes.
static void test_only_who_has_work_is_asked(void **state)
{
    struct party endpoint = {0}, poller = {.wake_ns = 100};
    (void)state;
    engine_add_endpoint(seen.engine, input, &endpoint);
    engine_add_poller(seen.engine, poll, &poller);
    run_to(0);
    uint32_t at_rest = poller.calls, inputs = endpoint.calls;
    at(97, 1);
    run_to(98);
    assert_int_equal(poller.calls, at_rest);
    assert_int_equal(endpoint.calls, inputs);
    call_at(99, wake, (void *)2);
    run_to(99);
    assert_int_equal(poller.calls, at_rest + 1);
    assert_true(endpoint.calls > inputs);
    assert_true(seen.now_ns[seen.calls - 1] == 99);
    run_to(100);
    assert_int_equal(poller.calls, at_rest + 2);
}

static void test_any_number_of_parties(void **state)
{
    enum { PARTIES = 500 };
    static struct party endpoint[PARTIES], poller[PARTIES];
    (void)state;
    memset(endpoint, 0, sizeof endpoint);
    memset(poller, 0, sizeof poller);
    for (uint32_t i = 0; i < PARTIES; i++) {
        engine_add_endpoint(seen.engine, input, &endpoint[i]);
        engine_add_poller(seen.engine, poll, &poller[i]);
    }
    run_to(0);
    for (uint32_t i = 0; i < PARTIES; i++) {
        assert_int_equal(endpoint[i].calls, 2);
        assert_int_equal(poller[i].calls, 1);
    }
}

static void test_endpoints_that_never_rest_are_a_fault(void **state)
{
    struct party restless = {.left = UINT32_MAX};
    (void)state;
    engine_add_endpoint(seen.engine, input, &restless);
    assert_int_equal(engine_run(seen.engine, 10, NULL, NULL), -ELOOP);
    assert_true(engine_now_ns(seen.engine) == 0);
    assert_int_equal(restless.calls, 1000);
}

static void test_pollers_that_never_rest_are_a_fault(void **state)
{
    struct party restless = {.left = UINT32_MAX};
    (void)state;
    engine_add_poller(seen.engine, poll, &restless);
    assert_int_equal(engine_run(seen.engine, 10, NULL, NULL), -ELOOP);
    assert_int_equal(restless.calls, 1000);
}

static uint32_t fired;

static void set_itself_again(void *self, uint64_t now_ns)
{
    if (++fired > 1000000)
        fail_msg("a timer for now was fired %u times at one instant", fired);
    engine_set(seen.engine, self, now_ns);
}

static void test_timers_that_never_rest_are_a_fault(void **state)
{
    (void)state;
    fired = 0;
    struct engine_timer timer;
    engine_timer_init(&timer, set_itself_again, &timer);
    engine_set(seen.engine, &timer, 5);
    assert_int_equal(engine_run(seen.engine, 10, NULL, NULL), -ELOOP);
    assert_true(engine_now_ns(seen.engine) == 5);
}

// A poller that wakes up, sends something and then has nothing more to do: the endpoint it was sent
// to takes it at that instant, not at the next one at which something happens to go on.
static struct {
    bool sent, taken;
    uint64_t sent_ns, taken_ns;
} mail;

static uint64_t send_at_100(void *self, uint64_t now_ns)
{
    (void)self;
    if (now_ns < 100)
        return 100;
    if (!mail.sent)
        mail.sent_ns = now_ns;
    mail.sent = true;
    return TIME_NEVER;
}

static bool take(void *self, uint64_t now_ns)
{
    (void)self;
    if (!mail.sent || mail.taken)
        return false;
    mail.taken = true;
    mail.taken_ns = now_ns;
    return true;
}

static void test_what_a_poller_sends_is_taken_at_once(void **state)
{
    (void)state;
    memset(&mail, 0, sizeof mail);
    engine_add_endpoint(seen.engine, take, NULL);
    engine_add_poller(seen.engine, send_at_100, NULL);
    at(500, 1);
    run_to(1000);
    assert_true(mail.sent && mail.sent_ns == 100);
    assert_true(mail.taken);
    assert_int_equal(mail.taken_ns, 100);
}

static void test_progress_is_told(void **state)
{
    (void)state;
    assert_int_equal(engine_run(seen.engine, 10, note, (void *)7), 0);
    assert_true(seen.calls >= 1);
    expect_call(0, 0, 7);
}

static void test_the_time_of_what_is_next(void **state)
{
    (void)state;
    assert_true(engine_next_ns(seen.engine) == 0); // the pollers, at first
    run_to(1);
    assert_true(engine_next_ns(seen.engine) == TIME_NEVER);
    struct party poller = {.wake_ns = 30};
    struct engine_timer *timer = at(50, 1);
    assert_true(engine_next_ns(seen.engine) == 50);
    engine_add_poller(seen.engine, poll, &poller);
    engine_wake(seen.engine);
    assert_true(engine_next_ns(seen.engine) == 1);
    run_to(2);
    assert_true(engine_next_ns(seen.engine) == 30);
    engine_set(seen.engine, timer, 20);
    assert_true(engine_next_ns(seen.engine) == 20);
    run_to(20);
    assert_true(engine_next_ns(seen.engine) == 30);
}

#define ENGINE_TEST(name) cmocka_unit_test_setup_teardown(name, make_engine, destroy_engine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(test_empty_run),
        ENGINE_TEST(test_timers_fire_in_order_of_time),
        ENGINE_TEST(test_the_end_is_inclusive),
        ENGINE_TEST(test_ties_fire_in_order_of_setting),
        ENGINE_TEST(test_timers_for_the_past),
        ENGINE_TEST(test_random_timers_against_sorting),
        ENGINE_TEST(test_time_never_goes_back),
        ENGINE_TEST(test_a_timer_that_is_moved),
        ENGINE_TEST(test_a_timer_that_is_cancelled),
        ENGINE_TEST(test_random_changes_against_a_plain_model),
        ENGINE_TEST(test_a_run_into_the_past_leaves_time_alone),
        ENGINE_TEST(test_an_instant_comes_to_rest),
        ENGINE_TEST(test_order_within_a_step),
        ENGINE_TEST(test_pollers_are_woken),
        ENGINE_TEST(test_only_who_has_work_is_asked),
        ENGINE_TEST(test_any_number_of_parties),
        ENGINE_TEST(test_endpoints_that_never_rest_are_a_fault),
        ENGINE_TEST(test_pollers_that_never_rest_are_a_fault),
        ENGINE_TEST(test_timers_that_never_rest_are_a_fault),
        ENGINE_TEST(test_what_a_poller_sends_is_taken_at_once),
        ENGINE_TEST(test_progress_is_told),
        ENGINE_TEST(test_the_time_of_what_is_next),
    };
    return cmocka_run_group_tests_name("lab/engine", tests, NULL, NULL);
}
