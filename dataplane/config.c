// See config.h; here, too, the descriptor table of dp_config.
#include "dataplane/config.h"

#include <stdio.h>

#include "dataplane/state/state.h"

static const struct field dp_aqm_param_fields[] = FIELD_TABLE(dp_aqm_param, DP_AQM_PARAM_FIELDS);
const struct field_record dp_aqm_param_record = FIELD_RECORD_OF(dp_aqm_param, dp_aqm_param_fields);
static const struct field dp_class_fields[] = FIELD_TABLE(dp_class, DP_CLASS_FIELDS);
const struct field_record dp_class_record = FIELD_RECORD_OF(dp_class, dp_class_fields);

static const struct field dp_port_fields[] = FIELD_KEYS_TABLE(dp_port, DP_PORT_FIELDS);
const struct field_record dp_port_record = FIELD_RECORD_OF(dp_port, dp_port_fields);

static const struct field dp_address_fields[] = FIELD_TABLE(dp_address, DP_ADDRESS_FIELDS);
const struct field_record dp_address_record = FIELD_RECORD_OF(dp_address, dp_address_fields);

const struct field dp_config_fields[] = FIELD_KEYS_TABLE(dp_config, DP_CONFIG_FIELDS);
const uint32_t dp_config_field_count = sizeof dp_config_fields / sizeof dp_config_fields[0];

struct state_limits dp_config_limits(const struct dp_config *c)
{
    return (struct state_limits){.nses = c->nses,
                                 .nsvcs = c->nsvcs,
                                 .bvcs = c->bvcs,
                                 .ggsns = c->ggsns,
                                 .mss = c->mss,
                                 .pdps = c->pdps,
                                 .workers = c->workers,
                                 .options_octets = c->ms_options_octets};
}

// A worker's limit, at most that of all; 0: that of all.
static uint32_t part(uint32_t worker, uint32_t all)
{
    return worker && worker < all ? worker : all;
}

struct state_limits dp_config_room(const struct dp_config *c)
{
    struct state_limits limits = dp_config_limits(c);
    limits.mss = part(c->worker_mss, c->mss);
    limits.pdps = part(c->worker_pdps, c->pdps);
    return limits;
}

// Octets of an LLC PDU beside its piece: LLC's header and FCS; SNDCP's header is extra.
#define LLC_OCTETS (LLC_UI_HEADER_OCTETS + LLC_FCS_OCTETS)

static const char *aqm_of(const struct dp_class *c, struct aqm *aqm)
{
    uint64_t params[AQM_PARAMS_MAX];
    if (c->aqm >= aqm_count)
        return "no AQM of that number";
    const struct aqm_ops *ops = aqm_list[c->aqm];
    if (c->aqm_params.n != ops->param_count)
        return "another number of parameters than the AQM has";
    dp_aqm_values(&c->aqm_params, params);
    return aqm_setup(aqm, ops, params);
}

static const char *class_of(const struct dp_class *c, struct sched_class *class)
{
    *class = (struct sched_class){.weight = c->weight,
                                  .limit = {c->packets, c->octets},
                                  .lifetime_ns = c->lifetime_ns ? c->lifetime_ns : SCHED_INFINITE,
                                  .bss_least_ns = c->bss_least_ns,
                                  .bss_most_ns = c->bss_most_ns ? c->bss_most_ns : SCHED_INFINITE,
                                  .scope = c->scope,
                                  .flow_queues = c->flows,
                                  .refuse_late = c->refuse_late};
    return aqm_of(c, &class->aqm);
}

const char *dp_config_sched(const struct dp_config *c, struct sched_config *sched)
{
    *sched = (struct sched_config){
        .nses = c->nses,
        .bvcs = c->bvcs,
        .mss = part(c->worker_mss, c->mss),
        .pfcs_an_ms = c->room_pfcs,
        .flows_a_pfc = c->queue_flows,
        .flow_quantum_octets = c->flow_quantum_octets,
        .turn_ns = c->turn_ns,
        .limit = {c->queue_packets, c->queue_octets},
        .nse_limit = {c->nse_packets, c->nse_octets ? c->nse_octets : UINT32_MAX},
        .tail_drop = c->overflow == DP_OVERFLOW_TAIL,
        .hold_ns = c->hold_ns ? c->hold_ns : SCHED_INFINITE,
        .bvc_limit = {c->cell_packets, c->cell_octets},
        .ms_limit = {c->ms_packets, c->ms_octets},
        .first_header_octets = LLC_OCTETS + SNDCP_FIRST_OCTETS,
        .next_header_octets = LLC_OCTETS + SNDCP_NEXT_OCTETS,
        .llc_octets = LLC_OCTETS,
        .pdu_octets_max = LLC_OCTETS + LLC_N201_U_MAX,
        .bvc_delay_ns = c->cell_delay_ns,
        .ms_delay_ns = c->ms_delay_ns,
        .pfc_delay_ns = c->pfc_delay_ns,
        .coarse = c->real_time,
        .seed = c->seed};
    const char *wrong = NULL;
    for (int i = 0; i < CLASS_COUNT && !wrong; i++)
        wrong = class_of(&c->classes.item[i], &sched->of_class[i]);
    return wrong;
}

void dp_config_port(const struct dp_port *p, const char *name, char device[CONFIG_DEVICE_OCTETS],
                    struct port_config *port)
{
    snprintf(device, CONFIG_DEVICE_OCTETS, "%.*s", (int)p->device.n, (const char *)p->device.at);
    *port = (struct port_config){.name = name,
                                 .device = device,
                                 .rx_frames = p->rx_frames,
                                 .tx_frames = p->tx_frames,
                                 .vlan = (uint16_t)p->vlan,
                                 .host = {.mac = p->mac,
                                          .ipv4 = p->address,
                                          .ipv4_prefix = p->prefix,
                                          .ipv4_gateway = p->gateway,
                                          .ipv6 = p->address6,
                                          .ipv6_prefix = p->prefix6,
                                          .ipv6_gateway = p->gateway6,
                                          .udp_port = p->port,
                                          .mtu_octets = p->mtu_octets}};
}

struct port_addresses dp_config_addresses(const struct dp_config *c)
{
    _Static_assert(DP_WORKERS_MAX <= PORT_QUEUES_MAX, "a queue for each worker");
    struct port_addresses addresses = {.n = (uint32_t)c->gn_addresses.n};
    for (uint32_t i = 0; i < addresses.n; i++)
        addresses.of[i] = (struct port_address){c->gn_addresses.item[i].address,
                                                c->gn_addresses.item[i].address6};
    return addresses;
}

void dp_config_gn(const struct dp_config *c, struct port_config *gn)
{
    gn->steering = (enum port_steering)c->gn_steering;
    gn->teid_worker_bits = teid_bits_of(c->workers);
    gn->addresses = dp_config_addresses(c);
}

void dp_config_gb(const struct dp_config *c, struct port_config *gb)
{
    static const enum port_steering steerings[] = {PORT_STEERING_AUTO, PORT_STEERING_PEER,
                                                   PORT_STEERING_RSS, PORT_STEERING_STRAYS};
    _Static_assert(sizeof steerings / sizeof steerings[0] == DP_GB_STEERINGS, "one for each word");
    gb->steering = steerings[c->gb_steering];
    gb->by_peers = true;
    gb->check_udp = true; // BSSGP's signalling has no other protection
}
