// Faults of an existing implementation of the BSSGP flow control, found by measuring it; each shown
// to be absent here. A: a small PDU passes while older ones wait. B: after idle the level is not
// written back, so the next PDU meets a stale one. C: elapsed time is cut to 10 ms, so PDUs that
// come every 9 ms lose a sixth of the rate. D: a PDU larger than the bucket is dropped.
#include "tests/dataplane/sched/world.h"

// One MS with one PFC; every N-PDU is an LLC PDU of 10 octets more.
static struct world *one_cell(struct bucket_terms terms)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, terms, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    return w;
}

static void put_llc(struct world *w, uint16_t llc_octets)
{
    assert_int_equal(world_put(w, 0, (uint16_t)(llc_octets - 10), 0, 0, false), DROP_NONE);
}

static void a_nothing_overtakes(void **state)
{
    (void)state;
    struct world *w = one_cell(world_terms(8000, 1600));
    put_llc(w, 1500);
    put_llc(w, 1500); // has to wait
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    put_llc(w, 20); // would conform
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->sents, 3);
    assert_int_equal(w->sent[1].llc_octets, 1500);
    assert_int_equal(w->sent[2].llc_octets, 20);
    world_close(w);
}

// After idle the bucket is empty and the next PDUs are charged for in full: 1000 and 589 octets fit
// into 1600 at once, 12 more have to wait for the leak of one octet.
static void b_exact_charge_after_idle(void **state)
{
    (void)state;
    struct world *w = one_cell(world_terms(8000, 1600));
    put_llc(w, 1500);
    world_run(w, 1000 * S_IN_NS);
    assert_int_equal(sched_bvc_bucket(w->sched, 0, w->now_ns).level, 0);
    put_llc(w, 1000);
    put_llc(w, 589);
    put_llc(w, 12);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 3);
    assert_int_equal(sched_bvc_bucket(w->sched, 0, w->now_ns).level, 1589 * BUCKET_UNITS_AN_OCTET);
    uint64_t idle_end_ns = w->now_ns;
    world_run(w, 2000 * S_IN_NS);
    assert_int_equal(w->sent[3].time_ns, idle_end_ns + MS_IN_NS);
    world_close(w);
}

// 60 octets every 9 ms are 6667 octets/s; R is 10 000: all of them go as they come.
static void c_no_loss_at_9_ms(void **state)
{
    (void)state;
    struct world *w = one_cell(world_terms(80000, 120));
    world_add_source(
        w, (struct world_source){
               .pfc = 0, .least = 50, .most = 50, .burst = 1, .interval_ns = 9 * MS_IN_NS});
    world_run(w, 100 * S_IN_NS);
    assert_int_equal(w->sents, 100000 / 9 + 1);
    for (uint32_t i = 0; i < w->sents; i++)
        assert_int_equal(w->sent[i].time_ns, 1 + i * 9 * MS_IN_NS);
    world_close(w);
}

// The same where they come faster than R: then R is what goes, not a sixth less.
static void c_no_loss_of_rate(void **state)
{
    (void)state;
    struct world *w = one_cell(world_terms(80000, 120));
    world_add_source(
        w,
        (struct world_source){
            .pfc = 0, .least = 80, .most = 80, .burst = 1, .interval_ns = 9 * MS_IN_NS / 10 * 9});
    world_run(w, 100 * S_IN_NS);
    assert_in_range(w->ms[0].sent_octets, 1000000 - 120, 1000000 + 120);
    world_close(w);
}

static void d_oversize_passes(void **state)
{
    (void)state;
    struct world *w = one_cell(world_terms(8000, 100));
    for (uint32_t i = 0; i < 5; i++)
        put_llc(w, 1000);
    world_run(w, 100 * S_IN_NS);
    assert_int_equal(w->sents, 5);
    for (uint32_t i = 1; i < 5; i++) // each when the one before has drained
        assert_int_equal(w->sent[i].time_ns, w->sent[0].time_ns + i * S_IN_NS);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nothing_overtakes), cmocka_unit_test(b_exact_charge_after_idle),
        cmocka_unit_test(c_no_loss_at_9_ms),   cmocka_unit_test(c_no_loss_of_rate),
        cmocka_unit_test(d_oversize_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
