// The report as JSON. Times are in ns from the capture's first packet on.
#include "lab/base/json.h"
#include "lab/captures/audit/audit_print.h"

static void put_time(struct json *json, const struct audit *audit, const char *key, uint64_t ns)
{
    json_put(json, key, ns - audit->first_ns);
}

static void put_real(struct json *json, const char *key, double value)
{
    json_key(json, key);
    json_real(json, value);
}

static void put_input(struct json *json, const struct audit *audit)
{
    json_key(json, "input");
    json_object(json);
    json_put(json, "frames", audit->frames);
    json_put(json, "first_ns", audit->first_ns);
    json_put(json, "lasts_ns", audit->last_ns - audit->first_ns);
    for (uint32_t i = 0; i < CAPTURE_COUNTS; i++)
        json_put(json, capture_count_names[i], audit->capture[i]);
    for (uint32_t i = 0; i < AUDIT_COUNTS; i++)
        json_put(json, audit_count_names[i], audit->counts[i]);
    json_put(json, "clock_disorder_ns", audit->disorder_ns);
    json_close(json);
}

static void put_notes(struct json *json, const struct audit *audit)
{
    json_key(json, "notes");
    json_array(json);
    for (const struct audit_note *note = audit->notes; note; note = note->next)
        json_text(json, note->text);
    for (uint32_t i = CAPTURE_link_unknown; i < CAPTURE_COUNTS; i++)
        if (audit->capture[i]) {
            char text[256];
            snprintf(text, sizeof text, "%s: %llu", capture_count_helps[i],
                     (unsigned long long)audit->capture[i]);
            json_text(json, text);
        }
    for (uint32_t i = AUDIT_datagrams + 1; i < AUDIT_COUNTS; i++)
        if (audit->counts[i]) {
            char text[256];
            snprintf(text, sizeof text, "%s: %llu", audit_count_helps[i],
                     (unsigned long long)audit->counts[i]);
            json_text(json, text);
        }
    json_close(json);
}

static void put_rules(struct json *json, const struct audit *audit)
{
    json_key(json, "rules");
    json_array(json);
    for (uint32_t i = 0; i < AUDIT_RULES; i++) {
        const struct audit_rule_row *row = &audit_rules[i];
        json_object(json);
        json_put_text(json, "rule", row->name);
        json_put_text(json, "weight", row->weight == AUDIT_BREACH ? "breach" : "remark");
        json_put_text(json, "clause", row->clause);
        json_put_text(json, "text", row->text);
        json_put(json, "by_sgsn", audit->rule_counts[i][AUDIT_SGSN]);
        json_put(json, "by_bss", audit->rule_counts[i][AUDIT_BSS]);
        json_close(json);
    }
    json_close(json);
}

static void put_place(struct json *json, const struct audit_pair *pair, int32_t bvci, bool has_tlli,
                      uint32_t tlli)
{
    char text[AUDIT_NAME_OCTETS];
    json_put_text(json, "nse", audit_print_nse(pair->nse, text));
    if (bvci >= 0)
        json_put(json, "bvci", (uint64_t)bvci);
    if (has_tlli)
        json_put(json, "tlli", tlli);
}

static void put_findings(struct json *json, const struct audit *audit)
{
    json_key(json, "findings");
    json_array(json);
    for (uint32_t i = 0; i < audit->finding_count; i++) {
        const struct audit_finding *finding = &audit->findings[i];
        const struct audit_rule_row *row = &audit_rules[finding->rule];
        json_object(json);
        json_put_text(json, "rule", row->name);
        json_put_text(json, "weight", row->weight == AUDIT_BREACH ? "breach" : "remark");
        json_put_text(json, "who", audit_who_name(finding->who));
        json_put_text(json, "clause", row->clause);
        json_put(json, "frame", finding->frame);
        put_time(json, audit, "at_ns", finding->time_ns);
        put_place(json, finding->pair, finding->bvci, finding->has_tlli, finding->tlli);
        json_put_text(json, "text", finding->text);
        json_close(json);
    }
    json_close(json);
}

static void put_nsvcs(struct json *json, const struct audit *audit)
{
    char text[AUDIT_NAME_OCTETS];
    json_key(json, "nsvcs");
    json_array(json);
    for (const struct audit_pair *pair = audit->pairs; pair; pair = pair->next) {
        if (!pair->number)
            continue;
        json_object(json);
        json_put_text(json, "ends", audit_print_pair(pair, text));
        json_put_text(json, "nse", audit_print_nse(pair->nse, text));
        if (pair->has_nsvci)
            json_put(json, "nsvci", pair->nsvci);
        json_key(json, "sgsn_known");
        json_boolean(json, pair->sgsn >= 0);
        json_put_text(json, "state", audit_nsvc_state_name(pair->state));
        json_put(json, "datagrams_down", pair->datagrams[pair->sgsn == 1]);
        json_put(json, "datagrams_up", pair->datagrams[pair->sgsn != 1]);
        json_close(json);
    }
    json_close(json);
}

static void put_bucket(struct json *json, const char *key, const struct audit_bucket *bucket)
{
    struct audit_means means = audit_print_means(bucket);
    json_key(json, key);
    if (bucket->covered_ns <= 0) {
        json_null(json);
        return;
    }
    json_object(json);
    json_put(json, "bmax_octets", bucket->bmax_octets);
    json_put(json, "r_bit_per_s", bucket->r_bit_per_s);
    json_put(json, "pdus", bucket->pdus);
    json_put(json, "octets", bucket->octets);
    json_put(json, "refused", bucket->refused);
    put_real(json, "used_of_r", means.used_of_r);
    put_real(json, "busy_share", means.busy);
    put_real(json, "queue_mean_octets", means.queue_octets);
    put_real(json, "queue_most_octets", bucket->held_most);
    put_real(json, "queue_most_s", bucket->delay_most_s);
    put_real(json, "room_mean_octets", means.room_octets);
    json_close(json);
}

static void put_quantiles(struct json *json, const char *key, const struct histogram *histogram)
{
    json_key(json, key);
    if (!histogram) {
        json_null(json);
        return;
    }
    json_object(json);
    json_put(json, "samples", histogram->samples);
    json_put(json, "p50", histogram_quantile(histogram, 500));
    json_put(json, "p95", histogram_quantile(histogram, 950));
    json_put(json, "most", histogram->most);
    json_close(json);
}

static void put_cells(struct json *json, const struct audit *audit)
{
    char text[AUDIT_NAME_OCTETS];
    json_key(json, "bvcs");
    json_array(json);
    for (const struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next) {
        json_object(json);
        json_put_text(json, "nse", audit_print_nse(bvc->nse, text));
        json_put(json, "bvci", bvc->bvci);
        json_put_text(json, "state", audit_bvc_state_name(bvc->state));
        json_put(json, "pdus_down", bvc->pdus_down);
        json_put(json, "octets_down", bvc->octets_down);
        json_put(json, "pdus_up", bvc->pdus_up);
        json_put(json, "octets_up", bvc->octets_up);
        json_put(json, "discarded_frames", bvc->discarded_frames);
        json_put(json, "discarded_octets", bvc->discarded_octets);
        json_put(json, "lifetimes_infinite", bvc->lifetimes_infinite);
        put_quantiles(json, "lifetimes_ms", bvc->lifetimes_ms);
        json_put(json, "flow_controls", bvc->flows);
        json_put(json, "flow_control_acks", bvc->acks);
        put_quantiles(json, "ack_delays_ns", bvc->ack_delays_ns);
        if (bvc->has_measured)
            json_put(json, "measured_delay_most_ms", bvc->measured_most_ms);
        put_bucket(json, "bucket", &bvc->bucket);
        json_close(json);
    }
    json_close(json);
}

static void put_pfcs(struct json *json, const struct audit_ms *ms)
{
    if (!ms->pfcs)
        return;
    json_key(json, "pfcs");
    json_array(json);
    for (const struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next) {
        json_object(json);
        json_put(json, "pfi", pfc->pfi);
        put_bucket(json, "bucket", &pfc->bucket);
        json_close(json);
    }
    json_close(json);
}

static void put_mss(struct json *json, const struct audit *audit)
{
    char text[AUDIT_NAME_OCTETS];
    json_key(json, "mss");
    json_array(json);
    for (const struct audit_ms *ms = audit->mss; ms; ms = ms->next) {
        if (ms->replaced)
            continue;
        json_object(json);
        json_put_text(json, "nse", audit_print_nse(ms->nse, text));
        json_put(json, "tlli", ms->tlli);
        if (ms->bvc)
            json_put(json, "bvci", ms->bvc->bvci);
        json_put(json, "pdus_down", ms->pdus_down);
        json_put(json, "octets_down", ms->octets_down);
        json_put(json, "pdus_up", ms->pdus_up);
        json_put(json, "discarded_octets", ms->discarded_octets);
        json_put(json, "cell_changes", ms->moves);
        put_bucket(json, "bucket", &ms->bucket);
        put_pfcs(json, ms);
        json_close(json);
    }
    json_close(json);
}

static void put_flow(struct json *json, const struct audit *audit, const struct audit_flow *flow)
{
    static const char *const kinds[FLOW_KINDS] = {"bvc", "ms", "pfc"};
    char text[AUDIT_NAME_OCTETS];
    json_object(json);
    json_put(json, "frame", flow->frame);
    put_time(json, audit, "at_ns", flow->time_ns);
    json_put_text(json, "of", kinds[flow->kind]);
    json_put_text(json, "nse", audit_print_nse(flow->bvc->nse, text));
    json_put(json, "bvci", flow->bvc->bvci);
    if (flow->kind != FLOW_BVC)
        json_put(json, "tlli", flow->tlli);
    json_put(json, "tag", flow->tag);
    if (flow->has_values) {
        json_put(json, "bmax_octets", flow->bmax);
        json_put(json, "r_bit_per_s", flow->r);
    }
    if (flow->kind == FLOW_BVC) {
        json_put(json, "bmax_default_octets", flow->bmax_default);
        json_put(json, "r_default_bit_per_s", flow->r_default);
    }
    if (flow->has_full)
        json_put(json, "full_percent", flow->full_percent);
    if (flow->has_measured)
        json_put(json, "measured_delay_ms", flow->measured_ms);
    json_key(json, "refused");
    json_boolean(json, flow->refused);
    if (flow->acknowledged) {
        json_put(json, "ack_frame", flow->ack_frame);
        json_put(json, "ack_delay_ns", flow->ack_ns - flow->time_ns);
    }
    json_close(json);
}

static void put_events(struct json *json, const struct audit *audit)
{
    char text[AUDIT_NAME_OCTETS];
    json_key(json, "events");
    json_array(json);
    for (const struct audit_event *event = audit->events; event; event = event->next) {
        json_object(json);
        json_put(json, "frame", event->frame);
        put_time(json, audit, "at_ns", event->time_ns);
        json_put_text(json, "what", event->what);
        json_put_text(json, "ends", audit_print_pair(event->pair, text));
        put_place(json, event->pair, event->bvci, event->has_tlli, event->tlli);
        if (event->text[0])
            json_put_text(json, "text", event->text);
        json_close(json);
    }
    json_close(json);
}

static void put_nses(struct json *json, const struct audit *audit)
{
    char text[AUDIT_NAME_OCTETS];
    json_key(json, "nses");
    json_array(json);
    for (const struct audit_nse *nse = audit->nses; nse; nse = nse->next) {
        json_object(json);
        json_put_text(json, "nse", audit_print_nse(nse, text));
        json_put(json, "pages_ps", nse->pages_ps);
        json_put(json, "pages_cs", nse->pages_cs);
        json_put(json, "cell_changes", nse->cell_changes);
        json_put(json, "suspensions", nse->suspensions);
        json_close(json);
    }
    json_close(json);
}

void audit_json(const struct audit *audit, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_put(&json, "breaches", audit_breaches(audit));
    put_findings(&json, audit);
    put_rules(&json, audit);
    put_nses(&json, audit);
    put_nsvcs(&json, audit);
    put_cells(&json, audit);
    put_mss(&json, audit);
    json_key(&json, "flow_control");
    json_array(&json);
    for (const struct audit_flow *flow = audit->flows; flow; flow = flow->next)
        put_flow(&json, audit, flow);
    json_close(&json);
    put_events(&json, audit);
    put_input(&json, audit);
    put_notes(&json, audit);
    json_close(&json);
    json_end(&json);
}
