// A radio channel that is taken away for calls, and comes back: of one MS, or of a whole cell. What
// the SGSN is told is bss.preemption's; the cell counts as without a channel while all its MSs are,
// those aside that are in a call of their own.
#include "lab/bss/bss_parts.h"

static bool has_traffic(const struct bss_buffer *buffer)
{
    return buffer->ms && (buffer->pdus || buffer->air_pdus ||
                          (buffer->said.ever && buffer->said.r_bit_per_s == 0));
}

// An MS without traffic is not to be told of.
static void measure(struct bss_buffer *buffer, uint64_t now_ns)
{
    if (buffer->pdus || buffer->air_pdus)
        bss_buffer_meter(buffer, now_ns);
}

static void tell(struct bss_buffer *buffer, bool there, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    if (cell->bss->config.preemption == BSS_PREEMPTION_FLOW_MS)
        bss_flow_channel(cell, buffer, now_ns);
    else if (cell->bss->config.preemption == BSS_PREEMPTION_RADIO_STATUS && !there)
        bss_radio_status(cell->bss, buffer->ms, 0, now_ns);
}

static bool all_without(const struct bss_cell *cell)
{
    uint32_t mss = 0;
    for (const struct bss_buffer *buffer = cell->buffers; buffer; buffer = buffer->of_cell_next) {
        if (!buffer->ms || bss_ms_is_silent(buffer->ms))
            continue;
        if (!buffer->no_channel)
            return false;
        mss++;
    }
    return mss > 0;
}

// An MS that is in a call by itself says SUSPEND instead; of one out of reach the BSS does not
// know.
void bss_channel_ms(struct bss_buffer *buffer, bool there, uint64_t now_ns)
{
    struct bss_cell *cell = buffer->cell;
    buffer->no_channel = !there;
    measure(buffer, now_ns);
    if (!bss_ms_is_silent(buffer->ms))
        tell(buffer, there, now_ns);
    if (cell->bss->config.preemption == BSS_PREEMPTION_FLOW_BVC &&
        cell->without_channels != all_without(cell)) {
        cell->without_channels = !cell->without_channels;
        bss_flow_channel(cell, NULL, now_ns);
    }
    bss_serve(buffer, now_ns);
}

static void channel_cell(struct bss_cell *cell, bool there, uint64_t now_ns)
{
    cell->no_channel = !there;
    for (struct bss_buffer *buffer = cell->buffers; buffer; buffer = buffer->of_cell_next) {
        measure(buffer, now_ns);
        if (has_traffic(buffer))
            tell(buffer, there, now_ns);
    }
    if (cell->bss->config.preemption == BSS_PREEMPTION_FLOW_BVC)
        bss_flow_channel(cell, NULL, now_ns);
    bss_serve_cell(cell, now_ns);
}

void bss_channel(struct bss *bss, struct bss_cell *cell, struct bss_ms *ms, bool there,
                 uint64_t now_ns)
{
    (void)bss;
    if (ms)
        bss_channel_ms(ms->buffer, there, now_ns);
    else
        channel_cell(cell, there, now_ns);
}
