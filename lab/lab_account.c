// The ledger's entries: which IP packet it was that a part of the lab, or the dataplane, lost. On
// Gn a tag says so, on the hosts' side the IP header. Below Gb a packet is a row of LLC PDUs. Those
// up have its tag from the instant at which the MS makes them. Those down are read when they are
// lost: the first has the IP header; with any other the MS later gives up the whole, of which it
// has the beginning, and the reason is the one noted when that LLC PDU was lost. Their tag says how
// they are enciphered.
#include "dataplane/wire/ns.h"
#include "dataplane/wire/bssgp.h"
#include "lab/lab_parts.h"

#define IP_ID_AT  4
#define IP_LEAST  20
#define TAG_ID    16
#define TAG_WAY   1
#define NO_PACKET 0
// A type of PDU (48.018 11.3.26)
#define DL_UNITDATA 0

uint16_t lab_ip_id(const uint8_t *ip)
{
    return get_be16(ip + IP_ID_AT);
}

struct ledger_key lab_key(const struct lab_tunnel *tunnel, enum ledger_way way, uint16_t id)
{
    return (struct ledger_key){tunnel->number, way, id};
}

uint64_t lab_tag(struct ledger_key key)
{
    return 1 + ((uint64_t)key.context << (TAG_ID + TAG_WAY) | (uint64_t)key.way << TAG_ID | key.id);
}

static struct ledger_key key_of(uint64_t tag)
{
    tag--;
    return (struct ledger_key){(uint32_t)(tag >> (TAG_ID + TAG_WAY)),
                               tag >> TAG_ID & 1 ? LEDGER_UP : LEDGER_DOWN, (uint16_t)tag};
}

void lab_lost(struct lab *lab, struct ledger_key key, uint32_t reason)
{
    if (!ledger_is_under_way(&lab->ledger, key))
        return;
    ledger_lost(&lab->ledger, key, reason, engine_now_ns(lab->engine));
    lab_packet_lost(lab, key, reason);
}

void lab_lost_tag(struct lab *lab, uint64_t tag, uint32_t reason)
{
    if (tag != NO_PACKET)
        lab_lost(lab, key_of(tag), reason);
}

// The dataplane has dropped a buffer that came with a tag.
static void dropped(void *self, const struct rte_mbuf *m, enum drop_reason reason,
                    const struct stats_drop *drops, uint32_t octets)
{
    struct lab *lab = self;
    (void)drops;
    (void)octets;
    uint32_t of_dp = lab->place_dp + (uint32_t)reason;
    lab_lost_tag(lab, line_tag(m), reason == DROP_NONE ? lab->place_control : of_dp);
}

// ---- Below Gb ----

static struct lab_tunnel *tunnel_of(const struct lab_mobile *mobile, uint8_t nsapi)
{
    return nsapi >= MS_NSAPI_FIRST && nsapi < MS_NSAPI_FIRST + MS_NSAPIS
               ? mobile->tunnel[nsapi - MS_NSAPI_FIRST]
               : NULL;
}

// A struct ms_stamp as a tag.
#define STAMP_KNOWN  63
#define STAMP_RESETS 32

static uint64_t tag_of_stamp(struct ms_stamp stamp)
{
    return (uint64_t)stamp.known << STAMP_KNOWN | (uint64_t)stamp.resets << STAMP_RESETS |
           stamp.input;
}

struct ms_stamp lab_stamp_of(uint64_t tag)
{
    return (struct ms_stamp){.input = (uint32_t)tag,
                             .resets = (uint16_t)(tag >> STAMP_RESETS),
                             .known = tag >> STAMP_KNOWN};
}

void lab_lost_llc(struct lab *lab, struct lab_mobile *mobile, uint64_t tag, const uint8_t *llc,
                  uint32_t octets, uint32_t reason)
{
    struct ms_what what;
    if (!ms_read(&mobile->ms, lab_stamp_of(tag), llc, octets, &what))
        return;
    struct lab_tunnel *tunnel = tunnel_of(mobile, what.segment.nsapi);
    if (!tunnel)
        return;
    tunnel->bss_loss = 1 + reason;
    if (what.segment.first && what.segment.data.n >= IP_LEAST)
        lab_lost(lab, lab_key(tunnel, LEDGER_DOWN, lab_ip_id(what.segment.data.at)), reason);
}

// ---- Setup ----

static const char *const port_names[] = {"no_room"},
                         *const port_helps[] = {"no buffer, or no room in the port's receive ring"};

// Control reads who sent it, no more.
static const char *const control_names[] = {"stranger"},
                         *const control_helps[] = {
                             "UL-UNITDATA of an MS that the NSE does not know, "
                             "or on a blocked NS-VC or BVC"};

#define MS_REASONS (MS_LOST_COUNT + MS_REFUSED_COUNT) // of enum ms_lost, then of enum ms_refused

void lab_account_setup(struct lab *lab)
{
    static const char *bss_names[BSS_LOSSES], *bss_helps[BSS_LOSSES], *ms_names[MS_REASONS],
        *ms_helps[MS_REASONS];
    for (uint32_t i = 0; i < BSS_LOSSES; i++) {
        bss_names[i] = bss_loss_name(i);
        bss_helps[i] = bss_loss_help(i);
    }
    for (uint32_t i = 0; i < MS_REASONS; i++) {
        const struct ms_reason *reason =
            i < MS_LOST_COUNT ? &ms_lost_reasons[i] : &ms_refused_reasons[i - MS_LOST_COUNT];
        ms_names[i] = reason->name;
        ms_helps[i] = reason->help;
    }
    static const char *const phone_names[] = {"ms_no_context", "ggsn_no_context"},
                             *const phone_helps[] = {
                                 "the phone has no PDP context, or not yet",
                                 "the GGSN has no PDP context of the phone, or not any more"};
    ledger_setup(&lab->ledger);
    const struct ledger_place places[] = {
        {"net", net_loss_names, net_loss_helps, NET_LOSSES},
        {"gn", port_names, port_helps, 1},
        {"sgsn", stats_drop_names, stats_drop_helps, DROP_COUNT},
        {"bss", bss_names, bss_helps, BSS_LOSSES},
        {"ms", ms_names, ms_helps, MS_REASONS},
        {"gb", port_names, port_helps, 1},
        {"control", control_names, control_helps, 1},
        {"phone", phone_names, phone_helps, 2},
    };
    lab->place_net = ledger_add_place(&lab->ledger, &places[0]);
    lab->place_gn = ledger_add_place(&lab->ledger, &places[1]);
    lab->place_dp = ledger_add_place(&lab->ledger, &places[2]);
    lab->place_bss = ledger_add_place(&lab->ledger, &places[3]);
    lab->place_ms = ledger_add_place(&lab->ledger, &places[4]);
    lab->place_gb = ledger_add_place(&lab->ledger, &places[5]);
    lab->place_control = ledger_add_place(&lab->ledger, &places[6]);
    lab->place_phone = ledger_add_place(&lab->ledger, &places[7]);
    dp_watch_drops(dropped, lab);
}

// The MS and the LLC PDU of an NS PDU of the SGSN; false: it carries none, or no MS has the TLLI.
static bool read_ns(struct lab_bss *at, const uint8_t *ns, uint32_t octets,
                    struct lab_mobile **mobile, struct octets *llc)
{
    struct ns_unitdata unitdata;
    struct bssgp_dl_unitdata down;
    const struct octets *sdu = &unitdata.sdu;
    if (octets == 0 || ns[0] != NS_UNITDATA_TYPE || ns_unitdata_decode(&unitdata, ns, octets) < 0 ||
        sdu->n == 0 || sdu->at[0] != DL_UNITDATA ||
        bssgp_dl_unitdata_decode(&down, sdu->at, sdu->n) < 0)
        return false;
    *mobile = lab_mobile_of(at->lab, at->nsei, down.tlli);
    *llc = down.llc_pdu;
    return *mobile != NULL;
}

uint64_t lab_stamp_ns(struct lab_bss *at, const uint8_t *ns, uint32_t octets)
{
    struct lab_mobile *mobile;
    struct octets llc;
    if (!read_ns(at, ns, octets, &mobile, &llc))
        return NO_PACKET;
    return tag_of_stamp(ms_sgsn_sent(&mobile->sgsn, llc.at, llc.n));
}

void lab_lost_ns(struct lab_bss *at, uint64_t tag, const uint8_t *ns, uint32_t octets,
                 uint32_t reason)
{
    struct lab_mobile *mobile;
    struct octets llc;
    if (read_ns(at, ns, octets, &mobile, &llc))
        lab_lost_llc(at->lab, mobile, tag, llc.at, llc.n, reason);
}
