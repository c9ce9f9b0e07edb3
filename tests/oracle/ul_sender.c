// See ul_sender.h. Octets are appended one layer around the other, from the N-PDU outwards.
#include "tests/oracle/ul_sender.h"

#include <assert.h>
#include <string.h>

#include "tests/oracle/fcs.h"

#define LLC_OCTETS_MAX   (3 + 1520 + 3)
#define BSSGP_OCTETS_MAX (LLC_OCTETS_MAX + 64)

struct octets {
    size_t n;
    uint8_t at[BSSGP_OCTETS_MAX];
};

static void append(struct octets *o, const void *octets, size_t n)
{
    assert(o->n + n <= sizeof(o->at));
    memcpy(o->at + o->n, octets, n);
    o->n += n;
}

static void append_number(struct octets *o, uint32_t value, int octets)
{
    while (octets-- > 0) {
        uint8_t octet = (uint8_t)(value >> 8 * octets);
        append(o, &octet, 1);
    }
}

// 48.018 11.3: a length below 128 in one octet with bit 8 set, else in two.
static void append_element(struct octets *o, uint8_t iei, const uint8_t *value, size_t n)
{
    append_number(o, iei, 1);
    append_number(o, n < 128 ? 0x80 | (uint32_t)n : (uint32_t)n, n < 128 ? 1 : 2);
    append(o, value, n);
}

// 48.018 10.2.2 and 11.3.1: the LLC-PDU's first octet is to be at a multiple of four.
static void append_alignment(struct octets *o, size_t llc_octets)
{
    static const uint8_t zeros[3];
    size_t llc_at = o->n + 2 + (llc_octets < 128 ? 2 : 3);
    append_element(o, 0x00, zeros, (4 - llc_at % 4) % 4);
}

static void send_llc(uint32_t tlli, const struct ul_cell *cell, const uint8_t *llc, size_t n,
                     struct ip_frame *frame)
{
    struct octets ns = {0}, bssgp = {0};
    append_number(&bssgp, 0x01, 1);
    append_number(&bssgp, tlli, 4);
    append(&bssgp, cell->qos, 3);
    append_element(&bssgp, 0x08, cell->id, 8);
    if (cell->has_pfi)
        append_element(&bssgp, 0x28, &cell->pfi, 1);
    if (cell->aligned)
        append_alignment(&bssgp, n);
    append_element(&bssgp, 0x0e, llc, n);
    append_number(&ns, 0x0000, 2); // NS-UNITDATA, no control bits
    append_number(&ns, cell->bvci, 2);
    append(&ns, bssgp.at, bssgp.n);
    ip_write(frame, &cell->ends, ns.at, ns.n);
}

// 44.064 6.3 and annex A: the address of a command from the MS has C/R 0, from the SGSN 1. The FCS
// is over the plaintext and is itself enciphered.
static void make_ui(struct ul_ms *ms, uint8_t sapi, const struct octets *information,
                    uint32_t fcs_fault, struct ul_llc *pdu)
{
    uint32_t ui = ms->next_ui[sapi]++, nu = ui % 512;
    struct ul_ciphered numbers = {ms->tlli, ui - nu, sapi, (uint16_t)nu};
    bool e = ms->encipher && ms->encipher(ms->ctx, &numbers, NULL, 0);
    struct octets llc = {0};
    append_number(&llc, sapi | (ms->of_sgsn ? 0x40u : 0), 1);
    append_number(&llc, 0xc000 | nu << 2 | (e ? 2u : 0) | (ms->unprotected ? 0 : 1u), 2);
    append(&llc, information->at, information->n);
    size_t covered = ms->unprotected && llc.n > 3 + 4 ? 3 + 4 : llc.n;
    uint32_t fcs = plain_fcs(llc.at, covered) ^ fcs_fault;
    for (int i = 0; i < 3; i++)
        append_number(&llc, fcs >> 8 * i & 0xff, 1);
    if (e)
        ms->encipher(ms->ctx, &numbers, llc.at + 3, llc.n - 3);
    assert(llc.n <= sizeof(pdu->octets));
    memcpy(pdu->octets, llc.at, llc.n);
    pdu->n = llc.n;
}

// 44.065: F, T, M and NSAPI; DCOMP and PCOMP in the first; segment and N-PDU number.
unsigned ul_llc(struct ul_ms *ms, uint8_t sapi, uint8_t nsapi, const uint8_t *npdu, size_t n,
                uint32_t fcs_fault, struct ul_llc *pdus)
{
    unsigned segments = 0;
    if (n == 0 || n > (size_t)ms->n201_u - 4 + 15 * ((size_t)ms->n201_u - 3))
        return 0;
    for (size_t at = 0; at < n; segments++) {
        bool first = at == 0;
        size_t room = ms->n201_u - (first ? 4u : 3u), octets = n - at < room ? n - at : room;
        struct octets sn = {0};
        append_number(&sn, 0x20u | (first ? 0x40 : 0) | (at + octets < n ? 0x10 : 0) | nsapi, 1);
        if (first)
            append_number(&sn, 0, 1);
        append_number(&sn, segments << 12 | ms->next_npdu[nsapi], 2);
        append(&sn, npdu + at, octets);
        make_ui(ms, sapi, &sn, fcs_fault, &pdus[segments]);
        at += octets;
    }
    ms->next_npdu[nsapi] = (ms->next_npdu[nsapi] + 1) % 4096;
    return segments;
}

unsigned ul_send(struct ul_ms *ms, const struct ul_cell *cell, uint8_t sapi, uint8_t nsapi,
                 const uint8_t *npdu, size_t n, struct ip_frame *frames)
{
    struct ul_llc pdus[UL_SEGMENTS_MAX];
    unsigned segments = ul_llc(ms, sapi, nsapi, npdu, n, cell->fcs_fault, pdus);
    for (unsigned i = 0; i < segments; i++)
        send_llc(ms->tlli, cell, pdus[i].octets, pdus[i].n, &frames[i]);
    return segments;
}
