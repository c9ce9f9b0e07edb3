// See names.h: allocation.
#include "dataplane/state/names.h"

#include <errno.h>
#include <rte_malloc.h>

// An eighth more, and one place that is always free.
static uint32_t places(uint32_t most)
{
    return most + most / 8 + 1;
}

uint64_t state_names_octets(uint32_t most)
{
    return ((uint64_t)places(most) * sizeof(struct names_entry) + 63) & ~63ULL;
}

int state_names_setup(struct names *names, uint32_t most)
{
    names->places = places(most);
    names->entry = rte_calloc("names", names->places, sizeof *names->entry, 64);
    return names->entry ? 0 : -ENOMEM;
}

uint32_t state_names_in_use(const struct names *names)
{
    uint32_t n = 0;
    for (uint32_t at = 0; at < names->places; at++)
        n += names->entry[at].id_and_1 != 0;
    return n;
}

void state_names_release(struct names *names)
{
    rte_free(names->entry);
    *names = (struct names){0};
}
