// Cells: reset, block, unblock (TS 48.018 clauses 8.3 and 8.4), user data and what is counted of
// it; other PDUs go to their own files.
#include <string.h>

#include "dataplane/wire/address.h"
#include "lab/captures/audit/audit_parts.h"

#define OTHER_CELLS 3u
#define CELL_NS     (10 * S_IN_NS) // behind a reset PDUs may still name the cell as it was

static const char *const asks_names[BVC_ASKS] = {"BVC-RESET", "BVC-BLOCK", "BVC-UNBLOCK"};

const char *audit_bvc_state_name(enum audit_bvc_state state)
{
    static const char *const names[] = {"unknown", "resetting", "reset", "open", "blocked"};
    return names[state];
}

void audit_bvc_enter(struct audit *audit, struct audit_bvc *bvc, enum audit_bvc_state state)
{
    bvc->state_ns = audit->at.time_ns;
    bvc->state_pair = audit->at.pair;
    if (bvc->state == state || bvc->nse->one_way)
        return;
    bvc->state = state;
    audit_happens(audit, "bvc", bvc->bvci, NULL, "%s", audit_bvc_state_name(state));
}

// ---- Procedures ----

static void asks(struct audit *audit, struct audit_bvc *bvc, int what)
{
    int who = (int)audit_sender(&audit->at);
    if (audit_asks(audit, &bvc->asked_by[who][what]))
        audit_find_at(audit, AUDIT_RULE_bvc_unanswered, (enum audit_who) !who, &audit->at,
                      bvc->bvci, NULL, "%s has had no answer", asks_names[what]);
}

static enum audit_answer answers(struct audit *audit, struct audit_bvc *bvc, int what)
{
    return audit_answers(audit, &bvc->asked_by[!audit_sender(&audit->at)][what]);
}

static void reset_cell(struct audit *audit, struct audit_bvc *bvc)
{
    audit_flow_reset(audit, bvc);
    bvc->early.pdus = 0;
    bvc->had_reset = true;
    bvc->reset_frame = audit->at.frame;
    bvc->reset_ns = audit->at.time_ns;
    for (int who = 0; who < 2; who++)
        bvc->asked_by[who][BVC_ASKS_BLOCK].open = bvc->asked_by[who][BVC_ASKS_UNBLOCK].open = false;
    audit_bvc_enter(audit, bvc, BVC_RESET);
}

void audit_bvc_reset_by_nse(struct audit *audit, struct audit_bvc *bvc)
{
    if (bvc->bvci && bvc->state != BVC_UNKNOWN)
        reset_cell(audit, bvc);
}

void audit_bvc_forget(struct audit *audit, struct audit_bvc *bvc)
{
    audit_flow_reset(audit, bvc);
    bvc->had_reset = false;
}

static void forget_all(struct audit *audit, struct audit_nse *nse)
{
    nse->features[AUDIT_SGSN] = nse->features[AUDIT_BSS] = -1;
    nse->blinds++;
    nse->blind_at = audit->at;
}

static void forget(struct audit *audit, struct audit_bvc *bvc)
{
    if (bvc->bvci == 0)
        forget_all(audit, bvc->nse);
    else
        audit_bvc_forget(audit, bvc);
}

void audit_bvc_blind(struct audit *audit)
{
    struct audit_nse *nse = audit->at.pair->nse;
    struct audit_bvc *bvc = audit->at.bvci ? audit_bvc_of(audit, nse, audit->at.bvci) : NULL;
    nse->blind = true;
    if (bvc)
        audit_bvc_forget(audit, bvc);
    else if (!audit->at.bvci)
        forget_all(audit, nse);
}

// That of BVCI 0 is one of the NSE: each of its cells is reset (clause 8.4).
static void reset_done(struct audit *audit, struct audit_bvc *bvc)
{
    struct audit_flow *early = audit_flow_early(audit, bvc);
    reset_cell(audit, bvc);
    audit_flow_go_on(audit, bvc, early);
    if (bvc->bvci)
        return;
    bvc->nse->resets++;
    bvc->nse->reset_at = audit->at;
}

static bool is_same_cell(const struct bssgp_area *one, const struct bssgp_area *other)
{
    return one->mcc == other->mcc && one->mnc == other->mnc &&
           one->mnc_digits == other->mnc_digits && one->lac == other->lac &&
           one->rac == other->rac && one->ci == other->ci;
}

// One BVCI is one cell: if another end names another cell, two BSSs have one NSEI.
static void note_cell(struct audit *audit, struct audit_bvc *bvc, uint8_t type, const void *pdu)
{
    const struct bssgp_bvc_reset *reset = pdu;
    const struct bssgp_bvc_reset_ack *ack = pdu;
    const struct bssgp_area *cell = type == BSSGP_BVC_RESET_TYPE ? &reset->cell : &ack->cell;
    const struct ipv6_address *bss = &audit->at.pair->end[audit->at.from].address;
    if (!(type == BSSGP_BVC_RESET_TYPE ? reset->has_cell : ack->has_cell))
        return;
    bool other = bvc->has_cell && !is_same_cell(&bvc->cell, cell);
    bvc->nse->mixed |= other && !address_same(&bvc->cell_from, bss);
    bvc->has_cell = true;
    bvc->cell_from = *bss;
    bvc->cell_pair = audit->at.pair;
    bvc->cell = *cell;
    bvc->cell_ns = audit->at.time_ns;
    bvc->other_cells = 0;
}

// So do NS-VCs of one address that name two cells in turn: BSSs behind one address.
static void note_cell_of_pdu(struct audit *audit, struct audit_bvc *bvc,
                             const struct bssgp_area *cell)
{
    bool other = bvc->has_cell && !is_same_cell(&bvc->cell, cell);
    bool fresh = bvc->cell_ns && audit->at.time_ns - bvc->cell_ns <= CELL_NS;
    if (bvc->has_cell && (!other || fresh))
        return;
    bvc->other_cells += other && bvc->cell_pair != audit->at.pair;
    bvc->nse->mixed |= bvc->other_cells >= OTHER_CELLS;
    bvc->has_cell = true;
    bvc->cell_from = audit->at.pair->end[audit->at.from].address;
    bvc->cell_pair = audit->at.pair;
    bvc->cell = *cell;
}

// The Feature bitmaps of BVCI 0 (clause 8.4); without one there is none of the features. The
// answer's counts only beside that of the reset itself.
static void note_features(struct audit *audit, uint8_t type, const void *pdu)
{
    const struct bssgp_bvc_reset *reset = pdu;
    const struct bssgp_bvc_reset_ack *ack = pdu;
    int16_t *features = audit->at.pair->nse->features;
    if (type == BSSGP_BVC_RESET_TYPE)
        features[audit_sender(&audit->at)] = reset->has_features ? reset->features : 0;
    else
        features[audit_sender(&audit->at)] = ack->has_features ? ack->features : 0;
}

static void report_early(struct audit *audit, struct audit_bvc *bvc, enum audit_answer answer)
{
    struct audit_early *early = &bvc->early;
    if (early->pdus && answer == AUDIT_ANSWERS)
        audit_hangs_since(audit_find_at(audit, AUDIT_RULE_bvc_blocked, audit_sender(&early->at),
                                        &early->at, bvc->bvci, &early->tlli,
                                        "in front of BVC-UNBLOCK-ACK; UNITDATAs: %u", early->pdus),
                          bvc->state_ns);
    early->pdus = 0;
}

// Of a reset that was not captured nobody knows when it was.
static void reset_answered(struct audit *audit, struct audit_bvc *bvc, enum audit_answer answer)
{
    if (answer == AUDIT_ANSWERS)
        reset_done(audit, bvc);
    else if (answer == AUDIT_ANSWERS_LOST)
        forget(audit, bvc);
}

static void procedure(struct audit *audit, uint8_t type, uint16_t bvci, const void *pdu)
{
    struct audit_bvc *bvc = audit_bvc_of(audit, audit->at.pair->nse, bvci);
    if (!bvc)
        return;
    if (bvci == 0 && (type == BSSGP_BVC_RESET_TYPE || type == BSSGP_BVC_RESET_ACK_TYPE))
        note_features(audit, type, pdu);
    else if (audit->at.up && (type == BSSGP_BVC_RESET_TYPE || type == BSSGP_BVC_RESET_ACK_TYPE))
        note_cell(audit, bvc, type, pdu);
    switch (type) {
    case BSSGP_BVC_RESET_TYPE:
        if (bvc->asked_by[!audit_sender(&audit->at)][BVC_ASKS_RESET]
                .open) { // both ask: each takes it for the answer
            answers(audit, bvc, BVC_ASKS_RESET);
            reset_done(audit, bvc);
            break;
        }
        asks(audit, bvc, BVC_ASKS_RESET);
        audit_bvc_enter(audit, bvc, BVC_RESETTING);
        break;
    case BSSGP_BVC_RESET_ACK_TYPE:
        reset_answered(audit, bvc, answers(audit, bvc, BVC_ASKS_RESET));
        break;
    case BSSGP_BVC_BLOCK_TYPE:
        asks(audit, bvc, BVC_ASKS_BLOCK);
        break;
    case BSSGP_BVC_BLOCK_ACK_TYPE:
        if (answers(audit, bvc, BVC_ASKS_BLOCK) == AUDIT_ANSWERS)
            audit_bvc_enter(audit, bvc, BVC_BLOCKED);
        break;
    case BSSGP_BVC_UNBLOCK_TYPE:
        bvc->early.pdus = 0;
        asks(audit, bvc, BVC_ASKS_UNBLOCK);
        break;
    default:
        report_early(audit, bvc, answers(audit, bvc, BVC_ASKS_UNBLOCK));
        audit_bvc_enter(audit, bvc, BVC_OPEN);
        break;
    }
}

static uint16_t bvci_of(uint8_t type, const void *pdu)
{
    switch (type) {
    case BSSGP_BVC_BLOCK_TYPE:
        return ((const struct bssgp_bvc_block *)pdu)->bvci;
    case BSSGP_BVC_BLOCK_ACK_TYPE:
        return ((const struct bssgp_bvc_block_ack *)pdu)->bvci;
    case BSSGP_BVC_RESET_TYPE:
        return ((const struct bssgp_bvc_reset *)pdu)->bvci;
    case BSSGP_BVC_RESET_ACK_TYPE:
        return ((const struct bssgp_bvc_reset_ack *)pdu)->bvci;
    case BSSGP_BVC_UNBLOCK_TYPE:
        return ((const struct bssgp_bvc_unblock *)pdu)->bvci;
    default:
        return ((const struct bssgp_bvc_unblock_ack *)pdu)->bvci;
    }
}

// ---- User data ----

static void check_blocked(struct audit *audit, struct audit_bvc *bvc, uint32_t tlli)
{
    // The SGSN has acknowledged that, so it knows; the BSS has asked for it. The one that is asked
    // to unblock it may take it for unblocked before its answer is on the line.
    int who = (int)audit_sender(&audit->at);
    if (bvc->state != BVC_BLOCKED || bvc->asked_by[!who][BVC_ASKS_UNBLOCK].open ||
        audit_may_be_before(audit, bvc->state_pair, bvc->state_ns))
        return;
    if (!bvc->asked_by[who][BVC_ASKS_UNBLOCK].open) {
        audit_hangs_since(audit_find(audit, AUDIT_RULE_bvc_blocked, bvc->bvci, &tlli, "a UNITDATA"),
                          bvc->state_ns);
        return;
    }
    bvc->early.tlli = bvc->early.pdus ? bvc->early.tlli : tlli;
    audit_note_early(audit, &bvc->early);
}

static uint32_t captured_of(const struct audit *audit, const struct octets *llc)
{
    uint32_t from = (uint32_t)(llc->at - audit->at.octets);
    uint32_t there = audit->at.captured > from ? audit->at.captured - from : 0;
    return there < llc->n ? there : llc->n;
}

static void downlink(struct audit *audit, struct audit_bvc *bvc,
                     const struct bssgp_dl_unitdata *pdu)
{
    check_blocked(audit, bvc, pdu->tlli);
    bvc->pdus_down++;
    bvc->octets_down += pdu->llc_pdu.n;
    bvc->first_ns = bvc->first_ns ? bvc->first_ns : audit->at.time_ns;
    bvc->last_ns = audit->at.time_ns;
    if (pdu->lifetime_ms == BSSGP_LIFETIME_INFINITE_MS)
        bvc->lifetimes_infinite++;
    else
        audit_sample(audit, &bvc->lifetimes_ms, pdu->lifetime_ms);
    audit_replay_dl(audit, bvc, pdu);
    audit_traffic_unitdata(audit, bvc, pdu->tlli, pdu->llc_pdu.at,
                           captured_of(audit, &pdu->llc_pdu));
    audit_llc(audit, bvc, pdu->tlli, pdu->llc_pdu.at, captured_of(audit, &pdu->llc_pdu),
              pdu->llc_pdu.n);
}

static void uplink(struct audit *audit, struct audit_bvc *bvc, const struct bssgp_ul_unitdata *pdu)
{
    check_blocked(audit, bvc, pdu->tlli);
    note_cell_of_pdu(audit, bvc, &pdu->cell);
    bvc->pdus_up++;
    bvc->octets_up += pdu->llc_pdu.n;
    audit_ms_heard(audit, bvc, pdu->tlli);
    audit_traffic_unitdata(audit, bvc, pdu->tlli, pdu->llc_pdu.at,
                           captured_of(audit, &pdu->llc_pdu));
    audit_llc(audit, bvc, pdu->tlli, pdu->llc_pdu.at, captured_of(audit, &pdu->llc_pdu),
              pdu->llc_pdu.n);
}

// ---- The others ----

static void discarded(struct audit *audit, const struct bssgp_llc_discarded *pdu)
{
    struct audit_bvc *bvc = audit_bvc_of(audit, audit->at.pair->nse, pdu->bvci);
    audit_happens(audit, "llc-discarded", pdu->bvci, &pdu->tlli, "%u frames, %u octets",
                  pdu->frames, pdu->octets);
    if (!bvc)
        return;
    bvc->discarded_frames += pdu->frames;
    bvc->discarded_octets += pdu->octets;
    audit_replay_discarded(audit, bvc, pdu);
}

static void radio_status(struct audit *audit, const struct bssgp_radio_status *pdu)
{
    audit_happens(audit, "radio-status", audit->at.bvci, pdu->has_tlli ? &pdu->tlli : NULL,
                  "cause %u", pdu->cause);
}

static void status(struct audit *audit, const struct bssgp_status *pdu)
{
    audit_happens(audit, audit->at.down ? "status-from-sgsn" : "status-from-bss",
                  pdu->has_bvci ? pdu->bvci : audit->at.bvci, NULL, "cause 0x%02x", pdu->cause);
    if (audit->at.down && pdu->has_pdu_in_error)
        audit_flow_refused(audit, pdu->has_bvci ? pdu->bvci : audit->at.bvci, &pdu->pdu_in_error);
}

static void page(struct audit *audit, uint8_t type, const void *pdu)
{
    struct audit_nse *nse = audit->at.pair->nse;
    const struct bssgp_paging_ps *ps = pdu;
    const struct bssgp_paging_cs *cs = pdu;
    bool packets = type == BSSGP_PAGING_PS_TYPE;
    nse->pages_ps += packets;
    nse->pages_cs += !packets;
    audit_happens(audit, packets ? "paging-ps" : "paging-cs", audit->at.bvci, NULL, "IMSI %s",
                  packets ? ps->imsi.text : cs->imsi.text);
}

static void on_cell(struct audit *audit, uint8_t type, const void *pdu)
{
    struct audit_bvc *bvc = audit_bvc_of(audit, audit->at.pair->nse, audit->at.bvci);
    if (bvc && type == BSSGP_DL_UNITDATA_TYPE)
        downlink(audit, bvc, pdu);
    else if (bvc && type == BSSGP_UL_UNITDATA_TYPE)
        uplink(audit, bvc, pdu);
}

void audit_bvc_pdu(struct audit *audit, uint8_t type, const void *pdu)
{
    switch (type) {
    case BSSGP_DL_UNITDATA_TYPE:
    case BSSGP_UL_UNITDATA_TYPE:
        on_cell(audit, type, pdu);
        break;
    case BSSGP_PAGING_PS_TYPE:
    case BSSGP_PAGING_CS_TYPE:
        page(audit, type, pdu);
        break;
    case BSSGP_RADIO_STATUS_TYPE:
        radio_status(audit, pdu);
        break;
    case BSSGP_SUSPEND_TYPE ... BSSGP_RESUME_NACK_TYPE:
    case BSSGP_FLUSH_LL_TYPE:
    case BSSGP_FLUSH_LL_ACK_TYPE:
        audit_ms_pdu(audit, type, pdu);
        break;
    case BSSGP_BVC_BLOCK_TYPE ... BSSGP_BVC_UNBLOCK_ACK_TYPE:
        procedure(audit, type, bvci_of(type, pdu), pdu);
        break;
    case BSSGP_FLOW_CONTROL_BVC_TYPE:
    case BSSGP_FLOW_CONTROL_MS_TYPE:
    case BSSGP_FLOW_CONTROL_PFC_TYPE:
        audit_flow_asks(audit, type, pdu);
        break;
    case BSSGP_FLOW_CONTROL_BVC_ACK_TYPE:
    case BSSGP_FLOW_CONTROL_MS_ACK_TYPE:
    case BSSGP_FLOW_CONTROL_PFC_ACK_TYPE:
        audit_flow_acknowledges(audit, type, pdu);
        break;
    case BSSGP_LLC_DISCARDED_TYPE:
        discarded(audit, pdu);
        break;
    case BSSGP_DELETE_BSS_PFC_ACK_TYPE:
        audit_flow_end_pfc(audit, pdu);
        break;
    case BSSGP_STATUS_TYPE:
        status(audit, pdu);
        break;
    default:
        break;
    }
}
