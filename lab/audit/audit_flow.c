// Flow control (TS 48.018 clause 8.2.3): each FLOW-CONTROL with its acknowledgement, and the replay
// of 8.2.3.2 over what the SGSN sent. Values are in force from their acknowledgement on; if a PDU
// between both needs the new ones, they are from that PDU on, for nobody sees when the SGSN took
// them.
#include "lab/audit/audit_parts.h"
#include "lab/engine/need.h"

enum { BVC_ASKS_FLOW = 0x26, MS_ASKS_FLOW = 0x28, PFC_ASKS_FLOW = 0x2d };
enum { BVC_ACK = 0x27, MS_ACK = 0x29, PFC_ACK = 0x2e };

#define LEAST_C_NS  (S_IN_NS * 9 / 10) // C is 1 s at least (clause 12); a network delays
#define ACK_WAIT_NS (10 * S_IN_NS)     // an SGSN that has not answered by then does not

static const char *const kind_names[FLOW_KINDS] = {"FLOW-CONTROL-BVC", "FLOW-CONTROL-MS",
                                                   "FLOW-CONTROL-PFC"};

// ---- What the BSS asks for ----

static void from_bvc(struct audit_flow *flow, const struct bssgp_flow_control_bvc *pdu)
{
    flow->kind = FLOW_BVC;
    flow->tag = pdu->tag;
    flow->has_values = true;
    flow->bmax = pdu->bmax_octets;
    flow->r = pdu->r_bit_per_s;
    flow->bmax_default = pdu->bmax_default_octets;
    flow->r_default = pdu->r_default_bit_per_s;
    flow->has_full = pdu->has_full_percent;
    flow->full_percent = pdu->full_percent;
    flow->has_measured = pdu->has_measured_delay_ms;
    flow->measured_ms = pdu->measured_delay_ms;
}

static void from_ms(struct audit_flow *flow, const struct bssgp_flow_control_ms *pdu)
{
    flow->kind = FLOW_MS;
    flow->tag = pdu->tag;
    flow->tlli = pdu->tlli;
    flow->has_values = true;
    flow->bmax = pdu->bmax_octets;
    flow->r = pdu->r_bit_per_s;
    flow->has_full = pdu->has_full_percent;
    flow->full_percent = pdu->full_percent;
}

static void from_pfc(struct audit_flow *flow, const struct bssgp_flow_control_pfc *pdu)
{
    flow->kind = FLOW_PFC;
    flow->tag = pdu->tag;
    flow->tlli = pdu->tlli;
    flow->has_values = pdu->has_bmax_octets && pdu->has_r_bit_per_s;
    flow->bmax = pdu->bmax_octets;
    flow->r = pdu->r_bit_per_s;
    flow->has_full = pdu->has_full_percent;
    flow->full_percent = pdu->full_percent;
    flow->flows = pdu->flows;
}

static bool read_flow(struct audit_flow *flow, const struct octets *pdu)
{
    struct bssgp_flow_control_bvc bvc;
    struct bssgp_flow_control_ms ms;
    struct bssgp_flow_control_pfc pfc;
    if (bssgp_flow_control_bvc_decode(&bvc, pdu->at, pdu->n) >= 0)
        from_bvc(flow, &bvc);
    else if (bssgp_flow_control_ms_decode(&ms, pdu->at, pdu->n) >= 0)
        from_ms(flow, &ms);
    else if (bssgp_flow_control_pfc_decode(&pfc, pdu->at, pdu->n) >= 0)
        from_pfc(flow, &pfc);
    else
        return false;
    return true;
}

static struct audit_asked *asked_of(struct audit *audit, struct audit_bvc *bvc,
                                    enum audit_flow_kind kind, uint32_t tlli)
{
    if (kind == FLOW_BVC)
        return &bvc->asked;
    struct audit_ms *ms = audit_ms_of(audit, bvc->nse, tlli);
    return ms ? &ms->asked[kind] : NULL;
}

static struct audit_at at_of(const struct audit *audit, const struct audit_flow *flow)
{
    struct audit_at at = audit->at;
    at.time_ns = flow->time_ns;
    at.frame = flow->frame;
    return at;
}

// The slot's FLOW-CONTROL is listed; judged: one without an acknowledgement is a finding.
static void retire(struct audit *audit, struct audit_flow **slot, bool judged)
{
    struct audit_flow *flow = *slot;
    *slot = NULL;
    if (!flow)
        return;
    struct audit_at at = at_of(audit, flow);
    at.pair = flow->pair;
    if (judged && !flow->acknowledged && !flow->refused)
        audit_find_at(audit, AUDIT_RULE_flow_not_acknowledged, AUDIT_SGSN, &at, flow->bvc->bvci,
                      flow->kind == FLOW_BVC ? NULL : &flow->tlli, "%s, tag %u",
                      kind_names[flow->kind], flow->tag);
    audit_list_flow(audit, flow);
}

void audit_flow_forget(struct audit *audit, struct audit_asked *asked, bool judged)
{
    retire(audit, &asked->flow[1], judged);
    retire(audit, &asked->flow[0], judged);
    *asked = (struct audit_asked){0};
}

// One that a network has delayed is nearer to the next one, but not both to the one before.
static void check_interval(struct audit *audit, struct audit_asked *asked,
                           const struct audit_flow *flow)
{
    uint64_t now_ns = audit->at.time_ns, slack_ns = audit->disorder_ns;
    uint64_t since_ns = now_ns - asked->last_ns[0], two_ns = now_ns - asked->last_ns[1];
    if (asked->any > 1 && flow->kind != FLOW_PFC && since_ns + slack_ns < LEAST_C_NS &&
        two_ns + slack_ns < 2 * LEAST_C_NS)
        audit_find(audit, AUDIT_RULE_flow_too_often, flow->bvc->bvci,
                   flow->kind == FLOW_BVC ? NULL : &flow->tlli, "%s %.3f s after the one before",
                   kind_names[flow->kind], (double)since_ns / (double)S_IN_NS);
    asked->last_ns[1] = asked->last_ns[0];
    asked->last_ns[0] = now_ns;
    asked->any += asked->any < 2;
}

static uint64_t given_to(struct audit *audit, const struct audit_flow *flow)
{
    if (flow->kind == FLOW_BVC)
        return flow->bvc->bucket.given_total;
    const struct audit_ms *ms = audit_ms_find(audit, flow->bvc->nse, flow->tlli);
    return ms ? ms->bucket.given_total : 0;
}

void audit_flow_asks(struct audit *audit, uint8_t type, const void *pdu)
{
    struct audit_bvc *bvc = audit_bvc_of(audit, audit->at.pair->nse, audit->at.bvci);
    if (!bvc)
        return;
    struct audit_flow *flow = need(calloc(1, sizeof *flow));
    *flow = (struct audit_flow){
        .time_ns = audit->at.time_ns, .frame = audit->at.frame, .pair = audit->at.pair, .bvc = bvc};
    if (type == BVC_ASKS_FLOW)
        from_bvc(flow, pdu);
    else if (type == MS_ASKS_FLOW)
        from_ms(flow, pdu);
    else
        from_pfc(flow, pdu);
    bvc->flows++;
    bvc->has_measured |= flow->has_measured;
    if (flow->has_measured && flow->measured_ms > bvc->measured_most_ms)
        bvc->measured_most_ms = flow->measured_ms;
    struct audit_asked *asked = asked_of(audit, bvc, flow->kind, flow->tlli);
    if (!asked) {
        free(flow);
        return;
    }
    check_interval(audit, asked, flow);
    flow->given_before = given_to(audit, flow);
    retire(audit, &asked->flow[1], true);
    asked->flow[1] = asked->flow[0];
    asked->flow[0] = flow;
}

// ---- In force ----

static void change(struct audit_bucket *bucket, uint64_t now_ns, const struct audit_flow *flow)
{
    audit_bucket_change(bucket, now_ns, flow->bmax, flow->r);
    if (flow->has_full)
        audit_bucket_full(bucket, now_ns, flow->full_percent, flow->given_before);
}

static void cell_in_force(struct audit *audit, struct audit_bvc *bvc, const struct audit_flow *flow)
{
    uint64_t now_ns = audit->at.time_ns;
    change(&bvc->bucket, now_ns, flow);
    bool same = bvc->bmax_default == flow->bmax_default && bvc->r_default == flow->r_default;
    bvc->bmax_default = flow->bmax_default;
    bvc->r_default = flow->r_default;
    for (struct audit_ms *ms = bvc->mss; ms; ms = ms->of_bvc_next)
        if (!ms->own && !(same && ms->bucket.set))
            audit_bucket_change(&ms->bucket, now_ns, flow->bmax_default, flow->r_default);
    if (bvc->state == BVC_RESET || bvc->state == BVC_UNKNOWN)
        audit_bvc_enter(audit, bvc, BVC_OPEN);
}

static bool is_old(const struct audit *audit, const struct audit_ms *ms)
{
    return ms->own && audit->at.time_ns - ms->own_ns > audit->options.th_ns;
}

static void ms_in_force(struct audit *audit, struct audit_ms *ms, const struct audit_flow *flow)
{
    // Behind Th the SGSN may have gone by values of its own: what it holds by now nobody knows.
    if (is_old(audit, ms))
        audit_bucket_restart(&ms->bucket, audit->at.time_ns);
    ms->own = true;
    ms->own_ns = audit->at.time_ns;
    change(&ms->bucket, audit->at.time_ns, flow);
}

static struct audit_pfc *pfc_of(struct audit_ms *ms, uint8_t pfi, bool make)
{
    struct audit_pfc *pfc = ms->pfcs;
    while (pfc && pfc->pfi != pfi)
        pfc = pfc->next;
    if (pfc || !make)
        return pfc;
    pfc = need(calloc(1, sizeof *pfc));
    *pfc = (struct audit_pfc){.next = ms->pfcs, .pfi = pfi};
    ms->pfcs = pfc;
    return pfc;
}

static void pfcs_in_force(struct audit *audit, struct audit_ms *ms, const struct audit_flow *flow)
{
    if (flow->has_values)
        ms_in_force(audit, ms, flow);
    for (uint64_t i = 0; i < flow->flows.n; i++) {
        const struct bssgp_pfc_flow *row = &flow->flows.item[i];
        struct audit_bucket *bucket = &pfc_of(ms, row->pfi, true)->bucket;
        audit_bucket_change(bucket, audit->at.time_ns, row->bmax_octets, row->r_bit_per_s);
        if (row->has_full_percent)
            audit_bucket_full(bucket, audit->at.time_ns, row->full_percent, bucket->given_total);
    }
}

static void in_force(struct audit *audit, struct audit_bvc *bvc, struct audit_flow *flow)
{
    flow->in_force = true;
    if (flow->kind == FLOW_BVC) {
        cell_in_force(audit, bvc, flow);
        return;
    }
    struct audit_ms *ms = audit_ms_find(audit, bvc->nse, flow->tlli);
    if (!ms || !bvc->bucket.set)
        return;
    if (ms->bvc != bvc)
        ms = audit_ms_enter(audit, bvc, flow->tlli);
    if (flow->kind == FLOW_MS)
        ms_in_force(audit, ms, flow);
    else
        pfcs_in_force(audit, ms, flow);
}

static void acknowledged(struct audit *audit, struct audit_bvc *bvc, struct audit_flow *flow)
{
    if (flow->acknowledged)
        return;
    flow->acknowledged = true;
    flow->ack_ns = audit->at.time_ns;
    flow->ack_frame = audit->at.frame;
    bvc->acks++;
    if (!bvc->ack_delays_ns)
        bvc->ack_delays_ns = need(calloc(1, sizeof *bvc->ack_delays_ns));
    histogram_add(bvc->ack_delays_ns, flow->ack_ns - flow->time_ns);
    if (!flow->in_force)
        in_force(audit, bvc, flow);
}

static enum audit_flow_kind ack_of(uint8_t type, const void *pdu, uint8_t *tag, uint32_t *tlli)
{
    const struct bssgp_flow_control_ms_ack *ms = pdu;
    const struct bssgp_flow_control_pfc_ack *pfc = pdu;
    *tlli = type == MS_ACK ? ms->tlli : type == PFC_ACK ? pfc->tlli : 0;
    if (type == BVC_ACK)
        *tag = ((const struct bssgp_flow_control_bvc_ack *)pdu)->tag;
    else
        *tag = type == MS_ACK ? ms->tag : pfc->tag;
    return type == BVC_ACK ? FLOW_BVC : type == MS_ACK ? FLOW_MS : FLOW_PFC;
}

void audit_flow_acknowledges(struct audit *audit, uint8_t type, const void *pdu)
{
    uint8_t tag;
    uint32_t tlli;
    struct audit_bvc *bvc = audit_bvc_of(audit, audit->at.pair->nse, audit->at.bvci);
    enum audit_flow_kind kind = ack_of(type, pdu, &tag, &tlli);
    struct audit_asked *asked = bvc ? asked_of(audit, bvc, kind, tlli) : NULL;
    if (!asked)
        return;
    for (int i = 0; i < 2; i++)
        if (asked->flow[i] && asked->flow[i]->tag == tag && asked->flow[i]->bvc == bvc) {
            acknowledged(audit, bvc, asked->flow[i]);
            return;
        }
    if (asked->any)
        audit_find(audit, AUDIT_RULE_flow_ack_of_nothing, bvc->bvci,
                   kind == FLOW_BVC ? NULL : &tlli, "%s-ACK, tag %u", kind_names[kind], tag);
}

// The SGSN cannot take it, for it knows no such MS, for instance (clause 9): STATUS holds the PDU.
void audit_flow_refused(struct audit *audit, const struct octets *pdu)
{
    struct audit_flow flow = {0};
    struct audit_bvc *bvc = audit_bvc_of(audit, audit->at.pair->nse, audit->at.bvci);
    if (!bvc || !read_flow(&flow, pdu))
        return;
    struct audit_asked *asked = asked_of(audit, bvc, flow.kind, flow.tlli);
    for (int i = 0; asked && i < 2; i++)
        if (asked->flow[i] && asked->flow[i]->tag == flow.tag)
            asked->flow[i]->refused = true;
}

// ---- The replay ----

// The values that are asked for and not yet acknowledged, if the PDU conforms by them.
static bool conforms_by(struct audit *audit, const struct audit_bucket *bucket,
                        const struct audit_flow *flow, uint32_t octets, uint64_t tolerance_ns)
{
    struct audit_bucket trial = *bucket;
    if (!flow || flow->in_force || flow->acknowledged)
        return false;
    change(&trial, audit->at.time_ns, flow);
    return !audit_bucket_judge(&trial, audit->at.time_ns, octets, tolerance_ns).refused;
}

static void adopt_for_cell(struct audit *audit, const struct audit_levels *at)
{
    struct audit_flow *flow = at->bvc->asked.flow[0];
    if (flow && conforms_by(audit, &at->bvc->bucket, flow, at->octets, at->tolerance_ns))
        in_force(audit, at->bvc, flow);
}

static void adopt_for_ms(struct audit *audit, const struct audit_levels *at)
{
    struct audit_flow *flow = at->ms->asked[FLOW_MS].flow[0];
    if (flow && conforms_by(audit, &at->ms->bucket, flow, at->octets, at->tolerance_ns)) {
        in_force(audit, at->bvc, flow);
        return;
    }
    flow = at->bvc->asked.flow[0];
    if (flow && !at->ms->own && !flow->in_force && !flow->acknowledged) {
        struct audit_bucket trial = at->ms->bucket;
        audit_bucket_change(&trial, audit->at.time_ns, flow->bmax_default, flow->r_default);
        if (!audit_bucket_judge(&trial, audit->at.time_ns, at->octets, at->tolerance_ns).refused)
            in_force(audit, at->bvc, flow);
    }
}

static void adopt_for_pfc(struct audit *audit, const struct audit_levels *at)
{
    struct audit_flow *flow = at->ms->asked[FLOW_PFC].flow[0];
    if (flow && !flow->in_force && !flow->acknowledged)
        in_force(audit, at->bvc, flow);
}

typedef void adopt_fn(struct audit *audit, const struct audit_levels *at);

static bool refused(struct audit *audit, const struct audit_levels *at, struct audit_bucket *bucket,
                    enum audit_rule rule, adopt_fn *adopt)
{
    uint64_t now_ns = audit->at.time_ns;
    struct audit_verdict verdict = audit_bucket_judge(bucket, now_ns, at->octets, at->tolerance_ns);
    if (verdict.refused) {
        adopt(audit, at);
        verdict = audit_bucket_judge(bucket, now_ns, at->octets, at->tolerance_ns);
    }
    if (!verdict.refused)
        return false;
    bucket->refused++;
    char early[40] = "R is 0";
    if (verdict.early_ns != UINT64_MAX)
        snprintf(early, sizeof early, "%.3f ms too early", (double)verdict.early_ns / 1e6);
    audit_find(audit, rule, at->bvc->bvci, &at->ms->tlli,
               "%u octets, %.1f over Bmax %llu at R %llu bit/s: %s", at->octets,
               verdict.over_octets, (unsigned long long)bucket->bmax_octets,
               (unsigned long long)bucket->r_bit_per_s, early);
    return true;
}

static bool ms_refused(struct audit *audit, const struct audit_levels *at)
{
    if (!is_old(audit, at->ms))
        return refused(audit, at, &at->ms->bucket, AUDIT_RULE_ms_bucket, adopt_for_ms);
    audit->counts[AUDIT_after_th]++;
    audit_bucket_settle(&at->ms->bucket, audit->at.time_ns, at->tolerance_ns);
    return false;
}

// All buckets take a PDU or none.
static void replay(struct audit *audit, const struct audit_levels *at)
{
    bool no = refused(audit, at, &at->bvc->bucket, AUDIT_RULE_bvc_bucket, adopt_for_cell);
    no |= ms_refused(audit, at);
    if (at->pfc)
        no |= refused(audit, at, &at->pfc->bucket, AUDIT_RULE_pfc_bucket, adopt_for_pfc);
    audit_bucket_charge(&at->bvc->bucket, at->octets, no);
    audit_bucket_charge(&at->ms->bucket, at->octets, no);
    if (at->pfc)
        audit_bucket_charge(&at->pfc->bucket, at->octets, no);
}

// ---- The face ----

// The MS has a new TLLI, and keeps what it has.
static void follow_old_tlli(struct audit *audit, struct audit_nse *nse,
                            const struct bssgp_dl_unitdata *pdu)
{
    if (!pdu->has_old_tlli || pdu->old_tlli == pdu->tlli)
        return;
    struct audit_ms *ms = audit_ms_find(audit, nse, pdu->old_tlli);
    if (ms && !audit_ms_find(audit, nse, pdu->tlli))
        audit_ms_rename(audit, ms, pdu->tlli);
}

void audit_flow_dl(struct audit *audit, struct audit_bvc *bvc, const struct bssgp_dl_unitdata *pdu)
{
    uint32_t tlli = pdu->tlli;
    follow_old_tlli(audit, bvc->nse, pdu);
    audit_ms_dl(audit, bvc, tlli);
    if (!bvc->bucket.set && bvc->asked.flow[0])
        in_force(audit, bvc, bvc->asked.flow[0]);
    if (!bvc->bucket.set) {
        if (bvc->had_reset)
            audit_find(audit, AUDIT_RULE_before_flow_control, bvc->bvci, &tlli, "%u octets",
                       pdu->llc_pdu.n);
        else
            audit->counts[AUDIT_before_values]++;
        return;
    }
    struct audit_ms *ms = audit_ms_enter(audit, bvc, tlli);
    if (!ms || pdu->llc_pdu.n == 0)
        return;
    struct audit_levels levels = {bvc, ms, pdu->has_pfi ? pfc_of(ms, pdu->pfi, false) : NULL,
                                  pdu->llc_pdu.n, audit->options.tolerance_ns + audit->disorder_ns};
    ms->pdus_down++;
    ms->octets_down += levels.octets;
    replay(audit, &levels);
    audit_pace_note(audit, &levels);
}

void audit_flow_discarded(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli,
                          uint64_t octets)
{
    struct audit_ms *ms = audit_ms_find(audit, bvc->nse, tlli);
    audit_bucket_settle(&bvc->bucket, audit->at.time_ns, 0);
    audit_bucket_give_back(&bvc->bucket, audit->at.time_ns, octets);
    if (!ms || ms->bvc != bvc)
        return;
    ms->discarded_octets += octets;
    audit_bucket_settle(&ms->bucket, audit->at.time_ns, 0);
    audit_bucket_give_back(&ms->bucket, audit->at.time_ns, octets);
}

// The cell's bucket, its defaults and those of its MSs are forgotten.
void audit_flow_reset(struct audit *audit, struct audit_bvc *bvc)
{
    audit_flow_forget(audit, &bvc->asked, false);
    audit_pace_end(audit, bvc);
    audit_bucket_forget(&bvc->bucket, audit->at.time_ns);
    while (bvc->mss)
        audit_ms_leave(audit, bvc->mss);
}

// A FLOW-CONTROL at the very end may have its answer behind the end.
static void finish_asked(struct audit *audit, struct audit_asked *asked)
{
    const struct audit_flow *last = asked->flow[0];
    retire(audit, &asked->flow[1], true);
    bool late = last && audit->last_ns - last->time_ns > ACK_WAIT_NS;
    audit_flow_forget(audit, asked, late);
}

void audit_flow_finish(struct audit *audit)
{
    for (struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next) {
        audit_pace_end(audit, bvc);
        finish_asked(audit, &bvc->asked);
        audit_bucket_settle(&bvc->bucket, audit->last_ns, 0);
    }
    for (struct audit_ms *ms = audit->mss; ms; ms = ms->next)
        for (int kind = 0; kind < FLOW_KINDS; kind++)
            finish_asked(audit, &ms->asked[kind]);
}
