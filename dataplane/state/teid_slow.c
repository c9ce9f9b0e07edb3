// See teid.h: makes TEIDs.
#include "dataplane/state/teid.h"

#include "dataplane/base/rng.h"
#include "dataplane/port/port.h"

// The TEIDs that are looked at for one whose hash is right. With 16 workers every 16th is, at
// random; but where only 6 bits are random a fifth of all keys leave a part of the places without
// one.
#define HASHES_MOST 1024

static bool is_free(struct teid_bits bits, uint32_t teid, uint32_t former)
{
    return teid != former && teid_random(bits, teid) != 0 && teid != TEID_NOBODYS;
}

uint32_t state_teid_after(struct teid_bits bits, uint64_t seed, uint32_t turn, uint32_t former,
                          const struct port_hash *hash)
{
    struct rng rng;
    uint32_t worker = teid_worker(bits, former), index = teid_index(bits, former), teid;
    uint32_t hashes = hash ? HASHES_MOST : 0;
    rng_seed(&rng, seed, (uint64_t)turn << 32 | former);
    do {
        do {
            uint32_t random = teid_random(bits, (uint32_t)rng_next(&rng));
            teid = teid_make(bits, worker, random, index);
        } while (!is_free(bits, teid, former));
    } while (hashes-- > 0 && port_hash_queue(hash, teid) != worker);
    return teid;
}
