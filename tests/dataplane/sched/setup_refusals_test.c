// Bad use is refused by the set-up functions, each fault with its own error, and what is refused
// has changed nothing: the same scheduler works on, and its whole memory is the same octet for
// octet.
#include "tests/dataplane/sched/world.h"
#include "tests/dataplane/sched/check.h"

#include <string.h>

#define BAD_RATE_TERMS ((struct bucket_terms){BUCKET_RATE_MAX + 1, 1000})
#define GOOD_TERMS     ((struct bucket_terms){80, 1000})

static int setup_err(const struct sched_config *config)
{
    static uint8_t memory[64];
    struct sched *s = NULL;
    int err = sched_setup(&s, config, memory);
    assert_null(s);
    for (uint32_t i = 0; i < sizeof memory; i++)
        assert_int_equal(memory[i], 0);
    return err;
}

#define REFUSED(change, wanted)                        \
    do {                                               \
        struct sched_config c = world_config();        \
        change;                                        \
        assert_int_equal(setup_err(&c), -(int)wanted); \
    } while (0)

static void counts(void **state)
{
    (void)state;
    REFUSED(c.nses = 0, SCHED_BAD_COUNT);
    REFUSED(c.bvcs = 0, SCHED_BAD_COUNT);
    REFUSED(c.mss = 0, SCHED_BAD_COUNT);
    REFUSED(c.pfcs_an_ms = 0, SCHED_BAD_COUNT);
    REFUSED(c.nses = UINT32_MAX, SCHED_BAD_COUNT);
    REFUSED(c.bvcs = UINT32_MAX, SCHED_BAD_COUNT);
    REFUSED(c.mss = UINT32_MAX, SCHED_BAD_COUNT);
    REFUSED(c.pfcs_an_ms = SCHED_SLOTS + 1, SCHED_BAD_COUNT);
}

static void limits(void **state)
{
    (void)state;
    REFUSED(c.limit.packets = 0, SCHED_BAD_LIMIT);
    REFUSED(c.limit.octets = 0, SCHED_BAD_LIMIT);
    REFUSED(c.limit.packets = 1u << 23, SCHED_BAD_LIMIT);
    REFUSED(c.limit.octets = 1ULL << 39, SCHED_BAD_LIMIT);
    REFUSED(c.bvc_limit.packets = 0, SCHED_BAD_LIMIT);
    REFUSED(c.bvc_limit.octets = 0, SCHED_BAD_LIMIT);
    REFUSED(c.ms_limit.packets = 0, SCHED_BAD_LIMIT);
    REFUSED(c.ms_limit.octets = 0, SCHED_BAD_LIMIT);
    REFUSED(c.of_class[CLASS_BACKGROUND].limit.packets = 0, SCHED_BAD_LIMIT);
    REFUSED(c.of_class[CLASS_SIGNALLING].limit.octets = 0, SCHED_BAD_LIMIT);
}

static void headers(void **state)
{
    (void)state;
    REFUSED(c.llc_octets = 11, SCHED_BAD_HEADER);
    REFUSED(c.next_header_octets = 5, SCHED_BAD_HEADER);
    REFUSED(c.first_header_octets = UINT32_MAX, SCHED_BAD_HEADER);
    REFUSED(c.pipe_header_octets = UINT32_MAX, SCHED_BAD_HEADER);
    REFUSED(c.pdu_octets_max = 0, SCHED_BAD_HEADER);
    REFUSED(c.pdu_octets_max = UINT32_MAX, SCHED_BAD_HEADER);
}

static void classes(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < CLASS_COUNT; i++) {
        REFUSED(c.of_class[i].weight = 0, SCHED_BAD_WEIGHT);
        REFUSED(c.of_class[i].weight = SCHED_WEIGHT_MAX + 1, SCHED_BAD_WEIGHT);
    }
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        REFUSED(c.of_class[i].aqm.ops = NULL, SCHED_BAD_AQM);
        REFUSED(c.of_class[i].scope = (enum sched_scope)(SCHED_SCOPE_FLOW + 1), SCHED_BAD_SCOPE);
        REFUSED(c.of_class[i].scope = SCHED_SCOPE_FLOW, SCHED_BAD_SCOPE);
        REFUSED((c.of_class[i].bss_least_ns = 2, c.of_class[i].bss_most_ns = 1),
                SCHED_BAD_LIFETIME);
        REFUSED((c.of_class[i].lifetime_ns = 1, c.of_class[i].bss_least_ns = 2),
                SCHED_BAD_LIFETIME);
        REFUSED(c.of_class[i].flow_queues = true, SCHED_BAD_FLOWS);
        for (uint32_t flows = 3; flows <= 128; flows += 125)
            REFUSED((c.of_class[i].flow_queues = true, c.flows_a_pfc = flows), SCHED_BAD_FLOWS);
        for (uint32_t octets = 0; octets <= 255; octets += 51) // a turn would take many rounds
            REFUSED((c.of_class[i].flow_queues = true, c.flows_a_pfc = 8,
                     c.flow_quantum_octets = octets),
                    SCHED_BAD_FLOWS);
        REFUSED((c.of_class[i].flow_queues = true, c.flows_a_pfc = 8,
                 c.flow_quantum_octets = UINT16_MAX + 1),
                SCHED_BAD_FLOWS);
    }
}

// Signalling has no weight, and none is asked of it.
static void signalling_needs_no_weight(void **state)
{
    struct sched_config config = world_config();
    config.of_class[CLASS_SIGNALLING].weight = 0;
    (void)state;
    world_close(world_open(&config));
}

// ---- The tree ----

struct tree {
    struct world *w;
    uint8_t *before;
    uint64_t octets;
};

// NSE 0 with cells 0 and 1; MSs 0 and 1 in cell 0; a PFC in slot 3 of MS 0, with a backlog.
static struct tree tree_open(void)
{
    struct sched_config config = world_config();
    config.nses = config.bvcs = config.mss = 3;
    config.pfcs_an_ms = 4;
    config.limit.packets = 64;
    struct tree t = {.w = world_open(&config), .octets = sched_octets(&config)};
    world_add_nse(t.w, GOOD_TERMS);
    world_add_cell(t.w, 0, GOOD_TERMS, GOOD_TERMS);
    world_add_cell(t.w, 0, GOOD_TERMS, GOOD_TERMS);
    world_add_ms(t.w, 0, 500);
    world_add_ms(t.w, 0, 500);
    world_add_pfc(t.w, 0, 3, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < 5; i++)
        world_put(t.w, 0, 900, 0, 0, false);
    world_run(t.w, S_IN_NS);
    t.before = malloc(t.octets);
    assert_non_null(t.before);
    memcpy(t.before, t.w->memory, t.octets);
    return t;
}

static void tree_close(struct tree *t)
{
    assert_memory_equal(t->before, t->w->memory, t->octets);
    world_run(t->w, 100 * S_IN_NS);
    assert_int_equal(t->w->finished.packets, 5);
    world_close(t->w);
    free(t->before);
}

#define IS(err, call) assert_int_equal(call, -(int)err)

static void bad_rates(void **state)
{
    struct tree t = tree_open();
    struct sched *s = t.w->sched;
    uint64_t now_ns = t.w->now_ns;
    (void)state;
    IS(SCHED_BAD_RATE, sched_nse_add(s, 1, BAD_RATE_TERMS, now_ns));
    IS(SCHED_BAD_RATE, sched_nse_set(s, 0, BAD_RATE_TERMS, now_ns));
    IS(SCHED_BAD_RATE, sched_bvc_set(s, 0, BAD_RATE_TERMS, GOOD_TERMS, now_ns));
    IS(SCHED_BAD_RATE, sched_bvc_set(s, 0, GOOD_TERMS, BAD_RATE_TERMS, now_ns));
    IS(SCHED_BAD_RATE, sched_ms_set(s, 0, BAD_RATE_TERMS, now_ns));
    IS(SCHED_BAD_RATE, sched_pfc_set(s, 0, 3, BAD_RATE_TERMS, now_ns));
    tree_close(&t);
}

static void bad_n201_u(void **state)
{
    struct tree t = tree_open();
    (void)state;
    static const uint16_t bad[] = {0, 139, 1521, UINT16_MAX};
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        IS(SCHED_BAD_N201_U, sched_ms_add(t.w->sched, 2, 0, bad[i], t.w->now_ns));
        IS(SCHED_BAD_N201_U, sched_ms_n201_u(t.w->sched, 0, 0, bad[i], t.w->now_ns));
    }
    IS(SCHED_BAD_ID, sched_ms_n201_u(t.w->sched, 0, SCHED_LLES, 500, t.w->now_ns));
    tree_close(&t);
}

// A level that no ratio can say would run over 64 bits with the next PDU: then all would pass.
static void bad_levels(void **state)
{
    const uint64_t most = bucket_level_of_ratio(UINT32_MAX, UINT8_MAX);
    const uint64_t bad[] = {most + 1, UINT64_MAX - BUCKET_UNITS_AN_OCTET, UINT64_MAX};
    struct tree t = tree_open();
    struct sched *s = t.w->sched;
    (void)state;
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        IS(SCHED_BAD_LEVEL, sched_bvc_level(s, 0, bad[i], t.w->now_ns));
        IS(SCHED_BAD_LEVEL, sched_ms_level(s, 0, bad[i], t.w->now_ns));
        IS(SCHED_BAD_LEVEL, sched_pfc_level(s, 0, 3, bad[i], t.w->now_ns));
    }
    tree_close(&t);
}

static void unknown_classes(void **state)
{
    struct tree t = tree_open();
    (void)state;
    IS(SCHED_BAD_CLASS, sched_pfc_add(t.w->sched, 0, 0, CLASS_COUNT));
    IS(SCHED_BAD_CLASS, sched_pfc_add(t.w->sched, 0, 0, (enum traffic_class)1000));
    IS(SCHED_BAD_CLASS, sched_pfc_add(t.w->sched, 0, 0, (enum traffic_class) - 1));
    tree_close(&t);
}

static void full_tables(void **state)
{
    struct tree t = tree_open();
    struct sched *s = t.w->sched;
    uint64_t now_ns = t.w->now_ns;
    (void)state;
    IS(SCHED_BAD_ID, sched_nse_add(s, 3, GOOD_TERMS, now_ns));
    IS(SCHED_BAD_ID, sched_bvc_add(s, 3, 0, now_ns));
    IS(SCHED_BAD_ID, sched_ms_add(s, 3, 0, 500, now_ns));
    IS(SCHED_BAD_ID, sched_ms_add(s, UINT32_MAX, 0, 500, now_ns));
    IS(SCHED_BAD_ID, sched_pfc_add(s, 0, 4, CLASS_BACKGROUND));
    IS(SCHED_BAD_ID, sched_pfc_add(s, 0, UINT32_MAX, CLASS_BACKGROUND));
    tree_close(&t);
}

static void in_use(void **state)
{
    struct tree t = tree_open();
    (void)state;
    IS(SCHED_EXISTS, sched_nse_add(t.w->sched, 0, GOOD_TERMS, t.w->now_ns));
    IS(SCHED_EXISTS, sched_bvc_add(t.w->sched, 1, 0, t.w->now_ns));
    IS(SCHED_EXISTS, sched_ms_add(t.w->sched, 1, 0, 500, t.w->now_ns));
    IS(SCHED_EXISTS, sched_pfc_add(t.w->sched, 0, 3, CLASS_STREAMING));
    tree_close(&t);
}

static void missing_parents(void **state)
{
    struct tree t = tree_open();
    (void)state;
    IS(SCHED_MISSING, sched_bvc_add(t.w->sched, 2, 1, t.w->now_ns));
    IS(SCHED_MISSING, sched_ms_add(t.w->sched, 2, 2, 500, t.w->now_ns));
    IS(SCHED_MISSING, sched_pfc_add(t.w->sched, 2, 0, CLASS_BACKGROUND));
    IS(SCHED_MISSING, sched_ms_move(t.w->sched, 0, 2, t.w->now_ns));
    IS(SCHED_BAD_ID, sched_bvc_add(t.w->sched, 2, 3, t.w->now_ns));
    IS(SCHED_BAD_ID, sched_ms_add(t.w->sched, 2, 3, 500, t.w->now_ns));
    IS(SCHED_BAD_ID, sched_ms_move(t.w->sched, 0, 3, t.w->now_ns));
    tree_close(&t);
}

// Every function that names a node, on one that is not there (2) and on one that cannot be (3).
static void missing_nodes(void **state)
{
    struct tree t = tree_open();
    struct sched *s = t.w->sched;
    uint64_t now_ns = t.w->now_ns;
    (void)state;
    for (uint32_t id = 2; id <= 3; id++) {
        enum sched_err err = id == 2 ? SCHED_MISSING : SCHED_BAD_ID;
        IS(err, sched_nse_set(s, id, GOOD_TERMS, now_ns));
        IS(err, sched_nse_remove(s, id));
        IS(err, sched_bvc_set(s, id, GOOD_TERMS, GOOD_TERMS, now_ns));
        IS(err, sched_bvc_reset(s, id, now_ns));
        IS(err, sched_bvc_level(s, id, 0, now_ns));
        IS(err, sched_bvc_remove(s, id));
        IS(err, sched_ms_set(s, id, GOOD_TERMS, now_ns));
        IS(err, sched_ms_default(s, id, now_ns));
        IS(err, sched_ms_level(s, id, 0, now_ns));
        IS(err, sched_ms_n201_u(s, id, 0, 500, now_ns));
        IS(err, sched_ms_freeze(s, id, now_ns));
        IS(err, sched_ms_release(s, id, now_ns));
        IS(err, sched_ms_move(s, id, 0, now_ns));
        IS(err, sched_ms_flush(s, id, DROP_flushed, now_ns));
        IS(err, sched_ms_remove(s, id, DROP_removed, now_ns));
        IS(err, sched_pfc_set(s, id, 3, GOOD_TERMS, now_ns));
        IS(err, sched_pfc_unlimit(s, id, 3, now_ns));
        IS(err, sched_pfc_level(s, id, 3, 0, now_ns));
        IS(err, sched_pfc_remove(s, id, 3, DROP_removed, now_ns));
    }
    tree_close(&t);
}

static void missing_pfcs(void **state)
{
    struct tree t = tree_open();
    (void)state;
    for (uint32_t slot = 0; slot <= 4; slot += 4) {
        enum sched_err err = slot == 0 ? SCHED_MISSING : SCHED_BAD_ID;
        IS(err, sched_pfc_set(t.w->sched, 0, slot, GOOD_TERMS, t.w->now_ns));
        IS(err, sched_pfc_unlimit(t.w->sched, 0, slot, t.w->now_ns));
        IS(err, sched_pfc_level(t.w->sched, 0, slot, 0, t.w->now_ns));
        IS(err, sched_pfc_remove(t.w->sched, 0, slot, DROP_removed, t.w->now_ns));
    }
    tree_close(&t);
}

static void busy_nodes_stay(void **state)
{
    struct tree t = tree_open();
    (void)state;
    IS(SCHED_BUSY, sched_nse_remove(t.w->sched, 0));
    IS(SCHED_BUSY, sched_bvc_remove(t.w->sched, 0));
    tree_close(&t);
}

// Leaves first; and an id can be used again, without a trace of who had it.
static void what_is_removed_can_come_again(void **state)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    const struct sched_drop *drops;
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        IS(SCHED_OK, sched_nse_add(w->sched, 1, GOOD_TERMS, w->now_ns));
        IS(SCHED_OK, sched_bvc_add(w->sched, 1, 1, w->now_ns));
        IS(SCHED_OK, sched_bvc_set(w->sched, 1, GOOD_TERMS, GOOD_TERMS, w->now_ns));
        IS(SCHED_OK, sched_ms_add(w->sched, 1, 1, 500, w->now_ns));
        IS(SCHED_OK, sched_pfc_add(w->sched, 1, 0, CLASS_STREAMING));
        assert_int_equal(sched_ms_bucket(w->sched, 1, w->now_ns).level, 0);
        assert_int_equal(sched_bvc_bucket(w->sched, 1, w->now_ns).level, 0);
        for (uint32_t i = 0; i < 4; i++) {
            struct pdu pdu = {.buffer = w, .octets = 900};
            assert_int_equal(sched_put(w->sched, 1, 0, &pdu, w->now_ns), DROP_NONE);
        }
        struct sched_grant grant[8];
        assert_int_equal(sched_take(w->sched, grant, 8, w->now_ns), 2); // pieces of one
        assert_true(sched_next_ns(w->sched, w->now_ns) < TIME_NEVER);
        IS(SCHED_OK, sched_ms_remove(w->sched, 1, DROP_removed, w->now_ns));
        assert_int_equal(sched_dropped(w->sched, &drops), 3);
        IS(SCHED_OK, sched_bvc_remove(w->sched, 1));
        IS(SCHED_OK, sched_nse_remove(w->sched, 1));
        assert_int_equal(sched_next_ns(w->sched, w->now_ns), TIME_NEVER);
        assert_null(sched_check(w->sched));
    }
    world_close(w);
}

static void every_error_has_its_words(void **state)
{
    (void)state;
    for (int err = 1; err < SCHED_ERR_COUNT; err++) {
        assert_true(strlen(sched_err_text(-err)) > 5);
        for (int other = 1; other < err; other++)
            assert_string_not_equal(sched_err_text(-err), sched_err_text(-other));
    }
    assert_non_null(sched_err_text(-1000));
    assert_non_null(sched_err_text(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(limits),
        cmocka_unit_test(headers),
        cmocka_unit_test(classes),
        cmocka_unit_test(signalling_needs_no_weight),
        cmocka_unit_test(bad_rates),
        cmocka_unit_test(bad_n201_u),
        cmocka_unit_test(bad_levels),
        cmocka_unit_test(unknown_classes),
        cmocka_unit_test(full_tables),
        cmocka_unit_test(in_use),
        cmocka_unit_test(missing_parents),
        cmocka_unit_test(missing_nodes),
        cmocka_unit_test(missing_pfcs),
        cmocka_unit_test(busy_nodes_stay),
        cmocka_unit_test(what_is_removed_can_come_again),
        cmocka_unit_test(every_error_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
