// The replay of TS 48.018 clause 8.2.3.2 over what the SGSN sent: a DL-UNITDATA has to pass the
// buckets of its cell, its MS and its packet flow. Values that are asked for and not acknowledged
// are in force from the first PDU on that needs them, if those before are known.
#include "lab/captures/audit/audit_parts.h"

// Of a flow, at that level. False: it says none.
typedef bool values_fn(const struct audit_flow *flow, const struct audit_levels *at,
                       struct audit_values *values);

static bool own_values(const struct audit_flow *flow, const struct audit_levels *at,
                       struct audit_values *values)
{
    (void)at;
    *values = audit_flow_values(flow);
    return flow->has_values;
}

static bool default_values(const struct audit_flow *flow, const struct audit_levels *at,
                           struct audit_values *values)
{
    (void)at;
    *values = audit_flow_defaults(flow);
    return true;
}

static bool pfc_values(const struct audit_flow *flow, const struct audit_levels *at,
                       struct audit_values *values)
{
    for (uint64_t i = 0; i < flow->flows.n; i++)
        if (flow->flows.item[i].pfi == at->pfc->pfi) {
            *values = audit_flow_pfc_values(at->pfc, &flow->flows.item[i]);
            return true;
        }
    return false;
}

// The oldest of those that are later than what is in force and by which the PDU conforms.
static struct audit_flow *conforming(struct audit *audit, const struct audit_levels *at,
                                     const struct audit_bucket *bucket,
                                     const struct audit_asked *asked, values_fn *values_of)
{
    struct audit_flow *found = NULL;
    for (struct audit_flow *flow = asked->newest; flow && !flow->in_force; flow = flow->older) {
        struct audit_bucket trial = *bucket;
        struct audit_values values;
        if (flow->acknowledged || flow->bvc != at->bvc || !values_of(flow, at, &values))
            continue;
        audit_flow_change(audit, &trial, flow, &values);
        if (!audit_bucket_judge(&trial, audit->at.time_ns, at->octets, at->tolerance_ns).refused)
            found = flow;
    }
    return found;
}

static void adopt_for_cell(struct audit *audit, const struct audit_levels *at)
{
    struct audit_flow *flow = conforming(audit, at, &at->bvc->bucket, &at->bvc->asked, own_values);
    if (flow)
        audit_flow_in_force(audit, at->bvc, flow);
}

// An MS of which the capture has not seen the beginning may have values of its own from before.
// So may one whose FLOW-CONTROL was not captured.
static bool may_have_own(const struct audit_ms *ms)
{
    return ms->older && !ms->own;
}

// What may be by values that nobody knows needs no new ones.
static void adopt_for_ms(struct audit *audit, const struct audit_levels *at)
{
    if (may_have_own(at->ms))
        return;
    struct audit_flow *flow =
        conforming(audit, at, &at->ms->bucket, &at->ms->asked[FLOW_MS], own_values);
    if (!flow && !at->ms->own)
        flow = conforming(audit, at, &at->ms->bucket, &at->bvc->asked, default_values);
    if (!flow) // a FLOW-CONTROL-PFC may say the MS's values, too
        flow = conforming(audit, at, &at->ms->bucket, &at->ms->asked[FLOW_PFC], own_values);
    if (flow)
        audit_flow_in_force(audit, at->bvc, flow);
}

static void adopt_for_pfc(struct audit *audit, const struct audit_levels *at)
{
    struct audit_flow *flow =
        conforming(audit, at, &at->pfc->bucket, &at->ms->asked[FLOW_PFC], pfc_values);
    if (flow)
        audit_flow_in_force(audit, at->bvc, flow);
}

typedef void adopt_fn(struct audit *audit, const struct audit_levels *at);

enum level { PASSES, REFUSES, NOT_JUDGED };

static uint64_t earlier(uint64_t one_ns, uint64_t other_ns)
{
    return one_ns < other_ns ? one_ns : other_ns;
}

// Its values, and what it holds.
static uint64_t values_since(const struct audit_levels *at, const struct audit_bucket *bucket,
                             enum audit_rule rule)
{
    uint64_t values_ns = at->bvc->values_ns;
    if (rule == AUDIT_RULE_ms_bucket)
        values_ns = at->ms->own ? at->ms->own_ns : earlier(values_ns, at->ms->entered_ns);
    else if (rule == AUDIT_RULE_pfc_bucket)
        values_ns = at->pfc->since_ns;
    return earlier(values_ns, bucket->empty_ns);
}

// By the Bmax that was in force until just now.
static struct audit_verdict judge_as_before(struct audit *audit, struct audit_bucket *bucket,
                                            const struct audit_levels *at,
                                            struct audit_verdict verdict)
{
    if (!audit_may_be_before(audit, bucket->changed_by, bucket->changed_ns) ||
        bucket->bmax_before <= bucket->bmax_octets)
        return verdict;
    struct audit_bucket before = *bucket;
    before.bmax_octets = bucket->bmax_before;
    return audit_bucket_judge(&before, audit->at.time_ns, at->octets, at->tolerance_ns);
}

static enum level level_of(struct audit *audit, const struct audit_levels *at,
                           struct audit_bucket *bucket, enum audit_rule rule, adopt_fn *adopt)
{
    uint64_t now_ns = audit->at.time_ns;
    struct audit_verdict verdict = audit_bucket_judge(bucket, now_ns, at->octets, at->tolerance_ns);
    if (verdict.refused) {
        adopt(audit, at);
        audit_fresh_defaults(audit, at->ms);
        verdict = audit_bucket_judge(bucket, now_ns, at->octets, at->tolerance_ns);
    }
    if (verdict.refused)
        verdict = judge_as_before(audit, bucket, at, verdict);
    if (!verdict.refused)
        return PASSES;
    if (rule == AUDIT_RULE_ms_bucket && may_have_own(at->ms)) {
        audit->counts[AUDIT_before_own]++;
        return NOT_JUDGED;
    }
    bucket->refused++;
    char early[40] = "R is 0";
    if (verdict.early_ns != UINT64_MAX)
        snprintf(early, sizeof early, "%.3f ms too early", (double)verdict.early_ns / 1e6);
    struct audit_finding *finding = audit_find(
        audit, rule, at->bvc->bvci, &at->ms->tlli,
        "%u octets, %.1f over Bmax %llu at R %llu bit/s: %s", at->octets, verdict.over_octets,
        (unsigned long long)bucket->bmax_octets, (unsigned long long)bucket->r_bit_per_s, early);
    audit_hangs_since(finding, values_since(at, bucket, rule));
    if (finding)
        finding->sure = audit_bucket_is_sure(bucket);
    return REFUSES;
}

static enum level too_old(struct audit *audit, const struct audit_levels *at,
                          struct audit_bucket *bucket)
{
    audit->counts[AUDIT_after_th]++;
    bucket->beyond.begun = false;
    audit_bucket_settle(bucket, audit->at.time_ns, at->tolerance_ns);
    return NOT_JUDGED;
}

static enum level at_ms(struct audit *audit, const struct audit_levels *at)
{
    struct audit_bucket *bucket = &at->ms->bucket;
    if (audit_flow_is_old(audit, at->ms->own, at->ms->own_ns))
        return too_old(audit, at, bucket);
    return level_of(audit, at, bucket, AUDIT_RULE_ms_bucket, adopt_for_ms);
}

static enum level at_pfc(struct audit *audit, const struct audit_levels *at)
{
    if (!at->pfc)
        return NOT_JUDGED;
    struct audit_bucket *bucket = &at->pfc->bucket;
    if (audit_flow_is_old(audit, bucket->set, at->pfc->since_ns))
        return too_old(audit, at, bucket);
    return level_of(audit, at, bucket, AUDIT_RULE_pfc_bucket, adopt_for_pfc);
}

// All buckets take a PDU or none; one that does not judge does not hold it either.
static void replay(struct audit *audit, const struct audit_levels *at)
{
    enum level cell = level_of(audit, at, &at->bvc->bucket, AUDIT_RULE_bvc_bucket, adopt_for_cell);
    enum level ms = at_ms(audit, at), pfc = at_pfc(audit, at);
    bool no = cell == REFUSES || ms == REFUSES || pfc == REFUSES;
    audit_bucket_charge(&at->bvc->bucket, at->octets, no);
    audit_bucket_charge(&at->ms->bucket, at->octets, no || ms == NOT_JUDGED);
    if (at->pfc)
        audit_bucket_charge(&at->pfc->bucket, at->octets, no || pfc == NOT_JUDGED);
}

// ---- The face ----

// The MS has a new TLLI, and keeps what it has.
static void follow_old_tlli(struct audit *audit, struct audit_nse *nse,
                            const struct bssgp_dl_unitdata *pdu)
{
    if (!pdu->has_old_tlli || pdu->old_tlli == pdu->tlli)
        return;
    struct audit_ms *ms = audit_ms_find(audit, nse, pdu->old_tlli);
    struct audit_ms *other = audit_ms_find(audit, nse, pdu->tlli);
    if (!ms || other == ms)
        return;
    if (other && (other->own || other->pdus_down > 0)) {
        other->older = true; // what the old one had may be its own
        return;
    }
    if (other)
        audit_ms_replace(audit, other, ms);
    audit_ms_rename(audit, ms, pdu->tlli);
}

// Also those that are not judged.
static void count_down(struct audit *audit, struct audit_nse *nse,
                       const struct bssgp_dl_unitdata *pdu)
{
    struct audit_ms *ms = audit_ms_of(audit, nse, pdu->tlli);
    if (!ms)
        return;
    ms->pdus_down++;
    ms->octets_down += pdu->llc_pdu.n;
}

// Behind a reset there are no other values that it may go by.
static void adopt_first(struct audit *audit, struct audit_bvc *bvc)
{
    struct audit_flow *flow = bvc->asked.newest;
    while (flow && flow->refused)
        flow = flow->older;
    if (flow && bvc->had_reset && !bvc->unknown_values)
        audit_flow_in_force(audit, bvc, flow);
}

void audit_replay_dl(struct audit *audit, struct audit_bvc *bvc,
                     const struct bssgp_dl_unitdata *pdu)
{
    uint32_t tlli = pdu->tlli;
    follow_old_tlli(audit, bvc->nse, pdu);
    count_down(audit, bvc->nse, pdu);
    audit_ms_dl(audit, bvc, tlli);
    if (!bvc->bucket.set)
        adopt_first(audit, bvc);
    struct audit_ms *ms = audit_ms_enter(audit, bvc, tlli);
    if (!bvc->bucket.set) {
        if (bvc->had_reset && !bvc->unknown_values)
            audit_hangs_since(audit_find(audit, AUDIT_RULE_before_flow_control, bvc->bvci, &tlli,
                                         "%u octets", pdu->llc_pdu.n),
                              bvc->reset_ns);
        else
            audit->counts[AUDIT_before_values]++;
        return;
    }
    if (!ms || pdu->llc_pdu.n == 0)
        return;
    struct audit_pfc *pfc = pdu->has_pfi ? audit_pfc_of(audit, ms, pdu->pfi, false) : NULL;
    struct audit_levels levels = {bvc, ms, pfc && pfc->bucket.set ? pfc : NULL, pdu->llc_pdu.n,
                                  audit->options.tolerance_ns + audit->disorder_ns};
    replay(audit, &levels);
    audit_pace_note(audit, &levels);
}

static void give_back(const struct audit *audit, struct audit_bucket *bucket, uint64_t octets)
{
    audit_bucket_settle(bucket, audit->at.time_ns,
                        audit->options.tolerance_ns + audit->disorder_ns);
    audit_bucket_give_back(bucket, audit->at.time_ns, octets);
}

void audit_replay_discarded(struct audit *audit, struct audit_bvc *bvc,
                            const struct bssgp_llc_discarded *pdu)
{
    struct audit_ms *ms = audit_ms_of(audit, bvc->nse, pdu->tlli);
    give_back(audit, &bvc->bucket, pdu->octets);
    // The SGSN may read it behind the first PDUs that it sends to the MS in this cell.
    if (ms && !ms->bvc)
        ms = audit_ms_enter(audit, bvc, pdu->tlli);
    if (!ms || ms->bvc != bvc)
        return;
    ms->discarded_octets += pdu->octets;
    give_back(audit, &ms->bucket, pdu->octets);
    for (struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next)
        if (!pdu->has_pfi || pdu->pfi == pfc->pfi)
            give_back(audit, &pfc->bucket, pdu->octets);
}
