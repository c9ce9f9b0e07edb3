// See buffer.h.
#include "tests/fuzz/buffer.h"

#include <rte_eal.h>
#include <sched.h>
#include <string.h>

#include "tests/fuzz/check.h"

void buffer_start_dpdk(const char *program)
{
    char words[][24] = {
        "",   "--no-huge", "--no-shconf", "--no-pci", "--no-telemetry", "--log-level=error",
        "-m", "256"};
    char *argv[sizeof words / sizeof words[0] + 1] = {NULL};
    cpu_set_t cpus;
    snprintf(words[0], sizeof words[0], "%s", program);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        argv[i] = words[i];
    // The environment pins its threads; two targets would share a core, and leave another idle.
    CHECK(sched_getaffinity(0, sizeof cpus, &cpus) == 0);
    CHECK(rte_eal_init(sizeof words / sizeof words[0], argv) >= 0);
    CHECK(sched_setaffinity(0, sizeof cpus, &cpus) == 0);
}

static void free_octets(void *octets, void *info)
{
    free(octets);
    free(info);
}

struct rte_mbuf *buffer_of(struct rte_mempool *pool, const uint8_t *octets, uint32_t n,
                           uint32_t tailroom)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
    if (!m)
        return NULL;
    uint32_t room = RTE_PKTMBUF_HEADROOM + n + tailroom;
    CHECK(room <= UINT16_MAX);
    struct rte_mbuf_ext_shared_info *info = calloc(1, sizeof *info);
    info->free_cb = free_octets;
    info->fcb_opaque = info;
    rte_mbuf_ext_refcnt_set(info, 1);
    rte_pktmbuf_attach_extbuf(m, malloc(room), RTE_BAD_IOVA, (uint16_t)room, info);
    rte_pktmbuf_reset_headroom(m);
    memcpy(rte_pktmbuf_append(m, (uint16_t)n), octets, n);
    return m;
}
