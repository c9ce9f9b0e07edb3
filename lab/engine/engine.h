// Virtual time: one heap of integer nanoseconds, and the step that brings everything at one instant
// to rest before time moves on.
//
// A step: the timers that are due, in order of time and then of setting; then the endpoints' input;
// then the pollers (such as workers and control) in turn until none has work. Steps repeat at the
// same instant until nobody did anything; 1000 rounds at one instant are a fault. Same calls, same
// order.
#ifndef SLUICE_LAB_ENGINE_H
#define SLUICE_LAB_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

typedef void engine_fire_fn(void *self, uint64_t now_ns);

struct engine *engine_create(void);
void engine_destroy(struct engine *engine);

// Calls fire(self, t_ns) at t_ns; a time that has passed means at once.
void engine_at(struct engine *engine, uint64_t t_ns, engine_fire_fn *fire, void *self);

// Takes what has arrived for it; true if there was something.
typedef bool engine_input_fn(void *self, uint64_t now_ns);
void engine_add_endpoint(struct engine *engine, engine_input_fn *input, void *self);

// now_ns while work is left, else the next wake-up.
typedef uint64_t engine_poll_fn(void *self, uint64_t now_ns);
void engine_add_poller(struct engine *engine, engine_poll_fn *poll, void *self);

uint64_t engine_now_ns(const struct engine *engine);

// Runs until is_up(self) and the instant has come to rest. Until is_up any number of rounds may
// pass at one instant. 0; -ETIMEDOUT: it is not up by `until_ns`; -ELOOP as below.
typedef bool engine_is_up_fn(void *self);
int engine_bring_up(struct engine *engine, uint64_t until_ns, engine_is_up_fn *is_up, void *self);

// Runs to `until_ns`. 0, or -ELOOP when an instant did not come to rest. `progress`, if any, is
// called now and then.
int engine_run(struct engine *engine, uint64_t until_ns, engine_fire_fn *progress, void *self);

#endif
