// See telemetry.h: the trace of packets (dataplane/trace/trace.h). The records wait in the workers'
// rings until a client asks for them; then they are kept here until the next trace begins. All of
// it is bounded: a trace has TRACE_PACKETS_MAX packets, a packet ROOM_A_PACKET records and no more.
#include <stdlib.h>
#include <string.h>

#include "control/export/telemetry_parts.h"
#include "dataplane/wire/bssgp.h"

// Received, enqueue, dequeue and end, and of 16 segments each; holds. An uplink N-PDU has fewer.
#define ROOM_A_PACKET (4 + 16 + TRACE_HOLDS + 8)
#define ROOM          (TRACE_PACKETS_MAX * ROOM_A_PACKET)
_Static_assert(16 * 3 + 1 <= ROOM_A_PACKET, "an uplink N-PDU of 16 frames has room");

static void drain(struct telemetry *t)
{
    struct telemetry_traced *d = &t->traced;
    for (uint32_t worker = 0; worker < t->ask.workers && d->record; worker++)
        d->n += dp_trace_take(t->ask.dp, worker, &d->record[d->n], ROOM - d->n);
}

// ---- On and off ----

const char *telemetry_wish(const struct telemetry *t, const char *words, struct trace_wish *wish)
{
    uint64_t packets;
    *wish = (struct trace_wish){.ms_id = TRACE_ANY, .bvc_id = TRACE_ANY};
    if (!telemetry_number(&words, TRACE_PACKETS_MAX, &packets) || packets == 0)
        return "the number of packets is missing, 0, or too large";
    wish->packets = (uint32_t)packets;
    if (strncmp(words, "ms,", 3) == 0) {
        wish->ms_id = board_ms_of(t->source.board, words + 3);
        return wish->ms_id == TRACE_ANY ? "there is no such MS" : NULL;
    }
    if (strncmp(words, "cell,", 5) == 0) {
        words += 5;
        return telemetry_cell(t, &words, &wish->bvc_id) && !*words ? NULL : TELEMETRY_NO_CELL;
    }
    return *words ? "behind the number only ms,IMSI or cell,NSEI,BVCI is allowed" : NULL;
}

const char *telemetry_trace_on(struct telemetry *t, const char *words, struct row *row)
{
    struct telemetry_traced *d = &t->traced;
    struct trace_wish wish;
    const char *why = telemetry_wish(t, words, &wish);
    if (why)
        return why;
    if (!d->record)
        d->record = malloc(ROOM * sizeof *d->record);
    why = ask_trace(&t->ask, false);
    if (!why && (!d->record || dp_trace_begin(t->ask.dp, &wish) != 0))
        why = "out of memory for the trace's records";
    if (why)
        return why;
    d->wish = wish;
    d->n = 0;
    d->on = true;
    row_put(row, "packets", wish.packets);
    return ask_trace(&t->ask, true);
}

const char *telemetry_trace_off(struct telemetry *t, const char *words, struct row *row)
{
    (void)words;
    const char *why = ask_trace(&t->ask, false);
    if (!why)
        t->traced.on = false;
    row_put(row, "on", t->traced.on);
    return why;
}

// ---- Who and where, by control's ids ----

static void put_ms(const struct telemetry *t, struct row *row, uint32_t ms_id)
{
    struct board_ms ms;
    if (board_ms(t->source.board, ms_id, &ms))
        row_text(row, "imsi", ms.imsi.text);
}

static void put_cell(const struct telemetry *t, struct row *row, uint32_t bvc_id)
{
    struct board_bvc bvc;
    struct board_nse nse;
    if (!board_bvc(t->source.board, bvc_id, &bvc) || !board_nse(t->source.board, bvc.nse_id, &nse))
        return;
    row_put(row, "nsei", nse.nsei);
    row_put(row, "bvci", bvc.bvci);
}

static void put_nsvc(const struct telemetry *t, struct row *row, uint32_t nsvc_id)
{
    struct board_nsvc nsvc;
    if (board_nsvc(t->source.board, nsvc_id, &nsvc))
        row_put(row, "nsvci", nsvc.nsvci);
}

const char *telemetry_trace(struct telemetry *t, const char *words, struct row *row)
{
    const struct telemetry_traced *d = &t->traced;
    struct trace_progress p = dp_trace_progress(t->ask.dp);
    (void)words;
    row_put(row, "wanted", d->wish.packets);
    if (d->wish.packets == 0)
        return NULL;
    row_put(row, "on", d->on && (p.packets < d->wish.packets || p.going > 0));
    row_put(row, "packets", p.packets);
    row_put(row, "going", p.going);
    row_put(row, "lost", p.lost);
    if (d->wish.ms_id != TRACE_ANY)
        put_ms(t, row, d->wish.ms_id);
    if (d->wish.bvc_id != TRACE_ANY)
        put_cell(t, row, d->wish.bvc_id);
    return NULL;
}

// ---- A record ----

static void put_verdict(const struct telemetry *t, struct row *row, uint32_t class,
                        uint32_t verdict)
{
    static const char *const words[TRACE_VERDICTS] = {"pass", "mark", "drop", "not asked"};
    row_text(row, "aqm", aqm_list[t->source.config->classes.item[class].aqm]->name);
    row_text(row, "verdict", words[verdict]);
}

static void put_hold(struct row *row, const struct trace_record *r)
{
    bool port = r->held.by == TRACE_HELD_BY_PORT;
    bool bucket = !port && r->held.bucket_octets != 0 && r->held.rate != BUCKET_UNLIMITED;
    row_text(row, "by", port ? "port" : sched_holder_names[r->held.by]);
    row_text(row, "what", port ? "the Gb port" : sched_holder_texts[r->held.by]);
    if (!bucket)
        return;
    row_put(row, "level_octets", r->held.level_octets);
    row_put(row, "bucket_octets", r->held.bucket_octets);
    row_put(row, "octets", r->held.octets);
    row_put(row, "rate_bit_per_s", r->held.rate * BUCKET_RATE_BIT_PER_S);
    if (r->held.until_ns != TIME_NEVER)
        row_put(row, "until_ns", r->held.until_ns);
}

static void put_segment(struct row *row, const struct trace_record *r)
{
    row_put(row, "segment", r->segment.segment);
    row_put(row, "offset", r->segment.offset);
    row_put(row, "octets", r->segment.octets);
    row_put(row, "llc_octets", r->segment.llc_octets);
    row_put(row, "nu", r->segment.nu);
    row_put(row, "sapi", r->segment.sapi);
    row_put(row, "npdu_number", r->segment.npdu_number);
    row_put(row, "last", r->segment.last);
    row_put(row, "ce", r->segment.ce);
    if (r->segment.lifetime_ms != BSSGP_LIFETIME_INFINITE_MS)
        row_put(row, "lifetime_ms", r->segment.lifetime_ms);
}

static void put_stage(const struct telemetry *t, struct row *row, const struct trace_record *r)
{
    switch ((enum trace_stage)r->stage) {
    case TRACE_received:
        put_ms(t, row, r->received.ms_id);
        put_cell(t, row, r->received.bvc_id);
        row_text(row, "class", class_names[r->received.traffic_class]);
        row_put(row, "slot", r->received.slot);
        row_put(row, "teid", r->received.teid);
        row_put(row, "nsapi", r->received.nsapi);
        row_put(row, "octets", r->received.octets);
        row_put(row, "ect", r->received.ect);
        break;
    case TRACE_enqueue:
        put_verdict(t, row, r->enqueue.traffic_class, r->enqueue.verdict);
        row_put(row, "ahead_npdus", r->enqueue.ahead_npdus);
        row_put(row, "ahead_octets", r->enqueue.ahead_octets);
        if (r->enqueue.by_flow)
            row_put(row, "flow", r->enqueue.flow);
        break;
    case TRACE_held:
        put_hold(row, r);
        break;
    case TRACE_dequeue:
        put_verdict(t, row, r->dequeue.traffic_class, r->dequeue.verdict);
        row_put(row, "sojourn_ns", r->dequeue.sojourn_ns);
        break;
    case TRACE_segment:
        put_segment(row, r);
        break;
    case TRACE_frame:
        put_ms(t, row, r->frame.ms_id);
        put_cell(t, row, r->frame.bvc_id);
        put_nsvc(t, row, r->frame.nsvc_id);
        row_put(row, "llc_octets", r->frame.llc_octets);
        row_put(row, "sapi", r->frame.sapi);
        row_put(row, "nu", r->frame.nu);
        row_put(row, "enciphered", r->frame.enciphered);
        break;
    case TRACE_llc:
        row_put(row, "enciphered", r->llc.enciphered);
        break;
    case TRACE_sndcp:
        row_put(row, "nsapi", r->sndcp.nsapi);
        row_put(row, "npdu_number", r->sndcp.npdu_number);
        row_put(row, "segment", r->sndcp.segment);
        row_put(row, "octets", r->sndcp.octets);
        row_put(row, "more", r->sndcp.more);
        break;
    case TRACE_sent:
        row_put(row, "octets", r->sent.octets);
        break;
    case TRACE_dropped:
        row_text(row, "reason", stats_drop_names[r->dropped.reason]);
        row_text(row, "what", stats_drop_helps[r->dropped.reason]);
        break;
    case TRACE_moved:
    case TRACE_STAGES:
        break;
    }
}

// The packets' numbers count from 1.
const char *telemetry_trace_records(struct telemetry *t, const char *words, struct row *row)
{
    struct telemetry_traced *d = &t->traced;
    uint64_t first;
    bool more = true;
    if (!telemetry_number(&words, UINT32_MAX, &first))
        return TELEMETRY_NO_NUMBER;
    drain(t);
    uint16_t before = (uint16_t)(dp_trace_progress(t->ask.dp).first - 1);
    struct telemetry_page page = telemetry_page_begin(t, row, first);
    for (uint64_t i = first; i < d->n && more; i++) {
        const struct trace_record *r = &d->record[i];
        struct row one = row_begin();
        row_put(&one, "packet", (uint16_t)(r->packet - before));
        row_text(&one, "stage", trace_stage_names[r->stage]);
        row_put(&one, "time_ns", r->time_ns);
        row_put(&one, "end", trace_stage_ends[r->stage]);
        put_stage(t, &one, r);
        more = telemetry_page_add(&page, &one, i);
    }
    telemetry_page_end(&page);
    return NULL;
}
