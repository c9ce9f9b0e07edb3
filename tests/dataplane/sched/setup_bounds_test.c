// The set-up functions at their bounds: the last value that is taken works as it says, the next one
// is refused; and a change to what is so already changes nothing. (Refusals:
// setup_refusals_test.c.)
#include "tests/dataplane/sched/world.h"

#include <string.h>

#define TERMS ((struct bucket_terms){80, 1000})

static void the_least_quantum_is_taken(void **state)
{
    struct sched_config config = world_config();
    config.of_class[CLASS_BACKGROUND].flow_queues = true;
    config.flows_a_pfc = 8;
    config.flow_quantum_octets = 256;
    (void)state;
    world_close(world_open(&config));
}

// Turns within a class are for LLC PDUs of the largest size at most (S4), so a larger one, of an
// N201-U that the link would allow, must not come up.
static void n201_u_over_the_largest_pdu(void **state)
{
    struct sched_config config = world_config();
    config.pdu_octets_max = 506;
    (void)state;
    struct world *w = world_open(&config);
    world_add_nse(w, TERMS);
    world_add_cell(w, 0, TERMS, TERMS);
    world_add_ms(w, 0, 500); // 6 octets more as an LLC PDU
    assert_int_equal(sched_ms_add(w->sched, 1, 0, 501, w->now_ns), -SCHED_BAD_N201_U);
    assert_int_equal(sched_ms_n201_u(w->sched, 0, 0, 501, w->now_ns), -SCHED_BAD_N201_U);
    assert_int_equal(sched_ms_n201_u(w->sched, 0, 0, 1520, w->now_ns), -SCHED_BAD_N201_U);
    world_ms_n201_u(w, 0, 0, 500);
    world_close(w);
}

enum level { LEVEL_CELL, LEVEL_MS, LEVEL_PFC, LEVELS };

static void set(struct world *w, enum level level, struct bucket_terms terms)
{
    if (level == LEVEL_CELL)
        world_cell_set(w, 0, terms, WORLD_PLENTY);
    else if (level == LEVEL_MS)
        world_ms_set(w, 0, terms);
    else
        world_pfc_set(w, 0, terms);
}

static void set_ratio(struct world *w, enum level level, uint32_t percent)
{
    if (level == LEVEL_CELL)
        world_cell_ratio(w, 0, percent);
    else if (level == LEVEL_MS)
        world_ms_ratio(w, 0, percent);
    else
        world_pfc_ratio(w, 0, percent);
}

static struct world *one_pfc(void)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    return w;
}

// 255 % of the largest bucket that a word can say: it takes 126 days to leak out, and until then
// nothing goes, whatever becomes of Bmax.
static void the_highest_level_stops(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = one_pfc();
        set(w, level, (struct bucket_terms){80, UINT32_MAX});
        set_ratio(w, level, UINT8_MAX);
        set(w, level, TERMS);
        world_add_greedy(w, 0, 20, 1500);
        world_run(w, 1000 * S_IN_NS);
        assert_int_equal(w->ms[0].sent_pdus, 0);
        world_close(w);
    }
}

// As the caller may do at every message that names the cell: level, values, place in line and all
// stay, and so does the last octet of memory. Moved each second, it gets R and no more.
static void a_move_to_its_own_cell_changes_nothing(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = one_pfc();
        uint64_t octets = sched_octets(&w->config);
        uint8_t *before = malloc(octets);
        assert_non_null(before);
        set(w, level, world_terms(8000, 1600));
        world_add_greedy(w, 0, 1000, 1500);
        for (uint32_t i = 0; i < 60; i++) {
            world_run(w, w->now_ns + S_IN_NS);
            memcpy(before, w->memory, octets);
            world_ms_move(w, 0, 0);
            assert_memory_equal(before, w->memory, octets);
        }
        assert_in_range(w->ms[0].sent_octets, 60000 - 1600, 60000 + 1600);
        free(before);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_quantum_is_taken),
        cmocka_unit_test(n201_u_over_the_largest_pdu),
        cmocka_unit_test(the_highest_level_stops),
        cmocka_unit_test(a_move_to_its_own_cell_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
