// See registry.h: the registry's memory.
#include <rte_hash.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "dataplane/registry/registry.h"

// The EAL allocates whole cache lines.
static uint64_t lines(uint32_t n, size_t octets)
{
    return (n * octets + 63) & ~63ULL;
}

uint64_t registry_octets(const struct registry *sizes)
{
    const struct state_limits *l = &sizes->limits;
    uint64_t octets = lines(l->nsvcs, STATE_ENDPOINT_OCTETS);
#define NOUN(noun) octets += lines(l->noun##s, sizeof(struct registry_##noun));
    REGISTRY_NOUNS(NOUN)
#undef NOUN
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        octets += state_names_octets(state_names_count(l, kind));
    return octets + sizes->workers * (registry_places_octets(sizes->room_mss) +
                                      registry_places_octets(sizes->room_pdps) +
                                      lines(sizes->room_pdps, sizeof(uint32_t)));
}

static void *zeroed(uint32_t n, size_t octets)
{
    return rte_calloc("control", n, octets, 64);
}

static bool workers_setup(struct registry *r)
{
    bool there = true;
    for (uint32_t w = 0; w < r->workers; w++) {
        struct registry_worker *worker = &r->worker[w];
        worker->going.first = worker->kept.first = STATE_NONE;
        worker->teid = zeroed(r->room_pdps, sizeof *worker->teid);
        there &= registry_places_setup(&worker->mss, r->room_mss);
        there &= registry_places_setup(&worker->pdps, r->room_pdps) && worker->teid;
    }
    return there;
}

bool registry_setup(struct registry *r)
{
    r->teid_bits = teid_bits(r->workers, r->room_pdps);
    bool there = workers_setup(r);
#define NOUN(noun) there &= (r->noun = zeroed(r->limits.noun##s, sizeof *r->noun)) != NULL;
    REGISTRY_NOUNS(NOUN)
#undef NOUN
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        there &= state_names_setup(&r->name[kind], state_names_count(&r->limits, kind)) == 0;
    r->endpoints =
        state_hash("control_endpoints", 0, r->limits.nsvcs, sizeof(struct state_endpoint));
    return there && r->endpoints;
}

void registry_release(struct registry *r)
{
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        state_names_release(&r->name[kind]);
    for (uint32_t w = 0; w < r->workers; w++) {
        registry_places_release(&r->worker[w].mss);
        registry_places_release(&r->worker[w].pdps);
        rte_free(r->worker[w].teid);
    }
    rte_hash_free(r->endpoints);
    rte_mempool_free(r->pool);
#define NOUN(noun) rte_free(r->noun);
    REGISTRY_NOUNS(NOUN)
#undef NOUN
}
