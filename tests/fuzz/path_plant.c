// See path.h: the network around the dataplane, its configuration, and what it is planted with: two
// NSEs with NS-VCs in both families, known to be there or still to be asked for; cells that are
// fast, slow and empty; MSs without a key, with GEA3 and with GEA4; GGSNs.
#include <errno.h>
#include <string.h>

#include "tests/fuzz/path.h"

#define RING_FRAMES 255u

// ---- The network ----

struct ipv6_address path_address(enum stats_side side, bool ipv6, uint32_t place)
{
    struct ipv6_address address = {{0x20, 0x01, 0x0d, 0xb8, 0, (uint8_t)side}};
    address.octet[15] = (uint8_t)(place + 1);
    uint32_t net = side == STATS_GN ? 0xc0000200 : 0xc6336400;
    return ipv6 ? address : address_of_ipv4(net + 1 + place);
}

struct mac path_mac(enum stats_side side, uint32_t place)
{
    return (struct mac){{2, 0, 0, 0, (uint8_t)side, (uint8_t)place}};
}

uint16_t path_port(enum stats_side side, uint32_t place)
{
    return (uint16_t)(side == STATS_GN ? 2152 : 23000 + place);
}

uint16_t path_mtu_octets(enum stats_side side)
{
    return side == STATS_GN && path.mss == PATH_MSS_MANY ? PATH_MTU_OCTETS_MANY : PATH_MTU_OCTETS;
}

uint16_t path_vlan(enum stats_side side)
{
    return side == STATS_GB ? PATH_VLAN : 0;
}

static struct dp_port config_of_port(enum stats_side side)
{
    static const char device[] = PORT_DEVICE_RING;
    struct ipv6_address ipv4 = path_address(side, false, 0), gateway = path_address(side, false, 9);
    return (struct dp_port){.device = {(const uint8_t *)device, sizeof device - 1},
                            .rx_frames = RING_FRAMES,
                            .tx_frames = 63,
                            .mac = path_mac(side, 0),
                            .address = address_ipv4(&ipv4),
                            .prefix = 28,
                            .gateway = address_ipv4(&gateway),
                            .address6 = path_address(side, true, 0),
                            .prefix6 = 64,
                            .port = path_port(side, 0),
                            .mtu_octets = path_mtu_octets(side),
                            .vlan = path_vlan(side)};
}

// ---- The dataplane ----

static uint8_t place_of_aqm(const char *name)
{
    uint8_t place = 0;
    while (strcmp(aqm_list[place]->name, name) != 0)
        place++;
    return place;
}

static struct dp_class config_of_class(uint32_t class)
{
    static const char *const aqms[] = {"tail-drop", "red", "codel", "pie"};
    struct dp_class c = {.weight = 1 + class,
                         .packets = class % 2 ? 400 : 60,
                         .octets = 300000,
                         .lifetime_ns = class % 3 ? 2000000000 : 0,
                         .scope = SCHED_SCOPE_PFC,
                         .flows = class >= 5,
                         .refuse_late = class >= 5,
                         .window_ns = class >= 5 ? 2000000000 : 0,
                         .aqm = place_of_aqm(aqms[class % 4])};
    uint64_t params[AQM_PARAMS_MAX];
    const struct aqm_ops *ops = aqm_list[c.aqm];
    aqm_standard_params(ops, params);
    c.aqm_params.n = ops->param_count;
    for (uint32_t i = 0; i < ops->param_count; i++) {
        if (strcmp(ops->params[i].name, "ecn") == 0)
            params[i] = 1;
        c.aqm_params.item[i] =
            (struct dp_aqm_param){(uint8_t)aqm_level_unit(params[i]), aqm_level_value(params[i])};
    }
    return c;
}

// Small, so that all of it fills.
struct dp_config path_config(void)
{
    struct dp_config c = {.secret_seed = 1,
                          .nses = PATH_NSES,
                          .nsvcs = PATH_NSVCS,
                          .ggsns = PATH_GGSNS,
                          .bvcs = PATH_BVCS,
                          .mss = path.mss,
                          .pdps = path.pdps,
                          .room_pfcs = PATH_SLOTS,
                          .queue_flows = 4,
                          .flow_quantum_octets = 300,
                          .queue_packets = 150,
                          .queue_octets = 300000,
                          .nse_packets = 4096,
                          .nse_octets = 110000,
                          .cell_packets = 120,
                          .cell_octets = 200000,
                          .ms_packets = 40,
                          .ms_octets = 100000,
                          .cell_delay_ns = 1000000000,
                          .seed = 1,
                          .workers = PATH_WORKERS,
                          .ms_options_octets = COMMAND_OCTETS,
                          .error_indications_per_s = 100,
                          .ready_ns = 3000000000,
                          .gn = config_of_port(STATS_GN),
                          .gb = config_of_port(STATS_GB)};
    c.classes.n = CLASS_COUNT;
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        c.classes.item[i] = config_of_class(i);
    return c;
}

static void command(const struct command *c)
{
    int64_t code = dp_command(path.dp, c);
    if (code == -EAGAIN) { // the ring is full
        path_poll();
        code = dp_command(path.dp, c);
    }
    if (code < 0)
        fprintf(stderr, "command %u: %s\n", c->op, strerror((int)-code));
    CHECK(code >= 0);
}
#define DO(name, ...)                                     \
    command(&(const struct command){.op = COMMAND_##name, \
                                    .name = (struct command_##name){__VA_ARGS__}})

static void plant_network(void)
{
    for (uint32_t i = 0; i < PATH_NSES; i++)
        DO(nse, .nse_id = i, .nsei = (uint16_t)(101 + i));
    for (uint32_t i = 0; i < PATH_NSVCS; i++)
        DO(nsvc, .nsvc_id = i, .nse_id = i % PATH_NSES, .nsvci = (uint16_t)i,
           .peer_address = path_address(STATS_GB, i == 2 || i == 3 || i == 5, 1 + i),
           .peer_port = path_port(STATS_GB, 1 + i), .has_peer_mac = i < 4,
           .peer_mac = path_mac(STATS_GB, 1 + i), .weight = 1);
    for (uint32_t i = 0; i < PATH_GGSNS; i++)
        DO(ggsn, .ggsn_id = i, .address = path_address(STATS_GN, i % 2, 1 + i), .has_mac = i < 2,
           .mac = path_mac(STATS_GN, 1 + i), .has_gtpc = true, .gtpc = i < 3);
    // Of IPv4's /24 everybody, of IPv6's only the context's own GGSN.
    struct command_net near = {path_address(STATS_GN, false, 1), 120};
    DO(gn_from, .nets = {.n = 1, .item[0] = near});
    for (uint32_t i = 0; i < PATH_BVCS; i++) {
        DO(bvc, .bvc_id = i, .nse_id = i / 2, .bvci = (uint16_t)(2 + i % 2));
        DO(bvc_bucket, .bvc_id = i, .has_rate_100_bit_per_s = i != 2,
           .rate_100_bit_per_s = i ? 100000 : 160, .bucket_octets = 20000,
           .has_ms_rate_100_bit_per_s = true, .ms_rate_100_bit_per_s = i ? 20000 : 80,
           .ms_bucket_octets = 8000);
    }
}

static void plant_cipher(uint32_t ms)
{
    static const uint8_t kc[16] = {0xd3, 0xc5, 0xd5, 0x92, 0x32, 0x7f, 0xb1, 0x1c,
                                   0x40, 0x35, 0xc6, 0x68, 0x0a, 0xf8, 0xc6, 0xd1};
    if (ms % 4 == 1 || ms % 4 == 3)
        DO(ms_cipher, .ms_id = ms, .gea = ms % 4 == 1 ? 3 : 4, .key = {kc, ms % 4 == 1 ? 8 : 16},
           .iov_ui = 0x12345678 * ms);
}

static void plant_ms(uint32_t ms, bool many)
{
    static const uint16_t n201_u[] = {500, 1520, 140};
    DO(ms, .ms_id = ms, .bvc_id = ms % (PATH_BVCS - 1), .tlli = 0xc0000000 + ms,
       .n201_u = n201_u[ms % 3]);
    if (!many)
        plant_cipher(ms);
    for (uint8_t slot = 0; slot < PATH_SLOTS - 1; slot++)
        DO(pfc, .ms_id = ms, .slot = slot,
           .traffic_class = (uint8_t)((ms + 3 * slot) % CLASS_COUNT));
}

static void plant_contexts(uint32_t ms, uint32_t contexts)
{
    static const uint8_t sapis[] = {3, 5, 9, 11};
    for (uint32_t i = 0; i < contexts; i++)
        DO(pdp, .pdp_id = ms * contexts + i, .ms_id = ms, .slot = i % 2, .nsapi = (uint8_t)(5 + i),
           .sapi = sapis[(ms + i) % 4], .has_pfi = ms % 2, .pfi = 9, .has_ggsn_id = ms % 8 != 7,
           .ggsn_id = (ms + i) % PATH_GGSNS, .ggsn_teid = 0x1000 + ms);
}

void path_plant(bool many)
{
    plant_network();
    for (uint32_t ms = 0; ms < path.mss; ms++) {
        plant_ms(ms, many);
        plant_contexts(ms, path.pdps / path.mss);
    }
    path_poll();
    CHECK(dp_settled(path.dp));
}
