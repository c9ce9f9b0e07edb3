// What the BSS sends on Gb, STATUS, and the faults of what the SGSN sends. The link selector is the
// BVCI for signalling, and the TLLI for user data (TS 48.016 4.4.2, 48.018 5.4.2); it chooses among
// the NS-VCs that are up, by weight.
#include <stdio.h>

#include "lab/bss/bss_parts.h"

#define IN_ERROR_OCTETS_MAX 512

static uint32_t weight(const struct bss_nsvc *nsvc, bool data)
{
    if (nsvc->state != BSS_NSVC_UP)
        return 0;
    return data ? nsvc->config.data_weight : nsvc->config.signalling_weight;
}

static struct bss_nsvc *link_of(const struct bss *bss, uint32_t selector, bool data)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        sum += weight(bss->nsvc[i], data);
    uint64_t place = (selector * 0x9e3779b1U * sum) >> 32;
    for (uint32_t i = 0; i < bss->nsvcs; i++) {
        uint32_t own = weight(bss->nsvc[i], data);
        if (place < own)
            return bss->nsvc[i];
        place -= own;
    }
    return NULL;
}

// The BSSGP PDU is in bss->out behind the NS header.
static bool put_out(struct bss *bss, struct bss_nsvc *nsvc, uint16_t bvci, int octets, uint64_t tag,
                    uint64_t now_ns)
{
    if (octets < 0 || !nsvc) {
        bss->counters.unsent++;
        return false;
    }
    const struct ns_unitdata ns = {.bvci = bvci};
    ns_unitdata_put_header(&ns, bss->out);
    bss->counters.bssgp_out[bss->out[NS_UNITDATA_OCTETS]]++;
    bss->tag = tag;
    bss->owner.send(bss->owner.self, nsvc->index, bss->out, (uint32_t)octets + NS_UNITDATA_OCTETS,
                    now_ns);
    return true;
}

bool bss_send(struct bss *bss, uint16_t bvci, uint8_t type, const void *pdu, uint64_t now_ns)
{
    int octets = bss->bssgp_pdu[type]->encode(pdu, bss->out + NS_UNITDATA_OCTETS,
                                              sizeof bss->out - NS_UNITDATA_OCTETS);
    return put_out(bss, link_of(bss, bvci, false), bvci, octets, 0, now_ns);
}

bool bss_send_unitdata(struct bss *bss, uint16_t bvci, const struct bssgp_ul_unitdata *pdu,
                       uint64_t tag, uint64_t now_ns)
{
    int octets = bssgp_ul_unitdata_encode(pdu, bss->out + NS_UNITDATA_OCTETS,
                                          sizeof bss->out - NS_UNITDATA_OCTETS);
    return put_out(bss, link_of(bss, pdu->tlli, true), bvci, octets, tag, now_ns);
}

void bss_send_ns(struct bss_nsvc *nsvc, uint8_t type, const void *pdu, uint64_t now_ns)
{
    struct bss *bss = nsvc->bss;
    int octets = bss->ns_pdu[type]->encode(pdu, bss->out, sizeof bss->out);
    if (octets < 0) {
        bss->counters.unsent++;
        return;
    }
    bss->counters.ns_out[type]++;
    bss->tag = 0;
    bss->owner.send(bss->owner.self, nsvc->index, bss->out, (uint32_t)octets, now_ns);
}

// The BVCI is there for two causes only (10.4.14.1); a STATUS about an unknown BVC goes on BVCI 0.
void bss_status(struct bss *bss, struct bss_cell *cell, uint8_t cause, const uint16_t *bvci,
                struct octets in_error, uint64_t now_ns)
{
    if (in_error.n > IN_ERROR_OCTETS_MAX)
        in_error.n = IN_ERROR_OCTETS_MAX;
    struct bssgp_status pdu = {.cause = cause,
                               .has_bvci = bvci != NULL,
                               .bvci = bvci ? *bvci : 0,
                               .has_pdu_in_error = true,
                               .pdu_in_error = in_error};
    bss_send(bss, cell && !bvci ? cell->config.bvci : 0, BSSGP_STATUS_TYPE, &pdu, now_ns);
}

void bss_fault(struct bss *bss, const char *pdu, const char *what, uint32_t offset, uint64_t now_ns)
{
    if (bss->counters.faults++ == 0)
        snprintf(bss->counters.first_fault, sizeof bss->counters.first_fault,
                 "NSE %u at %llu ns, %s: %s (octet %u)", bss->config.nsei,
                 (unsigned long long)now_ns, pdu, what, offset);
}
