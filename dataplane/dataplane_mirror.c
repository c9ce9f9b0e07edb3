// See dataplane.h: the workers' mirrors. worker.c says in what order one is used and let go.
#include <errno.h>

#include "dataplane/dataplane_parts.h"

static void publish(struct dp *dp, bool on)
{
    for (uint32_t i = 0; i < dp->workers; i++)
        __atomic_store_n(&dp->worker[i]->mirror_wanted, on ? dp->mirror[i] : NULL,
                         __ATOMIC_SEQ_CST);
}

int dp_mirrors_open(struct dp *dp, uint32_t snap_octets, uint64_t epoch_ns)
{
    if (dp->mirror[0])
        return -EBUSY;
    for (uint32_t i = 0; i < dp->workers; i++) {
        struct dp_worker *worker = dp->worker[i];
        dp->mirror[i] = mirror_open(snap_octets, epoch_ns, &worker->stats, worker->node);
        if (dp->mirror[i])
            continue;
        int fault = -errno;
        dp_mirrors_close(dp);
        return fault;
    }
    return 0;
}

void dp_mirrors_on(struct dp *dp)
{
    publish(dp, true);
}

void dp_mirrors_off(struct dp *dp)
{
    publish(dp, false);
}

bool dp_mirrors_rest(const struct dp *dp)
{
    bool rest = true;
    for (uint32_t i = 0; i < dp->workers; i++)
        rest &= !__atomic_load_n(&dp->worker[i]->mirror, __ATOMIC_SEQ_CST);
    return rest;
}

void dp_mirrors_close(struct dp *dp)
{
    for (uint32_t i = 0; i < dp->workers; i++) {
        mirror_close(dp->mirror[i]);
        dp->mirror[i] = NULL;
    }
}

struct mirror *dp_mirror(struct dp *dp, uint32_t worker)
{
    return dp->mirror[worker];
}
