// Limits: each refuses with its own reason, in packets and in octets, at exactly its number; what
// is refused stays the caller's and leaves no trace; what leaves makes room.
#include "tests/dataplane/random.h"
#include "tests/dataplane/sched/check.h"
#include "tests/dataplane/sched/world.h"

#include "dataplane/sched/sched_tree.h"

// Two cells of two MSs, each with streaming in slot 0 and background in slot 1: PFC 2 i + slot.
static struct world *stopped(const struct sched_config *config)
{
    struct world *w = world_open(config);
    world_add_nse(w, WORLD_UNLIMITED);
    for (uint32_t b = 0; b < 2; b++)
        world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    for (uint32_t i = 0; i < 4; i++) {
        world_add_ms(w, i / 2, 1520);
        world_add_pfc(w, i, 0, CLASS_STREAMING);
        world_add_pfc(w, i, 1, CLASS_BACKGROUND);
    }
    return w;
}

struct limit_case {
    enum drop_reason reason;
    uint32_t within; // these PFCs share the limit: a bit each
};

static const struct limit_case cases[] = {
    {DROP_queue_full, 0xff}, {DROP_bvc_full, 0x0f}, {DROP_ms_full, 0x03}, {DROP_class_full, 0x55}};

static void limit_set(struct sched_config *config, enum drop_reason reason,
                      struct sched_limit limit)
{
    if (reason == DROP_queue_full)
        config->limit = limit;
    if (reason == DROP_bvc_full)
        config->bvc_limit = limit;
    if (reason == DROP_ms_full)
        config->ms_limit = limit;
    if (reason == DROP_class_full)
        config->of_class[CLASS_STREAMING].limit = limit;
}

// Fills it exactly, from all who share it in turn; then those are refused and others not.
static void fill_and_judge(const struct limit_case *c, struct sched_limit limit, uint16_t octets,
                           uint32_t fits)
{
    struct sched_config config = world_config();
    limit_set(&config, c->reason, limit);
    struct world *w = stopped(&config);
    for (uint32_t i = 0, pfc = 0; i < fits; pfc = (pfc + 1) % 8)
        if (c->within >> pfc & 1) {
            assert_int_equal(world_put(w, pfc, octets, 0, 0, false), DROP_NONE);
            i++;
        }
    for (uint32_t pfc = 0; pfc < 8; pfc++)
        if (c->within >> pfc & 1)
            assert_int_equal(world_put(w, pfc, octets, 0, 0, false), c->reason);
    // Another cell, MS and class; they have a limit of their own.
    if (c->reason != DROP_queue_full)
        assert_int_equal(world_put(w, 7, octets, 0, 0, false), DROP_NONE);
    // One leaves, one comes.
    uint32_t first = (uint32_t)__builtin_ctz(c->within);
    world_ms_flush(w, w->pfc[first].ms);
    assert_int_equal(world_put(w, first, octets, 0, 0, false), DROP_NONE);
    world_close(w);
}

static void each_limit_of_packets_has_its_reason(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t packets = 1; packets <= 64; packets = packets * 3 + 1)
            fill_and_judge(&cases[i], (struct sched_limit){packets, 1u << 30}, 100, packets);
}

static void each_limit_of_octets_has_its_reason(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t octets = 100; octets <= 9000; octets = octets * 2 + 99)
            fill_and_judge(&cases[i], (struct sched_limit){4096, octets}, 100, octets / 100);
}

// The last octet fits, one more does not.
static void the_last_octet_fits(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sched_config config = world_config();
        limit_set(&config, cases[i].reason, (struct sched_limit){100, 1000});
        struct world *w = stopped(&config);
        uint32_t pfc = (uint32_t)__builtin_ctz(cases[i].within);
        assert_int_equal(world_put(w, pfc, 900, 0, 0, false), DROP_NONE);
        assert_int_equal(world_put(w, pfc, 101, 0, 0, false), cases[i].reason);
        assert_int_equal(world_put(w, pfc, 100, 0, 0, false), DROP_NONE);
        assert_int_equal(world_put(w, pfc, 1, 0, 0, false), cases[i].reason);
        world_close(w);
    }
}

// Packets and octets are told apart, at any limit and any total that it lets in.
static void one_subtraction_judges_both(void **state)
{
    (void)state;
    const uint32_t packets_most = (1u << 23) - 1;
    const uint64_t octets_most = (1ULL << 39) - 1;
    random_begin();
    for (uint32_t i = 0; i < 1000000; i++) {
        struct sched_limit limit = {(uint32_t)random_in(1, packets_most),
                                    random_in(1, octets_most)};
        uint64_t packets = random_in(0, limit.packets), octets = random_in(0, limit.octets);
        uint32_t more = (uint32_t)random_in(1, UINT16_MAX);
        bool full = packets + 1 > limit.packets || octets + more > limit.octets;
        uint64_t total = packets << TOTAL_PACKET_SHIFT | octets;
        assert_int_equal(total_is_full(total, total_of(more), total_limit(&limit)), full);
    }
}

// A half-sent N-PDU counts as a whole until its last piece has gone.
static void sent_n_pdus_make_room(void **state)
{
    struct sched_config config = world_config();
    config.ms_limit = (struct sched_limit){1, 5000};
    (void)state;
    struct world *w = stopped(&config);
    world_ms_n201_u(w, 0, 0, 140);
    world_cell_set(w, 0, world_terms(8000, 150), WORLD_PLENTY);
    assert_int_equal(world_put(w, 0, 200, 0, 0, false), DROP_NONE);
    world_run(w, w->now_ns);
    assert_int_equal(w->ms[0].sent_pdus, 1);
    assert_int_equal(world_put(w, 0, 200, 0, 0, false), DROP_ms_full);
    world_run(w, S_IN_NS);
    assert_int_equal(w->ms[0].sent_pdus, 2);
    assert_int_equal(world_put(w, 0, 200, 0, 0, false), DROP_NONE);
    world_close(w);
}

// "N-PDUs that the new cell has no room for are not dropped", but no more come in.
static void a_move_into_a_full_cell_drops_nothing(void **state)
{
    struct sched_config config = world_config();
    config.bvc_limit = (struct sched_limit){10, 5000};
    (void)state;
    struct world *w = stopped(&config);
    for (uint32_t i = 0; i < 10; i++) {
        world_put(w, 0, 100, 0, 0, false);
        world_put(w, 6, 100, 0, 0, false);
    }
    world_ms_move(w, 0, 1);
    assert_int_equal(w->queued.packets, 20);
    assert_int_equal(world_put(w, 4, 100, 0, 0, false), DROP_bvc_full);
    assert_int_equal(world_put(w, 2, 100, 0, 0, false), DROP_NONE);
    world_cell_set(w, 1, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns);
    assert_int_equal(w->finished.packets, 20);
    world_close(w);
}

// Every MS that there may be has a queue when the limit of all is full, and after that the first of
// them is gone: the largest queue gives each time, and nobody is looked for beyond the last.
static void all_have_a_queue_and_one_is_removed(void **state)
{
    struct sched_config config = world_config();
    config.tail_drop = false;
    config.mss = 3;
    config.pfcs_an_ms = 1;
    config.limit.packets = 8;
    (void)state;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    for (uint32_t i = 0; i < 3; i++)
        world_add_simple(w, 0, CLASS_BACKGROUND);
    for (uint32_t removed = 0; removed < 2; removed++) {
        for (uint32_t i = 0; i < 30; i++)
            if (i % 3 >= removed)
                world_put(w, i % 3, 100, 0, 0, false);
        assert_int_equal(w->queued.packets, 8);
        assert_null(sched_check(w->sched));
        for (uint32_t ms = removed; ms < 3; ms++)
            world_ms_flush(w, ms);
        if (!removed)
            world_ms_remove(w, 0);
    }
    world_close(w);
}

static enum drop_reason put(struct world *w, uint32_t ms, uint32_t slot, uint16_t octets)
{
    struct pdu pdu = {.buffer = w, .octets = octets};
    return sched_put(w->sched, ms, slot, &pdu, w->now_ns);
}

static void no_queue_no_room(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct world *w = stopped(&config);
    assert_int_equal(put(w, 0, 2, 100), DROP_no_queue);           // a slot without a PFC
    assert_int_equal(put(w, 0, SCHED_SLOTS, 100), DROP_no_queue); // beyond the slots
    assert_int_equal(put(w, 4, 0, 100), DROP_no_queue);           // no such MS
    assert_int_equal(put(w, config.mss, 0, 100), DROP_no_queue);  // beyond the table
    assert_int_equal(put(w, UINT32_MAX, UINT32_MAX, 100), DROP_no_queue);
    assert_true(put(w, 0, 0, 0) < DROP_NONE); // nothing in it
    world_ms_remove(w, 3);
    assert_int_equal(put(w, 3, 0, 100), DROP_no_queue);
    sched_prefetch(w->sched, UINT32_MAX, UINT32_MAX);
    sched_prefetch_flow(w->sched, UINT32_MAX, UINT32_MAX, UINT32_MAX);
    assert_int_equal(sched_queued(w->sched).packets, 0);
    world_close(w);
}

// Of the most octets that the field holds.
static void the_largest_n_pdu_goes_out(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct world *w = stopped(&config);
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_ms_n201_u(w, 0, 0, 140);
    assert_int_equal(world_put(w, 0, 2000, 0, 0, false), DROP_NONE);
    assert_int_equal(world_put(w, 1, UINT16_MAX, 1, 0, false), DROP_NONE);
    world_run(w, w->now_ns + S_IN_NS);
    assert_int_equal(w->finished.octets, 2000 + UINT16_MAX);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit_of_packets_has_its_reason),
        cmocka_unit_test(each_limit_of_octets_has_its_reason),
        cmocka_unit_test(the_last_octet_fits),
        cmocka_unit_test(one_subtraction_judges_both),
        cmocka_unit_test(sent_n_pdus_make_room),
        cmocka_unit_test(a_move_into_a_full_cell_drops_nothing),
        cmocka_unit_test(all_have_a_queue_and_one_is_removed),
        cmocka_unit_test(no_queue_no_room),
        cmocka_unit_test(the_largest_n_pdu_goes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
