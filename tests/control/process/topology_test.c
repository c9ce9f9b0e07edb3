// The choice of processors: known machines typed in; random ones against a model that tries every
// set of processors; and what is read of the kernel's files, made here.
#include "control/process/topology.h"

#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"

#define NONE TOPOLOGY_NO_NODE

static struct topology topology;

// `nodes` of `cores` physical cores with `threads` each, numbered as Linux does: first one of each
// core, node by node, then the others.
static void machine(uint32_t nodes, uint32_t cores, uint32_t threads)
{
    uint32_t all = nodes * cores;
    memset(&topology, 0, sizeof topology);
    for (uint32_t p = 0; p < all * threads; p++)
        topology.of[p] = (struct topology_processor){
            .allowed = true, .node = (int16_t)(p % all / cores), .core = (uint16_t)(p % all)};
}

static void isolate(uint32_t first, uint32_t last)
{
    for (uint32_t p = first; p <= last; p++)
        topology.of[p].isolated = true;
}

static void expect(int gn, int gb, uint32_t workers, uint32_t different, const uint16_t *wanted)
{
    uint16_t got[20];
    assert_int_equal(topology_choose(&topology, gn, gb, workers, got), different);
    for (uint32_t i = 0; i <= workers; i++)
        if (got[i] != wanted[i])
            fail_msg("thread %u: processor %u, and not %u", i, got[i], wanted[i]);
}
#define EXPECT(gn, gb, different, ...)                                                \
    expect(gn, gb, sizeof(uint16_t[]){__VA_ARGS__} / sizeof(uint16_t) - 1, different, \
           (uint16_t[]){__VA_ARGS__})

static void small_machines(void **state)
{
    (void)state;
    machine(1, 1, 1);
    EXPECT(NONE, NONE, 1, 0, 0);
    EXPECT(NONE, NONE, 1, 0, 0, 0, 0);
    machine(1, 2, 1);
    EXPECT(NONE, NONE, 2, 0, 1);
    EXPECT(0, 0, 2, 0, 1, 1, 1);
    machine(1, 4, 1);
    EXPECT(0, 0, 2, 0, 1);
    EXPECT(0, 0, 4, 0, 1, 2, 3);
    EXPECT(0, 0, 4, 0, 1, 2, 3, 1, 2);
    memset(&topology, 0, sizeof topology); // nothing is known
    EXPECT(NONE, NONE, 1, 0, 0);
}

static void hyperthreads(void **state)
{
    (void)state;
    machine(1, 4, 2); // 0 and 4 are one core
    EXPECT(0, 0, 2, 0, 1);
    EXPECT(0, 0, 4, 0, 1, 2, 3);
    EXPECT(0, 0, 5, 0, 1, 2, 3, 4);
    EXPECT(0, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7);
    machine(1, 1, 2);
    EXPECT(0, 0, 2, 0, 1);
}

static void nodes(void **state)
{
    (void)state;
    machine(2, 4, 2); // node 1: 4 to 7 and 12 to 15
    EXPECT(1, 1, 3, 6, 4, 5);
    EXPECT(0, 0, 3, 0, 1, 2);
    EXPECT(1, 0, 2, 5, 4); // Gn's node first
    EXPECT(NONE, 1, 2, 5, 4);
    EXPECT(NONE, NONE, 2, 0, 1);    // the first one's
    EXPECT(1, 1, 5, 0, 4, 5, 6, 7); // control: rather far away than beside a worker
    EXPECT(1, 0, 10, 0, 1, 4, 5, 6, 7, 12, 13, 14, 15);
}

static void isolated(void **state)
{
    (void)state;
    machine(2, 4, 2);
    isolate(2, 3);
    isolate(6, 7);
    EXPECT(0, 0, 3, 0, 2, 3);
    EXPECT(0, 0, 4, 0, 1, 2, 3);
    EXPECT(1, 1, 3, 4, 6, 7); // control leaves what is isolated
    EXPECT(1, 1, 4, 5, 4, 6, 7);
    machine(2, 4, 2);
    isolate(5, 6);
    EXPECT(NONE, NONE, 3, 4, 5, 6); // the node of the first isolated one
    EXPECT(0, 0, 2, 0, 1);          // rather near than isolated
}

static void only_what_is_allowed(void **state)
{
    (void)state;
    machine(2, 4, 1);
    for (uint32_t p = 0; p < 8; p++)
        topology.of[p].allowed = p == 3 || p >= 6;
    EXPECT(0, 0, 2, 6, 3);
    EXPECT(0, 0, 3, 7, 3, 6);
    EXPECT(0, 0, 3, 7, 3, 6, 3);
}

// ---- Against a model that tries all ----

#define PROCESSORS 9u

// What is better first; a set of workers is worth the sums.
enum { NEAR, CORES, ISOLATED, OFF_FIRST_CORE, OFF_FIRST, WORTHS };

static uint32_t first_allowed(void)
{
    uint32_t p = 0;
    while (!topology.of[p].allowed)
        p++;
    return p;
}

static void worth_of_set(uint32_t set, int gn, int gb, int worth[WORTHS])
{
    uint32_t first = first_allowed(), cores = 0;
    memset(worth, 0, WORTHS * sizeof *worth);
    for (uint32_t p = 0; p < PROCESSORS; p++) {
        const struct topology_processor *one = &topology.of[p];
        if (!(set >> p & 1))
            continue;
        worth[NEAR] += 2 * (one->node == gn) + (one->node == gb);
        worth[CORES] += !(cores >> one->core & 1);
        cores |= 1u << one->core;
        worth[ISOLATED] += one->isolated;
        worth[OFF_FIRST_CORE] += one->core != topology.of[first].core;
        worth[OFF_FIRST] += p != first;
    }
}

// Of two sets of equal worth the one with the lower numbers: whose lowest other one is lower.
static bool is_better(uint32_t a, uint32_t b, int gn, int gb)
{
    int of_a[WORTHS], of_b[WORTHS];
    worth_of_set(a, gn, gb, of_a);
    worth_of_set(b, gn, gb, of_b);
    for (int i = 0; i < WORTHS; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] > of_b[i];
    uint32_t other = a ^ b;
    return other && (a & (other & -other));
}

static uint32_t best_set(uint32_t n, int gn, int gb)
{
    uint32_t best = 0;
    for (uint32_t set = 0; set < 1u << PROCESSORS; set++) {
        bool may = (uint32_t)__builtin_popcount(set) == n;
        for (uint32_t p = 0; p < PROCESSORS; p++)
            may &= !(set >> p & 1) || topology.of[p].allowed;
        if (may && (best == 0 || is_better(set, best, gn, gb)))
            best = set;
    }
    return best;
}

static uint32_t best_for_control(uint32_t set, int gn)
{
    for (int worth = 7; worth >= 0; worth--)
        for (uint32_t p = 0; p < PROCESSORS; p++) {
            const struct topology_processor *one = &topology.of[p];
            bool own_core = true;
            for (uint32_t q = 0; q < PROCESSORS; q++)
                own_core &= !(set >> q & 1) || topology.of[q].core != one->core;
            int is = 4 * own_core + 2 * !one->isolated + (one->node == gn);
            if (one->allowed && !(set >> p & 1) && is == worth)
                return p;
        }
    return PROCESSORS;
}

// Up to three nodes, cores of up to three threads in any numbering, some isolated, some not ours.
static uint32_t random_machine(void)
{
    uint32_t allowed = 0, nodes = (uint32_t)random_in(1, 3);
    bool any_isolated = random_in(0, 1);
    memset(&topology, 0, sizeof topology);
    for (uint32_t p = 0; p < PROCESSORS; p++) {
        struct topology_processor *one = &topology.of[p];
        uint32_t core = (uint32_t)random_in(0, p), threads = 0;
        for (uint32_t q = 0; q < p; q++)
            threads += topology.of[q].core == topology.of[core].core;
        *one = (struct topology_processor){.core = (uint16_t)p,
                                           .node = (int16_t)random_in(0, nodes - 1),
                                           .isolated = any_isolated && random_in(0, 2) == 0,
                                           .allowed = random_in(0, 7) != 0};
        if (core < p && threads < 3 && random_in(0, 1)) {
            one->core = topology.of[core].core;
            one->node = topology.of[core].node;
        }
        allowed += one->allowed;
    }
    return allowed;
}

static void as_the_model(int gn, int gb, uint32_t workers, uint32_t allowed)
{
    uint16_t got[20];
    uint32_t own = workers < allowed ? workers : allowed - 1, set = 0;
    assert_int_equal(topology_choose(&topology, gn, gb, workers, got), own + 1);
    if (gn == NONE && gb == NONE) { // that of the first isolated one, or of the first
        uint32_t p = 0, q = 0;
        while (q < PROCESSORS && !(topology.of[q].allowed && topology.of[q].isolated))
            q++;
        p = q < PROCESSORS ? q : first_allowed();
        gn = topology.of[p].node;
    }
    gn = gn == NONE ? gb : gn;
    for (uint32_t i = 1; i <= own; i++)
        set |= 1u << got[i];
    assert_int_equal(set, best_set(own, gn, gb));
    assert_int_equal(got[0], best_for_control(set, gn));
    for (uint32_t i = 1; i <= workers; i++) {
        assert_true(i > own || i == 1 || got[i] > got[i - 1]);
        assert_int_equal(got[i], got[1 + (i - 1) % own]);
    }
}

static void random_machines(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t times = 0; times < 4000; times++) {
        uint32_t allowed = random_machine();
        if (allowed >= 2)
            as_the_model((int)random_in(0, 3) - 1, (int)random_in(0, 3) - 1,
                         (uint32_t)random_in(1, 10), allowed);
    }
}

// ---- What the kernel says ----

static char sys[] = "/tmp/topology_XXXXXX";

static void put(const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", sys, name);
    for (char *at = path + sizeof sys; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int make_sys(void **state)
{
    (void)state;
    strcpy(sys + sizeof sys - 7, "XXXXXX");
    return mkdtemp(sys) ? 0 : -1;
}

static int remove_sys(void **state)
{
    (void)state;
    char command[sizeof sys + 16];
    snprintf(command, sizeof command, "rm -r %s", sys);
    return system(command) == 0 ? 0 : -1;
}
#define SYS_TEST(name) cmocka_unit_test_setup_teardown(name, make_sys, remove_sys)

static void the_kernels_lists_are_read(void **state)
{
    (void)state;
    put("devices/system/cpu/online", "0-5,8\n");
    put("devices/system/cpu/isolated", "2-3,5\n");
    put("devices/system/node/online", "0,2\n");
    put("devices/system/node/node0/cpulist", "0-2,8\n");
    put("devices/system/node/node2/cpulist", "3-5\n");
    put("devices/system/cpu/cpu0/topology/thread_siblings_list", "0,8\n");
    put("devices/system/cpu/cpu8/topology/thread_siblings_list", "0,8\n");
    put("devices/system/cpu/cpu3/topology/thread_siblings_list", "3-4\n");
    put("devices/system/cpu/cpu4/topology/thread_siblings_list", "3-4\n");
    topology_read(&topology, sys);
    static const struct topology_processor wanted[] = {{.core = 0},
                                                       {.core = 1},
                                                       {.core = 2, .isolated = true},
                                                       {.core = 3, .isolated = true, .node = 2},
                                                       {.core = 3, .node = 2},
                                                       {.core = 5, .isolated = true, .node = 2},
                                                       {.core = 6},
                                                       {.core = 7},
                                                       {.core = 0}};
    for (uint32_t p = 0; p < 9; p++) {
        assert_int_equal(topology.of[p].core, wanted[p].core);
        assert_int_equal(topology.of[p].node, wanted[p].node);
        assert_int_equal(topology.of[p].isolated, wanted[p].isolated);
    }
}

// Without any file, too, such as in a container.
static void a_process_has_what_it_was_given(void **state)
{
    (void)state;
    cpu_set_t before, one, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    topology_read(&topology, sys);
    uint32_t first = CPU_SETSIZE;
    for (uint32_t p = 0; p < CPU_SETSIZE; p++) {
        assert_int_equal(topology.of[p].allowed, CPU_ISSET(p, &before) != 0);
        first = first == CPU_SETSIZE && CPU_ISSET(p, &before) ? p : first;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    // the others seem to be isolated: they are ours if the process was given all that is not
    char list[64];
    snprintf(list, sizeof list, "0-%u\n", CPU_COUNT(&before) > 1 ? 1 : 0);
    put("devices/system/cpu/online", list);
    snprintf(list, sizeof list, "%u\n", first == 0 ? 1 : 0);
    put("devices/system/cpu/isolated", list);
    topology_read(&topology, sys);
    for (uint32_t p = 0; p < 2; p++)
        assert_int_equal(topology.of[p].allowed, CPU_ISSET(p, &before) != 0);
    put("devices/system/cpu/online", "0-2\n"); // given less than that
    topology_read(&topology, sys);
    for (uint32_t p = 0; p < CPU_SETSIZE; p++)
        assert_int_equal(topology.of[p].allowed, p == first);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&one, &after)); // left as it was
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void devices_have_nodes(void **state)
{
    (void)state;
    put("bus/pci/devices/0000:01:00.0/numa_node", "1\n");
    put("bus/pci/devices/0001:01:00.0/numa_node", "3\n");
    put("bus/pci/devices/0000:02:00.0/numa_node", "-1\n");
    put("class/net/eth7/device/numa_node", "2\n");
    assert_int_equal(topology_node_of(sys, "0000:01:00.0"), 1);
    assert_int_equal(topology_node_of(sys, "01:00.0"), 1);
    assert_int_equal(topology_node_of(sys, "0001:01:00.0,arg=1"), 3);
    assert_int_equal(topology_node_of(sys, "0000:02:00.0"), NONE);
    assert_int_equal(topology_node_of(sys, "0000:03:00.0"), NONE);
    assert_int_equal(topology_node_of(sys, "net_af_packet0,iface=eth7,qpairs=2"), 2);
    assert_int_equal(topology_node_of(sys, "net_af_packet0,iface=eth8"), NONE);
    assert_int_equal(topology_node_of(sys, "net_null0"), NONE);
    put("devices/system/node/node0/distance", "10 21 31\n");
    put("devices/system/node/node2/distance", "31 21 10\n");
    assert_int_equal(topology_distance(sys, 0, 0), 10);
    assert_int_equal(topology_distance(sys, 0, 1), 21);
    assert_int_equal(topology_distance(sys, 2, 0), 31);
    assert_int_equal(topology_distance(sys, 0, 3), 0);
    assert_int_equal(topology_distance(sys, 1, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_machines),
        cmocka_unit_test(hyperthreads),
        cmocka_unit_test(nodes),
        cmocka_unit_test(isolated),
        cmocka_unit_test(only_what_is_allowed),
        cmocka_unit_test(random_machines),
        SYS_TEST(the_kernels_lists_are_read),
        SYS_TEST(a_process_has_what_it_was_given),
        SYS_TEST(devices_have_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
