// Memory at a NUMA node: zeros, there before anybody touches them, and by the kernel's own answer
// (get_mempolicy, mincore) at the node that was asked for, or wherever it likes.
#include "dataplane/base/near.h"

#include <limits.h>
#include <linux/mempolicy.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define OCTETS 300001u

// The kernel's policy for that address, and the first nodes of it; skips where it tells none.
static int policy_of(const void *address, unsigned long *nodes)
{
    unsigned long mask[16] = {0};
    int mode = -1;
    if (syscall(SYS_get_mempolicy, &mode, mask, 1024, address, MPOL_F_ADDR) != 0)
        skip();
    *nodes = mask[0];
    return mode;
}

static void expect_there(uint8_t *memory)
{
    static unsigned char there[OCTETS / 4096 + 1];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(mincore(memory, OCTETS, there), 0);
    for (size_t i = 0; i < (OCTETS + page - 1) / page; i++)
        assert_true(there[i] & 1);
    for (size_t i = 0; i < OCTETS; i++)
        assert_int_equal(memory[i], 0);
}

static void it_is_there_wherever_it_is(void **state)
{
    static const int nodes[] = {-1, 0, 1023, 1024, INT_MAX}; // most machines have one
    (void)state;
    for (uint32_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        uint8_t *memory = near_alloc(OCTETS, nodes[i]);
        assert_non_null(memory);
        expect_there(memory);
        memory[0] = memory[OCTETS - 1] = 1;
        near_free(memory, OCTETS);
    }
    near_free(NULL, OCTETS);
    assert_null(near_alloc(SIZE_MAX / 2, 0));
}

static void it_is_at_its_node(void **state)
{
    unsigned long nodes;
    (void)state;
    uint8_t *memory = near_alloc(OCTETS, 0);
    assert_int_equal(policy_of(memory, &nodes), MPOL_PREFERRED);
    assert_int_equal(nodes, 1);
    assert_int_equal(policy_of(memory + OCTETS - 1, &nodes), MPOL_PREFERRED);
    near_free(memory, OCTETS);
    memory = near_alloc(OCTETS, -1);
    assert_int_equal(policy_of(memory, &nodes), MPOL_DEFAULT);
    near_free(memory, OCTETS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_there_wherever_it_is),
        cmocka_unit_test(it_is_at_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
