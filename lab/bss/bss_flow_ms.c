// Flow control of an MS and of its packet flows (TS 48.018 8.2.3.5 and on): FLOW-CONTROL-MS, or
// -PFC with the MS's values in it, while the MS has traffic, each C; and about a channel that was
// taken away.
#include "lab/bss/bss_value.h"

#define FEATURE_PFC_FC 0x20

static struct bss_said ms_values(struct bss_buffer *buffer)
{
    struct bss_cell *cell = buffer->cell;
    if (buffer->follows)
        return buffer->traced;
    bool measured = cell->config.flow_ms == BSS_FLOW_MS_MEASURED && buffer->meter.r_bit_per_s;
    uint64_t r = measured ? buffer->meter.r_bit_per_s : bss_value_ms_r(cell);
    struct bss_said v = {.r_bit_per_s = r, .bmax_octets = bss_value_ms_bmax(cell, r)};
    if ((buffer->no_channel || cell->no_channel) &&
        cell->bss->config.preemption == BSS_PREEMPTION_FLOW_MS)
        v.r_bit_per_s = 0;
    return v;
}

static void send_ms(struct bss_buffer *buffer, const struct bss_said *v, uint64_t now_ns)
{
    struct bss *bss = buffer->cell->bss;
    struct bssgp_flow_control_ms pdu = {.tlli = buffer->tlli};
    pdu.granularity = bss_value_granularity(bss, bss_value_larger(v->r_bit_per_s, v->bmax_octets));
    pdu.has_granularity = pdu.granularity > 0;
    pdu.r_bit_per_s = bss_value_rounded(v->r_bit_per_s, pdu.granularity);
    pdu.bmax_octets = bss_value_rounded(v->bmax_octets, pdu.granularity);
    pdu.has_full_percent = bss_cbl(bss);
    pdu.full_percent = bss_value_full(buffer->octets + buffer->air_octets, pdu.bmax_octets);
    bss_said_say(&buffer->said, v, now_ns);
    pdu.tag = buffer->said.tag;
    bss_send(bss, buffer->cell->config.bvci, BSSGP_FLOW_CONTROL_MS_TYPE, &pdu, now_ns);
}

// R of a packet flow is its guaranteed rate, or the MS's without one.
static struct bssgp_pfc_flow pfc_values(const struct bss_buffer *buffer, const struct bss_pfc *pfc,
                                        uint64_t r, uint8_t granularity)
{
    uint64_t gbr = pfc->abqp.has_gbr_down_bit_per_s ? pfc->abqp.gbr_down_bit_per_s : 0;
    struct bssgp_pfc_flow flow = {.pfi = pfc->pfi};
    uint64_t own = gbr && r ? gbr : r;
    flow.r_bit_per_s = bss_value_rounded(own, granularity);
    flow.bmax_octets = bss_value_rounded(bss_value_ms_bmax(buffer->cell, own), granularity);
    flow.has_full_percent = bss_cbl(buffer->cell->bss);
    flow.full_percent = bss_value_full(pfc->octets, flow.bmax_octets);
    return flow;
}

static void put_pfcs(struct bss_buffer *buffer, struct bssgp_flow_control_pfc *pdu)
{
    for (struct bss_pfc *pfc = buffer->pfcs; pfc && pdu->flows.n < BSSGP_PFC_FLOWS_MAX;
         pfc = pfc->next)
        if (pfc->state != BSS_PFC_ASKED)
            pdu->flows.item[pdu->flows.n++] =
                pfc_values(buffer, pfc, pdu->r_bit_per_s, pdu->granularity);
}

// With the MS's own values in the same PDU. An MS's first eleven packet flows are controlled.
static bool send_pfcs(struct bss_buffer *buffer, const struct bss_said *v, uint64_t now_ns)
{
    struct bss *bss = buffer->cell->bss;
    struct bssgp_flow_control_pfc pdu = {
        .tlli = buffer->tlli, .has_bmax_octets = true, .has_r_bit_per_s = true};
    pdu.granularity = bss_value_granularity(bss, bss_value_larger(v->r_bit_per_s, v->bmax_octets));
    pdu.has_granularity = pdu.granularity > 0;
    pdu.r_bit_per_s = bss_value_rounded(v->r_bit_per_s, pdu.granularity);
    pdu.bmax_octets = bss_value_rounded(v->bmax_octets, pdu.granularity);
    pdu.has_full_percent = bss_cbl(bss);
    pdu.full_percent = bss_value_full(buffer->octets + buffer->air_octets, pdu.bmax_octets);
    put_pfcs(buffer, &pdu);
    if (pdu.flows.n == 0)
        return false;
    bss_said_say(&buffer->said, v, now_ns);
    pdu.tag = buffer->said.tag;
    bss_send(bss, buffer->cell->config.bvci, BSSGP_FLOW_CONTROL_PFC_TYPE, &pdu, now_ns);
    return true;
}

static bool needs_saying(const struct bss_buffer *buffer, const struct bss_said *values)
{
    if (buffer->said.ever && (!buffer->said.acknowledged || !bss_said_same(values, &buffer->said)))
        return true;
    if (buffer->cell->config.flow_ms == BSS_FLOW_MS_NONE)
        return values->r_bit_per_s == 0 && !buffer->said.ever;
    return buffer->meter.moved || buffer->meter.busy;
}

static void fire_ms(void *self, uint64_t now_ns)
{
    struct bss_buffer *buffer = self;
    struct bss_cell *cell = buffer->cell;
    bss_meter_read_ms(buffer, now_ns);
    struct bss_said values = ms_values(buffer);
    if (!buffer->ms || cell->state != BSS_CELL_UP || !needs_saying(buffer, &values))
        return;
    buffer->meter.moved = false;
    bool pfcs = cell->config.flow_pfc && (cell->bss->features & FEATURE_PFC_FC);
    if (!pfcs || !send_pfcs(buffer, &values, now_ns))
        send_ms(buffer, &values, now_ns);
    engine_set(cell->bss->engine, &buffer->flow, now_ns + cell->config.flow_interval_ns);
}

void bss_flow_follow_ms(struct bss_buffer *buffer, const struct bss_said *values, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    buffer->traced = *values;
    buffer->follows = true;
    if (cell->state != BSS_CELL_UP || cell->bss->config.ns == BSS_NS_MANUAL)
        return;
    send_ms(buffer, values, now_ns);
    engine_set(cell->bss->engine, &buffer->flow, now_ns + cell->config.flow_interval_ns);
}

void bss_flow_init_buffer(struct bss_buffer *buffer)
{
    engine_timer_init(&buffer->flow, fire_ms, buffer);
}

void bss_flow_arrived(struct bss_buffer *buffer, uint64_t now_ns)
{
    const struct bss_cell *cell = buffer->cell;
    if (buffer->ms && cell->config.flow_ms != BSS_FLOW_MS_NONE &&
        cell->bss->config.ns != BSS_NS_MANUAL && !engine_timer_is_set(&buffer->flow))
        bss_flow_soon(cell->bss->engine, &buffer->flow, &buffer->said,
                      cell->config.flow_interval_ns, now_ns);
}

void bss_flow_ack_ms(struct bss_cell *cell, uint32_t tlli, uint8_t tag)
{
    struct bss_buffer *buffer = bss_buffer_find(cell->bss, cell, tlli);
    if (buffer && buffer->said.ever && !buffer->said.acknowledged && tag == buffer->said.tag)
        buffer->said.acknowledged = true;
    else
        cell->bss->counters.late++;
}
