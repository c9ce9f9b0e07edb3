// Where a worker's memory is made: its rings, those that it reads messages from, and its migrations
// in its own thread, whose node DPDK prefers; its mirror and its trace, which another thread makes,
// at the node of its thread. Each worker has a node of its own here, which the kernel does not
// have.
#include <linux/mempolicy.h>
#include <rte_ring_elem.h>
#include <rte_malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/dataplane/path/path.h"

#define WORKERS 3u
#define NOBODY  UINT32_MAX
#define NODE(w) (5u + 7u * (w)) // of worker w
#define SEEN    64u

static uint32_t maker; // the worker in whose thread we are
static uint32_t rings, migrations[WORKERS];
static struct {
    size_t octets;
    unsigned long nodes;
} placed[SEEN];
static uint32_t placings;

struct rte_ring *__real_rte_ring_create_elem(const char *name, unsigned octets, unsigned count,
                                             int node, unsigned flags);
struct rte_ring *__wrap_rte_ring_create_elem(const char *name, unsigned octets, unsigned count,
                                             int node, unsigned flags);
void *__real_rte_calloc(const char *type, size_t n, size_t octets, unsigned align);
void *__wrap_rte_calloc(const char *type, size_t n, size_t octets, unsigned align);
unsigned __wrap_rte_socket_id(void);
long __wrap_syscall(long number, ...);

struct rte_ring *__wrap_rte_ring_create_elem(const char *name, unsigned octets, unsigned count,
                                             int node, unsigned flags)
{
    unsigned from, of;
    if (sscanf(name, "post_%u_%u", &from, &of) == 2 || sscanf(name, "commands%u", &of) == 1 ||
        sscanf(name, "events%u", &of) == 1) {
        assert_int_equal(of, maker);
        assert_int_equal(node, SOCKET_ID_ANY);
        rings++;
    }
    return __real_rte_ring_create_elem(name, octets, count, node, flags);
}

void *__wrap_rte_calloc(const char *type, size_t n, size_t octets, unsigned align)
{
    if (type && strcmp(type, "migrations") == 0) {
        assert_in_range(maker, 0, WORKERS - 1);
        migrations[maker]++;
    }
    return __real_rte_calloc(type, n, octets, align);
}

unsigned __wrap_rte_socket_id(void)
{
    return maker == NOBODY ? 0 : NODE(maker);
}

// Nothing else in this program asks the kernel in this way.
long __wrap_syscall(long number, ...)
{
    va_list words;
    va_start(words, number);
    assert_int_equal(number, SYS_mbind);
    (void)va_arg(words, void *);
    size_t octets = va_arg(words, size_t);
    assert_int_equal(va_arg(words, int), MPOL_PREFERRED);
    const unsigned long *nodes = va_arg(words, const unsigned long *);
    va_end(words);
    assert_true(placings < SEEN);
    placed[placings].octets = octets;
    placed[placings++].nodes = nodes[0];
    return -1; // as in a container
}

static void by(void *self, uint32_t worker, void (*make)(void *it), void *it)
{
    (void)self;
    maker = worker;
    make(it);
    maker = NOBODY;
}

static void expect_placed(size_t octets)
{
    uint32_t found[WORKERS] = {0};
    for (uint32_t i = 0; i < placings; i++)
        for (uint32_t w = 0; w < WORKERS; w++)
            found[w] += placed[i].octets == octets && placed[i].nodes == 1ul << NODE(w);
    for (uint32_t w = 0; w < WORKERS; w++)
        assert_int_equal(found[w], 1);
}

static void each_has_its_own_nearby(void **state)
{
    const char *why = "";
    const struct dp_config c = path_config(WORKERS);
    const struct trace_wish wish = {.ms_id = TRACE_ANY, .bvc_id = TRACE_ANY, .packets = 1};
    (void)state;
    maker = NOBODY;
    struct dp *dp = dp_create_by(&c, by, NULL, &why);
    if (!dp)
        fail_msg("%s", why);
    assert_int_equal(rings, WORKERS * (WORKERS - 1) + 2 * WORKERS);
    for (uint32_t w = 0; w < WORKERS; w++)
        assert_int_equal(migrations[w], 1);
    assert_int_equal(placings, 0);
    assert_int_equal(dp_mirrors_open(dp, 128, 0), 0);
    expect_placed(MIRROR_OCTETS);
    expect_placed(sizeof(struct mirror));
    assert_int_equal(dp_trace_begin(dp, &wish), 0);
    expect_placed(sizeof(struct trace));
    expect_placed((size_t)rte_ring_get_memsize_elem(sizeof(struct trace_record), TRACE_RECORDS));
    assert_int_equal(placings, 4 * WORKERS);
    dp_mirrors_close(dp);
    assert_int_equal(dp_destroy(dp), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_has_its_own_nearby)};
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}
