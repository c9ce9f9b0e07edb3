// A cell with a radio: both ways through it, calls of an MS and of the cell, what is told of them,
// a cell change, and that the radio's books and the BSS's agree.
#include "tests/lab/bss/peer.h"

static struct radio_config air; // a test changes it before begin()

static struct bss_ms *begin(uint32_t mss)
{
    struct bss_ms *first = NULL;
    w.cell_config.flow_repeat = false;
    make(1, 2);
    bss_cell_add_radio(w.cell, &air, 1);
    bring_up(NULL);
    for (uint32_t i = 0; i < mss; i++) {
        struct bss_ms *ms = enter(w.cell, TLLI + i);
        first = first ? first : ms;
    }
    return first;
}

static void configure_air(void)
{
    configure(BSS_NS_RESET);
    radio_config_standard(&air);
}

// The BSS holds what waits and what the radio has.
static void agree(const struct bss_ms *ms, uint64_t waiting)
{
    const struct radio_counts *down = radio_counts(bss_cell_radio(w.cell), RADIO_DOWN);
    struct bss_tally held = bss_ms_held(ms);
    assert_int_equal(held.pdus, waiting + down->held.packets);
    assert_int_equal(bss_counters(w.bss)->traffic.out[BSS_DOWN].pdus, down->out.packets);
    books();
}

static void test_down_and_up_through_the_air(void **state)
{
    (void)state;
    configure_air();
    struct bss_ms *ms = begin(1);
    for (uint32_t i = 0; i < 5; i++)
        DOWN(.octets = 300, .number = i);
    assert_int_equal(w.deliveries, 0);
    agree(ms, 5); // a TBF is set up first
    bss_up(ms, (const uint8_t *)"\x03\xc0\x01", 3, now());
    none();
    run(5 * S);
    assert_int_equal(w.deliveries, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(w.delivered[i].number, i);
    assert_true(w.delivered[0].at_ns >= 200 * MS);
    while (w.sent[w.read].octets[4] != 0x01)
        w.read++;
    assert_true(out_any()->at_ns > 200 * MS);
    agree(ms, 0);
}

// An LLC PDU of 152 octets fits in a block of 142 if 10 of headers are free; one of headers alone
// takes an octet. Whole LLC PDUs arrive all the same, and the BSS counts them whole.
static void test_free_headers_take_no_room(void **state)
{
    (void)state;
    for (uint32_t headers = 9; headers <= 10; headers++) {
        configure_air();
        air.down_coding = air.up_coding = RADIO_CODING_RATE;
        air.up_pdu_octets = 142;
        air.free_headers_octets = headers;
        struct bss_ms *ms = begin(1);
        static const uint8_t up[152] = {3, 0xc0, 1};
        DOWN(.octets = sizeof up);
        bss_up(ms, up, sizeof up, now());
        run(5 * S);
        bss_up(ms, up, 10, now());
        run(5 * S);
        assert_int_equal(w.deliveries, 1);
        assert_int_equal(bss_counters(w.bss)->traffic.out[BSS_DOWN].octets, sizeof up);
        assert_int_equal(bss_counters(w.bss)->traffic.out[BSS_UP].octets, sizeof up + 10);
        const struct radio_counts *down = radio_counts(bss_cell_radio(w.cell), RADIO_DOWN);
        const struct radio_counts *way_up = radio_counts(bss_cell_radio(w.cell), RADIO_UP);
        assert_int_equal(down->blocks, headers == 10 ? 1 : 2);
        assert_int_equal(way_up->blocks, headers == 10 ? 2 : 3);
        assert_int_equal(down->out.octets, sizeof up - headers);
        assert_int_equal(way_up->out.octets, sizeof up - headers + 1);
        agree(ms, 0);
        end_world(NULL);
    }
}

// A tag goes up with its LLC PDU to the owner, arrived or lost; what the BSS sends by itself has
// none.
static uint64_t up_tags[8];
static uint32_t tags_sent;

static void see_tag_sent(uint32_t nsvc, const uint8_t *ns, uint32_t octets)
{
    (void)nsvc;
    assert_in_range(octets, 1, PDU_MAX);
    if (octets > 4 && ns[0] == 0 && ns[4] == 0x01)
        up_tags[tags_sent++] = bss_tag(w.bss);
    else
        assert_int_equal(bss_tag(w.bss), 0);
}

static void test_tags_go_up(void **state)
{
    static const uint8_t llc[] = {3, 0xc0, 1};
    (void)state;
    configure_air();
    struct bss_ms *ms = begin(1);
    w.on_send = see_tag_sent;
    tags_sent = 0;
    bss_up_tagged(ms, llc, sizeof llc, 11, now());
    bss_up(ms, llc, sizeof llc, now());
    bss_hello(ms, now());
    DOWN(.octets = 300); // in between, for the other direction
    run(5 * S);
    assert_int_equal(tags_sent, 3);
    assert_int_equal(up_tags[0], 11);
    assert_int_equal(up_tags[1], 0);
    assert_int_equal(up_tags[2], 0);
    bss_up_tagged(ms, llc, sizeof llc, 12, now());
    bss_move(ms, w.other, now());
    assert_int_equal(w.losses, 1);
    assert_int_equal(w.lost[0].why, BSS_LOST_up_radio);
    assert_int_equal(tags.last, 12);
}

static void test_priority_decides_what_the_radio_gets_next(void **state)
{
    (void)state;
    configure_air();
    begin(1);
    DOWN(.octets = 300, .number = 1, .precedence = 2);
    DOWN(.octets = 300, .number = 2, .sapi = 5, .precedence = 1);
    DOWN(.octets = 300, .number = 3, .sapi = 9, .precedence = 0);
    run(5 * S);
    assert_int_equal(w.delivered[0].number, 3);
    assert_int_equal(w.delivered[1].number, 2);
    assert_int_equal(w.delivered[2].number, 1);
}

// Of two MSs with as much to get, the one with the higher precedence has it first.
static void test_ranks_decide_which_ms_is_first(void **state)
{
    (void)state;
    configure_air();
    air.slots = 1;
    air.order = RADIO_ORDER_RANK;
    begin(2);
    for (uint32_t i = 0; i < 20; i++) {
        DOWN(.octets = 300, .number = i, .precedence = 2);
        DOWN(.tlli = TLLI + 1, .octets = 300, .number = 100 + i, .precedence = 0);
    }
    run(20 * S);
    assert_int_equal(w.deliveries, 40);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(w.delivered[i].number, 100 + i);
}

static void test_a_call_of_the_ms_keeps_its_buffer(void **state)
{
    (void)state;
    configure_air();
    struct bss_ms *ms = begin(1);
    for (uint32_t i = 0; i < 40; i++)
        DOWN(.octets = 500, .number = i);
    run(500 * MS);
    uint64_t waits = bss_ms_held(ms).pdus;
    bss_suspend(ms, now());
    assert_true(w.losses > 0 && w.losses < 5); // what was on the air
    for (uint32_t i = 0; i < w.losses; i++)
        assert_int_equal(w.lost[i].why, BSS_LOST_preempted);
    uint32_t before = w.deliveries;
    agree(ms, waits - w.losses);
    run(10 * S);
    assert_int_equal(w.deliveries, before);
    bss_resume(ms, now());
    run(20 * S);
    assert_int_equal(w.deliveries + w.losses, 40);
    agree(ms, 0);
}

static void test_calls_in_the_cell_flush_its_buffers(void **state)
{
    (void)state;
    configure_air();
    struct bss_ms *ms = begin(1);
    for (uint32_t i = 0; i < 40; i++)
        DOWN(.octets = 500);
    run(500 * MS);
    forget_sent();
    radio_preempt(bss_cell_radio(w.cell), air.slots, now());
    assert_int_equal(w.deliveries + w.losses, 40);
    for (uint32_t i = 0; i < w.losses; i++)
        assert_int_equal(w.lost[i].why, BSS_LOST_preempted);
    assert_int_equal(w.sends, w.losses); // each LLC-DISCARDED
    assert_int_equal(w.sent[0].octets[4], 0x2c);
    agree(ms, 0);
}

static void test_calls_in_the_cell_that_hold(void **state)
{
    (void)state;
    configure_air();
    air.hold_taken_ns = 3 * S;
    struct bss_ms *ms = begin(1);
    for (uint32_t i = 0; i < 40; i++)
        DOWN(.octets = 500);
    run(500 * MS);
    radio_preempt(bss_cell_radio(w.cell), air.slots, now());
    run(2 * S);
    assert_int_equal(w.losses, 0);
    radio_release(bss_cell_radio(w.cell), air.slots, now());
    run(20 * S);
    assert_int_equal(w.deliveries, 40);
    agree(ms, 0);
    for (uint32_t i = 0; i < 40; i++)
        DOWN(.octets = 500);
    radio_preempt(bss_cell_radio(w.cell), air.slots, now());
    run(3 * S - 1);
    assert_int_equal(w.losses, 0);
    run(1);
    assert_int_equal(w.losses, 40);
    agree(ms, 0);
}

static void test_lifetimes_count_in_the_buffer_alone(void **state)
{
    (void)state;
    configure_air();
    air.hold_taken_ns = 1000 * S;
    struct bss_ms *ms = begin(1);
    for (uint32_t i = 0; i < 10; i++)
        DOWN(.octets = 500, .lifetime_cs = 100);
    run(500 * MS);
    uint64_t on_air = radio_held(bss_cell_radio(w.cell), 0, RADIO_DOWN).packets;
    uint32_t before = w.deliveries;
    assert_true(on_air > 0);
    radio_preempt(bss_cell_radio(w.cell), air.slots, now());
    run(10 * S);
    assert_int_equal(w.losses, 10 - before - on_air);
    assert_int_equal(w.lost[0].why, BSS_LOST_expired);
    assert_true(w.lost[0].at_ns == S);
    agree(ms, 0);
}

// ---- What is told ----

// CS-2 has 30 octets in a block of 20 ms: 12 kbit/s a slot.
static void test_r_is_the_radios_as_calls_leave_it(void **state)
{
    (void)state;
    configure_air();
    w.cell_config.r_bit_per_s = 0;
    w.cell_config.bmax_octets = w.cell_config.ms_bmax_octets = 1000;
    air.slots = 3;
    begin(1);
    const struct bss_counters *counters = bss_counters(w.bss);
    assert_int_equal(counters->bssgp_out[0x26], 2);
    radio_preempt(bss_cell_radio(w.cell), 1, now());
    run(S);
    out_at(S, BVCI_2 "26 1e8102 0582000a 038200f0 0182000a 1c8200f0"); // 24 kbit/s
    in(BVCI_2 "27 1e8102");
    radio_preempt(bss_cell_radio(w.cell), 2, now());
    run(5 * S);
    none(); // none left: as before
    radio_release(bss_cell_radio(w.cell), 3, now());
    run(S);
    out_at(7 * S, BVCI_2 "26 1e8103 0582000a 03820168 0182000a 1c820168"); // 36 kbit/s
}

static void test_r_of_an_ms_is_of_the_slots_that_it_may_have(void **state)
{
    (void)state;
    configure_air();
    w.cell_config.r_bit_per_s = 0;
    w.cell_config.bmax_octets = w.cell_config.ms_bmax_octets = 1000;
    air.slots = 6;
    air.down_slots = 3;
    begin(1);
    radio_preempt(bss_cell_radio(w.cell), 1, now());
    run(S);
    out_at(S, BVCI_2 "26 1e8102 0582000a 03820258 0182000a 1c820168"); // 60 and 36 kbit/s
    in(BVCI_2 "27 1e8102");
    radio_preempt(bss_cell_radio(w.cell), 4, now());
    run(S);
    out_at(2 * S, BVCI_2 "26 1e8103 0582000a 03820078 0182000a 1c820078"); // 12 of one slot
}

// What the last PDU of the type says, in 100 bit/s: of that MS, or with TLLI 0 of any. `at`, from
// the NS header's start: an element of that kind.
static uint32_t last_said(uint8_t type, uint32_t tlli, uint32_t at, uint8_t kind)
{
    for (uint32_t i = w.sends; i-- > 0;) {
        const uint8_t *b = w.sent[i].octets;
        if (b[4] == type && (!tlli || b[10] == (uint8_t)tlli)) {
            assert_int_equal(b[at], kind);
            return (uint32_t)b[at + 2] << 8 | b[at + 3];
        }
    }
    fail_msg("R was not said");
    return 0;
}

// R of the cell, or of the MS as its own FLOW-CONTROL-MS says it.
static uint32_t said_r(uint32_t tlli)
{
    return tlli ? last_said(0x28, tlli, 18, 0x03) : last_said(0x26, 0, 12, 0x03);
}

// R of an MS as the last FLOW-CONTROL-BVC says it.
static uint32_t said_r_of_an_ms(void)
{
    return last_said(0x26, 0, 20, 0x1c);
}

static void configure_measured(void)
{
    configure_air(); // four slots of CS-2: 200 blocks of 30 octets a second
    w.cell_config.flow_measured = true;
    w.cell_config.bmax_octets = w.cell_config.ms_bmax_octets = 1000;
}

// An LLC PDU of 1490 octets a second for each MS: 50 of the 200 blocks, so 29.8 octets in each.
static void load(uint32_t mss, uint32_t seconds)
{
    for (uint32_t second = 0; second < seconds; second++) {
        for (uint32_t i = 0; i < mss; i++)
            DOWN(.octets = 1490, .tlli = TLLI + i);
        run(S);
    }
}

// 12 kbit/s come, and 200 blocks of 29.8 octets would be 47.68 kbit/s.
static void test_a_cells_measured_r_does_not_follow_the_load(void **state)
{
    (void)state;
    configure_measured();
    begin(1);
    for (uint32_t second = 0; second < 10; second++) {
        load(1, 1);
        assert_int_equal(said_r(0), 476);
    }
    assert_int_equal(w.deliveries, 10);
    radio_preempt(bss_cell_radio(w.cell), 3, now());
    run(2 * S);
    assert_int_equal(said_r(0), 119); // what is left of the slots
    radio_preempt(bss_cell_radio(w.cell), 1, now());
    run(2 * S);
    assert_int_equal(said_r(0), 119); // nothing is: as before
}

// LLC PDUs of one block with 12 octets: fewer than 50 of them say nothing.
static void test_few_blocks_are_no_reading(void **state)
{
    (void)state;
    configure_measured();
    begin(1);
    for (uint32_t i = 0; i < 49; i++) {
        DOWN(.octets = 12);
        run(500 * MS);
        none(); // R is as configured, which was said
    }
    DOWN(.octets = 12);
    run(2 * S);
    assert_int_equal(said_r(0), 192);
}

// Eight slots, of which an MS may have three: what one MS can use, what two can, and no more than
// calls leave.
static void test_a_cells_measured_r_is_of_what_its_mss_can_use(void **state)
{
    (void)state;
    configure_measured();
    air.slots = 8;
    air.down_slots = 3;
    begin(2);
    load(1, 3);
    assert_int_equal(said_r(0), 357); // 150 blocks a second of 29.8 octets
    load(2, 3);
    assert_int_equal(said_r(0), 715);
    assert_int_equal(said_r_of_an_ms(), 357);
    radio_preempt(bss_cell_radio(w.cell), 7, now());
    run(2 * S);
    assert_int_equal(said_r(0), 119);
    assert_int_equal(said_r_of_an_ms(), 119); // no more than the cell's
}

static void load_in_turns(uint32_t mss, uint32_t seconds)
{
    for (uint32_t i = 0; i < 2 * seconds; i++) {
        DOWN(.octets = 1490, .tlli = TLLI + i % mss);
        run(S / 2);
    }
}

// A reading of blocks that are all repetitions says nothing of an MS: 0 would stop it for good.
static void test_repetitions_alone_leave_an_ms_its_r(void **state)
{
    (void)state;
    configure_measured();
    air.down_bler_ppm = 950000;
    begin(1);
    load(1, 1);
    for (uint32_t second = 0; second < 20; second++) {
        run(S);
        assert_int_equal(said_r_of_an_ms(), said_r(0));
        assert_true(said_r(0) > 0);
    }
}

// They are served in turns, for 0.34 s each, and could be served at once: all but one of the slots
// that both may have are there.
static void test_a_cells_measured_r_counts_mss_that_take_turns(void **state)
{
    (void)state;
    configure_measured();
    air.slots = 5;
    air.down_slots = 3;
    begin(2);
    load_in_turns(1, 3);
    assert_int_equal(said_r(0), 357); // 150 blocks a second of 29.8 octets
    load_in_turns(2, 3);
    assert_int_equal(said_r(0), 596);
    load_in_turns(1, 3);
    assert_int_equal(said_r(0), 357); // the other is forgotten after a second
}

// Repetitions use slots; control blocks, one in four, leave 150.
static void test_measured_r_counts_repetitions_and_control(void **state)
{
    (void)state;
    configure_measured();
    air.down_bler_ppm = 200000;
    air.down_control_ppm = 250000;
    begin(1);
    const struct radio_counts *counts = radio_counts(bss_cell_radio(w.cell), RADIO_DOWN);
    for (uint32_t i = 0, before = 0; i < 10; i++, before = (uint32_t)counts->blocks) {
        DOWN(.octets = 1490);
        run(2 * S);
        uint32_t blocks = (uint32_t)counts->blocks - before;
        assert_true(blocks > 50);
        assert_int_equal(said_r(0), 1490 * 8 * 150 / blocks / 100);
    }
}

// Alone an MS could have all four slots; two at once have two each. While nothing comes, R stays.
static void test_an_mss_measured_r_is_its_share_of_the_slots(void **state)
{
    (void)state;
    configure_measured();
    w.cell_config.flow_measured = false;
    w.cell_config.flow_ms = BSS_FLOW_MS_MEASURED;
    begin(2);
    load(1, 3);
    assert_int_equal(said_r(TLLI), 476);
    load(2, 3);
    assert_int_equal(said_r(TLLI), 238);
    assert_int_equal(said_r(TLLI + 1), 238);
    load(1, 3);
    assert_int_equal(said_r(TLLI), 476);
    assert_int_equal(said_r(TLLI + 1), 238);
}

// ---- MSs with a coding scheme of their own ----

static void enter_with(struct bss_cell *cell, uint32_t tlli, uint8_t coding)
{
    static uint8_t keys[2][12];
    static struct radio_own own[2];
    uint32_t at = tlli % 2, field = 0;
    while (strcmp(radio_config_fields[field].name, "down_coding") != 0)
        field++;
    keys[at][3] = (uint8_t)field;
    keys[at][11] = coding;
    own[at] = (struct radio_own){{keys[at], 12}, NULL};
    struct bss_identity identity = {.tlli = tlli, .radio = &own[at]};
    assert_non_null(bss_enter(w.bss, cell, &identity, NULL, now()));
}

static void begin_mixed(void)
{
    begin(0);
    enter_with(w.cell, TLLI, RADIO_CODING_CS1);
    enter_with(w.cell, TLLI + 1, RADIO_CODING_CS4);
}

// 1490 octets are 75 blocks of CS-1 and 30 of CS-4: if both need as much, 105 of the 200 blocks of
// a second carry 2980 octets.
static void test_a_cells_measured_r_is_of_what_its_mss_need(void **state)
{
    (void)state;
    configure_measured();
    begin_mixed();
    load(2, 5);
    assert_int_equal(said_r(0), 2980 * 8 * 200 / 105 / 100);
    assert_int_equal(w.deliveries, 10);
}

// Always waiting they have two slots each, of 20 and of 50 octets.
static void test_an_mss_measured_r_is_of_its_own_coding(void **state)
{
    (void)state;
    configure_measured();
    w.cell_config.flow_measured = false;
    w.cell_config.flow_ms = BSS_FLOW_MS_MEASURED;
    begin_mixed();
    for (uint32_t i = 0; i < 2 * 40; i++)
        DOWN(.octets = 1490, .tlli = TLLI + i % 2);
    run(8 * S);
    assert_in_range(said_r(TLLI), 158, 160);
    assert_in_range(said_r(TLLI + 1), 396, 400);
}

// In a cell of CS-4 an LLC PDU takes as many blocks of CS-1 as in the cell that it came from.
static void test_an_ms_keeps_its_coding_in_a_new_cell(void **state)
{
    (void)state;
    configure_air();
    begin_mixed();
    struct radio_config other = air;
    other.down_coding = RADIO_CODING_CS4;
    bss_cell_add_radio(w.other, &other, 1);
    struct bss_ms *ms = bss_ms_find(w.bss, TLLI);
    for (uint32_t i = 0; i < 3; i++) {
        struct bss_cell *cell = bss_ms_cell(ms);
        uint64_t before = radio_counts(bss_cell_radio(cell), RADIO_DOWN)->blocks;
        DOWN(.octets = 1490, .bvci = cell == w.cell ? 2 : 3);
        run(5 * S);
        assert_int_equal(w.deliveries, i + 1);
        assert_int_equal(radio_counts(bss_cell_radio(cell), RADIO_DOWN)->blocks - before, 75);
        bss_move(ms, cell == w.cell ? w.other : w.cell, now());
    }
}

static void test_r_0_for_each_ms_without_a_channel(void **state)
{
    (void)state;
    configure_air();
    w.config.preemption = BSS_PREEMPTION_FLOW_MS;
    begin(2);
    radio_preempt_ms(bss_cell_radio(w.cell), 0, now());
    run(0);
    out(BVCI_2 "28 " TLLI_IE "1e8101 12820258 03820000");
    in(BVCI_2 "29 " TLLI_IE "1e8101");
    run(2 * S);
    radio_release_ms(bss_cell_radio(w.cell), 0, now());
    run(0);
    out(BVCI_2 "28 " TLLI_IE "1e8102 12820258 038201e0");
    none();
}

static void test_r_0_for_a_cell_all_of_whose_mss_have_none(void **state)
{
    (void)state;
    configure_air();
    w.config.preemption = BSS_PREEMPTION_FLOW_BVC;
    begin(2);
    run(2 * S);
    struct bss_ms *caller = enter(w.cell, TLLI + 2);
    bss_suspend(caller, now()); // does not count
    forget_sent();
    radio_preempt_ms(bss_cell_radio(w.cell), 0, now());
    run(0);
    none();
    radio_preempt_ms(bss_cell_radio(w.cell), 1, now());
    run(0);
    out(BVCI_2 "26 1e8102 05820258 03820000 01820258 1c8201e0");
    in(BVCI_2 "27 1e8102");
    in(BVCI_0 "0c 1f84c0000003 1b8662f224123456 1d8105");
    run(2 * S);
    radio_release_ms(bss_cell_radio(w.cell), 1, now());
    run(0);
    out(BVCI_2 "26 1e8103 05820258 038201e0 01820258 1c8201e0");
    none();
    in(BVCI_2 "27 1e8103");
    run(2 * S);
    bss_suspend(bss_ms_find(w.bss, TLLI), now());
    bss_suspend(bss_ms_find(w.bss, TLLI + 1), now());
    forget_sent();
    run(0);
    none(); // all are in calls of their own
}

static void test_radio_status_for_each_ms_without_a_channel(void **state)
{
    (void)state;
    configure_air();
    w.config.preemption = BSS_PREEMPTION_RADIO_STATUS;
    struct bss_ms *ms = begin(2);
    bss_suspend(ms, now());
    out(BVCI_0 "0b " TLLI_IE "1b86 62f224 1234 56"); // SUSPEND says it
    none();
    radio_preempt(bss_cell_radio(w.cell), air.slots, now());
    out(BVCI_2 "0a 1f84c0000002 198100");
    none();
}

// ---- Cells ----

static void test_a_cell_change_leaves_the_air(void **state)
{
    (void)state;
    configure_air();
    w.config.absent_ns = 100 * S;
    struct bss_ms *ms = begin(1);
    for (uint32_t i = 0; i < 40; i++)
        DOWN(.octets = 500);
    bss_suspend(ms, now());
    bss_resume(ms, now());
    run(S);
    bss_up(ms, (const uint8_t *)"\x03\xc0\x01", 3, now());
    uint32_t before = w.losses;
    uint64_t on_air = radio_held(bss_cell_radio(w.cell), 0, RADIO_DOWN).packets;
    uint64_t waits = bss_ms_held(ms).pdus - on_air;
    bss_move(ms, w.other, now());
    books();
    assert_int_equal(w.losses - before, on_air + 1);
    in(BVCI_0 "2a " TLLI_IE "04820002 04820003");
    assert_int_equal(w.deliveries + w.losses, 41);
    assert_true(waits > 0);
    bss_move(ms, w.cell, now());
    DOWN(.octets = 100);
    run(5 * S);
    assert_int_equal(w.deliveries + w.losses, 42);
}

static void test_a_suspended_ms_has_no_channel_in_a_new_cell(void **state)
{
    (void)state;
    configure_air();
    struct bss_ms *ms = begin(1);
    bss_move(ms, w.other, now());
    bss_suspend(ms, now());
    bss_move(ms, w.cell, now());
    assert_false(radio_has_channel(bss_cell_radio(w.cell), 0));
    DOWN(.octets = 100);
    run(5 * S);
    assert_int_equal(w.deliveries, 0);
    bss_resume(ms, now());
    run(5 * S);
    assert_int_equal(w.deliveries, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_down_and_up_through_the_air),
        TEST(test_free_headers_take_no_room),
        TEST(test_tags_go_up),
        TEST(test_priority_decides_what_the_radio_gets_next),
        TEST(test_ranks_decide_which_ms_is_first),
        TEST(test_a_call_of_the_ms_keeps_its_buffer),
        TEST(test_calls_in_the_cell_flush_its_buffers),
        TEST(test_calls_in_the_cell_that_hold),
        TEST(test_lifetimes_count_in_the_buffer_alone),
        TEST(test_r_is_the_radios_as_calls_leave_it),
        TEST(test_r_of_an_ms_is_of_the_slots_that_it_may_have),
        TEST(test_a_cells_measured_r_does_not_follow_the_load),
        TEST(test_few_blocks_are_no_reading),
        TEST(test_a_cells_measured_r_is_of_what_its_mss_can_use),
        TEST(test_repetitions_alone_leave_an_ms_its_r),
        TEST(test_a_cells_measured_r_counts_mss_that_take_turns),
        TEST(test_measured_r_counts_repetitions_and_control),
        TEST(test_an_mss_measured_r_is_its_share_of_the_slots),
        TEST(test_a_cells_measured_r_is_of_what_its_mss_need),
        TEST(test_an_mss_measured_r_is_of_its_own_coding),
        TEST(test_an_ms_keeps_its_coding_in_a_new_cell),
        TEST(test_r_0_for_each_ms_without_a_channel),
        TEST(test_r_0_for_a_cell_all_of_whose_mss_have_none),
        TEST(test_radio_status_for_each_ms_without_a_channel),
        TEST(test_a_cell_change_leaves_the_air),
        TEST(test_a_suspended_ms_has_no_channel_in_a_new_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
