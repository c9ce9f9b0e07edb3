// See teid.h: makes TEIDs.
#include "dataplane/state/teid.h"

#include "dataplane/base/rng.h"

uint32_t state_teid_after(struct teid_bits bits, uint64_t seed, uint32_t turn, uint32_t former)
{
    struct rng rng;
    uint32_t worker = teid_worker(bits, former), index = teid_index(bits, former), teid;
    rng_seed(&rng, seed, (uint64_t)turn << 32 | former);
    do {
        uint32_t random = teid_random(bits, (uint32_t)rng_next(&rng));
        teid = teid_make(bits, worker, random, index);
    } while (teid == former || teid_random(bits, teid) == 0 || teid == TEID_NOBODYS);
    return teid;
}
