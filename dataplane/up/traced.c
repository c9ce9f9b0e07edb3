// What the uplink tells a trace (trace/trace.h). A traced packet is an N-PDU with the LLC frames
// that bring it, or a frame that is dropped before it is a segment of one. A frame that goes on
// with an N-PDU from before the trace is not traced.
#include "dataplane/up/up_parts.h"

static bool wanted(const struct up *up, const struct up_frame *f)
{
    return trace_wants(up->state->trace, up->state->ms_up[f->ms].id, f->bvc);
}

// From the header's octets, which llc_ui_decode need not have accepted.
static void put_frame(struct up *up, const struct up_frame *f, uint16_t number)
{
    const uint8_t *b = f->llc.at;
    bool header = f->llc.n >= LLC_UI_HEADER_OCTETS;
    struct trace_record r = {.stage = TRACE_frame,
                             .frame = {.ms_id = up->state->ms_up[f->ms].id,
                                       .bvc_id = f->bvc,
                                       .nsvc_id = f->nsvc,
                                       .llc_octets = (uint16_t)f->llc.n}};
    if (header) {
        r.frame.sapi = b[0] & 15;
        r.frame.nu = (uint16_t)((b[1] & 7u) << 6 | b[2] >> 2);
        r.frame.enciphered = b[2] & 2;
    }
    trace_put(up->state->trace, number, r);
}

static void put_llc(struct up *up, const struct up_frame *f, uint16_t number)
{
    trace_put(up->state->trace, number,
              (struct trace_record){.stage = TRACE_llc, .llc = {.enciphered = f->ui.enciphered}});
}

void up_trace_refused(struct up *up, const struct up_frame *f, enum drop_reason reason)
{
    uint16_t number = wanted(up, f) ? trace_begin(up->state->trace) : 0;
    if (!number)
        return;
    put_frame(up, f, number);
    if (reason == DROP_llc_duplicate || reason == DROP_sndcp || reason == DROP_unknown_nsapi)
        put_llc(up, f, number);
    trace_dropped(up->state->trace, number, reason);
}

uint16_t up_trace_segment(struct up *up, const struct up_frame *f, const struct up_partial *p,
                          bool goes_on, const struct sndcp_unitdata *s)
{
    uint16_t number = 0;
    if (goes_on)
        number = p->traced;
    else if (wanted(up, f))
        number = trace_begin(up->state->trace);
    if (!number)
        return 0;
    put_frame(up, f, number);
    put_llc(up, f, number);
    trace_put(up->state->trace, number,
              (struct trace_record){.stage = TRACE_sndcp,
                                    .sndcp = {.octets = (uint16_t)s->data.n,
                                              .npdu_number = s->npdu_number,
                                              .nsapi = s->nsapi,
                                              .segment = s->segment,
                                              .more = s->more}});
    return number;
}

void up_trace_dropped(const struct up *up, uint16_t number, enum drop_reason reason)
{
    if (number && up->state->trace)
        trace_dropped(up->state->trace, number, reason);
}
