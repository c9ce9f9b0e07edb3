// Virtual time in integer nanoseconds: a heap of timers, and the step that finishes all work of one
// instant before time moves on.
//
// A round: the expired timers, by time and then by start; the endpoints' input; the pollers (such
// as workers and control). Rounds repeat at the same instant until no party had work; more than
// 1000 rounds at one instant are an error. The same calls give the same order.
#ifndef SLUICE_LAB_ENGINE_H
#define SLUICE_LAB_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;

typedef void engine_fire_fn(void *self, uint64_t now_ns);

struct engine *engine_create(void);
void engine_destroy(struct engine *engine);

// Calls fire(self, t_ns) at t_ns, or at once if t_ns has passed.
void engine_at(struct engine *engine, uint64_t t_ns, engine_fire_fn *fire, void *self);

// Takes arrived frames; returns whether there were any.
typedef bool engine_input_fn(void *self, uint64_t now_ns);
void engine_add_endpoint(struct engine *engine, engine_input_fn *input, void *self);

// Returns now_ns while work is left, else the time of the next wake-up.
typedef uint64_t engine_poll_fn(void *self, uint64_t now_ns);
void engine_add_poller(struct engine *engine, engine_poll_fn *poll, void *self);

uint64_t engine_now_ns(const struct engine *engine);

// Runs until is_up(self), then finishes the instant. Until is_up any number of rounds may pass at
// one instant. Returns 0; -ETIMEDOUT: not up by until_ns; -ELOOP as below.
typedef bool engine_is_up_fn(void *self);
int engine_bring_up(struct engine *engine, uint64_t until_ns, engine_is_up_fn *is_up, void *self);

// Runs to until_ns. Returns 0, or -ELOOP if an instant had work for more than 1000 rounds. Calls
// `progress`, if not NULL, now and then.
int engine_run(struct engine *engine, uint64_t until_ns, engine_fire_fn *progress, void *self);

#endif
