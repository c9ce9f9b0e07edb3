// See bss_codel.h. RFC 8289's deque() drops in a loop; here each turn of the loop is a call.
#include "lab/bss/bss_codel.h"

#define RECENTLY 16 // intervals without a drop, after which drops begin at the slowest rate again

// The largest integer with a square of at most x.
static uint64_t root(unsigned __int128 x)
{
    uint64_t r = 0;
    for (uint64_t bit = 1ULL << 62; bit; bit >>= 1)
        if ((unsigned __int128)(r | bit) * (r | bit) <= x)
            r |= bit;
    return r;
}

// interval / sqrt(count) behind `from`.
static uint64_t law_ns(const struct bss_codel_law *law, uint64_t from_ns, uint32_t count)
{
    unsigned __int128 interval_ns = law->interval_ns;
    return from_ns + root(interval_ns * interval_ns / count);
}

static bool may_drop(struct bss_codel *codel, const struct bss_codel_law *law, uint64_t sojourn_ns,
                     uint64_t octets, uint64_t now_ns)
{
    if (sojourn_ns < law->target_ns || octets <= law->idle_octets) {
        codel->above_ns = 0;
        return false;
    }
    if (codel->above_ns == 0) {
        codel->above_ns = now_ns + law->interval_ns;
        return false;
    }
    return now_ns >= codel->above_ns;
}

// The first drop of a row of drops was made.
static void enter(struct bss_codel *codel, const struct bss_codel_law *law, uint64_t now_ns)
{
    uint32_t more = codel->count - codel->last_count;
    bool recent = now_ns < codel->next_ns || now_ns - codel->next_ns < RECENTLY * law->interval_ns;
    codel->dropping = true;
    codel->count = more > 1 && recent ? more : 1;
    codel->last_count = codel->count;
    codel->next_ns = law_ns(law, now_ns, codel->count);
}

static bool drop_if_due(struct bss_codel *codel, uint64_t now_ns)
{
    codel->step = now_ns >= codel->next_ns ? BSS_CODEL_GOES_ON : BSS_CODEL_FIRST;
    codel->count += codel->step == BSS_CODEL_GOES_ON;
    return codel->step == BSS_CODEL_GOES_ON;
}

bool bss_codel_drops(struct bss_codel *codel, const struct bss_codel_law *law, uint64_t sojourn_ns,
                     uint64_t octets, uint64_t now_ns)
{
    bool may = may_drop(codel, law, sojourn_ns, octets, now_ns);
    enum bss_codel_step step = codel->step;
    codel->step = BSS_CODEL_FIRST;
    if (step == BSS_CODEL_ENTERED) {
        enter(codel, law, now_ns);
        return false;
    }
    if (step == BSS_CODEL_FIRST && !codel->dropping) {
        codel->step = may ? BSS_CODEL_ENTERED : BSS_CODEL_FIRST;
        return may;
    }
    codel->dropping = may;
    if (!may)
        return false;
    if (step == BSS_CODEL_GOES_ON)
        codel->next_ns = law_ns(law, codel->next_ns, codel->count);
    return drop_if_due(codel, now_ns);
}

void bss_codel_empty(struct bss_codel *codel, const struct bss_codel_law *law, uint64_t now_ns)
{
    codel->above_ns = 0;
    if (codel->step == BSS_CODEL_ENTERED)
        enter(codel, law, now_ns);
    else
        codel->dropping = false;
    codel->step = BSS_CODEL_FIRST;
}
