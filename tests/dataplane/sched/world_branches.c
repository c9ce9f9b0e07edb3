// See world_branches.h.
#include "tests/dataplane/sched/world_branches.h"

#include <math.h>

bool world_is_largest(const struct branches *b, double step)
{
    const struct branch *lost = &b->of[b->lost];
    for (uint32_t i = 0; i < b->n; i++) {
        const struct branch *other = &b->of[i];
        if (i == b->lost || !other->gives || other->signals > lost->signals)
            continue;
        if (lost->signals > other->signals ||
            (lost->queued + step) / lost->weight < other->queued / other->weight)
            return false;
    }
    return true;
}

// What a branch has when the level of its kind stands at `level`: that of the one that loses rises
// without end.
static double has_at(const struct branches *b, uint32_t i, double level)
{
    const struct branch *branch = &b->of[i], *lost = &b->of[b->lost];
    if (branch->signals != lost->signals)
        return branch->signals ? branch->queued : branch->kept;
    double has =
        i == b->lost ? level * branch->weight : fmin(level * branch->weight, branch->queued);
    return fmax(has, branch->kept);
}

static double all_have_at(const struct branches *b, double level)
{
    double sum = 0;
    for (uint32_t i = 0; i < b->n; i++)
        sum += has_at(b, i, level);
    return sum;
}

double world_share(const struct branches *b, double room)
{
    const struct branch *lost = &b->of[b->lost];
    double low = 0, high = room / lost->weight;
    for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
        double level = (low + high) / 2;
        *(all_have_at(b, level) > room ? &high : &low) = level;
    }
    return low * lost->weight;
}
