// Gb: NS PDUs between the dataplane's port and the BSSs, and the MSs behind them.
#include "lab/lab_parts.h"

// ---- Down ----

uint64_t lab_endpoint_key(const struct ipv6_address *address, uint16_t port)
{
    uint64_t high = (uint64_t)get_be32(address->octet) << 32 | get_be32(address->octet + 4);
    uint64_t low = (uint64_t)get_be32(address->octet + 8) << 32 | get_be32(address->octet + 12);
    return (high * 0x9e3779b97f4a7c15u ^ low) + ((uint64_t)port << 48);
}

static void into_bss(struct lab_nsvc *nsvc, struct octets ns, uint64_t tag, uint64_t now_ns)
{
    bss_input_tagged(nsvc->bss->bss, nsvc->number, ns.at, ns.n, tag, now_ns);
}

static void to_bss(void *self, const uint8_t *ns, uint32_t octets, uint64_t now_ns)
{
    struct lab_nsvc *nsvc = self;
    into_bss(nsvc, (struct octets){ns, octets}, nsvc->to_bss.tag, now_ns);
}

static void from_sgsn(struct lab_nsvc *nsvc, struct octets ns, uint64_t now_ns)
{
    uint64_t tag = lab_stamp_ns(nsvc->bss, ns.at, ns.n);
    if (nsvc->has_line)
        link_send_tagged(&nsvc->to_bss, ns.at, ns.n, tag, now_ns);
    else
        into_bss(nsvc, ns, tag, now_ns);
}

// A datagram of the dataplane.
static void gb_datagram(void *self, const struct ends_datagram *d, uint64_t now_ns)
{
    struct lab *lab = self;
    struct lab_nsvc *nsvc =
        map_find(&lab->nsvc_by_endpoint, lab_endpoint_key(&d->destination, d->destination_port));
    if (!nsvc || !address_same(&nsvc->host.address, &d->destination))
        lab_fault(lab, "Gb: no NS-VC has this endpoint, port", d->destination_port);
    else
        from_sgsn(nsvc, d->payload, now_ns);
}

static void deliver(void *self, struct bss_ms *ms, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns)
{
    const struct lab_bss *at = self;
    struct lab_mobile *mobile = bss_ms_user(ms);
    uint64_t tag = bss_tag(at->bss);
    if (lab_phone_down(mobile, tag, llc, octets, now_ns))
        return;
    enum ms_refused why = ms_down_stamped(&mobile->ms, lab_stamp_of(tag), llc, octets, now_ns);
    if (why != MS_REFUSED_COUNT)
        lab_lost_llc(at->lab, mobile, tag, llc, octets,
                     at->lab->place_ms + MS_LOST_COUNT + (uint32_t)why);
    lab_phone_heard(mobile);
}

static struct lab *lab_of(const struct ms *ms)
{
    return ((const struct lab_mobile *)ms)->bss->lab;
}

static void npdu_down(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu,
                      uint32_t octets, uint64_t now_ns)
{
    struct lab_tunnel *tunnel = ((struct lab_mobile *)ms)->tunnel[nsapi - MS_NSAPI_FIRST];
    (void)self;
    if (octets < IPV4_OCTETS || get_be32(npdu + IPV4_OCTETS - 4) != tunnel->address)
        lab_fault(lab_of(ms), "an MS: an N-PDU for another address, NSAPI", nsapi);
    else
        lab_arrive(lab_of(ms), tunnel, FLOW_MS, npdu, octets, now_ns);
}

// An N-PDU of which the MS has the beginning: for the reason with which its rest was lost.
static void npdu_given_up(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu,
                          uint32_t octets, enum ms_lost why, uint64_t now_ns)
{
    struct lab *lab = lab_of(ms);
    struct lab_tunnel *tunnel = ((struct lab_mobile *)ms)->tunnel[nsapi - MS_NSAPI_FIRST];
    (void)self, (void)now_ns;
    if (octets >= IPV4_OCTETS)
        lab_lost(lab, lab_key(tunnel, LEDGER_DOWN, lab_ip_id(npdu)),
                 why == MS_LOST_missing && tunnel->bss_loss ? tunnel->bss_loss - 1
                                                            : lab->place_ms + (uint32_t)why);
}

// ---- Up ----

void lab_up_from_ms(struct lab *lab, struct lab_tunnel *tunnel, const uint8_t *ip, uint32_t octets,
                    uint64_t now_ns)
{
    struct lab_mobile *mobile = tunnel->ms;
    if (!lab_phone_sends(mobile, octets, now_ns)) {
        lab_lost(lab, lab_key(tunnel, LEDGER_UP, lab_ip_id(ip)),
                 lab->place_phone + LAB_PHONE_AT_MS);
        return;
    }
    mobile->up_tag = lab_tag(lab_key(tunnel, LEDGER_UP, lab_ip_id(ip)));
    bool sent = ms_up(&mobile->ms, tunnel->nsapi, ip, octets, now_ns);
    mobile->up_tag = 0;
    if (!sent)
        lab_fault(lab, "an MS: an N-PDU that it cannot send, octets", octets);
}

static void llc_up(void *self, struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    const struct lab_mobile *mobile = (const struct lab_mobile *)ms;
    (void)self;
    bss_up_tagged(mobile->at_bss, llc, octets, mobile->up_tag, now_ns);
}

static void into_port(struct lab_nsvc *nsvc, struct octets ns, uint64_t tag, uint64_t now_ns)
{
    struct lab *lab = nsvc->bss->lab;
    // Any worker may get it: it passes on what is another worker's.
    if (!ends_send(&lab->gb_ends, &nsvc->host, nsvc->number % lab->config.workers, ns, tag, now_ns))
        lab_lost_tag(lab, tag, lab->place_gb);
}

static void to_sgsn(void *self, const uint8_t *ns, uint32_t octets, uint64_t now_ns)
{
    struct lab_nsvc *nsvc = self;
    into_port(nsvc, (struct octets){ns, octets}, nsvc->to_sgsn.tag, now_ns);
}

static void send_ns(void *self, uint32_t number, const uint8_t *ns, uint32_t octets,
                    uint64_t now_ns)
{
    const struct lab_bss *at = self;
    struct lab_nsvc *nsvc = at->nsvc.item[number];
    uint64_t tag = bss_tag(at->bss);
    if (nsvc->has_line)
        link_send_tagged(&nsvc->to_sgsn, ns, octets, tag, now_ns);
    else
        into_port(nsvc, (struct octets){ns, octets}, tag, now_ns);
}

// ---- What is lost, and what is up ----

static void lost_llc(void *self, uint32_t tlli, enum bss_way way, const uint8_t *llc,
                     uint32_t octets, enum bss_loss why, uint64_t now_ns)
{
    const struct lab_bss *at = self;
    uint32_t reason = at->lab->place_bss + (uint32_t)why;
    struct lab_mobile *mobile = lab_mobile_of(at->lab, at->nsei, tlli);
    (void)now_ns;
    if (way == BSS_UP)
        lab_lost_tag(at->lab, bss_tag(at->bss), reason);
    else if (mobile)
        lab_lost_llc(at->lab, mobile, bss_tag(at->bss), llc, octets, reason);
}

static struct bss *neighbour(void *self, uint16_t nsei)
{
    const struct lab *lab = ((struct lab_bss *)self)->lab;
    for (uint32_t i = 0; i < lab->bss.n; i++) {
        const struct lab_bss *at = lab->bss.item[i];
        if (at->nsei == nsei)
            return at->bss;
    }
    return NULL;
}

static void cell_up(void *self, struct bss_cell *cell, uint64_t now_ns)
{
    struct lab_bss *at = self;
    (void)cell, (void)now_ns;
    at->cells_up++;
    engine_wake(at->lab->engine);
}

const struct ms_owner lab_ms_owner = {.down = npdu_down, .lost = npdu_given_up, .up = llc_up};

const struct bss_owner lab_bss_owner = {
    .send = send_ns, .deliver = deliver, .lost = lost_llc, .up = cell_up, .neighbour = neighbour};

static void lost_to_bss(void *self, const uint8_t *ns, uint32_t octets, enum net_loss why,
                        uint64_t now_ns)
{
    const struct lab_nsvc *nsvc = self;
    (void)now_ns;
    lab_lost_ns(nsvc->bss, nsvc->to_bss.tag, ns, octets, nsvc->bss->lab->place_net + (uint32_t)why);
}

static void lost_to_sgsn(void *self, const uint8_t *ns, uint32_t octets, enum net_loss why,
                         uint64_t now_ns)
{
    const struct lab_nsvc *nsvc = self;
    struct lab *lab = nsvc->bss->lab;
    (void)ns, (void)octets, (void)now_ns;
    lab_lost_tag(lab, nsvc->to_sgsn.tag, lab->place_net + (uint32_t)why);
}

#define STREAM_LINES (2ULL << 40)

void lab_nsvc_setup(struct lab *lab, struct lab_nsvc *nsvc)
{
    const struct link_config *line = &nsvc->bss->line, none = {0};
    nsvc->has_line = memcmp(line, &none, sizeof none) != 0;
    uint64_t stream = STREAM_LINES + 2 * lab->nsvcs++;
    link_setup(&nsvc->to_bss, lab->engine, line, &(struct net_owner){nsvc, to_bss, lost_to_bss},
               lab->config.seed, stream);
    link_setup(&nsvc->to_sgsn, lab->engine, line, &(struct net_owner){nsvc, to_sgsn, lost_to_sgsn},
               lab->config.seed, stream + 1);
}

void lab_gb_setup(struct lab *lab)
{
    const struct lab_config *c = &lab->config;
    lab->gb = (struct line){.engine = lab->engine,
                            .ends = c->workers,
                            .rate_bit_per_s = c->gb_rate_bit_per_s,
                            .capture = lab->out.gb,
                            .deliver = ends_frame,
                            .self = &lab->gb_ends};
    lab->gb_ends = (struct ends){.line = &lab->gb,
                                 .to = {c->gb_address, c->gb_mac, c->gb_port},
                                 .to_ipv6 = c->gb_address6,
                                 .mtu_octets = c->gb_mtu_octets,
                                 .vlan = c->gb_vlan,
                                 .datagram = gb_datagram,
                                 .self = lab};
    line_attach(&lab->gb);
    ms_shared_setup(&lab->mobiles_shared, &c->mobile, &lab_ms_owner);
}
