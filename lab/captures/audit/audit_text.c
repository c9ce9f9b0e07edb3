// The report as text, for a terminal: the verdict first, then who breaks what, cells and NS-VCs,
// and in the footer all that was left out or not judged.
#include "lab/captures/audit/audit_print.h"

#define FRAMES_SHOWN 5u // of a rule

static uint32_t cells(const struct audit *audit)
{
    uint32_t count = 0;
    for (const struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next)
        count += bvc->bvci != 0;
    return count;
}

static void put_verdict(const struct audit *audit, FILE *out)
{
    uint64_t breaches = audit_breaches(audit), all = breaches + audit_remarks(audit);
    fprintf(out, "%llu frames in %.3f s, NS-VCs: %u, cells: %u, TLLIs: %u\n",
            (unsigned long long)audit->frames, audit_print_seconds(audit, audit->last_ns),
            audit->nsvc_count, cells(audit), audit->ms_count - audit->replaced_count);
    if (audit->nsvc_count == 0)
        fprintf(out, "There is no Gb in this capture, so nothing was judged.\n");
    else
        fprintf(out, "Clauses broken: %llu times. Remarks: %llu.\n", (unsigned long long)breaches,
                (unsigned long long)(all - breaches));
}

static void put_finding(const struct audit *audit, const struct audit_finding *finding, FILE *out)
{
    char nse[AUDIT_NAME_OCTETS], place[64] = "";
    int n = 0;
    if (finding->bvci >= 0)
        n = snprintf(place, sizeof place, ", BVCI %d", (int)finding->bvci);
    if (finding->has_tlli)
        snprintf(place + n, sizeof place - (size_t)n, ", TLLI %08x", finding->tlli);
    fprintf(out, "    frame %llu, %.6f s, %s%s: %s\n", (unsigned long long)finding->frame,
            audit_print_seconds(audit, finding->time_ns), audit_print_nse(finding->pair->nse, nse),
            place, finding->text);
}

static void put_rule(const struct audit *audit, enum audit_rule rule, enum audit_who who, FILE *out)
{
    uint64_t count = audit->rule_counts[rule][who];
    uint32_t shown = 0;
    if (!count)
        return;
    const struct audit_rule_row *row = &audit_rules[rule];
    fprintf(out, "  %s, %s: %s, %s: %llu\n", audit_who_name(who), row->clause, row->text, row->name,
            (unsigned long long)count);
    for (uint32_t i = 0; i < audit->finding_count && shown < FRAMES_SHOWN; i++) {
        const struct audit_finding *finding = &audit->findings[i];
        if (finding->rule != rule || finding->who != who)
            continue;
        put_finding(audit, finding, out);
        shown++;
    }
    if (count > shown)
        fprintf(out, "    and %llu more\n", (unsigned long long)(count - shown));
}

static void put_rules(const struct audit *audit, enum audit_weight weight, const char *title,
                      FILE *out)
{
    bool any = false;
    for (uint32_t rule = 0; rule < AUDIT_RULES; rule++) {
        if (audit_rules[rule].weight != weight)
            continue;
        const uint64_t *counts = audit->rule_counts[rule];
        if (!any && counts[AUDIT_SGSN] + counts[AUDIT_BSS])
            fprintf(out, "\n%s\n", title);
        any |= counts[AUDIT_SGSN] + counts[AUDIT_BSS] > 0;
        put_rule(audit, (enum audit_rule)rule, AUDIT_SGSN, out);
        put_rule(audit, (enum audit_rule)rule, AUDIT_BSS, out);
    }
}

static void put_nsvcs(const struct audit *audit, FILE *out)
{
    char ends[AUDIT_NAME_OCTETS], nse[AUDIT_NAME_OCTETS];
    fprintf(out, "\nNS-VCs, SGSN first\n");
    for (const struct audit_pair *pair = audit->pairs; pair; pair = pair->next)
        if (pair->number)
            fprintf(out, "  %s, %s: %s%s, datagrams: %llu down, %llu up\n",
                    audit_print_pair(pair, ends), audit_print_nse(pair->nse, nse),
                    audit_nsvc_state_name(pair->state),
                    pair->sgsn < 0 ? ", which end is the SGSN is not known" : "",
                    (unsigned long long)pair->datagrams[pair->sgsn == 1],
                    (unsigned long long)pair->datagrams[pair->sgsn != 1]);
}

static void put_nses(const struct audit *audit, FILE *out)
{
    char name[AUDIT_NAME_OCTETS];
    fprintf(out, "\nNSEs\n");
    for (const struct audit_nse *nse = audit->nses; nse; nse = nse->next)
        fprintf(out, "  %s: cell changes: %llu, suspensions: %llu, pages: %llu PS, %llu CS\n",
                audit_print_nse(nse, name), (unsigned long long)nse->cell_changes,
                (unsigned long long)nse->suspensions, (unsigned long long)nse->pages_ps,
                (unsigned long long)nse->pages_cs);
}

static void put_bucket(const struct audit_bucket *bucket, FILE *out)
{
    struct audit_means means = audit_print_means(bucket);
    fprintf(out, "    Bmax %llu octets, R %llu bit/s; sent %.1f %% of what R allows\n",
            (unsigned long long)bucket->bmax_octets, (unsigned long long)bucket->r_bit_per_s,
            means.used_of_r * 100);
    fprintf(out,
            "    queue in the BSS by the bucket: mean %.0f octets, most %.0f octets (%.2f s); room "
            "unused: mean %.0f octets; busy %.1f %% of the time\n",
            means.queue_octets, bucket->held_most, bucket->delay_most_s, means.room_octets,
            means.busy * 100);
}

// Of those in the cell at the end.
static void put_mss(const struct audit_bvc *bvc, FILE *out)
{
    uint32_t mss = 0, own = 0, pfcs = 0;
    for (const struct audit_ms *ms = bvc->mss; ms; ms = ms->of_bvc_next) {
        mss++;
        own += ms->own;
        for (const struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next)
            pfcs += pfc->bucket.set;
    }
    if (mss)
        fprintf(
            out,
            "    MSs at the end: %u, with values of their own: %u, packet flows with values: %u\n",
            mss, own, pfcs);
}

static void put_cell(const struct audit_bvc *bvc, FILE *out)
{
    char nse[AUDIT_NAME_OCTETS];
    fprintf(out, "  %s, BVCI %u: %s; LLC PDUs: %llu down (%llu octets), %llu up\n",
            audit_print_nse(bvc->nse, nse), bvc->bvci, audit_bvc_state_name(bvc->state),
            (unsigned long long)bvc->pdus_down, (unsigned long long)bvc->octets_down,
            (unsigned long long)bvc->pdus_up);
    if (bvc->flows) {
        fprintf(out, "    FLOW-CONTROL: %llu, acknowledged: %llu", (unsigned long long)bvc->flows,
                (unsigned long long)bvc->acks);
        if (bvc->ack_delays_ns)
            fprintf(out, ", after %.3f ms in the median, %.3f ms at most",
                    (double)histogram_quantile(bvc->ack_delays_ns, 500) / 1e6,
                    (double)bvc->ack_delays_ns->most / 1e6);
        fprintf(out, "\n");
    }
    if (bvc->bucket.covered_ns > 0)
        put_bucket(&bvc->bucket, out);
    put_mss(bvc, out);
    if (bvc->has_measured)
        fprintf(out, "    delay as the BSS measured it: %.2f s at most\n",
                (double)bvc->measured_most_ms / 1e3);
    if (bvc->lifetimes_ms)
        fprintf(out, "    lifetimes: median %.2f s, most %.2f s; infinite: %llu\n",
                (double)histogram_quantile(bvc->lifetimes_ms, 500) / 1e3,
                (double)bvc->lifetimes_ms->most / 1e3, (unsigned long long)bvc->lifetimes_infinite);
    if (bvc->discarded_frames)
        fprintf(out, "    LLC-DISCARDED: %llu frames, %llu octets\n",
                (unsigned long long)bvc->discarded_frames,
                (unsigned long long)bvc->discarded_octets);
}

static void put_note(void *self, const char *text)
{
    fprintf(self, "  %s\n", text);
}

static void put_footer(const struct audit *audit, FILE *out)
{
    fprintf(out, "\nWhat was read, and what was not judged\n");
    audit_print_notes(audit, 0, 0, put_note, out);
    if (audit->disorder_ns)
        fprintf(out, "  the most that a stamp was behind the one before: %.6f s\n",
                (double)audit->disorder_ns / (double)S_IN_NS);
    fprintf(out, "  a PDU that is early by up to %.6f s is taken for punctual (--tolerance)\n",
            (double)audit->options.tolerance_ns / (double)S_IN_NS);
}

void audit_text(const struct audit *audit, FILE *out)
{
    put_verdict(audit, out);
    put_rules(audit, AUDIT_BREACH, "Who breaks which clause", out);
    put_rules(audit, AUDIT_REMARK, "Remarks: odd, or lost on the way", out);
    put_nsvcs(audit, out);
    put_nses(audit, out);
    fprintf(out, "\nCells\n");
    for (const struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next)
        if (bvc->bvci)
            put_cell(bvc, out);
    put_footer(audit, out);
}
