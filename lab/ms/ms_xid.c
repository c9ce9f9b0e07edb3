// Answers to the SGSN's XID commands (TS 44.064 8.5.3): the MS agrees to what is proposed, but to
// no larger N201-U than its own, to version 0 only, and to no compression (TS 44.065 6.5.1, 6.6.1).
// A Reset takes effect before the other parameters: numbers and parameters of all SAPIs begin again
// (LLC's defaults, table 9), and so do the numbers of uplink N-PDUs (TS 44.065 5.1.2.1).
//
// Left out: XID commands of the MS, and the readable part of a malformed command.
#include <string.h>

#include "dataplane/wire/llc_xid.h"
#include "dataplane/wire/sndcp_xid.h"
#include "lab/ms/ms_parts.h"

#define N201_U_DEFAULT 500 // of SAPIs 3, 5, 9 and 11

static void reset(struct ms *ms)
{
    ms->counters->resets++;
    ms->resets = ms->shared->stamp.resets;
    ms->iov_ui = 0;
    ms_llc_begin(ms, N201_U_DEFAULT);
    for (uint32_t i = 0; i < MS_NSAPIS; i++)
        ms->context[i].up_number = 0;
}

static void refuse_entities(struct sndcp_entities *entities)
{
    for (uint32_t i = 0; i < entities->n; i++)
        entities->item[i] = (struct sndcp_entity){.entity = entities->item[i].entity};
}

// A block that cannot be read is answered by the version alone. Returns the octets of the answer.
static uint32_t answer_sndcp(struct octets command, uint8_t *b)
{
    struct sndcp_xid block;
    if (sndcp_xid_decode(&block, command.at, command.n) < 0)
        block = (struct sndcp_xid){.has_version = true};
    block.version = 0;
    if (block.has_data_compression)
        refuse_entities(&block.data_compression);
    if (block.has_protocol_compression)
        refuse_entities(&block.protocol_compression);
    return (uint32_t)sndcp_xid_encode(&block, b, LLC_XID_L3_OCTETS_MAX);
}

static void agree_n201_u(struct ms *ms, uint8_t sapi, uint16_t octets)
{
    uint32_t i = ms_lle_of(sapi);
    if (i == MS_LLES)
        return;
    struct ms_lle *lle = &ms->lle[i];
    lle->n201_u_octets = octets;
    if (lle->down_octets_most < octets)
        lle->down_octets_most = octets;
}

static void send(struct ms *ms, const struct llc_xid *response, uint64_t now_ns)
{
    struct ms_shared *shared = ms->shared;
    uint32_t n = (uint32_t)llc_xid_encode(response, shared->up, sizeof shared->up);
    ms_add(&ms->counters->answers, n);
    shared->owner.up(shared->owner.self, ms, shared->up, n, now_ns);
}

void ms_xid_take(struct ms *ms, struct octets frame, uint64_t now_ns)
{
    struct llc_xid xid;
    uint8_t layer3[LLC_XID_L3_OCTETS_MAX];
    uint16_t most = (uint16_t)ms->shared->config.n201_u_most_octets;
    int fault = llc_xid_decode(&xid, frame.at, frame.n);
    if (fault < 0) {
        ms_refuse(ms, MS_REFUSED_xid, frame.n, "XID", wire_err_text(wire_fault_err(fault)),
                  wire_fault_offset(fault));
        return;
    }
    ms_add(&ms->counters->control, frame.n);
    if (xid.reset)
        reset(ms);
    if (xid.has_iov_ui)
        ms->iov_ui = xid.iov_ui;
    if (xid.has_n201_u_octets && xid.n201_u_octets > most)
        xid.n201_u_octets = most;
    if (xid.has_n201_u_octets)
        agree_n201_u(ms, xid.sapi, xid.n201_u_octets);
    if (xid.has_layer3)
        xid.layer3 = (struct octets){layer3, answer_sndcp(xid.layer3, layer3)};
    xid.version = 0;
    xid.reset = false;
    xid.cr = llc_cr(false, false);
    send(ms, &xid, now_ns);
}
