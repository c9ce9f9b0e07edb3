// See window.h.
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "dataplane/window/window.h"

#define KEY_STREAM 0x77696e64 // of the secret's random numbers

uint64_t window_octets(uint32_t contexts)
{
    return (uint64_t)contexts * WINDOW_FLOWS * sizeof(struct window_flow);
}

void window_setup(struct window *w, uint64_t seed, const uint64_t of_class_ns[CLASS_COUNT],
                  struct stats_up *stats, void *memory)
{
    struct rng rng;
    rng_seed(&rng, seed, KEY_STREAM);
    *w = (struct window){.stats = stats, .flows = memory};
    for (uint32_t i = 0; i < sizeof w->key / sizeof w->key[0]; i++)
        w->key[i] = rng_next(&rng);
    for (int i = 0; i < CLASS_COUNT; i++)
        w->of_class_ms[i] = (uint32_t)(of_class_ns[i] / MS_IN_NS);
}
