// The ledger's entries: which IP packet it was that a part of the lab, or the dataplane, lost. On
// Gn a tag says so, on the hosts' side the IP header. Below Gb a packet is a row of LLC PDUs: the
// first has the IP header; with any other the MS later gives up the whole, of which it has the
// beginning, and the reason is the one noted when that LLC PDU was lost.
#include "dataplane/wire/ns.h"
#include "dataplane/wire/bssgp.h"
#include "lab/lab_parts.h"

#define IP_ID_AT  4
#define IP_LEAST  20
#define TAG_ID    16
#define TAG_WAY   1
#define NO_PACKET 0
// Types of PDUs (48.018 11.3.26)
#define DL_UNITDATA 0
#define UL_UNITDATA 1

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
    if (ledger_is_under_way(&lab->ledger, key))
        ledger_lost(&lab->ledger, key, reason, engine_now_ns(lab->engine));
}

// The dataplane has dropped a buffer that came with a tag.
static void dropped(void *self, const struct rte_mbuf *m, enum drop_reason reason)
{
    struct lab *lab = self;
    uint64_t tag = line_tag(m);
    if (tag != NO_PACKET)
        lab_lost(lab, key_of(tag), lab->place_dp + (uint32_t)reason);
}

// ---- Below Gb ----

static struct lab_tunnel *tunnel_of(const struct lab_mobile *mobile, uint8_t nsapi)
{
    return nsapi >= MS_NSAPI_FIRST && nsapi < MS_NSAPI_FIRST + MS_NSAPIS
               ? mobile->tunnel[nsapi - MS_NSAPI_FIRST]
               : NULL;
}

// Uplink N-PDUs have numbers that count up with their IP ids. After a Reset one of before it may
// have a number that was given out again; what was sent first is lost first.
static uint16_t id_of_number(const struct lab *lab, const struct lab_tunnel *tunnel,
                             uint16_t number)
{
    uint16_t last = (uint16_t)(tunnel->next_id[LEDGER_UP] - 1);
    uint16_t id = (uint16_t)(last - (uint16_t)(last - number) % LAB_NPDU_NUMBERS);
    uint16_t earlier = (uint16_t)(id - LAB_NPDU_NUMBERS);
    return ledger_is_under_way(&lab->ledger, lab_key(tunnel, LEDGER_UP, earlier)) ? earlier : id;
}

// Returns false if the LLC PDU carries nothing of a packet that can be named.
static bool packet_of(const struct lab_mobile *mobile, enum ms_way way, const uint8_t *llc,
                      uint32_t octets, struct lab_tunnel **tunnel, struct ledger_key *key)
{
    struct ms_what what;
    if (!ms_read(&mobile->ms, way, llc, octets, &what))
        return false;
    *tunnel = tunnel_of(mobile, what.segment.nsapi);
    if (!*tunnel)
        return false;
    if (what.segment.first && what.segment.data.n >= IP_LEAST)
        *key = lab_key(*tunnel, way == MS_UP ? LEDGER_UP : LEDGER_DOWN,
                       lab_ip_id(what.segment.data.at));
    else if (way == MS_UP)
        *key = lab_key(*tunnel, LEDGER_UP,
                       id_of_number(mobile->bss->lab, *tunnel, what.segment.npdu_number));
    else
        return false;
    return true;
}

void lab_lost_llc(struct lab *lab, struct lab_mobile *mobile, enum ms_way way, const uint8_t *llc,
                  uint32_t octets, uint32_t reason)
{
    struct lab_tunnel *tunnel = NULL;
    struct ledger_key key;
    if (packet_of(mobile, way, llc, octets, &tunnel, &key))
        lab_lost(lab, key, reason);
    if (tunnel && way == MS_DOWN)
        tunnel->bss_loss = 1 + reason;
}

// ---- Setup ----

static const char *const gn_names[] = {"no_room"},
                         *const gn_helps[] = {"no buffer, or no room in the port's receive ring"};

void lab_account_setup(struct lab *lab)
{
    static const char *bss_names[BSS_LOSSES], *bss_helps[BSS_LOSSES], *ms_names[MS_LOST_COUNT],
        *ms_helps[MS_LOST_COUNT];
    for (uint32_t i = 0; i < BSS_LOSSES; i++) {
        bss_names[i] = bss_loss_name(i);
        bss_helps[i] = bss_loss_help(i);
    }
    for (uint32_t i = 0; i < MS_LOST_COUNT; i++) {
        ms_names[i] = ms_lost_reasons[i].name;
        ms_helps[i] = ms_lost_reasons[i].help;
    }
    ledger_setup(&lab->ledger);
    const struct ledger_place places[] = {
        {"net", net_loss_names, net_loss_helps, NET_LOSSES},
        {"gn", gn_names, gn_helps, 1},
        {"sgsn", stats_drop_names, stats_drop_helps, DROP_COUNT},
        {"bss", bss_names, bss_helps, BSS_LOSSES},
        {"ms", ms_names, ms_helps, MS_LOST_COUNT},
    };
    lab->place_net = ledger_add_place(&lab->ledger, &places[0]);
    lab->place_gn = ledger_add_place(&lab->ledger, &places[1]);
    lab->place_dp = ledger_add_place(&lab->ledger, &places[2]);
    lab->place_bss = ledger_add_place(&lab->ledger, &places[3]);
    lab->place_ms = ledger_add_place(&lab->ledger, &places[4]);
    dp_watch_drops(dropped, lab);
}

// The MS and the LLC PDU of an NS PDU; false: it carries none, or no MS has the TLLI.
static bool read_ns(struct lab_bss *at, enum ms_way way, const uint8_t *ns, uint32_t octets,
                    struct lab_mobile **mobile, struct octets *llc)
{
    struct ns_unitdata unitdata;
    struct bssgp_ul_unitdata up;
    struct bssgp_dl_unitdata down;
    const struct octets *sdu = &unitdata.sdu;
    if (octets == 0 || ns[0] != NS_UNITDATA_TYPE || ns_unitdata_decode(&unitdata, ns, octets) < 0 ||
        sdu->n == 0)
        return false;
    bool is_up = way == MS_UP && sdu->at[0] == UL_UNITDATA &&
                 bssgp_ul_unitdata_decode(&up, sdu->at, sdu->n) >= 0;
    bool is_down = way == MS_DOWN && sdu->at[0] == DL_UNITDATA &&
                   bssgp_dl_unitdata_decode(&down, sdu->at, sdu->n) >= 0;
    if (!is_up && !is_down)
        return false;
    *mobile = lab_mobile_of(at->lab, at->nsei, is_up ? up.tlli : down.tlli);
    if (!*mobile)
        return false;
    *llc = is_up ? up.llc_pdu : down.llc_pdu;
    return true;
}

// An UL-UNITDATA's packet, for the tag of the buffer that carries it.
uint64_t lab_tag_of_ns(struct lab_bss *at, const uint8_t *ns, uint32_t octets)
{
    struct lab_tunnel *tunnel;
    struct lab_mobile *mobile;
    struct ledger_key key;
    struct octets llc;
    if (!read_ns(at, MS_UP, ns, octets, &mobile, &llc) ||
        !packet_of(mobile, MS_UP, llc.at, llc.n, &tunnel, &key))
        return NO_PACKET;
    return lab_tag(key);
}

void lab_lost_ns(struct lab_bss *at, enum ms_way way, const uint8_t *ns, uint32_t octets,
                 uint32_t reason)
{
    struct lab_mobile *mobile;
    struct octets llc;
    if (read_ns(at, way, ns, octets, &mobile, &llc))
        lab_lost_llc(at->lab, mobile, way, llc.at, llc.n, reason);
}
