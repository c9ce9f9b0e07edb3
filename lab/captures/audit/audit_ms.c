// MSs: in which cell each is (by its LLC PDUs), FLUSH-LL (48.018 clause 8.1), SUSPEND and RESUME
// (7.4, 7.5). An MS that enters a cell begins there with the cell's defaults, at B = 0.
#include <stdlib.h>
#include <string.h>

#include "lab/captures/audit/audit_parts.h"

#define BACK_NS (10 * S_IN_NS) // so long a FLUSH-LL may take behind what it is for

// The two highest bits of a TLLI.
#define TLLI_KIND    30
#define TLLI_FOREIGN 2u
#define TLLI_LOCAL   3u

static void unlink_from_cell(struct audit_ms *ms)
{
    if (ms->of_bvc_before)
        ms->of_bvc_before->of_bvc_next = ms->of_bvc_next;
    else
        ms->bvc->mss = ms->of_bvc_next;
    if (ms->of_bvc_next)
        ms->of_bvc_next->of_bvc_before = ms->of_bvc_before;
    ms->of_bvc_next = ms->of_bvc_before = NULL;
    ms->bvc = NULL;
}

static void link_to_cell(struct audit_ms *ms, struct audit_bvc *bvc)
{
    ms->bvc = bvc;
    ms->of_bvc_before = NULL;
    ms->of_bvc_next = bvc->mss;
    if (bvc->mss)
        bvc->mss->of_bvc_before = ms;
    bvc->mss = ms;
}

void audit_ms_leave(struct audit *audit, struct audit_ms *ms)
{
    const struct audit_bvc *bvc = ms->bvc;
    if (!bvc)
        return;
    audit_fresh_defaults(audit, ms);
    unlink_from_cell(ms);
    ms->own = ms->older = false;
    audit_bucket_forget(&ms->bucket, audit->at.time_ns);
    for (int kind = 0; kind < FLOW_KINDS; kind++)
        if (ms->asked[kind].newest && ms->asked[kind].newest->bvc == bvc)
            audit_flow_leave(audit, &ms->asked[kind]);
    for (struct audit_pfc *pfc = ms->pfcs; pfc; pfc = pfc->next)
        audit_bucket_forget(&pfc->bucket, audit->at.time_ns);
}

struct audit_ms *audit_ms_enter(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli)
{
    struct audit_ms *ms = audit_ms_of(audit, bvc->nse, tlli);
    if (!ms)
        return NULL;
    if (ms->bvc && ms->bvc != bvc) {
        audit_happens(audit, "cell-change", bvc->bvci, &tlli, "from BVCI %u", ms->bvc->bvci);
        ms->moves++;
        ms->nse->cell_changes++;
        audit_ms_leave(audit, ms);
    }
    if (!ms->bvc) {
        ms->older = !ms->known && !bvc->had_reset;
        ms->known = true;
        ms->entered_ns = audit->at.time_ns;
        ms->met_defaults = bvc->defaults_made;
        link_to_cell(ms, bvc);
    }
    if (!ms->bucket.set && bvc->bucket.set)
        audit_bucket_change(&ms->bucket, audit->at.time_ns, bvc->bmax_default, bvc->r_default);
    return ms;
}

static void is_there(struct audit *audit, const struct audit_nse *nse, uint16_t bvci, uint32_t tlli)
{
    struct audit_left *left = audit_left_of(audit, nse, bvci, tlli, false);
    if (left)
        left->gone = false;
}

// A foreign TLLI has the P-TMSI of a local one (23.003 clause 2.6): if the MS keeps it, it goes on
// under that.
static void forget_foreign(struct audit *audit, const struct audit_bvc *bvc, uint32_t tlli)
{
    if (tlli >> TLLI_KIND != TLLI_FOREIGN)
        return;
    uint32_t local = tlli | TLLI_LOCAL << TLLI_KIND;
    struct audit_ms *ms = audit_ms_find(audit, bvc->nse, local);
    is_there(audit, bvc->nse, bvc->bvci, local);
    if (!ms)
        return;
    ms->suspended = ms->resuming = false;
    ms->heard_frame = audit->at.frame;
}

static void note_heard(struct audit *audit, const struct audit_bvc *bvc, uint32_t tlli)
{
    struct audit_heard *heard = audit_heard_of(audit, bvc->nse, tlli, true);
    if (!heard || heard->at == bvc)
        return;
    heard->before = heard->at;
    heard->at = bvc;
    heard->moved_ns = audit->at.time_ns;
}

void audit_ms_heard(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli)
{
    note_heard(audit, bvc, tlli);
    struct audit_ms *ms = audit_ms_of(audit, bvc->nse, tlli);
    is_there(audit, bvc->nse, bvc->bvci, tlli);
    if (!ms)
        return;
    ms->suspended = ms->resuming = false;
    ms->heard = bvc;
    ms->heard_frame = audit->at.frame;
    ms->pdus_up++;
    forget_foreign(audit, bvc, tlli);
}

// A reset of the cell, or of all, ends that.
static bool is_suspended(const struct audit_ms *ms, const struct audit_bvc *bvc)
{
    return ms->suspended && bvc->reset_frame < ms->suspended_frame &&
           bvc->nse->reset_at.frame < ms->suspended_frame;
}

// Clauses 8.1 and 7.4: what the SGSN must not send.
void audit_ms_dl(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli)
{
    const struct audit_left *left = audit_left_of(audit, bvc->nse, bvc->bvci, tlli, false);
    const struct audit_ms *ms = audit_ms_find(audit, bvc->nse, tlli);
    if (left && left->gone && !audit_may_be_before(audit, left->gone_pair, left->gone_ns))
        audit_hangs_since(
            audit_find(
                audit, AUDIT_RULE_left_cell, bvc->bvci, &tlli,
                "FLUSH-LL named this cell as the old one, and the MS was not heard here since"),
            left->gone_ns);
    if (ms && is_suspended(ms, bvc) &&
        !audit_may_be_before(audit, ms->suspended_pair, ms->suspended_ns))
        audit_hangs_since(audit_find(audit, AUDIT_RULE_suspended, bvc->bvci, &tlli,
                                     "SUSPEND is acknowledged, and the MS was not heard since"),
                          ms->suspended_ns);
}

// Of another NSE's cell the BVCI says nothing here.
static bool has_new_cell_here(const struct audit_nse *nse, const struct bssgp_flush_ll *pdu)
{
    return pdu->has_new_bvci && (!pdu->has_nsei || !nse->has_nsei || pdu->nsei == nse->nsei);
}

// Heard in the new cell, or in any of another NSE if none is named, and shortly after in the old
// one again.
static bool is_back(struct audit *audit, const struct audit_nse *nse,
                    const struct bssgp_flush_ll *pdu)
{
    const struct audit_heard *heard = audit_heard_of(audit, nse, pdu->tlli, false);
    if (!heard || !heard->before || heard->at->nse != nse || heard->at->bvci != pdu->old_bvci ||
        audit->at.time_ns - heard->moved_ns > BACK_NS)
        return false;
    if (has_new_cell_here(nse, pdu))
        return heard->before->nse == nse && heard->before->bvci == pdu->new_bvci;
    return heard->before->nse != nse;
}

// A FLUSH-LL that is repeated until its answer comes says nothing new: the MS may be back. If it
// was heard elsewhere since, it is not.
static bool says_nothing_new(struct audit *audit, const struct audit_left *left,
                             const struct audit_ms *ms, const struct bssgp_flush_ll *pdu)
{
    bool here = !ms->heard || ms->heard->bvci == pdu->old_bvci;
    return left->asked ? left->gone || here : is_back(audit, ms->nse, pdu);
}

static void flush(struct audit *audit, const struct bssgp_flush_ll *pdu)
{
    struct audit_nse *nse = audit->at.pair->nse;
    struct audit_left *left = audit_left_of(audit, nse, pdu->old_bvci, pdu->tlli, true);
    struct audit_ms *ms = audit_ms_of(audit, nse, pdu->tlli);
    if (pdu->has_new_bvci) {
        audit_happens(audit, "flush-ll", pdu->old_bvci, &pdu->tlli, "to BVCI %u", pdu->new_bvci);
        if (has_new_cell_here(nse, pdu))
            is_there(audit, nse, pdu->new_bvci, pdu->tlli);
    } else {
        audit_happens(audit, "flush-ll", pdu->old_bvci, &pdu->tlli, "no new cell");
    }
    if (!left || !ms || says_nothing_new(audit, left, ms, pdu))
        return;
    left->gone = true;
    left->gone_ns = audit->at.time_ns;
    left->gone_pair = audit->at.pair;
    if (!left->asked) {
        left->next = ms->unanswered;
        ms->unanswered = left;
    }
    left->asked = true;
    if (ms->bvc && ms->bvc->bvci == pdu->old_bvci)
        audit_ms_leave(audit, ms);
}

static void flushed(struct audit *audit, const struct bssgp_flush_ll_ack *pdu)
{
    struct audit_nse *nse = audit->at.pair->nse;
    audit_happens(audit, "flush-ll-ack", -1, &pdu->tlli, "%s, %u octets",
                  pdu->action ? "transferred" : "deleted", pdu->octets);
    struct audit_ms *ms = audit_ms_find(audit, nse, pdu->tlli);
    for (; ms && ms->unanswered; ms->unanswered = ms->unanswered->next)
        ms->unanswered->asked = false;
}

// All PDUs of SUSPEND and RESUME begin with the TLLI.
static void suspend(struct audit *audit, uint8_t type, uint32_t tlli)
{
    static const char *const names[] = {"suspend", "suspend-ack", "suspend-nack",
                                        "resume",  "resume-ack",  "resume-nack"};
    struct audit_ms *ms = audit_ms_of(audit, audit->at.pair->nse, tlli);
    audit_happens(audit, names[type - BSSGP_SUSPEND_TYPE], -1, &tlli, "%s", "");
    audit->at.pair->nse->suspensions += type == BSSGP_SUSPEND_ACK_TYPE;
    if (!ms)
        return;
    // From RESUME on the SGSN may take the MS for resumed, whichever PDU it writes first. What it
    // refuses to an MS that was not suspended changes nothing.
    if (type == BSSGP_SUSPEND_TYPE) {
        ms->asked_to_suspend_frame = audit->at.frame;
    } else if (type == BSSGP_SUSPEND_ACK_TYPE) {
        // Who was heard since SUSPEND is taken for resumed, whatever the SGSN answers.
        uint64_t asked_frame = ms->asked_to_suspend_frame;
        ms->suspended = !asked_frame || ms->heard_frame < asked_frame;
        ms->suspended_frame = audit->at.frame;
        ms->suspended_ns = audit->at.time_ns;
        ms->suspended_pair = audit->at.pair;
    } else if (type == BSSGP_RESUME_TYPE) {
        ms->resuming |= ms->suspended;
        ms->suspended = false;
    } else if (type == BSSGP_RESUME_NACK_TYPE || type == BSSGP_RESUME_ACK_TYPE) {
        ms->suspended = type == BSSGP_RESUME_NACK_TYPE && (ms->suspended || ms->resuming);
        ms->resuming = false;
    }
}

void audit_ms_pdu(struct audit *audit, uint8_t type, const void *pdu)
{
    uint32_t tlli;
    if (type == BSSGP_FLUSH_LL_TYPE) {
        flush(audit, pdu);
    } else if (type == BSSGP_FLUSH_LL_ACK_TYPE) {
        flushed(audit, pdu);
    } else {
        memcpy(&tlli, pdu, sizeof tlli);
        suspend(audit, type, tlli);
    }
}
