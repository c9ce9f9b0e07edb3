// The tables of the report as CSV: a line of names, then a row each. Texts are in quotes, and what
// there is not is empty.
#include "lab/captures/audit/audit_print.h"

static double seconds(const struct audit *audit, uint64_t time_ns)
{
    return audit_print_seconds(audit, time_ns);
}

// BVCI and TLLI, empty where there is none.
static void put_place(int32_t bvci, bool has_tlli, uint32_t tlli, FILE *out)
{
    if (bvci >= 0)
        fprintf(out, "%d", (int)bvci);
    fputc(',', out);
    if (has_tlli)
        fprintf(out, "%08x", tlli);
    fputc(',', out);
}

static void put_findings(const struct audit *audit, FILE *out)
{
    char nse[AUDIT_NAME_OCTETS];
    fprintf(out, "frame,time_s,who,weight,rule,clause,nse,bvci,tlli,text\n");
    for (uint32_t i = 0; i < audit->finding_count; i++) {
        const struct audit_finding *finding = &audit->findings[i];
        const struct audit_rule_row *row = &audit_rules[finding->rule];
        fprintf(out, "%llu,%.9f,%s,%s,%s,\"%s\",\"%s\",", (unsigned long long)finding->frame,
                seconds(audit, finding->time_ns), audit_who_name(finding->who),
                row->weight == AUDIT_BREACH ? "breach" : "remark", row->name, row->clause,
                audit_print_nse(finding->pair->nse, nse));
        put_place(finding->bvci, finding->has_tlli, finding->tlli, out);
        fprintf(out, "\"%s\"\n", finding->text);
    }
}

static void put_values(bool there, uint64_t bmax_octets, uint64_t r_bit_per_s, FILE *out)
{
    if (there)
        fprintf(out, "%llu,%llu,", (unsigned long long)bmax_octets,
                (unsigned long long)r_bit_per_s);
    else
        fputs(",,", out);
}

static void put_flows(const struct audit *audit, FILE *out)
{
    static const char *const kinds[FLOW_KINDS] = {"bvc", "ms", "pfc"};
    char nse[AUDIT_NAME_OCTETS];
    fprintf(out, "frame,time_s,of,nse,bvci,tlli,tag,bmax_octets,r_bit_per_s,bmax_default_octets,"
                 "r_default_bit_per_s,ack_frame,ack_delay_s\n");
    for (const struct audit_flow *flow = audit->flows; flow; flow = flow->next) {
        fprintf(out, "%llu,%.9f,%s,\"%s\",", (unsigned long long)flow->frame,
                seconds(audit, flow->time_ns), kinds[flow->kind],
                audit_print_nse(flow->bvc->nse, nse));
        put_place(flow->bvc->bvci, flow->kind != FLOW_BVC, flow->tlli, out);
        fprintf(out, "%u,", flow->tag);
        put_values(flow->has_values, flow->bmax, flow->r, out);
        put_values(flow->kind == FLOW_BVC, flow->bmax_default, flow->r_default, out);
        if (flow->acknowledged)
            fprintf(out, "%llu,%.9f", (unsigned long long)flow->ack_frame,
                    (double)(flow->ack_ns - flow->time_ns) / (double)S_IN_NS);
        else
            fputc(',', out);
        fputc('\n', out);
    }
}

static void put_events(const struct audit *audit, FILE *out)
{
    char text[AUDIT_NAME_OCTETS];
    fprintf(out, "frame,time_s,what,ends,nse,bvci,tlli,text\n");
    for (const struct audit_event *event = audit->events; event; event = event->next) {
        fprintf(out, "%llu,%.9f,%s,\"%s\",", (unsigned long long)event->frame,
                seconds(audit, event->time_ns), event->what, audit_print_pair(event->pair, text));
        fprintf(out, "\"%s\",", audit_print_nse(event->pair->nse, text));
        put_place(event->bvci, event->has_tlli, event->tlli, out);
        fprintf(out, "\"%s\"\n", event->text);
    }
}

static void put_bucket(const struct audit_bucket *bucket, FILE *out)
{
    if (bucket->covered_ns <= 0) {
        fprintf(out, ",,,,,,,,\n");
        return;
    }
    struct audit_means means = audit_print_means(bucket);
    fprintf(out, "%llu,%llu,%llu,%.6f,%.6f,%.1f,%.1f,%.6f,%.1f\n",
            (unsigned long long)bucket->bmax_octets, (unsigned long long)bucket->r_bit_per_s,
            (unsigned long long)bucket->refused, means.used_of_r, means.busy, means.queue_octets,
            bucket->held_most, bucket->delay_most_s, means.room_octets);
}

#define BUCKET_COLUMNS                                                        \
    "bmax_octets,r_bit_per_s,refused,used_of_r,busy_share,queue_mean_octets," \
    "queue_most_octets,queue_most_s,room_mean_octets\n"

static void put_cells(const struct audit *audit, FILE *out)
{
    char nse[AUDIT_NAME_OCTETS];
    fprintf(out, "nse,bvci,state,pdus_down,octets_down,pdus_up,octets_up,discarded_frames,"
                 "discarded_octets,flow_controls,acks," BUCKET_COLUMNS);
    for (const struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next) {
        fprintf(out, "\"%s\",%u,%s,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,",
                audit_print_nse(bvc->nse, nse), bvc->bvci, audit_bvc_state_name(bvc->state),
                (unsigned long long)bvc->pdus_down, (unsigned long long)bvc->octets_down,
                (unsigned long long)bvc->pdus_up, (unsigned long long)bvc->octets_up,
                (unsigned long long)bvc->discarded_frames,
                (unsigned long long)bvc->discarded_octets, (unsigned long long)bvc->flows,
                (unsigned long long)bvc->acks);
        put_bucket(&bvc->bucket, out);
    }
}

static void put_mss(const struct audit *audit, FILE *out)
{
    char nse[AUDIT_NAME_OCTETS];
    fprintf(out, "nse,bvci,tlli,pdus_down,octets_down,pdus_up,cell_changes," BUCKET_COLUMNS);
    for (const struct audit_ms *ms = audit->mss; ms; ms = ms->next) {
        if (ms->replaced)
            continue;
        fprintf(out, "\"%s\",", audit_print_nse(ms->nse, nse));
        put_place(ms->bvc ? ms->bvc->bvci : -1, true, ms->tlli, out);
        fprintf(out, "%llu,%llu,%llu,%llu,", (unsigned long long)ms->pdus_down,
                (unsigned long long)ms->octets_down, (unsigned long long)ms->pdus_up,
                (unsigned long long)ms->moves);
        put_bucket(&ms->bucket, out);
    }
}

static void put_pfcs(const struct audit *audit, FILE *out)
{
    char nse[AUDIT_NAME_OCTETS];
    fprintf(out, "nse,bvci,tlli,pfi," BUCKET_COLUMNS);
    for (const struct audit_ms *ms = audit->mss; ms; ms = ms->next)
        for (const struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next) {
            fprintf(out, "\"%s\",", audit_print_nse(ms->nse, nse));
            put_place(ms->bvc ? ms->bvc->bvci : -1, true, ms->tlli, out);
            fprintf(out, "%u,", pfc->pfi);
            put_bucket(&pfc->bucket, out);
        }
}

static const struct {
    const char *name;
    void (*put)(const struct audit *audit, FILE *out);
} tables[] = {{"findings", put_findings}, {"flow_control", put_flows},
              {"events", put_events},     {"cells", put_cells},
              {"mss", put_mss},           {"pfcs", put_pfcs}};

const char *audit_csv_name(uint32_t table)
{
    return table < sizeof tables / sizeof tables[0] ? tables[table].name : NULL;
}

void audit_csv(const struct audit *audit, uint32_t table, FILE *out)
{
    tables[table].put(audit, out);
}
