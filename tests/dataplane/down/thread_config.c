// See thread.h: what a dataplane is made of.
#include "tests/dataplane/down/thread.h"

#include <string.h>

#include "tests/dataplane/eal_fixture.h"

#define PLENTY 4000000u

void thread_set_aqm(struct dp_class *class, const char *name)
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
                             .lifetime_ns = LIFETIME_CS * 10000000ULL,
                             .scope = SCHED_SCOPE_PFC};
    thread_set_aqm(&class, "tail-drop");
    return class;
}

// It has an IPv6 address as well, fd00::N for 02:00:00:00:00:N.
static struct dp_port a_port(uint8_t number, uint32_t frames, uint32_t ipv4, uint16_t udp_port)
{
    static const uint8_t device[] = "net_ring";
    return (struct dp_port){.device = {device, sizeof device - 1},
                            .rx_frames = 256,
                            .tx_frames = frames,
                            .mac = {{2, 0, 0, 0, 0, number}},
                            .address = ipv4,
                            .address6 = {{0xfd, [15] = number}},
                            .port = udp_port,
                            .mtu_octets = 1600};
}

struct dp_config thread_config(uint32_t queue_packets, uint32_t gb_ring)
{
    struct dp_config c = {.nses = 1,
                          .nsvcs = 2,
                          .ggsns = 2,
                          .bvcs = 2,
                          .mss = MSS,
                          .pdps = PDPS,
                          .room_pfcs = 3,
                          .flow_quantum_octets = 300,
                          .queue_packets = queue_packets,
                          .queue_octets = 1 << 20,
                          .cell_packets = PLENTY,
                          .cell_octets = PLENTY,
                          .ms_packets = PLENTY,
                          .ms_octets = PLENTY,
                          .teid_seed = 1,
                          .workers = 1,
                          .ms_options_octets = COMMAND_OCTETS,
                          .gn = a_port(1, 256, SGSN_GN, 2152),
                          .gb = a_port(2, gb_ring, SGSN_GB, 23000)};
    c.classes.n = CLASS_COUNT;
    for (int i = 0; i < CLASS_COUNT; i++)
        c.classes.item[i] = a_class();
    return c;
}

int thread_start_eal(void **state)
{
    (void)state;
    return eal_fixture_start("256");
}
