// BVCs at the BSS (TS 48.018 8.3, 8.4). Once an NS-VC is up BVCI 0 is reset, which agrees on the
// features, then each cell; a cell that is reset is up, and says its flow control at once. A
// BVC-RESET that crosses the SGSN's is acknowledged by it (8.4.3). Resets are repeated for ever.
#include "lab/bss/bss_parts.h"

#define CAUSE_BVCI_UNKNOWN 0x05
#define CAUSE_O_AND_M      0x08
#define IN_ERROR_OCTETS    64 // a BVC-RESET

#define FEATURE_PFC     0x01
#define FEATURE_CBL     0x02
#define FEATURE_INR     0x04
#define FEATURE_PFC_FC  0x20
#define FEATURE_GIGABIT 0x02 // of the extended bitmap

static uint8_t offered(const struct bss_config *config)
{
    return (uint8_t)((config->pfc ? FEATURE_PFC : 0) | (config->cbl ? FEATURE_CBL : 0) |
                     (config->inr ? FEATURE_INR : 0) | (config->pfc_fc ? FEATURE_PFC_FC : 0));
}

static uint8_t offered_extended(const struct bss_config *config)
{
    return config->gigabit ? FEATURE_GIGABIT : 0;
}

// ---- A cell ----

static void set_timer(struct bss_cell *cell, uint64_t ns, uint64_t now_ns)
{
    engine_set(cell->bss->engine, &cell->timer, now_ns + ns);
}

static void send_reset(struct bss_cell *cell, uint64_t now_ns)
{
    struct bssgp_bvc_reset pdu = {.bvci = cell->config.bvci,
                                  .cause = CAUSE_O_AND_M,
                                  .has_cell = true,
                                  .cell = cell->config.identity};
    bss_send(cell->bss, 0, BSSGP_BVC_RESET_TYPE, &pdu, now_ns);
    set_timer(cell, cell->bss->config.t2_ns, now_ns);
}

static void empty(struct bss_cell *cell, uint64_t now_ns)
{
    bss_flow_end(cell);
    for (struct bss_buffer *buffer = cell->buffers, *next; buffer; buffer = next) {
        next = buffer->of_cell_next;
        bss_buffer_lose_all(buffer, BSS_LOST_reset, now_ns);
        bss_pfc_forget(buffer);
        bss_buffer_free_idle(buffer, now_ns);
    }
    cell->told_up = false;
}

static void begin_reset(struct bss_cell *cell, uint64_t now_ns)
{
    empty(cell, now_ns);
    cell->state = BSS_CELL_RESETTING;
    send_reset(cell, now_ns);
}

static void come_up(struct bss_cell *cell, uint64_t now_ns)
{
    engine_cancel(cell->bss->engine, &cell->timer);
    cell->state = BSS_CELL_UP;
    if (cell->bss->config.ns != BSS_NS_MANUAL) {
        bss_flow_begin(cell, now_ns);
        return;
    }
    cell->told_up = true;
    if (cell->bss->owner.up)
        cell->bss->owner.up(cell->bss->owner.self, cell, now_ns);
}

void bss_cell_reset(struct bss *bss, struct bss_cell *cell, uint64_t now_ns)
{
    if (bss->signalling_up && bss->config.ns != BSS_NS_MANUAL)
        begin_reset(cell, now_ns);
}

static void send_block(struct bss_cell *cell, uint64_t now_ns)
{
    struct bssgp_bvc_block pdu = {.bvci = cell->config.bvci, .cause = cell->cause};
    bss_send(cell->bss, 0, BSSGP_BVC_BLOCK_TYPE, &pdu, now_ns);
    set_timer(cell, cell->bss->config.t1_ns, now_ns);
}

static void send_unblock(struct bss_cell *cell, uint64_t now_ns)
{
    bss_send(cell->bss, 0, BSSGP_BVC_UNBLOCK_TYPE,
             &(struct bssgp_bvc_unblock){.bvci = cell->config.bvci}, now_ns);
    set_timer(cell, cell->bss->config.t1_ns, now_ns);
}

void bss_cell_block(struct bss *bss, struct bss_cell *cell, uint8_t cause, uint64_t now_ns)
{
    if (cell->state != BSS_CELL_UP || bss->config.ns == BSS_NS_MANUAL)
        return;
    cell->state = BSS_CELL_BLOCKING;
    cell->cause = cause;
    cell->tries = 0;
    send_block(cell, now_ns);
}

void bss_cell_unblock(struct bss *bss, struct bss_cell *cell, uint64_t now_ns)
{
    (void)bss;
    if (cell->state != BSS_CELL_BLOCKED && cell->state != BSS_CELL_BLOCKING)
        return;
    cell->state = BSS_CELL_UNBLOCKING;
    cell->tries = 0;
    send_unblock(cell, now_ns);
}

// T2, or T1. Without an answer to BVC-BLOCK the cell counts as blocked, to BVC-UNBLOCK as up.
static void fire(void *self, uint64_t now_ns)
{
    struct bss_cell *cell = self;
    struct bss_counters *counters = &cell->bss->counters;
    if (cell->state == BSS_CELL_RESETTING) {
        counters->retries++;
        send_reset(cell, now_ns);
    } else if (cell->tries == cell->bss->config.retries) {
        counters->timeouts++;
        cell->state = cell->state == BSS_CELL_BLOCKING ? BSS_CELL_BLOCKED : BSS_CELL_UP;
        if (cell->state == BSS_CELL_UP)
            bss_flow_begin(cell, now_ns);
    } else {
        cell->tries++;
        counters->retries++;
        (cell->state == BSS_CELL_BLOCKING ? send_block : send_unblock)(cell, now_ns);
    }
}

void bss_bvc_init_cell(struct bss_cell *cell)
{
    engine_timer_init(&cell->timer, fire, cell);
}

// ---- BVCI 0 ----

static void send_reset_0(struct bss *bss, uint64_t now_ns)
{
    struct bssgp_bvc_reset pdu = {.bvci = 0, .cause = CAUSE_O_AND_M};
    pdu.features = offered(&bss->config);
    pdu.extended_features = offered_extended(&bss->config);
    pdu.has_features = pdu.features || pdu.extended_features;
    pdu.has_extended_features = pdu.extended_features != 0;
    bss_send(bss, 0, BSSGP_BVC_RESET_TYPE, &pdu, now_ns);
    engine_set(bss->engine, &bss->t2, now_ns + bss->config.t2_ns);
}

static void fire_t2(void *self, uint64_t now_ns)
{
    struct bss *bss = self;
    bss->counters.retries++;
    send_reset_0(bss, now_ns);
}

void bss_bvc_init(struct bss *bss)
{
    engine_timer_init(&bss->t2, fire_t2, bss);
}

static void take_down(struct bss *bss, uint64_t now_ns)
{
    bss->signalling_up = false;
    for (struct bss_cell *cell = bss->cells; cell; cell = cell->next) {
        empty(cell, now_ns);
        engine_cancel(bss->engine, &cell->timer);
        cell->state = BSS_CELL_DOWN;
    }
}

void bss_bvc_ns_up(struct bss *bss, uint64_t now_ns)
{
    if (!bss->fresh)
        return;
    bss->fresh = false;
    if (bss->config.ns == BSS_NS_MANUAL) {
        bss->signalling_up = true;
        bss->features = bss->extended = 0;
        for (struct bss_cell *cell = bss->cells; cell; cell = cell->next)
            come_up(cell, now_ns);
        return;
    }
    take_down(bss, now_ns);
    bss->resetting = true;
    send_reset_0(bss, now_ns);
}

static void signalling_up(struct bss *bss, uint8_t theirs, uint8_t theirs_extended, uint64_t now_ns)
{
    engine_cancel(bss->engine, &bss->t2);
    bss->resetting = false;
    bss->signalling_up = true;
    bss->features = offered(&bss->config) & theirs;
    bss->extended = offered_extended(&bss->config) & theirs_extended;
    for (struct bss_cell *cell = bss->cells; cell; cell = cell->next)
        begin_reset(cell, now_ns);
}

// ---- What comes ----

static struct bss_cell *cell_of(struct bss *bss, uint16_t bvci, const char *name, uint64_t now_ns)
{
    struct bss_cell *cell = bss_cell_find(bss, bvci);
    if (!cell)
        bss_fault(bss, name, "names an unknown BVC", 0, now_ns);
    return cell;
}

static void take_reset_0(struct bss *bss, const struct bssgp_bvc_reset *pdu, uint64_t now_ns)
{
    struct bssgp_bvc_reset_ack ack = {.bvci = 0};
    ack.has_features = pdu->has_features;
    ack.features = offered(&bss->config);
    ack.has_extended_features = pdu->has_extended_features;
    ack.extended_features = offered_extended(&bss->config);
    take_down(bss, now_ns);
    bss_send(bss, 0, BSSGP_BVC_RESET_ACK_TYPE, &ack, now_ns);
    signalling_up(bss, pdu->has_features ? pdu->features : 0,
                  pdu->has_extended_features ? pdu->extended_features : 0, now_ns);
}

// The values of flow control follow the acknowledgement (8.2.3.6).
static void take_reset(struct bss *bss, const struct bssgp_bvc_reset *pdu, uint64_t now_ns)
{
    if (pdu->bvci == 0) {
        take_reset_0(bss, pdu, now_ns);
        return;
    }
    struct bss_cell *cell = cell_of(bss, pdu->bvci, "BVC-RESET", now_ns);
    if (!cell) {
        uint8_t b[IN_ERROR_OCTETS];
        int octets = bssgp_bvc_reset_encode(pdu, b, sizeof b);
        struct octets in_error = {b, octets < 0 ? 0 : (uint32_t)octets};
        bss_status(bss, NULL, CAUSE_BVCI_UNKNOWN, &pdu->bvci, in_error, now_ns);
        return;
    }
    struct bssgp_bvc_reset_ack ack = {
        .bvci = pdu->bvci, .has_cell = true, .cell = cell->config.identity};
    empty(cell, now_ns);
    bss_send(bss, 0, BSSGP_BVC_RESET_ACK_TYPE, &ack, now_ns);
    come_up(cell, now_ns);
}

static void take_reset_ack(struct bss *bss, const struct bssgp_bvc_reset_ack *pdu, uint64_t now_ns)
{
    if (pdu->bvci == 0) {
        if (bss->resetting)
            signalling_up(bss, pdu->has_features ? pdu->features : 0,
                          pdu->has_extended_features ? pdu->extended_features : 0, now_ns);
        else
            bss->counters.late++;
        return;
    }
    struct bss_cell *cell = cell_of(bss, pdu->bvci, "BVC-RESET-ACK", now_ns);
    if (cell && cell->state == BSS_CELL_RESETTING)
        come_up(cell, now_ns);
    else if (cell)
        bss->counters.late++;
}

static void take_block_ack(struct bss *bss, struct bss_cell *cell, enum bss_cell_state from,
                           enum bss_cell_state to, uint64_t now_ns)
{
    if (cell->state != from) {
        bss->counters.late++;
        return;
    }
    engine_cancel(bss->engine, &cell->timer);
    cell->state = to;
    if (to == BSS_CELL_UP)
        bss_flow_begin(cell, now_ns);
}

void bss_bvc_input(struct bss *bss, uint8_t type, const union wire_any *pdu, uint64_t now_ns)
{
    struct bss_cell *cell;
    if (bss->config.ns == BSS_NS_MANUAL)
        bss_fault(bss, bss->bssgp_pdu[type]->name, "the NSE has no signalling", 0, now_ns);
    else if (type == BSSGP_BVC_RESET_TYPE)
        take_reset(bss, &pdu->bssgp_bvc_reset, now_ns);
    else if (type == BSSGP_BVC_RESET_ACK_TYPE)
        take_reset_ack(bss, &pdu->bssgp_bvc_reset_ack, now_ns);
    else if (type == BSSGP_BVC_BLOCK_ACK_TYPE &&
             (cell = cell_of(bss, pdu->bssgp_bvc_block_ack.bvci, "BVC-BLOCK-ACK", now_ns)))
        take_block_ack(bss, cell, BSS_CELL_BLOCKING, BSS_CELL_BLOCKED, now_ns);
    else if (type == BSSGP_BVC_UNBLOCK_ACK_TYPE &&
             (cell = cell_of(bss, pdu->bssgp_bvc_unblock_ack.bvci, "BVC-UNBLOCK-ACK", now_ns)))
        take_block_ack(bss, cell, BSS_CELL_UNBLOCKING, BSS_CELL_UP, now_ns);
}
