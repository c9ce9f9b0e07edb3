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

static uint16_t *place_of(struct gi_window *window, uint32_t i)
{
    return &window->order[(window->begin + i) % GI_WINDOW_PACKETS];
}

void gi_window_sort(struct gi_window *window)
{
    uint32_t i = window->count - 1;
    uint16_t place = *place_of(window, i);
    uint64_t time_ns = window->place[place].packet.time_ns;
    for (; i && gi_window_at(window, i - 1)->packet.time_ns > time_ns; i--)
        *place_of(window, i) = *place_of(window, i - 1);
    *place_of(window, i) = place;
}
