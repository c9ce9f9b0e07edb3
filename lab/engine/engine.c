// See engine.h.
#include "lab/engine/engine.h"

#include <errno.h>

#include "dataplane/base/units.h"
#include "lab/engine/need.h"

#define ROUNDS_AT_REST_MAX 1000
#define STEPS_A_PROGRESS   4096

// An entry of the heap: the earliest is first, at one time the one that was set first.
struct entry {
    uint64_t t_ns, sequence;
    struct engine_timer *timer;
};

struct endpoint {
    engine_input_fn *input;
    void *self;
};

struct poller {
    engine_poll_fn *poll;
    void *self;
};

struct engine {
    uint64_t now_ns, sequence;
    struct entry *heap; // the first is heap[1]
    uint32_t timers, room;
    struct endpoint *endpoint;
    struct poller *poller;
    uint32_t endpoints, pollers;
    uint64_t poll_ns; // the time of the pollers' next call
    bool awake;       // or now
    bool stopped;
};

struct engine *engine_create(void)
{
    struct engine *engine = need(calloc(1, sizeof(struct engine)));
    engine->awake = true;
    return engine;
}

void engine_destroy(struct engine *engine)
{
    free(engine->heap);
    free(engine->endpoint);
    free(engine->poller);
    free(engine);
}

uint64_t engine_now_ns(const struct engine *engine)
{
    return engine->now_ns;
}

// ---- Timers ----

static bool earlier(const struct entry *a, const struct entry *b)
{
    return a->t_ns < b->t_ns || (a->t_ns == b->t_ns && a->sequence < b->sequence);
}

static void put(struct engine *engine, uint32_t place, struct entry entry)
{
    engine->heap[place] = entry;
    entry.timer->place = place;
}

// Puts the entry at `place`, or where it belongs above or below.
static void settle_entry(struct engine *engine, uint32_t place, struct entry entry)
{
    const struct entry *heap = engine->heap;
    for (; place > 1 && earlier(&entry, &heap[place / 2]); place /= 2)
        put(engine, place, heap[place / 2]);
    for (uint32_t child; (child = 2 * place) <= engine->timers; place = child) {
        if (child < engine->timers && earlier(&heap[child + 1], &heap[child]))
            child++;
        if (!earlier(&heap[child], &entry))
            break;
        put(engine, place, heap[child]);
    }
    put(engine, place, entry);
}

void engine_timer_init(struct engine_timer *timer, engine_fire_fn *fire, void *self)
{
    *timer = (struct engine_timer){.fire = fire, .self = self};
}

bool engine_timer_is_set(const struct engine_timer *timer)
{
    return timer->place > 0;
}

void engine_set(struct engine *engine, struct engine_timer *timer, uint64_t t_ns)
{
    if (!timer->place) {
        if (engine->timers + 1 >= engine->room) {
            engine->room = engine->room ? 2 * engine->room : 64;
            engine->heap = need(realloc(engine->heap, engine->room * sizeof *engine->heap));
        }
        timer->place = ++engine->timers;
    }
    if (t_ns < engine->now_ns)
        t_ns = engine->now_ns;
    settle_entry(engine, timer->place, (struct entry){t_ns, engine->sequence++, timer});
}

void engine_cancel(struct engine *engine, struct engine_timer *timer)
{
    uint32_t place = timer->place;
    if (!place)
        return;
    timer->place = 0;
    struct entry last = engine->heap[engine->timers--];
    if (last.timer != timer)
        settle_entry(engine, place, last);
}

static uint64_t first_ns(const struct engine *engine)
{
    return engine->timers ? engine->heap[1].t_ns : TIME_NEVER;
}

// Fires the expired timers that were set before this round; a timer that another one sets for now
// waits for the next round.
static bool fire_due(struct engine *engine)
{
    bool fired = false;
    uint64_t set_before = engine->sequence;
    while (first_ns(engine) <= engine->now_ns && engine->heap[1].sequence < set_before) {
        struct engine_timer *timer = engine->heap[1].timer;
        engine_cancel(engine, timer);
        timer->fire(timer->self, engine->now_ns);
        fired = true;
    }
    return fired;
}

// ---- Endpoints and pollers ----

void engine_add_endpoint(struct engine *engine, engine_input_fn *input, void *self)
{
    size_t n = engine->endpoints++;
    engine->endpoint = need(realloc(engine->endpoint, (n + 1) * sizeof *engine->endpoint));
    engine->endpoint[n] = (struct endpoint){input, self};
}

void engine_add_poller(struct engine *engine, engine_poll_fn *poll, void *self)
{
    size_t n = engine->pollers++;
    engine->poller = need(realloc(engine->poller, (n + 1) * sizeof *engine->poller));
    engine->poller[n] = (struct poller){poll, self};
}

void engine_wake(struct engine *engine)
{
    engine->awake = true;
}

static bool input_all(struct engine *engine)
{
    bool worked = false;
    for (uint32_t i = 0; i < engine->endpoints; i++)
        worked |= engine->endpoint[i].input(engine->endpoint[i].self, engine->now_ns);
    return worked;
}

// Calls all pollers once. Returns the earliest time of a next call.
static uint64_t poll_all(struct engine *engine)
{
    uint64_t next = TIME_NEVER;
    for (uint32_t i = 0; i < engine->pollers; i++) {
        uint64_t t = engine->poller[i].poll(engine->poller[i].self, engine->now_ns);
        if (t < next)
            next = t;
    }
    return next;
}

// Returns false if neither an endpoint nor a poller is to be called. The endpoints take the
// pollers' frames before time moves on; what they took may have made room, so the pollers are
// called again.
static bool ask(struct engine *engine)
{
    if (!engine->awake && engine->poll_ns > engine->now_ns)
        return false;
    engine->awake = false;
    bool worked = input_all(engine);
    engine->poll_ns = poll_all(engine);
    engine->awake |= worked || input_all(engine);
    return true;
}

// ---- Time ----

// Repeats rounds at the present instant until no party has work.
static int settle(struct engine *engine)
{
    for (int round = 0; round < ROUNDS_AT_REST_MAX; round++) {
        bool fired = fire_due(engine);
        if (!ask(engine) && !fired)
            return 0;
    }
    return -ELOOP;
}

uint64_t engine_next_ns(const struct engine *engine)
{
    uint64_t timer_ns = first_ns(engine);
    if (engine->awake)
        return engine->now_ns;
    return engine->poll_ns < timer_ns ? engine->poll_ns : timer_ns;
}

// Moves time to the next timer or call. Returns false if there is none up to until_ns.
static bool move_on(struct engine *engine, uint64_t until_ns)
{
    uint64_t next_ns = engine_next_ns(engine);
    if (next_ns > until_ns)
        return false;
    engine->now_ns = next_ns;
    return true;
}

// An instant that still has work after settle's rounds gets as many again.
int engine_bring_up(struct engine *engine, uint64_t until_ns, engine_is_up_fn *is_up, void *self)
{
    while (!is_up(self) && !engine->stopped)
        if (settle(engine) == 0 && !is_up(self) && !move_on(engine, until_ns))
            return -ETIMEDOUT;
    return engine->stopped ? -EINTR : settle(engine);
}

int engine_run(struct engine *engine, uint64_t until_ns, engine_fire_fn *progress, void *self)
{
    for (uint64_t steps = 0; engine->now_ns <= until_ns; steps++) {
        int fault = settle(engine);
        if (fault)
            return fault;
        if (progress && steps % STEPS_A_PROGRESS == 0)
            progress(self, engine->now_ns);
        if (engine->stopped)
            return -EINTR;
        if (!move_on(engine, until_ns)) {
            engine->now_ns = until_ns;
            break;
        }
    }
    return 0;
}

void engine_stop(struct engine *engine)
{
    engine->stopped = true;
}
