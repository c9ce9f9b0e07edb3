// See population.h: the dataplane's configuration.
#include <string.h>

#include "bench/throughput/population.h"
#include "dataplane/port/port.h"

#define RING_FRAMES 2048u
#define QUEUE_SPARE 4096u // as the configuration has it by default
#define LIFETIME_NS (10 * S_IN_NS)

// As a configuration has it by default, and with ECN if it knows ECN.
static void set_aqm(struct dp_class *c, uint32_t aqm)
{
    const struct aqm_ops *ops = aqm_list[aqm];
    uint64_t params[AQM_PARAMS_MAX];
    aqm_standard_params(ops, params);
    c->aqm = (uint8_t)aqm;
    c->aqm_params.n = ops->param_count;
    for (uint32_t i = 0; i < ops->param_count; i++) {
        bool ecn = strcmp(ops->params[i].name, "ecn") == 0;
        c->aqm_params.item[i].unit = (uint8_t)aqm_level_unit(params[i]);
        c->aqm_params.item[i].value = ecn ? 1 : aqm_level_value(params[i]);
    }
}

static void set_classes(struct dp_config *c, const struct bench_options *o)
{
    c->classes.n = CLASS_COUNT;
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        struct dp_class *class = &c->classes.item[i];
        *class = (struct dp_class){.weight = 1,
                                   .packets = c->queue_packets,
                                   .octets = 1u << 31,
                                   .lifetime_ns = LIFETIME_NS,
                                   .bss_least_ns = S_IN_NS,
                                   .scope = o->flows ? SCHED_SCOPE_FLOW : SCHED_SCOPE_PFC,
                                   .flows = o->flows > 0};
        set_aqm(class, o->aqm);
    }
}

static struct octets text(const char *t)
{
    return (struct octets){(const uint8_t *)t, (uint32_t)strlen(t)};
}

static struct dp_port port_of(const char *device, uint32_t rx_frames, struct mac mac,
                              uint32_t address, uint16_t udp_port, uint16_t mtu_octets)
{
    return (struct dp_port){.device = text(device),
                            .rx_frames = rx_frames,
                            .tx_frames = RING_FRAMES,
                            .mac = mac,
                            .address = address,
                            .port = udp_port,
                            .mtu_octets = mtu_octets};
}

static void set_limits(struct dp_config *c, const struct bench_options *o)
{
    c->queue_packets = QUEUE_SPARE + POPULATION_BACKLOG * o->backlogged;
    c->cell_packets = QUEUE_SPARE + POPULATION_BACKLOG * POPULATION_MSS_A_CELL;
    c->ms_packets = QUEUE_SPARE;
    c->queue_octets = c->cell_octets = c->ms_octets = UINT32_MAX;
    set_classes(c, o);
}

// Rings are memory; only devices have tags.
static uint16_t vlan_of(const struct ports *ports, enum stats_side side)
{
    return strcmp(ports->ours[side], PORT_DEVICE_RING) == 0 ? 0 : ports->vlan;
}

void population_configure(const struct bench_options *o, const struct ports *ports,
                          struct dp_config *c)
{
    struct population_share last = population_share(o, o->workers - 1);
    *c = (struct dp_config){.nses = o->workers,
                            .nsvcs = o->workers,
                            .ggsns = 1,
                            .bvcs = last.first_bvc + last.bvcs,
                            .mss = o->mss,
                            .pdps = o->mss,
                            .worker_mss = population_share(o, 0).mss,
                            .worker_pdps = population_share(o, 0).mss,
                            .room_pfcs = 1,
                            .queue_flows = o->flows ? OPTIONS_FLOWS_MAX : 0,
                            .flow_quantum_octets = 300,
                            .workers = o->workers,
                            .secret_seed = POPULATION_TEID_SEED,
                            .real_time = true};
    set_limits(c, o);
    // net_pcap keeps its file in the port's buffers
    c->gn = port_of(ports->ours[STATS_GN], RING_FRAMES + (ports->pcap ? PORTS_PCAP_FRAMES : 0),
                    bench_gn_mac, BENCH_GN_ADDRESS, GTPU_PORT, ports->mtu_octets);
    c->gn_steering = o->steering;
    for (uint32_t w = 0; w < o->workers && o->steering == PORT_STEERING_ADDRESS; w++)
        c->gn_addresses.item[c->gn_addresses.n++].address = BENCH_GN_ADDRESS_OF(w);
    c->gb = port_of(ports->ours[STATS_GB], RING_FRAMES, bench_gb_mac, BENCH_GB_ADDRESS,
                    BENCH_GB_PORT, ports->mtu_octets);
    c->gn.vlan = vlan_of(ports, STATS_GN);
    c->gb.vlan = vlan_of(ports, STATS_GB);
}

uint64_t population_octets(const struct bench_options *o, const struct ports *ports)
{
    struct dp_config config;
    population_configure(o, ports, &config);
    return dp_memory_octets(&config);
}
