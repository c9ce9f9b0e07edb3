// N-PDUs to UI frames: SN-UNITDATA segments as large as N201-U allows (TS 44.065 6.7), N(U) by LLE
// (TS 44.064 8.4.2), FCS, and ciphering if the MS has a key. C/R is 0 in a command of an MS.
#include <string.h>

#include "dataplane/wire/llc_cipher.h"
#include "lab/ms/ms_parts.h"

// Octets of the N-PDU in the segment.
static uint32_t segment_room(const struct ms_lle *lle, bool first)
{
    return lle->n201_u_octets - (first ? SNDCP_FIRST_OCTETS : SNDCP_NEXT_OCTETS);
}

static bool fits(const struct ms_lle *lle, uint32_t octets)
{
    return octets <= segment_room(lle, true) + (SNDCP_SEGMENTS_MAX - 1) * segment_room(lle, false);
}

static void send_ui(struct ms *ms, struct ms_lle *lle, uint8_t sapi, struct octets info,
                    uint64_t now_ns)
{
    struct ms_shared *shared = ms->shared;
    uint32_t number = lle->up_next++;
    struct llc_ui ui = {.cr = llc_cr(true, false),
                        .sapi = sapi,
                        .nu = (uint16_t)(number % LLC_NU_COUNT),
                        .enciphered = ms->gea != 0,
                        .protect_all = shared->config.protects_all,
                        .info = info};
    uint32_t n = (uint32_t)llc_ui_encode(&ui, shared->up, sizeof shared->up);
    if (ms->gea)
        ms_cipher_frame(ms, sapi, number, CIPHER_UPLINK, shared->up, n);
    ms_add(&ms->counters->up_pdus, n);
    shared->owner.up(shared->owner.self, ms, shared->up, n, now_ns);
}

static void send_npdu(struct ms *ms, struct ms_context *c, uint8_t nsapi, struct octets npdu,
                      uint64_t now_ns)
{
    struct ms_lle *lle = &ms->lle[c->lle];
    uint8_t *b = ms->shared->up + LLC_UI_HEADER_OCTETS;
    struct sndcp_unitdata s = {.nsapi = nsapi, .npdu_number = c->up_number};
    c->up_number = (c->up_number + 1) % SNDCP_NPDU_NUMBERS;
    for (uint32_t at = 0; at < npdu.n; at += s.data.n, s.segment++) {
        uint32_t left = npdu.n - at, room = segment_room(lle, at == 0);
        s.first = at == 0;
        s.more = left > room;
        s.data = (struct octets){npdu.at + at, s.more ? room : left};
        uint32_t n = (uint32_t)sndcp_unitdata_encode(&s, b, LLC_N201_U_MAX);
        send_ui(ms, lle, ms_user_sapis[c->lle], (struct octets){b, n}, now_ns);
    }
}

// The count of N-PDUs like this one: up_sent, or why it cannot be sent.
static struct ms_amount *count_of(struct ms *ms, const struct ms_context *c, uint32_t octets)
{
    struct ms_counters *counters = ms->counters;
    if (!c || !c->used)
        return &counters->up_unsent[MS_UNSENT_unknown];
    if (octets == 0)
        return &counters->up_unsent[MS_UNSENT_empty];
    return fits(&ms->lle[c->lle], octets) ? &counters->up_sent
                                          : &counters->up_unsent[MS_UNSENT_large];
}

bool ms_up(struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets, uint64_t now_ns)
{
    struct ms_context *c = ms_context_of(ms, nsapi);
    struct ms_amount *count = count_of(ms, c, octets);
    ms_add(&ms->counters->up_npdus, octets);
    ms_add(count, octets);
    if (count != &ms->counters->up_sent)
        return false;
    send_npdu(ms, c, nsapi, (struct octets){npdu, octets}, now_ns);
    return true;
}
