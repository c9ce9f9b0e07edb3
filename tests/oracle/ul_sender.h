// The oracle's MS and BSS: an N-PDU in, the Ethernet frames out in which it goes to the SGSN. It
// follows 44.065 (SN-UNITDATA), 44.064 (UI frames, their FCS, where the cipher goes), 48.018 10.2.2
// (UL-UNITDATA) and 48.016 (NS-UNITDATA), and shares no code with what it feeds.
// What goes wrong on the way is up to who holds the frames (lost, repeated, out of order) or the
// numbers here; the cipher is a hook, as in gb_receiver.h. Left out: compression, acknowledged
// mode.
#ifndef TESTS_ORACLE_UL_SENDER_H
#define TESTS_ORACLE_UL_SENDER_H

#include "tests/oracle/ip_writer.h"

#define UL_SEGMENTS_MAX 16

// One UI frame under its key, for the direction to the SGSN.
struct ul_ciphered {
    uint32_t tlli, oc;
    uint8_t sapi;
    uint16_t nu;
};

// XORs the key stream to these octets. False if that MS has no cipher; with no octets that is all
// it is asked.
typedef bool ul_encipher(void *ctx, const struct ul_ciphered *frame, uint8_t *octets, size_t n);

// Zero but for TLLI and N201-U to begin with. A UI frame that is skipped: one more in next_ui.
struct ul_ms {
    uint32_t tlli;
    uint16_t n201_u;
    bool unprotected;       // PM = 0: the FCS covers the header and 4 octets
    bool of_sgsn;           // for ul_llc: C/R as in a command of the SGSN
    uint32_t next_ui[16];   // by SAPI: N(U) of the next UI frame, plus OC
    uint16_t next_npdu[16]; // by NSAPI: its number
    ul_encipher *encipher;
    void *ctx;
};

// The cell that the MS is in, and the way from there.
struct ul_cell {
    struct ip_ends ends;
    uint16_t bvci;
    uint8_t id[8]; // RAI and CI
    uint8_t qos[3];
    bool has_pfi, aligned;
    uint8_t pfi;
    uint32_t fcs_fault; // bits of the FCS that are sent wrong
};

// The LLC PDUs alone, of either direction; returns as ul_send.
struct ul_llc {
    size_t n;
    uint8_t octets[3 + 1520 + 3];
};
unsigned ul_llc(struct ul_ms *ms, uint8_t sapi, uint8_t nsapi, const uint8_t *npdu,
                size_t npdu_octets, uint32_t fcs_fault, struct ul_llc *pdus);

// Returns how many frames, at most UL_SEGMENTS_MAX; 0 if the N-PDU would need more, or is empty.
unsigned ul_send(struct ul_ms *ms, const struct ul_cell *cell, uint8_t sapi, uint8_t nsapi,
                 const uint8_t *npdu, size_t npdu_octets, struct ip_frame *frames);

#endif
