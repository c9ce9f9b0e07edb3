// What has arrived beyond a hole: ascending ranges that neither touch nor overlap. Their number is
// bounded; what would need one more is refused, and the peer sends it again.
#include <string.h>

#include "lab/hosts/tcp_inside.h"

#define ROOM_LEAST  8
#define RANGES_MOST 4096

static void insert(struct tcp_holes *holes, uint32_t at, const struct tcp_range *range)
{
    if (holes->ranges == holes->room) {
        holes->room = holes->room ? 2 * holes->room : ROOM_LEAST;
        holes->range = tcp_grow(holes->range, holes->room, sizeof *holes->range);
    }
    memmove(holes->range + at + 1, holes->range + at, (holes->ranges - at) * sizeof *holes->range);
    holes->range[at] = *range;
    holes->ranges++;
}

static void remove_ranges(struct tcp_holes *holes, uint32_t at, uint32_t count)
{
    holes->ranges -= count;
    memmove(holes->range + at, holes->range + at + count,
            (holes->ranges - at) * sizeof *holes->range);
    if (holes->ranges == 0)
        tcp_holes_clear(holes);
}

enum tcp_hole tcp_holes_add(struct tcp_holes *holes, uint64_t left, uint64_t right)
{
    uint32_t at = 0, end;
    while (at < holes->ranges && holes->range[at].right < left)
        at++;
    for (end = at; end < holes->ranges && holes->range[end].left <= right; end++)
        ;
    struct tcp_range range = {left, right, ++holes->arrivals};
    if (at == end) {
        if (holes->ranges == RANGES_MOST)
            return TCP_HOLE_NO_ROOM;
        insert(holes, at, &range);
        return TCP_HOLE_NEW;
    }
    struct tcp_range *first = &holes->range[at];
    bool known = first->left <= left && right <= first->right;
    first->right = tcp_max(right, holes->range[end - 1].right);
    first->left = tcp_min(left, first->left);
    first->arrival = range.arrival;
    if (end - at > 1)
        remove_ranges(holes, at + 1, end - at - 1);
    return known ? TCP_HOLE_KNOWN : TCP_HOLE_NEW;
}

uint64_t tcp_holes_take(struct tcp_holes *holes, uint64_t received)
{
    uint32_t taken = 0;
    while (taken < holes->ranges && holes->range[taken].left <= received) {
        received = tcp_max(received, holes->range[taken].right);
        taken++;
    }
    if (taken)
        remove_ranges(holes, 0, taken);
    return received;
}

uint32_t tcp_holes_recent(const struct tcp_holes *holes, struct tcp_range *recent, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t before = UINT32_MAX; count < most; count++) {
        const struct tcp_range *best = NULL;
        for (uint32_t i = 0; i < holes->ranges; i++) {
            const struct tcp_range *range = &holes->range[i];
            if (range->arrival < before && (!best || range->arrival > best->arrival))
                best = range;
        }
        if (!best)
            break;
        recent[count] = *best;
        before = best->arrival;
    }
    return count;
}

void tcp_holes_clear(struct tcp_holes *holes)
{
    free(holes->range);
    *holes = (struct tcp_holes){.arrivals = holes->arrivals};
}
