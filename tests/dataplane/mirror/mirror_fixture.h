// A mirror and buffers for its tests.
#ifndef TESTS_DATAPLANE_MIRROR_MIRROR_FIXTURE_H
#define TESTS_DATAPLANE_MIRROR_MIRROR_FIXTURE_H

#include <rte_mbuf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/mirror/mirror.h"
#include "tests/dataplane/eal_fixture.h"

#define BUFFERS 255u
#define TIME_NS 0x0102030405060708ULL

static struct rte_mempool *pool;
static struct stats_worker stats;
static struct mirror *mirror;

static inline int open_pool(void **state)
{
    if (eal_fixture_setup(state) != 0)
        return -1;
    pool = rte_pktmbuf_pool_create("pool", BUFFERS, 0, 0, RTE_PKTMBUF_HEADROOM + 2048, 0);
    return pool ? 0 : -1;
}

static inline void open_with(uint32_t snap_octets)
{
    stats = (struct stats_worker){0};
    mirror = mirror_open(snap_octets, 0, &stats, -1);
    assert_non_null(mirror);
    memset(mirror->ring, 0xff, MIRROR_OCTETS);
    mirror->now_ns = TIME_NS;
}

static inline int set_up(void **state)
{
    (void)state;
    open_with(MIRROR_SNAP_MOST);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    mirror_close(mirror);
    assert_int_equal(rte_mempool_in_use_count(pool), 0);
    return 0;
}
#define MIRROR_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static inline struct rte_mbuf *buffer(const void *octets, uint32_t n)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
    assert_non_null(m);
    memcpy(rte_pktmbuf_append(m, (uint16_t)n), octets, n);
    return m;
}

// Puts a frame, and lets go of it.
static inline void put(enum mirror_interface interface, enum mirror_way way, struct rte_mbuf *m)
{
    mirror_put(mirror, interface, way, &m, 1);
    mirror_take(mirror, interface, 1);
    rte_pktmbuf_free(m);
}

static inline void expect_counts(enum mirror_interface interface, uint64_t copied, uint64_t missed)
{
    assert_int_equal(mirror->count[interface].copied, copied);
    assert_int_equal(mirror->count[interface].missed, missed);
}

static inline uint32_t word_at(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

#endif
