// What the tests of the trace share: a trace of a world of path.h, its records, and the laws that
// hold for the records of any packet.
#ifndef TESTS_TRACE_TRACED_H
#define TESTS_TRACE_TRACED_H

#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/worker.h"
#include "tests/dataplane/path/workers.h"

#define RECORDS_MOST 20000u

static struct {
    struct trace_record record[RECORDS_MOST];
    uint32_t n;
} told;

static inline void trace_switch(bool on)
{
    static struct dp_query q;
    for (uint32_t w = 0; w < p.workers; w++) {
        q = (struct dp_query){.kind = VIEW_TRACE, .trace = on ? dp_trace(p.dp, w) : NULL};
        assert_true(dp_answered(p.dp, w));
        dp_ask(p.dp, w, &q);
        path_poll_worker(w);
        assert_true(dp_answered(p.dp, w));
        assert_ptr_equal(dp_worker(p.dp, w)->state.trace, q.trace);
    }
}

static inline void trace_on(uint32_t ms_id, uint32_t bvc_id, uint32_t packets)
{
    trace_switch(false);
    told.n = 0;
    struct trace_wish wish = {.ms_id = ms_id, .bvc_id = bvc_id, .packets = packets};
    assert_int_equal(dp_trace_begin(p.dp, &wish), 0);
    trace_switch(true);
}

static inline void trace_all(uint32_t packets)
{
    trace_on(TRACE_ANY, TRACE_ANY, packets);
}

static inline bool is_tracing(uint32_t worker)
{
    return dp_worker(p.dp, worker)->state.trace != NULL;
}

// The records so far; the packets' numbers then count from 1.
static inline void trace_read(void)
{
    uint16_t before = (uint16_t)(dp_trace_progress(p.dp).first - 1);
    for (uint32_t w = 0; w < p.workers; w++) {
        uint32_t n = dp_trace_take(p.dp, w, told.record + told.n, RECORDS_MOST - told.n);
        for (uint32_t i = told.n; i < told.n + n; i++)
            told.record[i].packet = (uint16_t)(told.record[i].packet - before);
        told.n += n;
    }
    assert_true(told.n < RECORDS_MOST);
}

// The packet's next record from `*at` on; NULL: none.
static inline const struct trace_record *trace_next(uint16_t packet, uint32_t *at)
{
    while (*at < told.n)
        if (told.record[(*at)++].packet == packet)
            return &told.record[*at - 1];
    return NULL;
}

static inline const struct trace_record *trace_of(uint16_t packet, enum trace_stage stage)
{
    uint32_t at = 0;
    for (const struct trace_record *r; (r = trace_next(packet, &at));)
        if (r->stage == stage)
            return r;
    fail_msg("packet %u has no stage %s", packet, trace_stage_names[stage]);
    return NULL;
}

// The stages of a packet as a text, such as "received enqueue held:queue dropped:expired".
static inline const char *trace_text(uint16_t packet)
{
    static char text[2048];
    uint32_t at = 0;
    size_t n = 0;
    *text = '\0';
    for (const struct trace_record *r; (r = trace_next(packet, &at));) {
        const char *more = "";
        if (r->stage == TRACE_held)
            more = r->held.by == TRACE_HELD_BY_PORT ? "port" : sched_holder_names[r->held.by];
        if (r->stage == TRACE_dropped)
            more = stats_drop_names[r->dropped.reason];
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s%s", n ? " " : "",
                              trace_stage_names[r->stage], *more ? ":" : "", more);
    }
    return text;
}

// Of every packet: the first stage tells its way; times do not go back, and pass in a hold alone,
// or between frames of an uplink N-PDU; the segments are the N-PDU's octets, without a gap; nothing
// comes after the end. Returns the packets with an end of that kind.
static inline uint32_t trace_check(enum trace_stage end, uint32_t packets)
{
    uint32_t ended = 0;
    for (uint16_t packet = 1; packet <= packets; packet++) {
        const struct trace_record *before = NULL, *r;
        uint32_t at = 0, octets = 0;
        while ((r = trace_next(packet, &at))) {
            bool first = r->stage == TRACE_received || r->stage == TRACE_frame;
            assert_true(before || first);
            assert_true(!before || !trace_stage_ends[before->stage]);
            assert_true(!before || r->time_ns == before->time_ns || before->stage == TRACE_held ||
                        r->stage == TRACE_frame || before->stage == TRACE_sndcp);
            assert_true(!before || r->time_ns >= before->time_ns);
            if (r->stage == TRACE_segment) {
                assert_int_equal(r->segment.offset, octets);
                octets += r->segment.octets;
            }
            if (r->stage == TRACE_sndcp)
                octets += r->sndcp.octets;
            if (r->stage == TRACE_sent)
                assert_int_equal(r->sent.octets, octets);
            ended += r->stage == end;
            before = r;
        }
        assert_non_null(before);
    }
    return ended;
}

static inline void expect_progress(uint32_t packets, uint32_t going, uint64_t lost)
{
    struct trace_progress progress = dp_trace_progress(p.dp);
    assert_int_equal(progress.packets, packets);
    assert_int_equal(progress.going, going);
    assert_int_equal(progress.lost, lost);
}

static inline void ms_bucket(uint32_t ms, uint64_t bit_per_s, uint32_t octets)
{
    DO(ms_bucket, .ms_id = ms, .has_rate_100_bit_per_s = true,
       .rate_100_bit_per_s = (uint32_t)(bit_per_s / 100), .bucket_octets = octets);
}

// An AQM of background's, with its standard parameters.
static inline void class_aqm(struct dp_config *c, const char *name)
{
    path_set_aqm(&c->classes.item[CLASS_BACKGROUND], name);
}

static inline void class_param(struct dp_config *c, const char *name, enum aqm_level_unit unit,
                               uint64_t value)
{
    struct dp_class *class = &c->classes.item[CLASS_BACKGROUND];
    const struct aqm_ops *ops = aqm_list[class->aqm];
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (strcmp(ops->params[i].name, name) == 0)
            class->aqm_params.item[i] = (struct dp_aqm_param){(uint8_t)unit, value};
}

// An IPv4 packet with that ECN field, and of octets by path_fill, to a context.
static inline void give_ecn(uint32_t pdp, size_t octets, uint8_t ecn, uint8_t npdu[9000])
{
    static struct ip_frame frame;
    struct ip_ends ends = path_ends_gn(p.pdp[pdp].ggsn);
    path_fill(npdu, octets, path_seed());
    npdu[0] = 0x45;
    npdu[1] = ecn;
    path_gpdu(&frame, &ends, p.pdp[pdp].teid, npdu, octets);
    assert_true(path_give(STATS_GN, 0, &frame));
}

#endif
