// See world_branches.h.
#include "tests/dataplane/sched/world_branches.h"

#include <math.h>

static double filled(const struct branch *b)
{
    return b->queued / b->weight;
}

bool world_is_largest(const struct branches *b, double overlooked)
{
    const struct branch *lost = &b->of[b->lost];
    for (uint32_t i = 0; i < b->n; i++) {
        const struct branch *other = &b->of[i];
        if (i == b->lost || !other->gives || other->signals > lost->signals ||
            other->queued < overlooked)
            continue;
        if (lost->signals > other->signals || filled(lost) < 0.9 * filled(other))
            return false;
    }
    return true;
}

double world_level(const struct branches *b, double room, uint32_t endless)
{
    double weight = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        b->of[i].full = b->of[i].signals;
        if (b->of[i].signals)
            room = fmax(room - b->of[i].queued, 0);
        else
            weight += b->of[i].weight;
    }
    for (;;) {
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < b->n; i++)
            if (!b->of[i].full && i != endless &&
                (least == UINT32_MAX || filled(&b->of[i]) < filled(&b->of[least])))
                least = i;
        if (least == UINT32_MAX)
            return endless == UINT32_MAX ? INFINITY : room / weight;
        if (filled(&b->of[least]) * weight > room)
            return room / weight;
        b->of[least].full = true;
        room -= b->of[least].queued;
        weight -= b->of[least].weight;
    }
}
