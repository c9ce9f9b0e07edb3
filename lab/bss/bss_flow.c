// Flow control of a cell as a BSS says it (TS 48.018 8.2.3): FLOW-CONTROL-BVC at once after a reset
// and then each C, at most once in C, and repeated after C without an acknowledgement. R = 0 says
// only that a channel was taken away.
#include "lab/bss/bss_value.h"

#define DELAY_STEP_MS 10u

static struct bss_said cell_values(struct bss_cell *cell)
{
    const struct bss_cell_config *config = &cell->config;
    if (cell->follows)
        return cell->traced;
    uint64_t r = bss_value_cell_r(cell), own = bss_value_ms_r(cell);
    struct bss_said v = {.r_bit_per_s = r, .ms_r_bit_per_s = own};
    v.bmax_octets = bss_value_larger(
        config->bmax_octets ? config->bmax_octets : bss_value_octets(r, config->bmax_ns), 1);
    v.ms_bmax_octets = bss_value_ms_bmax(cell, own);
    if ((cell->no_channel || cell->without_channels) &&
        cell->bss->config.preemption == BSS_PREEMPTION_FLOW_BVC)
        v.r_bit_per_s = 0;
    return v;
}

static uint32_t mean_delay_ms(struct bss_cell *cell)
{
    uint64_t ms = cell->delays ? cell->delay_ns / cell->delays / MS_IN_NS : 0;
    cell->delay_ns = cell->delays = 0;
    if (ms >= BSSGP_LIFETIME_INFINITE_MS)
        ms = BSSGP_LIFETIME_INFINITE_MS - DELAY_STEP_MS;
    return (uint32_t)(ms / DELAY_STEP_MS * DELAY_STEP_MS);
}

static void send_cell(struct bss_cell *cell, const struct bss_said *values, uint64_t now_ns)
{
    struct bss *bss = cell->bss;
    struct bssgp_flow_control_bvc pdu = {0};
    pdu.granularity = bss_value_granularity(
        bss, bss_value_larger(bss_value_larger(values->r_bit_per_s, values->bmax_octets),
                              bss_value_larger(values->ms_r_bit_per_s, values->ms_bmax_octets)));
    pdu.has_granularity = pdu.granularity > 0;
    pdu.r_bit_per_s = bss_value_rounded(values->r_bit_per_s, pdu.granularity);
    pdu.bmax_octets = bss_value_rounded(values->bmax_octets, pdu.granularity);
    pdu.r_default_bit_per_s = bss_value_rounded(values->ms_r_bit_per_s, pdu.granularity);
    pdu.bmax_default_octets = bss_value_rounded(values->ms_bmax_octets, pdu.granularity);
    pdu.has_full_percent = bss_cbl(bss);
    pdu.full_percent = bss_value_full(cell->traffic.held[BSS_DOWN].octets, pdu.bmax_octets);
    pdu.has_measured_delay_ms = cell->config.flow_measurement;
    pdu.measured_delay_ms = mean_delay_ms(cell);
    bss_said_say(&cell->said, values, now_ns);
    pdu.tag = cell->said.tag;
    bss_send(bss, cell->config.bvci, BSSGP_FLOW_CONTROL_BVC_TYPE, &pdu, now_ns);
}

static bool needs_timer(const struct bss_cell *cell)
{
    const struct bss_cell_config *config = &cell->config;
    bool may_change = config->flow_measured || (cell->radio && config->r_bit_per_s == 0);
    return config->flow_repeat || may_change || !cell->said.acknowledged;
}

static void fire_cell(void *self, uint64_t now_ns)
{
    struct bss_cell *cell = self;
    if (cell->state != BSS_CELL_UP)
        return;
    bss_meter_read_cell(cell, now_ns);
    struct bss_said values = cell_values(cell);
    if (cell->config.flow_repeat || !cell->said.acknowledged ||
        !bss_said_same(&values, &cell->said))
        send_cell(cell, &values, now_ns);
    if (needs_timer(cell))
        engine_set(cell->bss->engine, &cell->flow, now_ns + cell->config.flow_interval_ns);
}

void bss_flow_init(struct bss_cell *cell)
{
    engine_timer_init(&cell->flow, fire_cell, cell);
}

void bss_flow_follow(struct bss_cell *cell, const struct bss_said *values, uint64_t now_ns)
{
    cell->traced = *values;
    cell->follows = true;
    if (cell->bss->config.ns != BSS_NS_MANUAL)
        fire_cell(cell, now_ns);
}

void bss_flow_begin(struct bss_cell *cell, uint64_t now_ns)
{
    cell->said.ever = cell->said.acknowledged = false;
    fire_cell(cell, now_ns);
}

void bss_flow_end(struct bss_cell *cell)
{
    engine_cancel(cell->bss->engine, &cell->flow);
    for (struct bss_buffer *buffer = cell->buffers; buffer; buffer = buffer->of_cell_next) {
        engine_cancel(cell->bss->engine, &buffer->flow);
        buffer->said = (struct bss_said){.tag = buffer->said.tag};
    }
}

void bss_flow_ack(struct bss_cell *cell, uint8_t tag, uint64_t now_ns)
{
    struct bss *bss = cell->bss;
    if (!cell->said.ever || cell->said.acknowledged || tag != cell->said.tag) {
        bss->counters.late++;
        return;
    }
    cell->said.acknowledged = true;
    if (cell->told_up)
        return;
    cell->told_up = true;
    if (bss->owner.up)
        bss->owner.up(bss->owner.self, cell, now_ns);
}

// ---- Channels ----

void bss_flow_soon(struct engine *engine, struct engine_timer *timer, const struct bss_said *said,
                   uint64_t interval_ns, uint64_t now_ns)
{
    uint64_t least_ns = said->at_ns + interval_ns;
    engine_set(engine, timer, said->ever && least_ns > now_ns ? least_ns : now_ns);
}

// A channel was taken away, or is back.
void bss_flow_channel(struct bss_cell *cell, struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss *bss = cell->bss;
    uint64_t interval_ns = cell->config.flow_interval_ns;
    if (bss->config.ns == BSS_NS_MANUAL || cell->state != BSS_CELL_UP)
        return;
    if (bss->config.preemption == BSS_PREEMPTION_FLOW_BVC && !buffer)
        bss_flow_soon(bss->engine, &cell->flow, &cell->said, interval_ns, now_ns);
    else if (bss->config.preemption == BSS_PREEMPTION_FLOW_MS && buffer)
        bss_flow_soon(bss->engine, &buffer->flow, &buffer->said, interval_ns, now_ns);
}
