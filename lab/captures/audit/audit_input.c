// A datagram between two ends of Gb: what it says of them while the auditor learns, and its PDUs
// while it judges. Who may send what: TS 48.018 clause 10, 48.016 clause 9.
#include <string.h>

#include "dataplane/wire/address.h"
#include "dataplane/wire/ns.h"
#include "lab/captures/audit/audit_parts.h"

enum { FROM_SGSN = 1, FROM_BSS = 2, ON_SIGNALLING = 4, ON_CELL = 8 };

#define DOWN(type, places) [BSSGP_##type##_TYPE] = FROM_SGSN | (places)
#define UP(type, places)   [BSSGP_##type##_TYPE] = FROM_BSS | (places)
#define BOTH(type, places) [BSSGP_##type##_TYPE] = FROM_SGSN | FROM_BSS | (places)
static const uint8_t bssgp_ways[256] = {
    DOWN(DL_UNITDATA, ON_CELL),
    UP(UL_UNITDATA, ON_CELL),
    DOWN(RA_CAPABILITY, ON_CELL),
    DOWN(PAGING_PS, ON_CELL | ON_SIGNALLING),
    DOWN(PAGING_CS, ON_CELL | ON_SIGNALLING),
    UP(RA_CAPABILITY_UPDATE, ON_CELL),
    DOWN(RA_CAPABILITY_UPDATE_ACK, ON_CELL),
    UP(RADIO_STATUS, ON_CELL),
    UP(SUSPEND, ON_SIGNALLING),
    DOWN(SUSPEND_ACK, ON_SIGNALLING),
    DOWN(SUSPEND_NACK, ON_SIGNALLING),
    UP(RESUME, ON_SIGNALLING),
    DOWN(RESUME_ACK, ON_SIGNALLING),
    DOWN(RESUME_NACK, ON_SIGNALLING),
    UP(BVC_BLOCK, ON_SIGNALLING),
    DOWN(BVC_BLOCK_ACK, ON_SIGNALLING),
    BOTH(BVC_RESET, ON_SIGNALLING),
    BOTH(BVC_RESET_ACK, ON_SIGNALLING),
    UP(BVC_UNBLOCK, ON_SIGNALLING),
    DOWN(BVC_UNBLOCK_ACK, ON_SIGNALLING),
    UP(FLOW_CONTROL_BVC, ON_CELL),
    DOWN(FLOW_CONTROL_BVC_ACK, ON_CELL),
    UP(FLOW_CONTROL_MS, ON_CELL),
    DOWN(FLOW_CONTROL_MS_ACK, ON_CELL),
    DOWN(FLUSH_LL, ON_SIGNALLING),
    UP(FLUSH_LL_ACK, ON_SIGNALLING),
    UP(LLC_DISCARDED, ON_SIGNALLING),
    UP(FLOW_CONTROL_PFC, ON_CELL),
    DOWN(FLOW_CONTROL_PFC_ACK, ON_CELL),
    BOTH(STATUS, ON_CELL | ON_SIGNALLING),
    UP(DOWNLOAD_BSS_PFC, ON_CELL),
    DOWN(CREATE_BSS_PFC, ON_CELL),
    UP(CREATE_BSS_PFC_ACK, ON_CELL),
    UP(CREATE_BSS_PFC_NACK, ON_CELL),
    UP(MODIFY_BSS_PFC, ON_CELL),
    DOWN(MODIFY_BSS_PFC_ACK, ON_CELL),
    DOWN(DELETE_BSS_PFC, ON_CELL),
    UP(DELETE_BSS_PFC_ACK, ON_CELL),
    UP(DELETE_BSS_PFC_REQ, ON_CELL),
};

#define BVCI_CELLS 2 // 0: signalling, 1: point to multipoint

// A decoded PDU of any type.
union any_pdu {
    uint64_t aligned;
    uint8_t octets[4096];
};

static const struct wire_pdu *decode(const char *group, const uint8_t *b, uint32_t n,
                                     union any_pdu *out, int *fault)
{
    const struct wire_pdu *pdu = n ? wire_pdu_of(group, b[0]) : NULL;
    if (!pdu || pdu->struct_octets > sizeof *out)
        return NULL;
    *fault = pdu->decode(out, b, n);
    return pdu;
}

#define NO_TAG       0xff // no element of BSSGP has this one: a decoder skips it by its length
#define ILL_MOST     4    // elements of a PDU
#define TRIED_MOST   4    // places where one may begin: some octets look like an element's head
#define LENGTH_SHORT 0x80

// BSSGP, whose optional elements may be ill: a receiver treats those as absent (48.018 clause 9).
// Each of them is hidden in a copy of the PDU until the rest decodes: under another tag, so that
// one which the PDU must have is missed. Returns its row; *fault: of what remains; *ill: of the
// first hidden one, or 0.
struct bssgp {
    union any_pdu pdu;
    uint8_t copy[4096];
    bool begins[4096 + 1];
    int fault, ill;
};

// Octets of the element with a length at `at`; 0: none is there.
static uint32_t element_octets(const uint8_t *b, uint32_t n, uint32_t at)
{
    bool is_short = n - at > 1 && b[at + 1] & LENGTH_SHORT;
    if (n - at < 2 || (!is_short && n - at < 3))
        return 0;
    uint32_t octets = is_short ? 2u + (b[at + 1] & 0x7fu) : 3u + (b[at + 1] << 8 | b[at + 2]);
    return octets <= n - at ? octets : 0;
}

// For each octet whether elements begin there, one behind the other up to the end. In one pass, as
// who made the capture chooses the octets.
static void find_elements(struct bssgp *bssgp, uint32_t n)
{
    bssgp->begins[n] = true;
    for (uint32_t at = n; at-- > 0;) {
        uint32_t octets = element_octets(bssgp->copy, n, at);
        bssgp->begins[at] = octets && bssgp->begins[at + octets];
    }
}

// Hides the element that the fault is in, if the PDU then decodes, or decodes further.
static bool hide(struct bssgp *bssgp, const struct wire_pdu *row, uint32_t n)
{
    uint32_t offset = wire_fault_offset(bssgp->fault), tried = 0;
    for (uint32_t at = offset < n ? offset : 0; at-- > 1 && tried < TRIED_MOST;) {
        uint8_t tag = bssgp->copy[at];
        if (!bssgp->begins[at] || at + element_octets(bssgp->copy, n, at) <= offset)
            continue;
        tried++;
        bssgp->copy[at] = NO_TAG;
        bssgp->fault = row->decode(&bssgp->pdu, bssgp->copy, n);
        if (bssgp->fault >= 0 || wire_fault_offset(bssgp->fault) > offset)
            return true;
        bssgp->copy[at] = tag;
    }
    return false;
}

static const struct wire_pdu *decode_bssgp(const struct octets *sdu, struct bssgp *bssgp)
{
    bssgp->fault = bssgp->ill = 0;
    const struct wire_pdu *row = decode("bssgp", sdu->at, sdu->n, &bssgp->pdu, &bssgp->fault);
    if (!row || bssgp->fault >= 0 || sdu->n > sizeof bssgp->copy)
        return row;
    int first = bssgp->fault;
    memcpy(bssgp->copy, sdu->at, sdu->n);
    find_elements(bssgp, sdu->n);
    for (int i = 0; i < ILL_MOST && bssgp->fault < 0; i++)
        if (!hide(bssgp, row, sdu->n))
            break;
    if (bssgp->fault >= 0)
        bssgp->ill = first;
    else
        bssgp->fault = first;
    return row;
}

int audit_input_sender(const uint8_t *b, uint32_t captured)
{
    if (captured <= NS_UNITDATA_OCTETS || b[0] != NS_UNITDATA_TYPE)
        return -1;
    uint8_t way = bssgp_ways[b[NS_UNITDATA_OCTETS]] & (FROM_SGSN | FROM_BSS);
    return way == FROM_SGSN ? 0 : way == FROM_BSS ? 1 : -1;
}

// ---- Learning ----

static void vote(struct audit_pair *pair, int from, uint8_t way)
{
    way &= FROM_SGSN | FROM_BSS;
    if (way == FROM_SGSN)
        pair->votes[from]++;
    else if (way == FROM_BSS)
        pair->votes[!from]++;
}

static void learn_nsei(struct audit_pair *pair, uint16_t nsei)
{
    pair->contradicts |= pair->has_nsei && pair->nsei != nsei;
    pair->has_nsei = true;
    pair->nsei = nsei;
}

static void learn_endpoints(struct audit *audit, uint16_t nsei, const struct ns_ip4_endpoints *ip4,
                            const struct ns_ip6_endpoints *ip6)
{
    for (uint64_t i = 0; ip4 && i < ip4->n; i++) {
        struct ipv6_address address = address_of_ipv4(ip4->item[i].address);
        audit_whose_endpoint(audit, nsei, &address, ip4->item[i].udp_port);
    }
    for (uint64_t i = 0; ip6 && i < ip6->n; i++)
        audit_whose_endpoint(audit, nsei, &ip6->item[i].address, ip6->item[i].udp_port);
}

static void learn_sns(struct audit *audit, struct audit_pair *pair, uint8_t type,
                      const union any_pdu *pdu)
{
    const struct sns_config *config = (const struct sns_config *)pdu;
    const struct sns_add *add = (const struct sns_add *)pdu;
    uint16_t nsei = type == SNS_CONFIG_TYPE ? config->nsei : add->nsei;
    learn_nsei(pair, nsei);
    if (type == SNS_CONFIG_TYPE)
        learn_endpoints(audit, nsei, config->has_ip4_endpoints ? &config->ip4_endpoints : NULL,
                        config->has_ip6_endpoints ? &config->ip6_endpoints : NULL);
    else
        learn_endpoints(audit, nsei, add->has_ip4_endpoints ? &add->ip4_endpoints : NULL,
                        add->has_ip6_endpoints ? &add->ip6_endpoints : NULL);
}

static void learn_ns(struct audit *audit, struct audit_pair *pair, int from, uint8_t type,
                     const union any_pdu *pdu)
{
    const struct ns_reset *reset = (const struct ns_reset *)pdu;
    const struct ns_reset_ack *ack = (const struct ns_reset_ack *)pdu;
    pair->told |= type == NS_RESET_TYPE || type == NS_RESET_ACK_TYPE || type == NS_ALIVE_TYPE ||
                  type == NS_ALIVE_ACK_TYPE;
    if (type == NS_RESET_TYPE || type == NS_RESET_ACK_TYPE) {
        learn_nsei(pair, type == NS_RESET_TYPE ? reset->nsei : ack->nsei);
        pair->has_nsvci = true;
        pair->nsvci = type == NS_RESET_TYPE ? reset->ns_vci : ack->ns_vci;
    } else if (type == SNS_SIZE_TYPE) {
        learn_nsei(pair, ((const struct sns_size *)pdu)->nsei);
        vote(pair, from, FROM_BSS);
    } else if (type == SNS_SIZE_ACK_TYPE) {
        vote(pair, from, FROM_SGSN);
    } else if (type == SNS_CONFIG_TYPE || type == SNS_ADD_TYPE) {
        learn_sns(audit, pair, type, pdu);
    }
}

// Only a BSS names the cell, in a RESET and in its answer (48.018 10.4.12 and 13).
static bool names_cell(uint8_t type, const union any_pdu *pdu)
{
    return (type == BSSGP_BVC_RESET_TYPE && ((const struct bssgp_bvc_reset *)pdu)->has_cell) ||
           (type == BSSGP_BVC_RESET_ACK_TYPE &&
            ((const struct bssgp_bvc_reset_ack *)pdu)->has_cell);
}

static bool learn_unitdata(struct audit_pair *pair, int from, const uint8_t *b, uint32_t n)
{
    struct bssgp bssgp;
    struct ns_unitdata unitdata;
    if (ns_unitdata_decode(&unitdata, b, n) < 0)
        return false;
    if (!decode_bssgp(&unitdata.sdu, &bssgp) || bssgp.fault < 0)
        return false;
    uint8_t type = unitdata.sdu.at[0];
    vote(pair, from, names_cell(type, &bssgp.pdu) ? FROM_BSS : bssgp_ways[type]);
    return true;
}

// Only whole datagrams tell: what is cut is no witness for or against.
static void learn(struct audit *audit, struct audit_pair *pair, int from, const uint8_t *b,
                  uint32_t captured, uint32_t n)
{
    union any_pdu pdu;
    int fault = 0;
    bool good;
    bool is_unitdata = n && b[0] == NS_UNITDATA_TYPE;
    if (captured < n && !is_unitdata)
        return;
    if (is_unitdata)
        good = learn_unitdata(pair, from, b, n);
    else
        good = decode("ns", b, n, &pdu, &fault) && fault >= 0;
    if (good && !is_unitdata)
        learn_ns(audit, pair, from, b[0], &pdu);
    pair->good += good;
    pair->bad += !good && captured == n;
    if (audit->options.port && pair->good <= pair->bad)
        pair->good = pair->bad + 1;
}

// ---- Judging ----

static void cut(struct audit *audit)
{
    audit->counts[AUDIT_cut_pdu]++;
    audit_bvc_blind(audit);
}

static void malformed(struct audit *audit, const char *name, int fault)
{
    uint32_t at = wire_fault_offset(fault);
    if (audit->at.captured < audit->at.length)
        cut(audit);
    else
        audit_find(audit, AUDIT_RULE_malformed, -1, NULL, "%s, octet %u: %s", name, at,
                   wire_err_text(wire_fault_err(fault)));
}

static bool may_send(struct audit *audit, const struct wire_pdu *pdu)
{
    uint8_t way = bssgp_ways[pdu->type];
    const struct audit_at *at = &audit->at;
    if (!(way & (at->down ? FROM_SGSN : FROM_BSS))) {
        audit_find(audit, AUDIT_RULE_wrong_sender, at->bvci, NULL, "%s", pdu->name);
        return false;
    }
    if (!(way & (at->bvci < BVCI_CELLS ? ON_SIGNALLING : ON_CELL))) {
        audit_find(audit, AUDIT_RULE_wrong_bvci, at->bvci, NULL, "%s on BVCI %u", pdu->name,
                   at->bvci);
        return false;
    }
    return true;
}

// The LLC PDU of a UNITDATA may be cut; all else that is cut could say anything.
static bool is_whole(struct audit *audit, uint8_t type, const union any_pdu *pdu)
{
    const uint8_t *end = audit->at.octets + audit->at.captured;
    if (audit->at.captured == audit->at.length)
        return true;
    if (type == BSSGP_DL_UNITDATA_TYPE &&
        ((const struct bssgp_dl_unitdata *)pdu)->llc_pdu.at <= end)
        return true;
    if (type == BSSGP_UL_UNITDATA_TYPE &&
        ((const struct bssgp_ul_unitdata *)pdu)->llc_pdu.at <= end)
        return true;
    cut(audit);
    return false;
}

static void judge_bssgp(struct audit *audit, const struct octets *sdu)
{
    struct bssgp bssgp;
    const struct wire_pdu *row = decode_bssgp(sdu, &bssgp);
    if (!row) {
        audit->counts[AUDIT_unknown_pdu]++;
        return;
    }
    if (bssgp.fault < 0 || (bssgp.ill && audit->at.captured < audit->at.length)) {
        malformed(audit, row->name, bssgp.fault);
        return;
    }
    if (!is_whole(audit, row->type, &bssgp.pdu))
        return;
    if (bssgp.ill)
        audit_find(audit, AUDIT_RULE_ill_element, -1, NULL, "%s, octet %u: %s", row->name,
                   wire_fault_offset(bssgp.ill), wire_err_text(wire_fault_err(bssgp.ill)));
    if (!audit->at.up && !audit->at.down) {
        audit->counts[AUDIT_no_direction]++;
        return;
    }
    if (may_send(audit, row))
        audit_bvc_pdu(audit, row->type, &bssgp.pdu);
}

static void judge_ns(struct audit *audit)
{
    union any_pdu pdu;
    int fault = 0;
    const struct audit_at *at = &audit->at;
    const struct wire_pdu *row = decode("ns", at->octets, at->length, &pdu, &fault);
    if (!row)
        audit->counts[AUDIT_unknown_pdu]++;
    else if (at->captured < at->length)
        cut(audit);
    else if (fault < 0)
        malformed(audit, row->name, fault);
    else
        audit_ns_pdu(audit, row->type, &pdu);
}

static void judge(struct audit *audit)
{
    struct audit_at *at = &audit->at;
    struct ns_unitdata unitdata;
    audit->counts[AUDIT_datagrams]++;
    at->pair->datagrams[at->from]++;
    if (at->captured == 0 || at->octets[0] != NS_UNITDATA_TYPE) {
        judge_ns(audit);
        return;
    }
    int fault = ns_unitdata_decode(&unitdata, at->octets, at->length);
    if (fault < 0 || at->captured < NS_UNITDATA_OCTETS) {
        malformed(audit, "ns_unitdata", fault);
        return;
    }
    at->bvci = unitdata.bvci;
    if (at->up || at->down)
        audit_ns_unitdata(audit);
    judge_bssgp(audit, &unitdata.sdu);
}

void audit_datagram(struct audit *audit, const struct audit_end *from, const struct audit_end *to,
                    bool frame_relay, const uint8_t *octets, uint32_t captured, uint32_t length)
{
    int sender = 0;
    bool learns = audit->phase == AUDIT_LEARN;
    bool may_be_ns = captured && octets[0] <= SNS_SIZE_ACK_TYPE;
    struct audit_pair *pair =
        audit_pair_of(audit, from, to, frame_relay, learns && may_be_ns, &sender);
    struct audit_at at = {.time_ns = audit->packet_time_ns,
                          .frame = audit->at.frame,
                          .pair = pair,
                          .from = sender,
                          .octets = octets,
                          .captured = captured,
                          .length = length};
    if (pair && learns) {
        pair->learned[sender]++;
        audit_copies_learn(audit, &at);
        audit_ids_learn(audit, pair, sender);
        learn(audit, pair, sender, octets, captured, length);
    }
    if (learns)
        return;
    if (!pair) {
        audit->counts[AUDIT_not_gb]++;
        return;
    }
    audit_fresh_pair(audit, pair);
    at.down = pair->sgsn == sender;
    at.up = pair->sgsn == !sender;
    audit->at = at;
    if (!audit_is_copy(audit, &at))
        judge(audit);
}
