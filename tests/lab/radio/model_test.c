// The radio against the plain model (model.h) in random small worlds: the same PDUs arrive and are
// lost, for the same reasons and at the same nanosecond, and the counts agree.
#include "tests/lab/radio/model.h"

#define OPS    200
#define WORLDS 400

enum op_kind {
    OP_DOWN,
    OP_UP,
    OP_CALLS,
    OP_CALLS_END,
    OP_MS_CALL,
    OP_MS_CALL_END,
    OP_SLOTS,
    OP_FLUSH
};

// before: at its instant it comes before the radio's own work; else after it.
struct op {
    struct engine_timer timer;
    uint64_t at_ns;
    enum op_kind kind;
    uint32_t ms, octets, count, way;
    bool before;
};

static struct op ops[OPS];

static void apply(struct op *op)
{
    struct radio *radio = cell.radio;
    uint64_t now_ns = cell_now();
    model_run(now_ns, !op->before);
    switch (op->kind) {
    case OP_DOWN:
        cell_down(op->ms, op->octets);
        model_down(op->ms, op->octets);
        break;
    case OP_UP:
        cell_up(op->ms, op->octets);
        model_up(op->ms, op->octets);
        break;
    case OP_CALLS:
        radio_preempt(radio, op->count, now_ns);
        model_set_slots(model.slots, model.taken + op->count);
        break;
    case OP_CALLS_END:
        radio_release(radio, model.taken, now_ns);
        model_set_slots(model.slots, 0);
        break;
    case OP_MS_CALL:
        radio_preempt_ms(radio, op->ms, now_ns);
        model_call(op->ms, true);
        break;
    case OP_MS_CALL_END:
        if (model.calls[op->ms] == 0)
            break;
        radio_release_ms(radio, op->ms, now_ns);
        model_call(op->ms, false);
        break;
    case OP_SLOTS:
        radio_set_slots(radio, op->count, now_ns);
        model_set_slots(op->count, model.taken);
        break;
    case OP_FLUSH:
        radio_flush(radio, op->ms, op->way, RADIO_LOSS_flushed, now_ns);
        model_flush(op->ms, op->way);
        break;
    }
    cell_check();
}

static void fire_op(void *self, uint64_t now_ns)
{
    (void)now_ns;
    apply(self);
}

static enum op_kind random_kind(bool calls)
{
    static const enum op_kind rare[] = {OP_CALLS, OP_CALLS_END, OP_CALLS_END,
                                        OP_SLOTS, OP_MS_CALL,   OP_MS_CALL_END,
                                        OP_FLUSH, OP_CALLS,     OP_MS_CALL_END};
    if (calls && random_in(0, 9) == 0)
        return rare[random_next() % 9];
    return random_next() % 3 ? OP_DOWN : OP_UP;
}

// Bursts and gaps; half of the times on the grid of periods.
static void make_ops(uint32_t mss, bool calls)
{
    uint64_t period_ns = cell.config.period_ns, at_ns = 1;
    for (uint32_t i = 0; i < OPS; i++) {
        uint64_t kind = random_next() % 4;
        if (kind)
            at_ns += random_next() % (kind == 1 ? 3 * S_IN_NS : kind == 2 ? 5 * period_ns : MS(3));
        if (random_next() % 2)
            at_ns = (at_ns + period_ns - 1) / period_ns * period_ns;
        ops[i] = (struct op){.at_ns = at_ns,
                             .kind = random_kind(calls),
                             .ms = random_next() % mss,
                             .octets = random_next() % 4 ? (uint32_t)random_in(1, 300) : 1500,
                             .count = (uint32_t)random_in(0, 4),
                             .way = random_next() % 2,
                             .before = random_next() % 2};
    }
    for (uint32_t i = 1; i < OPS; i++) // at one instant, those before the radio's work come first
        if (ops[i].at_ns == ops[i - 1].at_ns)
            ops[i].before &= ops[i - 1].before;
}

static uint64_t pick_ms(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t all[] = {0, a, b, c};
    return MS(all[random_next() % 4]);
}

static void random_config(uint32_t mss)
{
    uint64_t least_octets = mss < 3 ? 8 : 2; // so that MODEL_BLOCKS suffice
    cell_config();
    struct radio_config *c = &cell.config;
    bool coded = random_next() % 3;
    c->slots = (uint32_t)random_in(1, 6);
    c->down_coding = coded ? (uint32_t)random_in(1, RADIO_CODINGS - 1) : 0;
    c->up_coding = coded ? (uint32_t)random_in(1, RADIO_CODINGS - 1) : 0;
    c->period_ns = coded ? MS(20) : MS(random_in(1, 40));
    c->down_rate_bit_per_s = random_in(1000, 200000);
    c->up_rate_bit_per_s = random_in(1000, 200000);
    c->down_pdu_octets = random_in(least_octets, 200);
    c->up_pdu_octets = random_in(least_octets, 200);
    c->round_trip_ns = c->period_ns + pick_ms(15, 100, 400);
    c->down_slots = (uint32_t)random_in(0, 4);
    c->up_slots = (uint32_t)random_in(0, 4);
    c->down_window = (uint32_t)random_in(1, 40);
    c->up_window = (uint32_t)random_in(1, 40);
    c->down_bler_ppm = random_next() % 3 ? (uint32_t)random_in(0, 500000) : 0;
    c->up_bler_ppm = random_next() % 3 ? (uint32_t)random_in(0, 500000) : 0;
    c->down_control_ppm = random_next() % 2 ? (uint32_t)random_in(0, 300000) : 0;
    c->up_control_ppm = random_next() % 2 ? (uint32_t)random_in(0, 300000) : 0;
    c->down_setup_ns = pick_ms(20, 130, 2000);
    c->up_setup_ns = pick_ms(20, 130, 2000);
    c->down_setup_beside_ns = pick_ms(20, 30, 60);
    c->up_setup_beside_ns = pick_ms(20, 30, 60);
    c->down_release_ns = pick_ms(40, 333, 1000);
    c->up_release_ns = pick_ms(40, 333, 1000);
    c->hold_taken_ns = pick_ms(1, 700, 2500);
    c->resume = random_next() % 2;
    c->up_buffer_octets = random_next() % 2 ? random_in(1, 6000) : 0;
    c->up_reaction_ns = random_next() % 2 ? random_in(0, MS(70)) : 0;
    c->up_discard_ns = pick_ms(50, 500, 2500);
    c->order = random_next() % 2;
}

// By codings.def.
static const uint32_t octets[RADIO_CODINGS] = {0,  20, 30, 36, 50, 22, 28,
                                               37, 44, 56, 74, 56, 68, 74};

#define MODEL_LAW(config, way)                                                                  \
    (struct model_laws)                                                                         \
    {                                                                                           \
        .octets = octets[config.way##_coding] ? octets[config.way##_coding]                     \
                                              : (uint32_t)config.way##_pdu_octets,              \
        .blocks = config.way##_coding > RADIO_CODING_MCS6 ? 2 : 1, .slots = config.way##_slots, \
        .window = config.way##_window, .bler_ppm = config.way##_bler_ppm,                       \
        .control_ppm = config.way##_control_ppm,                                                \
        .rate = config.way##_coding ? 0 : config.way##_rate_bit_per_s,                          \
        .setup_ns = config.way##_setup_ns, .beside_ns = config.way##_setup_beside_ns,           \
        .release_ns = config.way##_release_ns                                                   \
    }

// ---- MSs with keys of their own, and with walks ----

static struct radio_walk_row rows[MODEL_MSS][MODEL_STEPS];
static struct radio_walk walks[MODEL_MSS];

// Half of the times are the start of a period.
static void random_walk(uint32_t ms)
{
    bool cs = random_next() % 2;
    uint64_t at_ns = random_in(0, MS(500)), period_ns = cell.config.period_ns;
    uint32_t steps = (uint32_t)random_in(1, MODEL_STEPS);
    walks[ms] = (struct radio_walk){rows[ms], steps, steps};
    model.steps[ms] = steps;
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t coding = (uint32_t)(cs ? random_in(RADIO_CODING_CS1, RADIO_CODING_CS4)
                                        : random_in(RADIO_CODING_MCS1, RADIO_CODING_MCS9));
        uint32_t bler_ppm = random_next() % 3 ? (uint32_t)random_in(0, 500000) : 0;
        if (random_next() % 2)
            at_ns = (at_ns + period_ns - 1) / period_ns * period_ns;
        rows[ms][i] = (struct radio_walk_row){at_ns, coding, bler_ppm};
        model.step[ms][i] = (struct model_step){at_ns, octets[coding],
                                                coding > RADIO_CODING_MCS6 ? 2 : 1, bler_ppm};
        at_ns += random_in(1, random_next() % 2 ? MS(200) : MS(20000));
    }
}

// Those of one way of a model's MS; in a cell that is a rate the blocks are the cell's.
#define SET_OWN(ms, config, way, WAY)                    \
    do {                                                 \
        model.own[ms][WAY] = MODEL_LAW(config, way);     \
        of_a_rate(&model.own[ms][WAY], &model.law[WAY]); \
    } while (0)

static void of_a_rate(struct model_laws *own, const struct model_laws *cell_law)
{
    own->rate = cell_law->rate;
    if (own->rate) {
        own->octets = cell_law->octets;
        own->blocks = 1;
    }
}

// A half of the MSs have keys of their own, and a half of those walk.
static void add_ms(uint32_t ms)
{
    struct radio_config c = cell.config;
    bool has = random_next() % 2;
    if (has) {
        c.down_coding = (uint32_t)random_in(1, RADIO_CODINGS - 1);
        c.up_coding = (uint32_t)random_in(1, RADIO_CODINGS - 1);
        c.down_slots = (uint32_t)random_in(0, 4);
        c.up_slots = (uint32_t)random_in(0, 4);
        c.down_window = (uint32_t)random_in(1, 40);
        c.up_window = (uint32_t)random_in(1, 40);
        c.down_bler_ppm = random_next() % 3 ? (uint32_t)random_in(0, 500000) : 0;
        c.up_bler_ppm = random_next() % 3 ? (uint32_t)random_in(0, 500000) : 0;
        c.down_setup_ns = pick_ms(20, 130, 2000);
        c.up_setup_beside_ns = pick_ms(20, 30, 60);
        c.down_release_ns = pick_ms(40, 333, 1000);
        c.up_release_ns = pick_ms(40, 333, 1000);
    }
    struct radio_own own = cell_own(&c);
    SET_OWN(ms, c, down, RADIO_DOWN);
    SET_OWN(ms, c, up, RADIO_UP);
    if (has && random_next() % 2) {
        random_walk(ms);
        own.walk = &walks[ms];
    }
    assert_int_equal(radio_add_ms(cell.radio, ms, has ? &own : NULL), ms);
}

static void expect_same_use(uint32_t way)
{
    struct radio_use ours = radio_cell_use(cell.radio, way);
    assert_memory_equal(&ours, &model.use[way], sizeof ours);
    for (uint32_t ms = 0; ms < model.mss; ms++) {
        ours = radio_ms_use(cell.radio, ms, way);
        assert_memory_equal(&ours, &model.tbf[ms][way].use, sizeof ours);
    }
}

static void expect_same(uint32_t from)
{
    for (uint32_t i = from; i < cell.logs && i < model.logs; i++)
        if (memcmp(&cell.log[i], &model.log[i], sizeof cell.log[i]) != 0) {
            const struct cell_log *a = &cell.log[i], *b = &model.log[i];
            fail_msg("entry %u: radio at %.6f ms %u way %u number %u why %u; model at %.6f ms %u "
                     "way %u number %u why %u",
                     i, (double)a->now_ns / 1e6, a->ms, a->way, a->number, a->why,
                     (double)b->now_ns / 1e6, b->ms, b->way, b->number, b->why);
        }
    assert_int_equal(cell.logs, model.logs);
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        struct radio_counts ours = *radio_counts(cell.radio, way);
        ours.held = (struct radio_amount){0};
        assert_memory_equal(&ours, &model.counts[way], sizeof ours);
        expect_same_use(way);
    }
}

// What all worlds together came to, in both ways.
static uint64_t arrived, lost[RADIO_LOSSES], again, stalls, tbfs, control, idle,
    events[RADIO_UP_OPEN + 1];

static void note_cover(void)
{
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        const struct radio_counts *c = &model.counts[way];
        arrived += c->out.packets;
        again += c->blocks_again;
        stalls += c->stalls;
        tbfs += c->tbfs;
        control += c->slots_control;
        for (uint32_t ms = 0; ms < model.mss; ms++)
            idle += model.tbf[ms][way].use.could - model.tbf[ms][way].use.slots;
        for (uint32_t why = 0; why < RADIO_LOSSES; why++)
            lost[why] += c->lost[why].packets;
    }
    for (uint32_t event = 0; event <= RADIO_UP_OPEN; event++)
        events[event] += cell.events[event];
}

// A comparison that saw nothing would agree.
static void expect_cover(void)
{
    assert_true(arrived > 20 * WORLDS && again > 20 * WORLDS && stalls > 20 * WORLDS);
    assert_true(tbfs > 20 * WORLDS && control > 20 * WORLDS && idle > 20 * WORLDS);
    assert_true(lost[RADIO_LOSS_preempted] > WORLDS / 4 && lost[RADIO_LOSS_flushed] > WORLDS / 4);
    assert_true(lost[RADIO_LOSS_up_full] > WORLDS && lost[RADIO_LOSS_up_late] > WORLDS);
    for (uint32_t event = 0; event <= RADIO_UP_OPEN; event++)
        assert_true(events[event] > WORLDS);
}

static void run_world(uint32_t world, uint64_t seed)
{
    uint32_t mss = (uint32_t)random_in(1, MODEL_MSS);
    random_config(mss);
    make_ops(mss, world % 4);
    cell.answers = cell.logs_events = true;
    cell_begin(0, seed);
    model_begin(&cell.config, mss, seed);
    model.law[RADIO_DOWN] = MODEL_LAW(cell.config, down);
    model.law[RADIO_UP] = MODEL_LAW(cell.config, up);
    for (uint32_t ms = 0; ms < mss; ms++)
        add_ms(ms);
    for (uint32_t i = 0; i < OPS; i++)
        if (ops[i].before) {
            engine_timer_init(&ops[i].timer, fire_op, &ops[i]);
            engine_set(cell.engine, &ops[i].timer, ops[i].at_ns);
        }
    for (uint32_t i = 0; i < OPS; i++) {
        uint32_t logs = cell.logs;
        cell_run(ops[i].at_ns);
        if (!ops[i].before)
            apply(&ops[i]);
        model_run(cell_now(), true);
        expect_same(logs < model.logs ? logs : model.logs);
    }
    cell_run(cell_now() + 30 * S_IN_NS);
    model_run(cell_now(), true);
    expect_same(0);
    note_cover();
    cell_end(mss);
}

static void test_random_worlds(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t world = 0; world < WORLDS; world++) {
        print_message("# world %u\n", world);
        run_world(world, world);
    }
    expect_cover();
    free(model.log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
