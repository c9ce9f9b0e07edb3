// What the BSS tells the SGSN of LLC PDUs that it lost, LLC-DISCARDED (TS 48.018 8.2.4), at once or
// gathered for an MS, and of an MS's radio contact, RADIO-STATUS (7.3). All losses of a report have
// one packet flow, if the feature PFC is in force; a report is sent before its counts overflow.
#include "lab/bss/bss_parts.h"

#define FRAMES_MAX  255u
#define OCTETS_MAX  0xffffffu
#define FEATURE_PFC 0x01

enum { DOWN, UP, TOLD, UNTOLD, RADIO_TOLD };
static const uint8_t told[BSS_LOSSES] = {
#define BSS_LOSS(name, way, told, help) [BSS_LOST_##name] = told,
#include "lab/bss/bss_losses.def"
#undef BSS_LOSS
};

static bool is_told(const struct bss *bss, enum bss_loss why)
{
    return bss->config.tell_discards && bss->config.ns != BSS_NS_MANUAL &&
           (told[why] == TOLD || (told[why] == RADIO_TOLD && bss->config.tell_radio_losses));
}

static void send(struct bss_cell *cell, uint32_t tlli, const struct bss_discards *d,
                 uint64_t now_ns)
{
    struct bss *bss = cell->bss;
    struct bssgp_llc_discarded pdu = {.tlli = tlli,
                                      .frames = (uint8_t)d->frames,
                                      .bvci = cell->config.bvci,
                                      .octets = d->octets,
                                      .has_pfi = d->has_pfi,
                                      .pfi = d->pfi};
    if (bss_send(bss, 0, BSSGP_LLC_DISCARDED_TYPE, &pdu, now_ns)) {
        bss->counters.told.pdus += d->frames;
        bss->counters.told.octets += d->octets;
    }
}

void bss_report_flush(struct bss_buffer *buffer, uint64_t now_ns)
{
    struct bss_discards d = buffer->discards;
    engine_cancel(buffer->cell->bss->engine, &buffer->gather);
    buffer->discards = (struct bss_discards){0};
    if (d.frames)
        send(buffer->cell, buffer->tlli, &d, now_ns);
}

static void fire(void *self, uint64_t now_ns)
{
    bss_report_flush(self, now_ns);
}

void bss_report_init(struct bss_buffer *buffer)
{
    engine_timer_init(&buffer->gather, fire, buffer);
}

static bool fits(const struct bss_discards *sum, const struct bss_discards *one)
{
    return sum->frames < FRAMES_MAX && sum->octets + one->octets <= OCTETS_MAX &&
           sum->has_pfi == one->has_pfi && sum->pfi == one->pfi;
}

static void gather(struct bss_buffer *buffer, const struct bss_discards *one, uint64_t now_ns)
{
    struct bss *bss = buffer->cell->bss;
    if (buffer->discards.frames && !fits(&buffer->discards, one))
        bss_report_flush(buffer, now_ns);
    if (buffer->discards.frames == 0) {
        buffer->discards = *one;
        engine_set(bss->engine, &buffer->gather, now_ns + bss->config.gather_ns);
    } else {
        buffer->discards.frames += one->frames;
        buffer->discards.octets += one->octets;
    }
}

void bss_report_loss(struct bss_cell *cell, struct bss_buffer *buffer, uint32_t tlli,
                     const struct bss_flow_id *flow, uint32_t octets, enum bss_loss why,
                     uint64_t now_ns)
{
    struct bss *bss = cell->bss;
    struct bss_discards one = {.frames = 1, .octets = octets};
    if (!is_told(bss, why))
        return;
    one.has_pfi = flow->has_pfi && (bss->features & FEATURE_PFC);
    one.pfi = one.has_pfi ? flow->pfi : 0;
    if (buffer && bss->config.gather_ns)
        gather(buffer, &one, now_ns);
    else
        send(cell, tlli, &one, now_ns);
}

void bss_report_radio(struct bss_cell *cell, uint32_t tlli, uint8_t cause, uint64_t now_ns)
{
    struct bssgp_radio_status pdu = {.has_tlli = true, .tlli = tlli, .cause = cause};
    if (cell->bss->config.ns == BSS_NS_MANUAL || cell->state != BSS_CELL_UP)
        return;
    bss_send(cell->bss, cell->config.bvci, BSSGP_RADIO_STATUS_TYPE, &pdu, now_ns);
}
