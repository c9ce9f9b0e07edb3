// See post.h: allocation.
#include "dataplane/post/post.h"

#include <errno.h>
#include <rte_malloc.h>
#include <rte_ring_elem.h>
#include <stdio.h>

uint64_t post_octets(uint32_t workers)
{
    return (uint64_t)workers * (workers - 1) * POST_MESSAGES * sizeof(struct message) +
           (uint64_t)workers * POST_MIGRATIONS * sizeof(struct migration);
}

// Near the thread that calls.
static int pair_setup(struct post *posts, uint32_t from, uint32_t to)
{
    char name[RTE_RING_NAMESIZE];
    snprintf(name, sizeof name, "post_%u_%u", from, to);
    struct rte_ring *ring = rte_ring_create_elem(name, sizeof(struct message), POST_MESSAGES,
                                                 SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
    posts[from].to[to] = ring;
    posts[to].from[from] = ring;
    return ring ? 0 : -ENOMEM;
}

int post_setup(struct post *posts, uint32_t worker, uint32_t workers)
{
    int fault = 0;
    posts[worker].worker = worker;
    posts[worker].workers = workers;
    posts[worker].migrations =
        rte_calloc("migrations", POST_MIGRATIONS, sizeof(struct migration), 64);
    if (!posts[worker].migrations)
        fault = -ENOMEM;
    for (uint32_t from = 0; from < workers && !fault; from++)
        if (from != worker)
            fault = pair_setup(posts, from, worker);
    return fault;
}

void post_release(struct post *posts, uint32_t workers)
{
    for (uint32_t from = 0; from < workers; from++) {
        rte_free(posts[from].migrations);
        for (uint32_t to = 0; to < workers; to++)
            rte_ring_free(posts[from].to[to]);
    }
}
