// See path.h: what a dataplane of it is made of.
#include <string.h>

#include "tests/dataplane/path/ends.h"
#include "tests/dataplane/path/path.h"

#define PLENTY 4000000u

void path_set_aqm(struct dp_class *class, const char *name)
{
    uint64_t params[AQM_PARAMS_MAX];
    for (class->aqm = 0; strcmp(aqm_list[class->aqm]->name, name) != 0; class->aqm++)
        assert_true(class->aqm + 1u < aqm_count);
    const struct aqm_ops *ops = aqm_list[class->aqm];
    aqm_standard_params(ops, params);
    class->aqm_params.n = ops->param_count;
    for (uint32_t i = 0; i < ops->param_count; i++)
        class->aqm_params.item[i] =
            (struct dp_aqm_param){(uint8_t)aqm_level_unit(params[i]), aqm_level_value(params[i])};
}

static struct dp_class a_class(void)
{
    struct dp_class class = {.weight = 1,
                             .packets = PLENTY,
                             .octets = PLENTY,
                             .lifetime_ns = PATH_LIFETIME_CS * 10000000ULL,
                             .scope = SCHED_SCOPE_PFC};
    path_set_aqm(&class, "tail-drop");
    return class;
}

static struct dp_port a_port(uint8_t last_octet, uint32_t ipv4, uint16_t udp_port)
{
    struct ip_ends ours = path_ours(last_octet);
    struct dp_port port = {.device = {(const uint8_t *)"net_ring", 8},
                           .rx_frames = 1024,
                           .tx_frames = 1024,
                           .address = ipv4,
                           .prefix6 = 64,
                           .port = udp_port,
                           .mtu_octets = 1600};
    memcpy(port.mac.octet, ours.source_mac, 6);
    memcpy(port.address6.octet, ours.source, 16);
    return port;
}

struct dp_config path_config(uint32_t workers)
{
    struct dp_config c = {.nses = PATH_NSES,
                          .nsvcs = PATH_NSVCS,
                          .ggsns = PATH_GGSNS,
                          .bvcs = PATH_BVCS,
                          .mss = PATH_MSS + 1,
                          .worker_mss = PATH_MSS, // so that workers have ids of their own
                          .pdps = PATH_PDPS + 1,
                          .worker_pdps = PATH_PDPS,
                          .room_pfcs = 3,
                          .flow_quantum_octets = 300,
                          .queue_packets = 4096,
                          .queue_octets = PLENTY,
                          .cell_packets = PLENTY,
                          .cell_octets = PLENTY,
                          .ms_packets = PLENTY,
                          .ms_octets = PLENTY,
                          .secret_seed = 1,
                          .workers = workers,
                          .ms_options_octets = COMMAND_OCTETS,
                          .error_indications_per_s = 10,
                          .gn = a_port(1, OUR_GN, 2152),
                          .gb = a_port(2, OUR_GB, OUR_GB_PORT)};
    c.classes.n = CLASS_COUNT;
    for (int i = 0; i < CLASS_COUNT; i++)
        c.classes.item[i] = a_class();
    return c;
}

struct dp_config path_small_config(uint32_t queue_packets, uint32_t gb_tx_frames)
{
    struct dp_config c = path_config(1);
    c.nses = 1;
    c.nsvcs = c.ggsns = c.bvcs = 2;
    c.mss = PATH_MSS;
    c.pdps = PATH_PDPS;
    c.worker_mss = c.worker_pdps = 0;
    c.queue_packets = queue_packets;
    c.queue_octets = 1 << 20;
    c.error_indications_per_s = 0;
    c.gn.rx_frames = c.gn.tx_frames = c.gb.rx_frames = 256;
    c.gb.tx_frames = gb_tx_frames;
    return c;
}
