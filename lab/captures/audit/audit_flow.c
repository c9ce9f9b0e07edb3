// Flow control (TS 48.018 clause 8.2.3): each FLOW-CONTROL with its acknowledgement, and the values
// that are in force. They are from their acknowledgement on; if a PDU between both needs the new
// ones, and the old ones are known, from that PDU on (audit_replay.c), for nobody sees when the
// SGSN took them. So what the new R leaks more than the old one in that time counts for the SGSN.
#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define LEAST_C_NS        (S_IN_NS * 9 / 10) // C is 1 s at least (clause 12); a network delays
#define ACK_WAIT_NS       (10 * S_IN_NS)     // an SGSN that has not answered by then does not
#define MEASURED_INFINITE 655350u            // ms: 65535 of 10 (11.3.7)
#define ACKED_SINCE       2u // later ones that are acknowledged: this one will not be

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
    flow->has_measured = pdu->has_measured_delay_ms && pdu->measured_delay_ms != MEASURED_INFINITE;
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

static void judge_answer(struct audit *audit, const struct audit_flow *flow)
{
    struct audit_at at = audit->at;
    at.time_ns = flow->time_ns;
    at.frame = flow->frame;
    at.pair = flow->pair;
    if (!flow->acknowledged && !flow->refused && !flow->early)
        audit_find_at(audit, AUDIT_RULE_flow_not_acknowledged, AUDIT_SGSN, &at, flow->bvc->bvci,
                      flow->kind == FLOW_BVC ? NULL : &flow->tlli, "%s, tag %u",
                      kind_names[flow->kind], flow->tag);
}

// That one and the older ones are listed; judged: those without an answer are findings.
static void retire(struct audit *audit, struct audit_flow **from, bool judged)
{
    struct audit_flow *flow = *from;
    *from = NULL;
    for (struct audit_flow *older; flow; flow = older) {
        older = flow->older;
        if (judged)
            judge_answer(audit, flow);
        audit_list_flow(audit, flow);
    }
}

// Those that will not be acknowledged any more.
static void retire_old(struct audit *audit, struct audit_asked *asked)
{
    uint32_t acked = 0, count = 0;
    struct audit_flow **at = &asked->newest;
    for (; *at && acked < ACKED_SINCE; at = &(*at)->older) {
        if (audit->at.time_ns - (*at)->time_ns > ACK_WAIT_NS)
            break;
        if (++count > AUDIT_ASKED_MOST) {
            retire(audit, at, false);
            return;
        }
        acked += (*at)->acknowledged;
    }
    retire(audit, at, true);
}

void audit_flow_forget(struct audit *audit, struct audit_asked *asked)
{
    retire(audit, &asked->newest, false);
    *asked = (struct audit_asked){0};
}

void audit_flow_leave(struct audit *audit, struct audit_asked *asked)
{
    struct audit_asked left = {.left_ns = audit->at.time_ns};
    for (const struct audit_flow *flow = asked->newest; flow; flow = flow->older)
        if (!flow->acknowledged && !flow->refused && left.left_tags < AUDIT_ASKED_MOST) {
            left.left = flow->bvc;
            left.left_tag[left.left_tags++] = flow->tag;
        }
    audit_flow_forget(audit, asked);
    *asked = left;
}

// Is it the answer to one of the cell that the MS has left? Each has one.
static bool answers_left(const struct audit *audit, struct audit_asked *asked,
                         const struct audit_bvc *bvc, uint8_t tag)
{
    if (asked->left != bvc || audit->at.time_ns - asked->left_ns > ACK_WAIT_NS)
        return false;
    for (uint8_t i = 0; i < asked->left_tags; i++)
        if (asked->left_tag[i] == tag) {
            asked->left_tag[i] = asked->left_tag[--asked->left_tags];
            return true;
        }
    return false;
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
    if (type == BSSGP_FLOW_CONTROL_BVC_TYPE)
        from_bvc(flow, pdu);
    else if (type == BSSGP_FLOW_CONTROL_MS_TYPE)
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
    if (asked->newest && asked->newest->bvc != bvc) // of the cell that the MS has left
        audit_flow_leave(audit, asked);
    check_interval(audit, asked, flow);
    flow->given_before = given_to(audit, flow);
    flow->older = asked->newest;
    asked->newest = flow;
    audit_traffic_flow(audit, flow);
    retire_old(audit, asked);
}

// ---- In force ----

#define CBL 0x02 // of the Feature bitmap

// The ratio counts if both ends have said CBL. If that was not captured, it counts where it helps.
static bool ratio_counts(const struct audit_bucket *bucket, const struct audit_flow *flow,
                         const struct audit_values *values)
{
    const int16_t *features = flow->bvc->nse->features;
    if (!values->has_full)
        return false;
    if (features[0] >= 0 && features[1] >= 0)
        return features[0] & features[1] & CBL;
    bool refused =
        (features[0] >= 0 && !(features[0] & CBL)) || (features[1] >= 0 && !(features[1] & CBL));
    return !refused && audit_bucket_is_above(bucket, values->full_percent);
}

// What leaked more or less at the other R since it was asked for may have leaked; early by the
// tolerance is early at the R of that time.
void audit_flow_default(struct audit_bucket *bucket, const struct audit_default *one)
{
    if (one->forgotten) {
        audit_bucket_forget(bucket, one->now_ns);
        return;
    }
    uint64_t old_r = bucket->set ? bucket->r_bit_per_s : 0;
    bucket->bmax_before = bucket->set ? bucket->bmax_octets : 0;
    bucket->changed_ns = one->now_ns;
    bucket->changed_by = one->pair;
    audit_bucket_change(bucket, one->now_ns, one->bmax, one->r);
    if (old_r > one->r)
        audit_bucket_leak(bucket, old_r - one->r, one->slack_ns);
    else
        audit_bucket_leak(bucket, one->r - old_r, one->now_ns - one->asked_ns);
}

static struct audit_default now_in_force(const struct audit *audit, const struct audit_flow *flow,
                                         const struct audit_values *values)
{
    return (struct audit_default){.now_ns = audit->at.time_ns,
                                  .asked_ns = flow->time_ns,
                                  .slack_ns = audit->options.tolerance_ns + audit->disorder_ns,
                                  .bmax = values->bmax,
                                  .r = values->r,
                                  .pair = audit->at.pair};
}

void audit_flow_change(const struct audit *audit, struct audit_bucket *bucket,
                       const struct audit_flow *flow, const struct audit_values *values)
{
    struct audit_default now = now_in_force(audit, flow, values);
    audit_flow_default(bucket, &now);
    if (!ratio_counts(bucket, flow, values))
        return;
    audit_bucket_full(bucket, now.now_ns, values->full_percent, values->given_before);
    audit_bucket_leak(bucket, values->r, now.now_ns - flow->time_ns);
}

struct audit_values audit_flow_values(const struct audit_flow *flow)
{
    return (struct audit_values){flow->bmax, flow->r, flow->has_full, flow->full_percent,
                                 flow->given_before};
}

struct audit_values audit_flow_defaults(const struct audit_flow *flow)
{
    return (struct audit_values){.bmax = flow->bmax_default, .r = flow->r_default};
}

struct audit_values audit_flow_pfc_values(const struct audit_pfc *pfc,
                                          const struct bssgp_pfc_flow *row)
{
    return (struct audit_values){row->bmax_octets, row->r_bit_per_s, row->has_full_percent,
                                 row->full_percent, pfc->bucket.given_total};
}

// For those of its MSs that go by the defaults.
static void tell_mss(struct audit_bvc *bvc, const struct audit_default *one)
{
    if (!bvc->mss)
        return;
    if (!bvc->defaults)
        bvc->defaults = need(calloc(AUDIT_DEFAULTS, sizeof *bvc->defaults));
    bvc->defaults[bvc->defaults_made++ % AUDIT_DEFAULTS] = *one;
}

static void cell_in_force(struct audit *audit, struct audit_bvc *bvc, const struct audit_flow *flow)
{
    struct audit_values values = audit_flow_values(flow), defaults = audit_flow_defaults(flow);
    struct audit_default one = now_in_force(audit, flow, &defaults);
    bool same = bvc->bmax_default == flow->bmax_default && bvc->r_default == flow->r_default;
    if (!same || !bvc->bucket.set)
        tell_mss(bvc, &one);
    audit_flow_change(audit, &bvc->bucket, flow, &values);
    bvc->unknown_values = false;
    bvc->values_ns = flow->time_ns;
    bvc->bmax_default = flow->bmax_default;
    bvc->r_default = flow->r_default;
    if (bvc->state == BVC_RESET || bvc->state == BVC_UNKNOWN)
        audit_bvc_enter(audit, bvc, BVC_OPEN);
}

bool audit_flow_is_old(const struct audit *audit, bool own, uint64_t since_ns)
{
    return own && audit->at.time_ns - since_ns > audit->options.th_ns;
}

static void ms_in_force(struct audit *audit, struct audit_ms *ms, const struct audit_flow *flow)
{
    struct audit_values values = audit_flow_values(flow);
    // Behind Th the SGSN may have gone by values of its own, as by some that were not captured:
    // what the bucket holds by now nobody knows.
    if (ms->older || audit_flow_is_old(audit, ms->own, ms->own_ns))
        audit_bucket_restart(&ms->bucket, audit->at.time_ns);
    if (!ms->own)
        ms->bucket.beyond =
            (struct audit_beyond){0}; // the cell's defaults are none of its own values
    ms->own = true;
    ms->older = false;
    ms->own_ns = flow->time_ns;
    audit_flow_change(audit, &ms->bucket, flow, &values);
}

static void pfc_in_force(struct audit *audit, struct audit_ms *ms, const struct audit_flow *flow,
                         const struct bssgp_pfc_flow *row)
{
    struct audit_pfc *pfc = audit_pfc_of(audit, ms, row->pfi, true);
    if (!pfc)
        return;
    struct audit_values values = audit_flow_pfc_values(pfc, row);
    if (audit_flow_is_old(audit, pfc->bucket.set, pfc->since_ns))
        audit_bucket_restart(&pfc->bucket, audit->at.time_ns);
    pfc->since_ns = flow->time_ns;
    audit_flow_change(audit, &pfc->bucket, flow, &values);
}

// Once later values are in force, an acknowledgement of earlier ones changes nothing.
static bool is_overtaken(const struct audit_asked *asked, const struct audit_flow *flow)
{
    for (const struct audit_flow *later = asked->newest; later && later != flow;
         later = later->older)
        if (later->in_force)
            return true;
    return false;
}

void audit_flow_in_force(struct audit *audit, struct audit_bvc *bvc, struct audit_flow *flow)
{
    struct audit_asked *asked = asked_of(audit, bvc, flow->kind, flow->tlli);
    if (flow->in_force || !asked || is_overtaken(asked, flow))
        return;
    flow->in_force = true;
    if (flow->kind == FLOW_BVC) {
        cell_in_force(audit, bvc, flow);
        return;
    }
    struct audit_ms *ms = audit_ms_enter(audit, bvc, flow->tlli);
    if (ms && flow->has_values)
        ms_in_force(audit, ms, flow);
    for (uint64_t i = 0; ms && i < flow->flows.n; i++)
        pfc_in_force(audit, ms, flow, &flow->flows.item[i]);
}

// Of an MS only its own values: the cell's defaults are not what it has, if a FLOW-CONTROL-MS is
// missing.
static void confirm(struct audit *audit, struct audit_bvc *bvc, const struct audit_flow *flow)
{
    if (flow->kind == FLOW_BVC) {
        audit_bucket_confirm(&bvc->bucket, audit->at.time_ns);
        return;
    }
    struct audit_ms *ms = audit_ms_find(audit, bvc->nse, flow->tlli);
    if (ms && ms->own && ms->bvc == bvc && flow->has_values)
        audit_bucket_confirm(&ms->bucket, audit->at.time_ns);
}

static void acknowledged(struct audit *audit, struct audit_bvc *bvc, struct audit_asked *asked,
                         struct audit_flow *flow)
{
    flow->acknowledged = true;
    flow->ack_ns = audit->at.time_ns;
    flow->ack_frame = audit->at.frame;
    bvc->acks++;
    audit_sample(audit, &bvc->ack_delays_ns, flow->ack_ns - flow->time_ns);
    audit_flow_in_force(audit, bvc, flow);
    confirm(audit, bvc, flow);
    retire_old(audit, asked);
}

static enum audit_flow_kind ack_of(uint8_t type, const void *pdu, uint8_t *tag, uint32_t *tlli)
{
    const struct bssgp_flow_control_ms_ack *ms = pdu;
    const struct bssgp_flow_control_pfc_ack *pfc = pdu;
    *tlli = type == BSSGP_FLOW_CONTROL_MS_ACK_TYPE    ? ms->tlli
            : type == BSSGP_FLOW_CONTROL_PFC_ACK_TYPE ? pfc->tlli
                                                      : 0;
    if (type == BSSGP_FLOW_CONTROL_BVC_ACK_TYPE)
        *tag = ((const struct bssgp_flow_control_bvc_ack *)pdu)->tag;
    else
        *tag = type == BSSGP_FLOW_CONTROL_MS_ACK_TYPE ? ms->tag : pfc->tag;
    return type == BSSGP_FLOW_CONTROL_BVC_ACK_TYPE  ? FLOW_BVC
           : type == BSSGP_FLOW_CONTROL_MS_ACK_TYPE ? FLOW_MS
                                                    : FLOW_PFC;
}

// ---- Answers to FLOW-CONTROLs that were not captured ----

static void cell_unknown(struct audit *audit, struct audit_bvc *bvc)
{
    bvc->unknown_values = true;
    audit_pace_end(audit, bvc);
    audit_bucket_forget(&bvc->bucket, audit->at.time_ns);
    struct audit_default none = {.now_ns = audit->at.time_ns, .forgotten = true};
    tell_mss(bvc, &none);
}

// It may be in another cell by now.
static void ms_unknown(struct audit *audit, struct audit_bvc *bvc, enum audit_flow_kind kind,
                       uint32_t tlli)
{
    struct audit_ms *ms = audit_ms_find(audit, bvc->nse, tlli);
    if (!ms || (ms->bvc && ms->bvc != bvc))
        return;
    ms = audit_ms_enter(audit, bvc, tlli);
    ms->own = false;
    ms->older = true;
    for (struct audit_pfc *pfc = ms->pfcs; pfc && kind == FLOW_PFC; pfc = pfc->next)
        audit_bucket_forget(&pfc->bucket, audit->at.time_ns);
}

// What was sent since the FLOW-CONTROL may have been by it: that was behind the last one that has
// its answer.
static void unsay_since(struct audit *audit, const struct audit_bvc *bvc,
                        const struct audit_asked *asked, enum audit_flow_kind kind,
                        const uint32_t *tlli)
{
    uint64_t now_ns = audit->at.time_ns, since_ns = now_ns > ACK_WAIT_NS ? now_ns - ACK_WAIT_NS : 0;
    static const uint32_t rules[FLOW_KINDS] = {
        [FLOW_BVC] = AUDIT_BIT(bvc_bucket) | AUDIT_BIT(ms_bucket) | AUDIT_BIT(before_flow_control),
        [FLOW_MS] = AUDIT_BIT(ms_bucket),
        [FLOW_PFC] = AUDIT_BIT(ms_bucket) | AUDIT_BIT(pfc_bucket)};
    for (const struct audit_flow *flow = asked->newest; flow; flow = flow->older)
        if (flow->acknowledged && flow->time_ns > since_ns)
            since_ns = flow->time_ns;
    struct audit_unsaid what = {.nse = bvc->nse,
                                .rules = rules[kind],
                                .bvci = bvc->bvci,
                                .tlli = kind == FLOW_BVC ? NULL : tlli,
                                .since_ns = since_ns};
    audit_unsay(audit, &what);
}

// Values are in force that were not captured. Those that are asked for by now may be older.
static void unknown(struct audit *audit, struct audit_bvc *bvc, struct audit_asked *asked,
                    enum audit_flow_kind kind, uint32_t tlli)
{
    audit->counts[AUDIT_acks_of_unknown]++;
    audit_lacks(audit, AUDIT_HINT, audit->at.time_ns, audit->at.time_ns);
    unsay_since(audit, bvc, asked, kind, &tlli);
    for (struct audit_flow *flow = asked->newest; flow; flow = flow->older)
        flow->in_force |= flow->bvc == bvc; // an MS may be asked for in another cell by now
    if (kind == FLOW_BVC)
        cell_unknown(audit, bvc);
    else
        ms_unknown(audit, bvc, kind, tlli);
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
    bool known = false;
    struct audit_flow *first = NULL; // of one tag the first answers the first
    for (struct audit_flow *flow = asked->newest; flow; flow = flow->older)
        if (flow->tag == tag && flow->bvc == bvc) {
            known = true;
            first = flow->acknowledged ? first : flow;
        }
    if (first)
        acknowledged(audit, bvc, asked, first);
    if (known)
        return;
    if (answers_left(audit, asked, bvc, tag)) {
        const struct audit_ms *ms = audit_ms_find(audit, bvc->nse, tlli);
        if (ms && ms->bvc == bvc && !ms->own) // it has come back
            ms_unknown(audit, bvc, kind, tlli);
        return;
    }
    if (asked->any)
        audit_find(audit, AUDIT_RULE_flow_ack_of_nothing, bvc->bvci,
                   kind == FLOW_BVC ? NULL : &tlli, "%s-ACK, tag %u", kind_names[kind], tag);
    unknown(audit, bvc, asked, kind, tlli);
}

// The SGSN cannot take it, for it knows no such MS, for instance (clause 9): STATUS holds the PDU.
void audit_flow_refused(struct audit *audit, uint16_t bvci, const struct octets *pdu)
{
    struct audit_flow flow = {0};
    struct audit_bvc *bvc = audit_bvc_of(audit, audit->at.pair->nse, bvci);
    if (!bvc || !read_flow(&flow, pdu))
        return;
    struct audit_asked *asked = asked_of(audit, bvc, flow.kind, flow.tlli);
    for (struct audit_flow *one = asked ? asked->newest : NULL; one; one = one->older)
        if (one->tag == flow.tag)
            one->refused = true;
}

// One that is created again has no values, whatever it had before.
void audit_flow_end_pfc(struct audit *audit, const struct bssgp_delete_bss_pfc_ack *pdu)
{
    struct audit_ms *ms = audit_ms_find(audit, audit->at.pair->nse, pdu->tlli);
    struct audit_pfc *pfc = ms ? audit_pfc_of(audit, ms, pdu->pfi, false) : NULL;
    if (pfc)
        audit_bucket_forget(&pfc->bucket, audit->at.time_ns);
}

// The cell's bucket, its defaults and those of its MSs are forgotten.
void audit_flow_reset(struct audit *audit, struct audit_bvc *bvc)
{
    audit_flow_forget(audit, &bvc->asked);
    audit_pace_end(audit, bvc);
    audit_bucket_forget(&bvc->bucket, audit->at.time_ns);
    while (bvc->mss)
        audit_ms_leave(audit, bvc->mss);
}

// Between two NS-VCs there is no order: one behind the RESET that came on another NS-VC than this
// answer may have been sent behind the answer. If it was sent before it is never answered.
struct audit_flow *audit_flow_early(struct audit *audit, struct audit_bvc *bvc)
{
    const struct audit_ask *asked = bvc->asked_by[!audit_sender(&audit->at)];
    struct audit_flow *early = NULL, **end = &early, **at = &bvc->asked.newest;
    while (*at) {
        struct audit_flow *flow = *at;
        bool is_early = flow->frame > asked[BVC_ASKS_RESET].frame && flow->pair != audit->at.pair;
        if (!is_early) {
            at = &flow->older;
            continue;
        }
        *at = flow->older;
        flow->older = NULL;
        flow->early = true;
        flow->in_force = false;
        *end = flow;
        end = &flow->older;
    }
    return early;
}

void audit_flow_go_on(struct audit *audit, struct audit_bvc *bvc, struct audit_flow *early)
{
    bvc->asked.newest = early;
    while (early && !early->acknowledged)
        early = early->older;
    if (early)
        audit_flow_in_force(audit, bvc, early);
}

// One at the very end may have its answer behind the end.
static void finish_asked(struct audit *audit, struct audit_asked *asked)
{
    retire_old(audit, asked);
    audit_flow_forget(audit, asked);
}

void audit_flow_finish(struct audit *audit)
{
    audit->at.time_ns = audit->last_ns;
    audit_fresh_finish(audit);
    for (struct audit_bvc *bvc = audit->bvcs; bvc; bvc = bvc->next) {
        audit_pace_end(audit, bvc);
        finish_asked(audit, &bvc->asked);
        audit_bucket_settle(&bvc->bucket, audit->last_ns, 0);
    }
    for (struct audit_ms *ms = audit->mss; ms; ms = ms->next) {
        for (int kind = 0; kind < FLOW_KINDS; kind++)
            finish_asked(audit, &ms->asked[kind]);
        audit_bucket_settle(&ms->bucket, audit->last_ns, 0);
        for (struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next)
            audit_bucket_settle(&pfc->bucket, audit->last_ns, 0);
    }
}
