// See engine.h. A lack of memory aborts the program.
#include "lab/engine/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/units.h"

#define PARTIES_MAX        32
#define ROUNDS_AT_REST_MAX 1000
#define STEPS_A_PROGRESS   4096

struct timer {
    uint64_t t_ns, sequence;
    engine_fire_fn *fire;
    void *self;
};

struct engine {
    uint64_t now_ns, sequence;
    struct timer *heap;
    uint32_t timers, room;
    struct {
        engine_input_fn *input;
        void *self;
    } endpoint[PARTIES_MAX];
    struct {
        engine_poll_fn *poll;
        void *self;
    } poller[PARTIES_MAX];
    uint32_t endpoints, pollers;
};

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

struct engine *engine_create(void)
{
    return need(calloc(1, sizeof(struct engine)));
}

void engine_destroy(struct engine *engine)
{
    free(engine->heap);
    free(engine);
}

uint64_t engine_now_ns(const struct engine *engine)
{
    return engine->now_ns;
}

static bool earlier(const struct timer *a, const struct timer *b)
{
    return a->t_ns < b->t_ns || (a->t_ns == b->t_ns && a->sequence < b->sequence);
}

static void swap(struct timer *a, struct timer *b)
{
    struct timer t = *a;
    *a = *b;
    *b = t;
}

void engine_at(struct engine *engine, uint64_t t_ns, engine_fire_fn *fire, void *self)
{
    if (engine->timers == engine->room) {
        engine->room = engine->room ? 2 * engine->room : 64;
        engine->heap = need(realloc(engine->heap, engine->room * sizeof *engine->heap));
    }
    if (t_ns < engine->now_ns)
        t_ns = engine->now_ns;
    uint32_t i = engine->timers++;
    engine->heap[i] = (struct timer){t_ns, engine->sequence++, fire, self};
    for (; i > 0 && earlier(&engine->heap[i], &engine->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&engine->heap[i], &engine->heap[(i - 1) / 2]);
}

static struct timer take_first(struct engine *engine)
{
    struct timer *heap = engine->heap;
    struct timer first = heap[0];
    uint32_t n = --engine->timers;
    heap[0] = heap[n];
    for (uint32_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && earlier(&heap[child + 1], &heap[child]))
            child++;
        if (!earlier(&heap[child], &heap[i]))
            break;
        swap(&heap[child], &heap[i]);
    }
    return first;
}

void engine_add_endpoint(struct engine *engine, engine_input_fn *input, void *self)
{
    if (engine->endpoints == PARTIES_MAX)
        abort();
    engine->endpoint[engine->endpoints].input = input;
    engine->endpoint[engine->endpoints++].self = self;
}

void engine_add_poller(struct engine *engine, engine_poll_fn *poll, void *self)
{
    if (engine->pollers == PARTIES_MAX)
        abort();
    engine->poller[engine->pollers].poll = poll;
    engine->poller[engine->pollers++].self = self;
}

// Fires the expired timers that were started before this round; a timer that another one starts for
// now waits for the next round.
static bool fire_due(struct engine *engine)
{
    bool fired = false;
    uint64_t set_before = engine->sequence;
    while (engine->timers && engine->heap[0].t_ns <= engine->now_ns &&
           engine->heap[0].sequence < set_before) {
        struct timer timer = take_first(engine);
        timer.fire(timer.self, engine->now_ns);
        fired = true;
    }
    return fired;
}

static bool input_all(struct engine *engine)
{
    bool worked = false;
    for (uint32_t i = 0; i < engine->endpoints; i++)
        worked |= engine->endpoint[i].input(engine->endpoint[i].self, engine->now_ns);
    return worked;
}

// Calls all pollers once. Returns the earliest wake-up.
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

// Repeats rounds at the present instant until no party has work; *next_ns is the next wake-up of a
// poller.
static int settle(struct engine *engine, uint64_t *next_ns)
{
    for (int round = 0; round < ROUNDS_AT_REST_MAX; round++) {
        bool worked = fire_due(engine);
        worked |= input_all(engine);
        *next_ns = poll_all(engine);
        // The endpoints take the pollers' last frames before time moves on.
        if (!worked && *next_ns > engine->now_ns && !input_all(engine))
            return 0;
    }
    return -ELOOP;
}

// Moves time to the next timer or wake-up. Returns false if there is none up to until_ns.
static bool move_on(struct engine *engine, uint64_t next_ns, uint64_t until_ns)
{
    if (engine->timers && engine->heap[0].t_ns < next_ns)
        next_ns = engine->heap[0].t_ns;
    if (next_ns > until_ns)
        return false;
    engine->now_ns = next_ns;
    return true;
}

// An instant that still has work after settle's rounds gets as many again.
int engine_bring_up(struct engine *engine, uint64_t until_ns, engine_is_up_fn *is_up, void *self)
{
    uint64_t next_ns;
    while (!is_up(self))
        if (settle(engine, &next_ns) == 0 && !is_up(self) && !move_on(engine, next_ns, until_ns))
            return -ETIMEDOUT;
    return settle(engine, &next_ns);
}

int engine_run(struct engine *engine, uint64_t until_ns, engine_fire_fn *progress, void *self)
{
    uint64_t next_ns;
    for (uint64_t steps = 0; engine->now_ns <= until_ns; steps++) {
        int fault = settle(engine, &next_ns);
        if (fault)
            return fault;
        if (progress && steps % STEPS_A_PROGRESS == 0)
            progress(self, engine->now_ns);
        if (!move_on(engine, next_ns, until_ns)) {
            engine->now_ns = until_ns;
            break;
        }
    }
    return 0;
}
