// See path.h: addresses, and the commands with what the oracles have to know of them.
#include <string.h>

#include "tests/dataplane/path/path.h"
#include "tests/dataplane/path/ends.h"

// ---- Ends ----

static void put_ipv4(uint8_t address[16], uint32_t ipv4)
{
    memset(address, 0, 10);
    memset(address + 10, 0xff, 2);
    for (int i = 0; i < 4; i++)
        address[12 + i] = (uint8_t)(ipv4 >> (24 - 8 * i));
}

// 2001:db8:LINK::HOST
static void put_ipv6(uint8_t address[16], uint8_t link, uint32_t host)
{
    memset(address, 0, 16);
    memcpy(address, "\x20\x01\x0d\xb8", 4);
    address[5] = link;
    address[14] = (uint8_t)(host >> 8);
    address[15] = (uint8_t)host;
}

static void put_mac(uint8_t mac[6], uint8_t link, uint32_t host)
{
    memcpy(mac, (uint8_t[6]){2, 0, 0, link, (uint8_t)(host >> 8), (uint8_t)host}, 6);
}

struct ip_ends path_ours(uint8_t port)
{
    struct ip_ends ends = {.ipv6 = true};
    put_mac(ends.source_mac, port, 1);
    put_ipv6(ends.source, port, 1);
    return ends;
}

static struct ip_ends ends_of(uint8_t port, uint32_t our_ipv4, bool ipv6, uint32_t host)
{
    struct ip_ends ends = {.ipv6 = ipv6};
    put_mac(ends.source_mac, port, host);
    put_mac(ends.destination_mac, port, 1);
    put_ipv6(ends.source, port, host);
    put_ipv6(ends.destination, port, 1);
    if (!ipv6) {
        put_ipv4(ends.source, our_ipv4 + host - 1);
        put_ipv4(ends.destination, our_ipv4);
    }
    return ends;
}

struct ip_ends path_ends_gn(uint32_t ggsn)
{
    struct ip_ends ends = ends_of(1, OUR_GN, p.ggsn[ggsn].ipv6, 2 + ggsn);
    ends.source_port = ends.destination_port = 2152;
    return ends;
}

struct ip_ends path_ends_gb(uint32_t nsvc)
{
    struct ip_ends ends = ends_of(2, OUR_GB, p.nsvc[nsvc].ipv6, 2 + nsvc);
    ends.source_port = (uint16_t)(BSS_PORT + nsvc);
    ends.destination_port = OUR_GB_PORT;
    return ends;
}

struct ip_ends path_reversed(const struct ip_ends *ends)
{
    struct ip_ends back = *ends;
    memcpy(back.source_mac, ends->destination_mac, 6);
    memcpy(back.destination_mac, ends->source_mac, 6);
    memcpy(back.source, ends->destination, 16);
    memcpy(back.destination, ends->source, 16);
    back.source_port = ends->destination_port;
    back.destination_port = ends->source_port;
    return back;
}

bool path_same_ends(const struct ip_ends *a, const struct ip_ends *b)
{
    return memcmp(a->source_mac, b->source_mac, 6) == 0 &&
           memcmp(a->destination_mac, b->destination_mac, 6) == 0 && a->ipv6 == b->ipv6 &&
           memcmp(a->source, b->source, 16) == 0 &&
           memcmp(a->destination, b->destination, 16) == 0 && a->source_port == b->source_port &&
           a->destination_port == b->destination_port;
}

uint32_t path_worker_of_bvc(uint32_t bvc)
{
    return p.bvc[bvc].nse % p.workers;
}

struct ul_cell path_cell(uint32_t bvc)
{
    uint32_t nsvc = 0;
    while (!p.nsvc[nsvc].made || p.nsvc[nsvc].nse != p.bvc[bvc].nse)
        assert_true(++nsvc < PATH_NSVCS);
    return (struct ul_cell){.ends = path_ends_gb(nsvc),
                            .bvci = p.bvc[bvc].bvci,
                            .id = {0x62, 0xf2, 0x10, 0, 1, 2, 0, (uint8_t)bvc},
                            .qos = {0, 0, 4}};
}

static struct ipv6_address address_of(const uint8_t octets[16])
{
    struct ipv6_address address;
    memcpy(address.octet, octets, 16);
    return address;
}

// ---- Commands ----

void path_command(const struct command *c, int64_t wanted)
{
    assert_int_equal(dp_command(p.dp, c), wanted);
}

static void poll_unless_deferred(void)
{
    if (!p.defer)
        path_poll();
}

void path_do(const struct command *c)
{
    path_command(c, 0);
    if (p.defer)
        return;
    path_poll();
    assert_true(dp_settled(p.dp));
    for (uint32_t w = 0; w < p.workers; w++)
        assert_int_equal(dp_stats(dp_worker(p.dp, w))->commands_refused, 0);
}

void path_nse(uint32_t nse)
{
    DO(nse, .nse_id = nse, .nsei = (uint16_t)(100 + nse));
}

struct command path_nsvc_command(uint32_t nsvc, uint32_t nse, bool ipv6, uint8_t weight)
{
    p.nsvc[nsvc] = (struct path_nsvc){.made = true, .ipv6 = ipv6, .nse = nse};
    struct ip_ends ends = path_ends_gb(nsvc);
    struct command c = {.op = COMMAND_nsvc,
                        .nsvc = {.nsvc_id = nsvc,
                                 .nse_id = nse,
                                 .nsvci = (uint16_t)(200 + nsvc),
                                 .peer_address = address_of(ends.source),
                                 .peer_port = ends.source_port,
                                 .has_peer_mac = true,
                                 .weight = weight}};
    memcpy(c.nsvc.peer_mac.octet, ends.source_mac, 6);
    return c;
}

void path_nsvc(uint32_t nsvc, uint32_t nse, bool ipv6, uint8_t weight)
{
    struct command c = path_nsvc_command(nsvc, nse, ipv6, weight);
    path_do(&c);
}

void path_nsvc_weight(uint32_t nsvc, uint8_t weight)
{
    DO(nsvc_weight, .nsvc_id = nsvc, .weight = weight);
}

void path_nsvc_remove(uint32_t nsvc)
{
    DO(nsvc_remove, .nsvc_id = nsvc);
    p.nsvc[nsvc].made = false;
}

void path_ggsn(uint32_t ggsn, bool ipv6)
{
    p.ggsn[ggsn] = (struct path_ggsn){true, ipv6};
    struct ip_ends ends = path_ends_gn(ggsn);
    struct command c = {
        .op = COMMAND_ggsn,
        .ggsn = {.ggsn_id = ggsn, .address = address_of(ends.source), .has_mac = true}};
    memcpy(c.ggsn.mac.octet, ends.source_mac, 6);
    path_do(&c);
}

void path_gn_from(uint32_t ipv4, uint8_t prefix)
{
    DO(gn_from, .nets = {.n = 1, .item[0] = {address_of_ipv4(ipv4), 96 + prefix}});
}

void path_bvc(uint32_t bvc, uint32_t nse, uint16_t bvci)
{
    p.bvc[bvc] = (struct path_bvc){nse, bvci};
    DO(bvc, .bvc_id = bvc, .nse_id = nse, .bvci = bvci);
    path_bvc_flow(bvc, TIME_NEVER, 0);
}

void path_bvc_flow(uint32_t bvc, uint64_t bit_per_s, uint32_t bucket_octets)
{
    DO(bvc_bucket, .bvc_id = bvc, .has_rate_100_bit_per_s = bit_per_s != TIME_NEVER,
       .rate_100_bit_per_s = (uint32_t)(bit_per_s / 100), .bucket_octets = bucket_octets);
}

void path_ms(uint32_t id, uint32_t bvc, uint16_t n201_u)
{
    struct path_ms *ms = &p.ms[id];
    uint32_t generation = (ms->tlli >> 16 & 0x3fff) + (ms->tlli != 0);
    *ms = (struct path_ms){.made = true,
                           .tlli = 0xc0000000u | (generation & 0x3fff) << 16 | id,
                           .bvc = bvc,
                           .nsvc = PATH_NONE};
    ms->up.tlli = ms->tlli;
    ms->up.n201_u = n201_u;
    for (int sapi = 0; sapi < 16; sapi++)
        ms->n201_u[sapi] = n201_u;
    memset(ms->pdp_of, 0xff, sizeof ms->pdp_of);
    DO(ms, .ms_id = id, .bvc_id = bvc, .tlli = ms->tlli, .n201_u = n201_u);
}

void path_ms_move(uint32_t ms, uint32_t bvc)
{
    TRY(0, ms_move, .ms_id = ms, .bvc_id = bvc);
    p.ms[ms].bvc = bvc;
    poll_unless_deferred();
}

void path_ms_tlli(uint32_t id)
{
    struct path_ms *ms = &p.ms[id];
    uint32_t tlli = ms->tlli + 0x10000;
    TRY(0, ms_tlli, .ms_id = id, .tlli = tlli);
    gb_receiver_rename(p.gb, ms->tlli, tlli);
    ms->tlli = ms->up.tlli = tlli;
    ms->nsvc = PATH_NONE; // the link selector is the TLLI's
    poll_unless_deferred();
}

// The octets that stand before the context's PFI.
static void expect_options(const struct path_pdp *pdp)
{
    const struct path_ms *ms = &p.ms[pdp->ms];
    uint8_t octets[64 + 3];
    size_t n = ms->options_n;
    memcpy(octets, ms->options, n);
    if (pdp->has_pfi) {
        memcpy(octets + n, (uint8_t[3]){0x28, 0x81, pdp->pfi}, 3);
        n += 3;
    }
    assert_true(gb_receiver_expect_options(p.gb, ms->tlli, pdp->nsapi, octets, n));
}

void path_ms_options(uint32_t id, const struct command_ms_options *options, const uint8_t *octets,
                     size_t n)
{
    struct path_ms *ms = &p.ms[id];
    struct command c = {.op = COMMAND_ms_options, .ms_options = *options};
    c.ms_options.ms_id = id;
    path_command(&c, 0);
    if (n > 0)
        memcpy(ms->options, octets, n);
    ms->options_n = n;
    for (uint32_t nsapi = 0; nsapi < PATH_NSAPIS; nsapi++)
        if (ms->pdp_of[nsapi] != PATH_NONE)
            expect_options(&p.pdp[ms->pdp_of[nsapi]]);
    poll_unless_deferred();
}

void path_pfc(uint32_t ms, uint8_t slot, uint8_t traffic_class)
{
    DO(pfc, .ms_id = ms, .slot = slot, .traffic_class = traffic_class);
}

void path_pdp(uint32_t id, uint32_t ms, uint8_t slot, uint8_t nsapi, uint8_t sapi, uint32_t ggsn,
              int pfi)
{
    struct command c = {.op = COMMAND_pdp,
                        .pdp = {.pdp_id = id,
                                .ms_id = ms,
                                .slot = slot,
                                .nsapi = nsapi,
                                .sapi = sapi,
                                .has_pfi = pfi >= 0,
                                .pfi = (uint8_t)pfi,
                                .has_ggsn_id = ggsn != PATH_NONE,
                                .ggsn_id = ggsn,
                                .ggsn_teid = GGSN_TEID_FIRST + id}};
    int64_t teid = dp_command(p.dp, &c);
    assert_true(teid > 0);
    p.pdp[id] = (struct path_pdp){.made = true,
                                  .has_pfi = pfi >= 0,
                                  .nsapi = nsapi,
                                  .sapi = sapi,
                                  .pfi = (uint8_t)pfi,
                                  .teid = (uint32_t)teid,
                                  .ms = ms,
                                  .ggsn = ggsn};
    p.ms[ms].pdp_of[nsapi] = id;
    p.ms[ms].up.next_npdu[nsapi] = 0;
    gb_receiver_new_context(p.gb, p.ms[ms].tlli, nsapi);
    expect_options(&p.pdp[id]);
    poll_unless_deferred();
}

void path_pdp_remove(uint32_t id)
{
    struct path_pdp *pdp = &p.pdp[id];
    TRY(0, pdp_remove, .pdp_id = id);
    gb_receiver_new_context(p.gb, p.ms[pdp->ms].tlli, pdp->nsapi);
    p.ms[pdp->ms].pdp_of[pdp->nsapi] = PATH_NONE;
    pdp->made = false;
    poll_unless_deferred();
}

void path_ms_flush(uint32_t id)
{
    TRY(0, ms_flush, .ms_id = id);
    gb_receiver_flush(p.gb, p.ms[id].tlli);
    poll_unless_deferred();
}

void path_ms_n201_u(uint32_t id, uint8_t sapi, uint16_t n201_u)
{
    DO(ms_n201_u, .ms_id = id, .sapi = sapi, .n201_u = n201_u);
    p.ms[id].n201_u[sapi] = n201_u;
}

void path_ms_remove(uint32_t id)
{
    for (uint32_t nsapi = 0; nsapi < PATH_NSAPIS; nsapi++)
        if (p.ms[id].pdp_of[nsapi] != PATH_NONE)
            path_pdp_remove(p.ms[id].pdp_of[nsapi]);
    TRY(0, ms_remove, .ms_id = id);
    gb_receiver_forget(p.gb, p.ms[id].tlli);
    p.ms[id].made = false;
    poll_unless_deferred();
}

void path_one_cell(bool gb_ipv6, bool gn_ipv6)
{
    path_nse(0);
    path_nsvc(0, 0, gb_ipv6, 1);
    path_ggsn(0, gn_ipv6);
    path_bvc(0, 0, 2);
}

void path_plain_ms(uint32_t ms, uint32_t bvc, uint16_t n201_u)
{
    path_ms(ms, bvc, n201_u);
    path_pfc(ms, 0, CLASS_BACKGROUND);
    path_pdp(ms, ms, 0, 5, 3, p.ggsn[0].made ? 0 : PATH_NONE, -1);
}
