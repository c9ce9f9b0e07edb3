// Virtual time in integer nanoseconds: a heap of timers, and the step that finishes all work of one
// instant before time moves on.
//
// A round: the expired timers, by time and then in the order in which they were set; then, if
// engine_wake was called or the time of a poller's next call has come, the endpoints' input and the
// pollers (such as workers and control). Rounds repeat at the same instant until no party has work;
// more than 1000 rounds at one instant are an error. A timer that concerns neither an endpoint nor
// a poller costs no call of theirs. The same calls give the same order.
#ifndef SLUICE_LAB_ENGINE_H
#define SLUICE_LAB_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

typedef void engine_fire_fn(void *self, uint64_t now_ns);

// A part of its owner; it must stay where it is while it is set.
struct engine_timer {
    engine_fire_fn *fire;
    void *self;
    uint32_t place; // in the heap, from 1; 0: not set
};

struct engine *engine_create(void);
void engine_destroy(struct engine *engine);

void engine_timer_init(struct engine_timer *timer, engine_fire_fn *fire, void *self);

// Calls fire(self, now_ns) at t_ns, or in the next round if t_ns has passed. A timer that is set
// moves; it then fires after the timers that were set for t_ns before. When fire is called the
// timer is not set any more.
void engine_set(struct engine *engine, struct engine_timer *timer, uint64_t t_ns);
void engine_cancel(struct engine *engine, struct engine_timer *timer);
bool engine_timer_is_set(const struct engine_timer *timer);

// Takes arrived frames; returns whether there were any.
typedef bool engine_input_fn(void *self, uint64_t now_ns);
void engine_add_endpoint(struct engine *engine, engine_input_fn *input, void *self);

// Returns now_ns while work is left, else the time of the next call.
typedef uint64_t engine_poll_fn(void *self, uint64_t now_ns);
void engine_add_poller(struct engine *engine, engine_poll_fn *poll, void *self);

// Has the endpoints and the pollers called at this instant: after a frame for a port, or when a
// frame left one.
void engine_wake(struct engine *engine);

uint64_t engine_now_ns(const struct engine *engine);

// Runs until is_up(self), then finishes the instant. Until is_up any number of rounds may pass at
// one instant. Returns 0; -EINTR after engine_stop; -ETIMEDOUT: not up by until_ns; -ELOOP as
// below.
typedef bool engine_is_up_fn(void *self);
int engine_bring_up(struct engine *engine, uint64_t until_ns, engine_is_up_fn *is_up, void *self);

// Runs to until_ns. Returns 0, or -ELOOP if an instant had work for more than 1000 rounds. Calls
// `progress`, if not NULL, now and then; -EINTR after engine_stop.
int engine_run(struct engine *engine, uint64_t until_ns, engine_fire_fn *progress, void *self);

// The time of the next timer or call; TIME_NEVER: there is none. For a caller that ties the engine
// to a clock, once engine_run has returned.
uint64_t engine_next_ns(const struct engine *engine);

// Ends engine_run before the next instant; for `progress` and timers.
void engine_stop(struct engine *engine);

#endif
