// What comes from the SGSN: NS, then BSSGP by a table that says which PDUs an SGSN may send on
// which BVC with which feature (TS 48.018 clauses 7 to 10). A PDU that does not decode, or that has
// no business here, is a fault; the SGSN gets a STATUS.
#include <stdio.h>

#include "lab/bss/bss_parts.h"

#define CAUSE_BVCI_UNKNOWN    0x05
#define CAUSE_BVCI_BLOCKED    0x09
#define CAUSE_INVALID         0x21
#define CAUSE_MISSING         0x22
#define CAUSE_NOT_COMPATIBLE  0x26
#define CAUSE_PROTOCOL        0x27
#define CAUSE_NOT_IN_FEATURES 0x28
#define NS_CAUSE_NSVC_BLOCKED 0x03
#define NS_CAUSE_PROTOCOL     0x0b

enum family { NONE, UNITDATA, MS, BVC, FLOW, PFC, FLUSH, PAGE, PASSED_OVER, STATUS };
enum on { SIGNALLING = 1, PTP = 2, ANY = 3 };

static const struct {
    uint8_t family, on, feature;
} entries[256] = {
    [BSSGP_DL_UNITDATA_TYPE] = {UNITDATA, PTP, 0},
    [BSSGP_RA_CAPABILITY_TYPE] = {PASSED_OVER, PTP, 0},
    [BSSGP_PAGING_PS_TYPE] = {PAGE, ANY, 0},
    [BSSGP_PAGING_CS_TYPE] = {PASSED_OVER, ANY, 0},
    [BSSGP_RA_CAPABILITY_UPDATE_ACK_TYPE] = {MS, PTP, 0},
    [BSSGP_SUSPEND_ACK_TYPE] = {MS, SIGNALLING, 0},
    [BSSGP_SUSPEND_NACK_TYPE] = {MS, SIGNALLING, 0},
    [BSSGP_RESUME_ACK_TYPE] = {MS, SIGNALLING, 0},
    [BSSGP_RESUME_NACK_TYPE] = {MS, SIGNALLING, 0},
    [BSSGP_BVC_BLOCK_ACK_TYPE] = {BVC, SIGNALLING, 0},
    [BSSGP_BVC_RESET_TYPE] = {BVC, SIGNALLING, 0},
    [BSSGP_BVC_RESET_ACK_TYPE] = {BVC, SIGNALLING, 0},
    [BSSGP_BVC_UNBLOCK_ACK_TYPE] = {BVC, SIGNALLING, 0},
    [BSSGP_FLOW_CONTROL_BVC_ACK_TYPE] = {FLOW, PTP, 0},
    [BSSGP_FLOW_CONTROL_MS_ACK_TYPE] = {FLOW, PTP, 0},
    [BSSGP_FLUSH_LL_TYPE] = {FLUSH, SIGNALLING, 0},
    [BSSGP_FLOW_CONTROL_PFC_ACK_TYPE] = {FLOW, PTP, 0x20},
    [BSSGP_STATUS_TYPE] = {STATUS, ANY, 0},
    [BSSGP_CREATE_BSS_PFC_TYPE] = {PFC, PTP, 0x01},
    [BSSGP_MODIFY_BSS_PFC_ACK_TYPE] = {PFC, PTP, 0x01},
    [BSSGP_DELETE_BSS_PFC_TYPE] = {PFC, PTP, 0x01},
};

static void note_status(struct bss *bss, const char *layer, uint8_t cause, uint64_t now_ns)
{
    if (bss->counters.statuses++ == 0)
        snprintf(bss->counters.first_status, sizeof bss->counters.first_status,
                 "NSE %u at %llu ns: %s of the SGSN, cause 0x%02x", bss->config.nsei,
                 (unsigned long long)now_ns, layer, cause);
}

// ---- DL-UNITDATA ----

static void refuse(struct bss_cell *cell, struct bss *bss, struct octets sdu, uint64_t now_ns)
{
    uint16_t bvci = cell->config.bvci;
    bool blocked = cell->state == BSS_CELL_BLOCKED || cell->state == BSS_CELL_UNBLOCKING;
    bss_status(bss, cell, blocked ? CAUSE_BVCI_BLOCKED : CAUSE_NOT_COMPATIBLE,
               blocked ? &bvci : NULL, sdu, now_ns);
}

// The buffer for the PDU's TLLI: by the old TLLI, which then gives way to the new one, if the BSS
// does not know the new one (10.2.1).
static struct bss_buffer *buffer_of(struct bss_cell *cell, const struct bssgp_dl_unitdata *dl)
{
    struct bss_buffer *buffer = bss_buffer_find(cell->bss, cell, dl->tlli);
    const struct bss_ms *before = buffer ? NULL : bss_ms_find_before(cell->bss, dl->tlli);
    if (before && before->buffer->cell == cell)
        return before->buffer;
    if (buffer || !dl->has_old_tlli || bss_ms_find(cell->bss, dl->tlli))
        return buffer;
    buffer = bss_buffer_find(cell->bss, cell, dl->old_tlli);
    if (buffer && buffer->ms)
        bss_ms_rename(buffer->ms, dl->tlli);
    return buffer;
}

static void lose(struct bss *bss, struct bss_cell *cell, const struct bssgp_dl_unitdata *dl,
                 enum bss_loss why, uint64_t now_ns)
{
    struct bss_item item = {cell, dl->tlli, dl->llc_pdu.at, dl->llc_pdu.n, bss->in_tag};
    bss_book_in(bss, &item, BSS_DOWN);
    bss_book_lost(bss, &item, why, now_ns);
}

static void take_unitdata(struct bss_cell *cell, const struct bssgp_dl_unitdata *dl,
                          struct octets sdu, uint64_t now_ns)
{
    struct bss *bss = cell->bss;
    if (dl->llc_pdu.n == 0) {
        bss_fault(bss, "DL-UNITDATA", "its LLC PDU is empty", sdu.n, now_ns);
        return;
    }
    if (!bss_bvc_takes(cell)) {
        lose(bss, cell, dl, BSS_LOST_not_up, now_ns);
        refuse(cell, bss, sdu, now_ns);
        return;
    }
    struct bss_buffer *buffer = buffer_of(cell, dl);
    if (buffer) {
        bss_buffer_put(buffer, dl, now_ns);
        return;
    }
    struct bss_flow_id flow = {dl->has_pfi, dl->pfi};
    bss_report_loss(cell, NULL, dl->tlli, &flow, dl->llc_pdu.n, BSS_LOST_absent, now_ns);
    lose(bss, cell, dl, BSS_LOST_absent, now_ns);
}

// ---- BSSGP ----

static uint8_t cause_of(int fault)
{
    switch (wire_fault_err(fault)) {
    case WIRE_TYPE:
        return CAUSE_PROTOCOL;
    case WIRE_MISSING_IE:
        return CAUSE_MISSING;
    default:
        return CAUSE_INVALID;
    }
}

// 0, or why an SGSN must not send that PDU there.
static uint8_t objection(const struct bss *bss, const struct bss_cell *cell, uint8_t type)
{
    if (entries[type].family == NONE || !(entries[type].on & (cell ? PTP : SIGNALLING)))
        return CAUSE_PROTOCOL;
    if (entries[type].feature & ~bss->features)
        return CAUSE_NOT_IN_FEATURES;
    return 0;
}

static void dispatch(struct bss *bss, struct bss_cell *cell, struct octets sdu,
                     const union wire_any *pdu, uint64_t now_ns)
{
    uint8_t type = sdu.at[0];
    switch (entries[type].family) {
    case UNITDATA:
        take_unitdata(cell, &pdu->bssgp_dl_unitdata, sdu, now_ns);
        break;
    case MS:
        bss_ms_input(bss, type, pdu, now_ns);
        break;
    case BVC:
        bss_bvc_input(bss, type, pdu, now_ns);
        break;
    case FLOW:
        if (type == BSSGP_FLOW_CONTROL_BVC_ACK_TYPE)
            bss_flow_ack(cell, pdu->bssgp_flow_control_bvc_ack.tag, now_ns);
        else // -MS-ACK and -PFC-ACK have the same fields
            bss_flow_ack_ms(cell, pdu->bssgp_flow_control_ms_ack.tlli,
                            pdu->bssgp_flow_control_ms_ack.tag);
        break;
    case PFC:
        bss_pfc_input(cell, type, pdu, now_ns);
        break;
    case FLUSH:
        bss_flush_input(bss, &pdu->bssgp_flush_ll, now_ns);
        break;
    case PAGE:
        bss_page_input(bss, &pdu->bssgp_paging_ps, now_ns);
        break;
    case STATUS:
        note_status(bss, "STATUS", pdu->bssgp_status.cause, now_ns);
        break;
    default:
        break;
    }
}

static void fault(struct bss *bss, struct bss_cell *cell, struct octets sdu, uint8_t cause,
                  const char *what, uint32_t offset, uint64_t now_ns)
{
    const struct wire_pdu *known = bss->bssgp_pdu[sdu.at[0]];
    bss_fault(bss, known ? known->name : "a BSSGP PDU of unknown type", what, offset, now_ns);
    if (sdu.at[0] != BSSGP_STATUS_TYPE)
        bss_status(bss, cell, cause, NULL, sdu, now_ns);
}

static void unknown_bvc(struct bss *bss, uint16_t bvci, struct octets sdu, uint64_t now_ns)
{
    bss_fault(bss, "NS-UNITDATA", "of an unknown BVC", 2, now_ns);
    if (sdu.at[0] != BSSGP_STATUS_TYPE)
        bss_status(bss, NULL, CAUSE_BVCI_UNKNOWN, &bvci, sdu, now_ns);
}

void bss_input_sdu(struct bss_nsvc *nsvc, uint16_t bvci, struct octets sdu, uint64_t now_ns)
{
    struct bss *bss = nsvc->bss;
    struct bss_cell *cell = bss_cell_find(bss, bvci);
    union wire_any pdu;
    if (sdu.n == 0) {
        bss_fault(bss, "NS-UNITDATA", "has no BSSGP PDU", NS_UNITDATA_OCTETS, now_ns);
        return;
    }
    bss->counters.bssgp_in[sdu.at[0]]++;
    if (bvci != 0 && !cell) {
        unknown_bvc(bss, bvci, sdu, now_ns);
        return;
    }
    uint8_t cause = objection(bss, cell, sdu.at[0]);
    if (cause) {
        fault(bss, cell, sdu, cause, "an SGSN must not send it here", 0, now_ns);
        return;
    }
    int octets = bss->bssgp_pdu[sdu.at[0]]->decode(&pdu, sdu.at, sdu.n);
    if (octets < 0)
        fault(bss, cell, sdu, cause_of(octets), wire_err_text(wire_fault_err(octets)),
              wire_fault_offset(octets), now_ns);
    else
        dispatch(bss, cell, sdu, &pdu, now_ns);
}

// ---- NS ----

// The LLC PDU of an NS-UNITDATA on a blocked NS-VC is lost, and in the books.
static void lose_on_blocked(struct bss_nsvc *nsvc, const struct ns_unitdata *ns, uint64_t now_ns)
{
    struct bss *bss = nsvc->bss;
    struct bssgp_dl_unitdata dl;
    struct bss_cell *cell = bss_cell_find(bss, ns->bvci);
    struct ns_status status = {.cause = NS_CAUSE_NSVC_BLOCKED,
                               .has_ns_vci = bss->config.ns == BSS_NS_RESET,
                               .ns_vci = nsvc->config.nsvci};
    if (cell && ns->sdu.n && ns->sdu.at[0] == BSSGP_DL_UNITDATA_TYPE &&
        bssgp_dl_unitdata_decode(&dl, ns->sdu.at, ns->sdu.n) >= 0)
        lose(bss, cell, &dl, BSS_LOST_nsvc_blocked, now_ns);
    if (bss->config.ns == BSS_NS_RESET)
        bss_send_ns(nsvc, NS_STATUS_TYPE, &status, now_ns);
}

static void input_unitdata(struct bss_nsvc *nsvc, struct octets pdu, uint64_t now_ns)
{
    struct ns_unitdata ns;
    int octets = ns_unitdata_decode(&ns, pdu.at, pdu.n);
    if (octets < 0)
        bss_fault(nsvc->bss, "NS-UNITDATA", wire_err_text(wire_fault_err(octets)),
                  wire_fault_offset(octets), now_ns);
    else if (nsvc->state != BSS_NSVC_UP)
        lose_on_blocked(nsvc, &ns, now_ns);
    else
        bss_input_sdu(nsvc, ns.bvci, ns.sdu, now_ns);
}

static void input_ns(struct bss_nsvc *nsvc, struct octets pdu, uint64_t now_ns)
{
    struct bss *bss = nsvc->bss;
    union wire_any any;
    uint8_t type = pdu.at[0];
    const struct wire_pdu *known = type < 32 ? bss->ns_pdu[type] : NULL;
    int octets = known ? known->decode(&any, pdu.at, pdu.n) : wire_fault(WIRE_TYPE, 0);
    if (octets < 0) {
        bss_fault(bss, known ? known->name : "an NS PDU of unknown type",
                  wire_err_text(wire_fault_err(octets)), wire_fault_offset(octets), now_ns);
        return;
    }
    bss->counters.ns_in[type]++;
    if (type == NS_STATUS_TYPE)
        note_status(bss, "NS-STATUS", any.ns_status.cause, now_ns);
    if (type >= SNS_ACK_TYPE)
        bss_sns_input(nsvc, type, &any, now_ns);
    else
        bss_ns_input(nsvc, type, &any, now_ns);
}

void bss_input(struct bss *bss, uint32_t nsvc, const uint8_t *ns, uint32_t octets, uint64_t now_ns)
{
    bss_input_tagged(bss, nsvc, ns, octets, 0, now_ns);
}

void bss_input_tagged(struct bss *bss, uint32_t nsvc, const uint8_t *ns, uint32_t octets,
                      uint64_t tag, uint64_t now_ns)
{
    struct octets pdu = {ns, octets};
    bss->in_tag = tag;
    if (octets == 0)
        bss_fault(bss, "a datagram", "is empty", 0, now_ns);
    else if (ns[0] == NS_UNITDATA_TYPE)
        input_unitdata(bss->nsvc[nsvc], pdu, now_ns);
    else
        input_ns(bss->nsvc[nsvc], pdu, now_ns);
}
