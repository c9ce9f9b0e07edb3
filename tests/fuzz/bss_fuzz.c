// The lab's BSS under any row of octets from the SGSN, of moves, calls, channels and waits, all
// decoded from the input. The first octets choose how NS comes up and what the BSS does; then each
// step is one of `steps`. After each step the books balance, for the NSE and each cell.
#include <string.h>

#include "lab/bss/bss.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input.h"

#define STEPS_MAX 300 // bounds the work of an input
#define MSS       4
#define TLLI      0xc0000000u
#define MS_NS     1000000ULL

static struct {
    struct engine *engine;
    struct bss *bss;
    struct bss_cell *cell[2];
    struct bss_ms *ms[MSS];
} f;

static uint64_t now(void)
{
    return engine_now_ns(f.engine);
}

// ---- The owner ----

static void send(void *self, uint32_t nsvc, const uint8_t *ns, uint32_t octets, uint64_t now_ns)
{
    (void)self, (void)now_ns;
    CHECK(nsvc < 2 && octets > 0);
    uint8_t *copy = malloc(octets); // a sanitizer reads it all
    memcpy(copy, ns, octets);
    free(copy);
}

static void deliver(void *self, struct bss_ms *ms, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns)
{
    (void)self;
    CHECK(octets > 0);
    if (llc[0] & 1)
        bss_up(ms, llc, octets, now_ns);
}

// ---- Books ----

static void add(struct bss_tally *sum, const struct bss_tally *more)
{
    sum->pdus += more->pdus;
    sum->octets += more->octets;
}

static void balance(const struct bss_traffic *t)
{
    struct bss_tally sum[BSS_WAYS] = {t->out[BSS_DOWN], t->out[BSS_UP]};
    for (int why = 0; why < BSS_LOSSES; why++)
        add(&sum[bss_loss_way((enum bss_loss)why)], &t->lost[why]);
    add(&sum[BSS_DOWN], &t->over);
    for (int way = 0; way < BSS_WAYS; way++) {
        add(&sum[way], &t->held[way]);
        CHECK(sum[way].pdus == t->in[way].pdus && sum[way].octets == t->in[way].octets);
    }
}

// ---- Steps ----

static void give(const uint8_t *b, uint32_t n)
{
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, b, n);
    bss_input(f.bss, input_octet() % 2, exact, n, now());
    free(exact);
}

static void any_octets(void)
{
    uint8_t b[256];
    uint32_t n = input_octet();
    for (uint32_t i = 0; i < n; i++)
        b[i] = (uint8_t)input_octet();
    give(b, n);
}

// An NS-UNITDATA of BVCI 0 or of a cell, its BSSGP PDU by the input.
static void any_bssgp(void)
{
    uint8_t b[256] = {0, 0, 0, (uint8_t)(input_octet() % 4)};
    uint32_t n = input_octet() % 200;
    for (uint32_t i = 0; i < n; i++)
        b[4 + i] = (uint8_t)input_octet();
    give(b, 4 + n);
}

// The answers that bring a BSS with ns = "reset" up, and those of each repetition.
static void good_answer(void)
{
    static const struct {
        uint8_t n, octets[16];
    } answers[] = {
        {9, {3, 1, 0x82, 0, 7, 4, 0x82, 0, 101}},
        {1, {0x0b}},
        {1, {7}},
        {12, {0, 0, 0, 0, 0x23, 4, 0x82, 0, 0, 0x3b, 0x81, 0xff}},
        {9, {0, 0, 0, 0, 0x23, 4, 0x82, 0, 2}},
        {9, {0, 0, 0, 0, 0x23, 4, 0x82, 0, 3}},
    };
    uint32_t i = input_octet() % (sizeof answers / sizeof answers[0]);
    give(answers[i].octets, answers[i].n);
}

static void unitdata(void)
{
    uint8_t b[700] = {0,
                      0,
                      0,
                      (uint8_t)(2 + input_octet() % 2),
                      0,
                      0xc0,
                      0,
                      0,
                      (uint8_t)(input_octet() % (MSS + 1)),
                      0,
                      0,
                      (uint8_t)input_octet(),
                      0x16,
                      0x82};
    b[14] = (uint8_t)(input_octet() % 8);
    b[15] = (uint8_t)input_octet();
    uint32_t octets = 1 + input_word() % 600;
    b[16] = 0x0e;
    b[17] = (uint8_t)(octets >> 8);
    b[18] = (uint8_t)octets;
    b[19] = (uint8_t)input_octet();
    give(b, 19 + octets);
}

static void wait(void)
{
    CHECK(engine_run(f.engine, now() + (input_word() % 4000) * MS_NS, NULL, NULL) == 0);
}

static void ms_step(void)
{
    uint32_t i = input_octet() % MSS, what = input_octet() % 12;
    struct bss_ms *ms = f.ms[i];
    struct bss_cell *cell = f.cell[input_octet() % 2];
    struct bss_identity identity = {.tlli = TLLI + i};
    if (!ms)
        f.ms[i] = bss_enter(f.bss, cell, &identity, NULL, now());
    else if (what == 0)
        bss_leave(ms, now()), f.ms[i] = NULL;
    else if (what < 4)
        bss_move(ms, cell, now());
    else if (what < 6)
        (bss_ms_is_suspended(ms) ? bss_resume : bss_suspend)(ms, now());
    else if (what == 6)
        bss_reach(ms, input_octet() % 2, now());
    else if (what == 7)
        bss_pfc_modify(f.bss, ms, (uint8_t)(input_octet() % 12), 8000 * input_octet(), now());
    else if (what == 8)
        bss_pfc_delete(f.bss, ms, (uint8_t)(input_octet() % 12), 10, now());
    else if (what == 9)
        bss_ra_capability_update(f.bss, ms, now());
    else if (what == 10)
        bss_radio_status(f.bss, ms, (uint8_t)input_octet(), now());
    else if (!bss_cell_radio(bss_ms_cell(ms)))
        bss_channel(f.bss, bss_ms_cell(ms), ms, input_octet() % 2, now());
}

static void cell_step(void)
{
    struct bss_cell *cell = f.cell[input_octet() % 2];
    uint32_t what = input_octet() % 4;
    if (what == 0)
        bss_cell_reset(f.bss, cell, now());
    else if (what == 1)
        bss_cell_block(f.bss, cell, 8, now());
    else if (what == 2)
        bss_cell_unblock(f.bss, cell, now());
    else if (bss_cell_radio(cell))
        radio_set_slots(bss_cell_radio(cell), input_octet() % 3, now());
    else
        bss_channel(f.bss, cell, NULL, input_octet() % 2, now());
}

static void (*const steps[])(void) = {any_octets,  any_bssgp, any_bssgp, good_answer,
                                      good_answer, unitdata,  unitdata,  wait,
                                      wait,        ms_step,   ms_step,   cell_step};

// ---- The beginning ----

static void configure(struct bss_config *config, struct bss_cell_config *cell)
{
    uint32_t features = input_octet();
    bss_config_standard(config);
    bss_cell_config_standard(cell);
    config->nsei = 101;
    config->ns = (uint8_t)(input_octet() % 4);
    config->pfc = features & 1;
    config->cbl = features & 2;
    config->pfc_fc = config->pfc_download = cell->flow_pfc = features & 4;
    config->gigabit = features & 8;
    config->gather_ns = features & 16 ? 700 * MS_NS : 0;
    config->tell_radio_losses = features & 32;
    config->absent_ns = features & 64 ? 900 * MS_NS : 0;
    config->preemption = input_octet() % 4;
    config->flush = input_octet() % 3;
    config->pfc_answer = input_octet() % 4;
    cell->rate_bit_per_s = input_octet() * 1000u;
    cell->ms_pdus = input_octet() % 8;
    cell->priority = input_octet() % 4;
    cell->flow_ms = input_octet() % 3;
    cell->codel_target_ns = features & 128 ? 50 * MS_NS : 0;
    cell->codel_interval_ns = 200 * MS_NS;
}

static void begin(void)
{
    const struct bss_owner owner = {.send = send, .deliver = deliver};
    struct bss_config config;
    struct bss_cell_config cell;
    configure(&config, &cell);
    f.engine = engine_create();
    f.bss = bss_create(&config, &owner, f.engine);
    for (uint16_t i = 0; i < 2; i++) {
        struct bss_nsvc_config nsvc = {
            .nsvci = (uint16_t)(7 + i), .port = 23000, .signalling_weight = 1, .data_weight = 1};
        nsvc.address.octet[10] = nsvc.address.octet[11] = 0xff;
        bss_add_nsvc(f.bss, &nsvc);
        cell.bvci = (uint16_t)(2 + i);
        cell.identity = (struct bssgp_area){.mcc = 262, .mnc = 42, .mnc_digits = 2, .ci = i};
        f.cell[i] = bss_add_cell(f.bss, &cell);
    }
    if (input_octet() % 2) {
        struct radio_config radio;
        radio_config_standard(&radio);
        bss_cell_add_radio(f.cell[1], &radio, 1);
    }
    bss_start(f.bss, now());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_begin(data, size);
    memset(&f, 0, sizeof f);
    begin();
    for (uint32_t i = 0; i < STEPS_MAX && input_left(); i++) {
        steps[input_octet() % (sizeof steps / sizeof steps[0])]();
        balance(&bss_counters(f.bss)->traffic);
        balance(bss_cell_traffic(f.cell[0]));
        balance(bss_cell_traffic(f.cell[1]));
    }
    bss_destroy(f.bss);
    engine_destroy(f.engine);
    return 0;
}
