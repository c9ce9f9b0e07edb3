// Packets of the capture wait here until so many have been read behind them, or one that is a
// second newer, and leave in the order of their stamps: a capture of several interfaces is seldom
// in order. What is a second older than the newest is none of these: there the clock has stepped,
// and all that wait have to leave first.
#ifndef SLUICE_GI_WINDOW_H
#define SLUICE_GI_WINDOW_H

#include "dataplane/base/units.h"
#include "lab/captures/gi/gi_packet.h"

#define GI_WINDOW_PACKETS 1024
#define GI_WINDOW_NS      S_IN_NS // a clock that goes back by less has not stepped

struct gi_waiting {
    struct gi_packet packet;
    uint32_t hash;  // of a segment and of a fragment
    uint32_t frame; // its number, modulo 2^32; 0: a fragment that has left
    enum gi_count fate;
};

struct gi_window {
    // begin and count are apart, for gcc would change both at once, and wait for the stores before.
    uint32_t begin;
    uint64_t newest_ns; // of those that wait
    uint32_t count;
    // A ring of places, of which each has one: those that wait by their time, then the free ones.
    uint16_t order[GI_WINDOW_PACKETS];
    struct gi_waiting place[GI_WINDOW_PACKETS];
};

void gi_window_create(struct gi_window *window);

static inline struct gi_waiting *gi_window_at(struct gi_window *window, uint32_t i)
{
    return &window->place[window->order[(window->begin + i) % GI_WINDOW_PACKETS]];
}

// Does the first one have to leave before one of that time comes?
static inline bool gi_window_is_full(const struct gi_window *window, uint64_t time_ns)
{
    return window->count == GI_WINDOW_PACKETS ||
           (window->count && time_ns + GI_WINDOW_NS <= window->newest_ns);
}

// Nothing that may come belongs in front of the first one.
static inline bool gi_window_is_due(struct gi_window *window)
{
    return window->count &&
           gi_window_at(window, 0)->packet.time_ns + GI_WINDOW_NS <= window->newest_ns;
}

// The free place, which the caller fills and puts in.
static inline struct gi_waiting *gi_window_free(struct gi_window *window)
{
    return gi_window_at(window, window->count);
}

// Moves the last one in front of those that are newer.
void gi_window_sort(struct gi_window *window);

// True: it is older than one before it.
static inline bool gi_window_put(struct gi_window *window, uint64_t time_ns)
{
    bool sorted = window->count++ && time_ns < window->newest_ns;
    if (sorted)
        gi_window_sort(window);
    else
        window->newest_ns = time_ns;
    return sorted;
}

// The first one leaves; it is valid until the next is put in.
static inline struct gi_waiting *gi_window_leave(struct gi_window *window)
{
    struct gi_waiting *first = gi_window_at(window, 0);
    window->begin++;
    window->count--;
    return first;
}

#endif
