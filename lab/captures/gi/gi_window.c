// See gi_window.h.
#include "lab/captures/gi/gi_window.h"

#include <assert.h>

static_assert((GI_WINDOW_PACKETS & (GI_WINDOW_PACKETS - 1)) == 0, "a ring, whose index wraps");

void gi_window_create(struct gi_window *window)
{
    for (uint32_t i = 0; i < GI_WINDOW_PACKETS; i++)
        window->order[i] = (uint16_t)i;
    window->begin = window->count = 0;
}

bool gi_window_put(struct gi_window *window)
{
    uint64_t time_ns = gi_window_free(window)->packet.time_ns;
    uint32_t i = window->count++;
    if (i == 0 || gi_window_at(window, i - 1)->packet.time_ns <= time_ns)
        return false;
    uint16_t place = window->order[(window->begin + i) % GI_WINDOW_PACKETS];
    for (; i && gi_window_at(window, i - 1)->packet.time_ns > time_ns; i--)
        window->order[(window->begin + i) % GI_WINDOW_PACKETS] =
            window->order[(window->begin + i - 1) % GI_WINDOW_PACKETS];
    window->order[(window->begin + i) % GI_WINDOW_PACKETS] = place;
    return true;
}
