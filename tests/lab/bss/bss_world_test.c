// Random worlds: two cells of each kind (at once, at a rate, with a radio), MSs that move, call, go
// out of reach, lose their channel, leave and come back; cells that are reset and blocked; an SGSN
// stand-in that answers late, by typed octets. At every step the books balance; each LLC PDU ends
// once, where and when it may; LLC-DISCARDED says what was lost; no bucket is told of twice within
// C.
#include "tests/lab/bss/world.h"

// ---- The ends of LLC PDUs ----

static uint32_t end_of(const uint8_t *llc, uint32_t octets, enum fate fate)
{
    uint32_t i = number_of(llc, octets);
    assert_true(i < PDUS && pdus[i].fate == UNDER_WAY && pdus[i].octets == octets);
    for (uint32_t at = 3; at < octets; at++)
        assert_int_equal(llc[at], 0x2b);
    pdus[i].fate = fate;
    return i;
}

static void deliver(void *self, struct bss_ms *ms, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns)
{
    (void)self;
    uint32_t i = end_of(llc, octets, DELIVERED), of = pdus[i].ms, sapi = pdus[i].sapi;
    uint32_t cell = bss_cell_bvci(bss_ms_cell(ms)) - 2u;
    assert_ptr_equal(bss_ms_user(ms), &mss[of]);
    assert_false(bss_ms_is_suspended(ms) && !seen.is_radio[cell]);
    if (mss[of].newest_epoch[sapi] == pdus[i].epoch)
        assert_true(i > mss[of].newest[sapi]);
    if (pdus[i].epoch != ASTRAY) {
        mss[of].newest[sapi] = i;
        mss[of].newest_epoch[sapi] = pdus[i].epoch;
    }
    uint64_t air_ns = seen.at_rate[cell] ? octets * 8 * S / seen.rate[cell] : 0;
    if (!seen.is_radio[cell] && pdus[i].lifetime_ns)
        assert_true(now_ns - air_ns <= pdus[i].at_ns + pdus[i].lifetime_ns);
    seen.pdus++;
    if (random_in(0, 3) == 0) // an acknowledgement
        bss_up(ms, (const uint8_t *)"\x03\xc0\x01", 3, now_ns);
}

static void lost(void *self, uint32_t tlli, enum bss_way way, const uint8_t *llc, uint32_t octets,
                 enum bss_loss why, uint64_t now_ns)
{
    (void)self;
    if (way == BSS_UP)
        return;
    uint32_t i = end_of(llc, octets, LOST);
    assert_int_equal(tlli, tlli_of(pdus[i].ms));
    if (why == BSS_LOST_expired)
        assert_true(now_ns == pdus[i].at_ns + pdus[i].lifetime_ns);
    bool told = why == BSS_LOST_expired || why == BSS_LOST_ms_full || why == BSS_LOST_cell_full ||
                why == BSS_LOST_codel || why == BSS_LOST_absent || why == BSS_LOST_preempted;
    seen.lost_told += told;
    seen.lost_told_octets += told ? octets : 0;
}

// ---- What happens ----

static void send_down(uint32_t i)
{
    static const uint8_t sapis[] = {1, 3, 5, 11};
    uint32_t of = (uint32_t)random_in(0, MSS - 1);
    struct dl dl = {.tlli = tlli_of(of), .octets = (uint32_t)random_in(3, 600), .number = i};
    dl.bvci = mss[of].ms ? bss_cell_bvci(bss_ms_cell(mss[of].ms)) : 2;
    bool astray = random_in(0, 15) == 7; // the SGSN is behind
    if (astray)
        dl.bvci = (uint16_t)(5 - dl.bvci);
    dl.lifetime_cs = random_in(0, 3) ? (uint16_t)random_in(1, 600) : 0;
    dl.sapi = sapis[random_in(0, 3)];
    dl.precedence = (uint8_t)random_in(0, 3);
    pdus[i].at_ns = now();
    pdus[i].lifetime_ns = dl.lifetime_cs * 10 * MS;
    pdus[i].octets = dl.octets;
    pdus[i].ms = of;
    pdus[i].epoch = astray ? ASTRAY : mss[of].epoch;
    pdus[i].sapi = dl.sapi;
    pdus[i].fate = UNDER_WAY;
    down(&dl);
}

static struct bss_cell *any_cell(void)
{
    return random_in(0, 1) ? w.cell : w.other;
}

static void come(uint32_t i)
{
    struct bss_identity identity = {.tlli = tlli_of(i)};
    mss[i].ms = bss_enter(w.bss, any_cell(), &identity, &mss[i], now());
}

static void come_or_go(uint32_t i)
{
    if (mss[i].ms) {
        bss_leave(mss[i].ms, now());
        mss[i].ms = NULL;
    } else {
        come(i);
        bss_hello(mss[i].ms, now());
    }
    mss[i].epoch++;
}

static void act_on(uint32_t i, uint64_t what)
{
    struct bss_ms *ms = mss[i].ms;
    if (what < 4) {
        mss[i].epoch++;
        bss_move(ms, any_cell(), now());
    } else if (what < 7) {
        (bss_ms_is_suspended(ms) ? bss_resume : bss_suspend)(ms, now());
    } else if (what < 9) {
        bss_reach(ms, random_in(0, 1), now());
    } else if (!bss_cell_radio(bss_ms_cell(ms))) {
        bss_channel(w.bss, bss_ms_cell(ms), ms, random_in(0, 1), now());
    }
}

static void act_on_cell(struct bss_cell *cell, uint64_t what)
{
    struct radio *radio = bss_cell_radio(cell);
    if (what == 0)
        bss_cell_reset(w.bss, cell, now());
    else if (what == 1)
        bss_cell_block(w.bss, cell, 8, now());
    else if (what < 4)
        bss_cell_unblock(w.bss, cell, now());
    else if (radio)
        radio_set_slots(radio, (uint32_t)random_in(0, 4), now());
    else
        bss_channel(w.bss, cell, NULL, random_in(0, 1), now());
}

static void step(uint32_t *next)
{
    uint32_t i = (uint32_t)random_in(0, MSS - 1);
    uint64_t what = random_in(0, 99);
    if (what < 75 && *next < PDUS)
        send_down((*next)++);
    else if (what < 78)
        come_or_go(i);
    else if (what < 94 && mss[i].ms)
        act_on(i, random_in(0, 10));
    else if (what < 97)
        act_on_cell(any_cell(), random_in(0, 6));
    books();
    if (random_in(0, 2) == 0)
        run(random_in(0, 300) * MS + random_in(0, 1000));
}

// ---- Worlds ----

static void add_radio(struct bss_cell *cell, uint32_t i)
{
    struct radio_config config;
    radio_config_standard(&config);
    config.hold_taken_ns = random_in(0, 1) * random_in(1, 5000) * MS;
    config.down_bler_ppm = (uint32_t)random_in(0, 200000);
    config.up_bler_ppm = (uint32_t)random_in(0, 200000);
    config.up_discard_ns = random_in(0, 1) * random_in(1, 5000) * MS;
    assert_null(radio_config_fault(&config));
    bss_cell_add_radio(cell, &config, random_next());
    seen.is_radio[i] = true;
}

static void shape_cell(void)
{
    struct bss_cell_config *c = &w.cell_config;
    c->rate_bit_per_s = random_in(0, 1) * random_in(2000, 100000);
    c->ms_pdus = (uint32_t)(random_in(0, 1) * random_in(5, 40));
    c->cell_octets = random_in(0, 1) * random_in(2000, 20000);
    c->priority = (uint32_t)random_in(BSS_PRIORITY_NONE, BSS_PRIORITY_PFC);
    c->codel_target_ns = random_in(0, 1) * 200 * MS;
    c->codel_interval_ns = S;
    c->flow_ms = (uint32_t)random_in(BSS_FLOW_MS_NONE, BSS_FLOW_MS_MEASURED);
    c->flow_measured = random_in(0, 1);
    c->flow_repeat = random_in(0, 1);
}

static void shape(void)
{
    configure(BSS_NS_RESET);
    w.config.gather_ns = random_in(0, 1) * random_in(1, 3000) * MS;
    w.config.absent_ns = random_in(0, 1) * random_in(1, 8000) * MS;
    w.config.tell_absent = random_in(0, 1);
    w.config.flush = (uint32_t)random_in(BSS_FLUSH_DELETE, BSS_FLUSH_SILENT);
    w.config.preemption = (uint32_t)random_in(0, BSS_PREEMPTION_RADIO_STATUS);
    shape_cell();
}

static void build(void)
{
    struct bss_owner owner = {.send = peer_send, .deliver = deliver, .lost = lost, .up = peer_up};
    struct bss_nsvc_config nsvc = nsvc_config(7, 2);
    w.engine = engine_create();
    w.bss = bss_create(&w.config, &owner, w.engine);
    w.on_send = take;
    bss_add_nsvc(w.bss, &nsvc);
    for (uint32_t i = 0; i < 2; i++) {
        set_identity(&w.cell_config, (uint16_t)(2 + i), (uint16_t)(0x102 + i));
        struct bss_cell *cell = bss_add_cell(w.bss, &w.cell_config);
        *(i ? &w.other : &w.cell) = cell;
        seen.at_rate[i] = w.cell_config.rate_bit_per_s > 0;
        seen.rate[i] = w.cell_config.rate_bit_per_s;
        if (random_in(0, 2) == 0)
            add_radio(cell, i);
        shape_cell();
    }
    bss_start(w.bss, 0);
}

// Nothing stands in the way any more: all that is held goes, or its lifetime ends.
static void let_all_go(void)
{
    for (uint32_t i = 0; i < MSS; i++) {
        if (!mss[i].ms)
            come_or_go(i);
        bss_resume(mss[i].ms, now());
        bss_reach(mss[i].ms, true, now());
    }
    for (int i = 0; i < 2; i++) {
        struct bss_cell *cell = i ? w.other : w.cell;
        bss_cell_unblock(w.bss, cell, now());
        if (bss_cell_radio(cell))
            radio_set_slots(bss_cell_radio(cell), 4, now());
        else
            bss_channel(w.bss, cell, NULL, true, now());
        for (uint32_t m = 0; m < MSS; m++)
            if (bss_ms_cell(mss[m].ms) == cell && !bss_cell_radio(cell))
                bss_channel(w.bss, cell, mss[m].ms, true, now());
    }
    run(2000 * S);
}

static void one_world(void)
{
    uint32_t next = 0;
    memset(pdus, 0, sizeof pdus);
    memset(mss, 0, sizeof mss);
    memset(&seen, 0, sizeof seen);
    memset(answers, 0, sizeof answers);
    shape();
    build();
    for (uint32_t i = 0; i < MSS; i++) {
        come(i);
        mss[i].epoch = 1;
    }
    run(S);
    assert_true(bss_cell_is_up(w.cell) && bss_cell_is_up(w.other));
    for (uint32_t i = 0; i < STEPS; i++)
        step(&next);
    let_all_go();
    const struct bss_counters *counters = bss_counters(w.bss);
    no_fault();
    assert_int_equal(counters->traffic.held[BSS_DOWN].pdus, 0);
    assert_int_equal(counters->traffic.held[BSS_UP].pdus, 0);
    assert_int_equal(counters->traffic.in[BSS_DOWN].pdus, next);
    for (uint32_t i = 0; i < next; i++)
        assert_true(pdus[i].fate == DELIVERED || pdus[i].fate == LOST);
    assert_int_equal(seen.told_frames, seen.lost_told);
    assert_int_equal(seen.told_octets, seen.lost_told_octets);
    assert_int_equal(counters->unsent, 0);
}

static void test_random_worlds(void **state)
{
    (void)state;
    random_begin();
    uint64_t reasons[BSS_LOSSES] = {0}, delivered = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        one_world();
        for (int why = 0; why < BSS_LOSSES; why++)
            reasons[why] += bss_counters(w.bss)->traffic.lost[why].pdus;
        delivered += seen.pdus;
        end_world(NULL);
    }
    assert_true(delivered > 10000);
    for (int why = 0; why < BSS_LOSSES; why++) // each was met, but those of a lost NS-VC
        if (reasons[why] == 0 && why != BSS_LOST_nsvc_blocked && why != BSS_LOST_up_no_nsvc)
            fail_msg("nothing was lost by %s", bss_loss_name((enum bss_loss)why));
}

static void test_the_same_seed_sends_the_same_octets(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t digests[2];
        for (int turn = 0; turn < 2; turn++) {
            random_state = seed * 0x9e3779b97f4a7c15ULL;
            digest = seed;
            one_world();
            digests[turn] = digest;
            end_world(NULL);
            free(malloc(1000 * seed)); // other addresses
        }
        assert_true(digests[0] == digests[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_random_worlds),
                                       TEST(test_the_same_seed_sends_the_same_octets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
