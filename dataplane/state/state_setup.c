// See state.h: what allocates, and what carries out commands. Nothing here runs per packet.
#include "dataplane/state/state.h"

#include <errno.h>
#include <rte_malloc.h>

#define GB_TTL 64

static const uint8_t lle_sapi[STATE_LLES] = {3, 5, 9, 11};

static void *zeroed(uint32_t n, size_t octets)
{
    return rte_calloc("state", n, octets, 64);
}

uint64_t state_octets(const struct state_limits *limits)
{
    return (uint64_t)limits->nses * sizeof(struct state_nse) +
           (uint64_t)limits->bvcs * sizeof(struct state_bvc) +
           (uint64_t)limits->mss * sizeof(struct state_ms) +
           (uint64_t)limits->pdps * sizeof(struct state_pdp);
}

int state_setup(struct state *state, uint32_t worker, const struct state_limits *limits,
                const struct state_gb *gb)
{
    *state = (struct state){.worker = worker, .limits = *limits, .gb = *gb};
    state->nse = zeroed(limits->nses, sizeof *state->nse);
    state->bvc = zeroed(limits->bvcs, sizeof *state->bvc);
    state->ms = zeroed(limits->mss, sizeof *state->ms);
    state->pdp = zeroed(limits->pdps, sizeof *state->pdp);
    if (state->nse && state->bvc && state->ms && state->pdp)
        return 0;
    state_release(state);
    return -ENOMEM;
}

void state_release(struct state *state)
{
    rte_free(state->nse);
    rte_free(state->bvc);
    rte_free(state->ms);
    rte_free(state->pdp);
    *state = (struct state){0};
}

uint32_t state_teid(const struct state *state, uint32_t pdp_id)
{
    return teid_make(state->worker, 1, pdp_id);
}

static void apply_nse(struct state *state, const struct command_nse *c)
{
    struct state_nse *nse = &state->nse[c->nse_id];
    struct ether ether = {
        .destination = c->peer_mac, .source = state->gb.mac, .type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {.ttl = GB_TTL,
                      .protocol = IPV4_PROTOCOL_UDP,
                      .source = state->gb.address,
                      .destination = c->peer_address};
    struct udp udp = {.source_port = state->gb.port, .destination_port = c->peer_port};
    uint8_t *b = nse->outer;
    ether_encode(&ether, b, ETHER_OCTETS);
    ipv4_encode(&ip, b + ETHER_OCTETS, IPV4_OCTETS);
    udp_encode(&udp, b + ETHER_OCTETS + IPV4_OCTETS, UDP_OCTETS);
    // The parts that change with the frame are left out of the sum: length, id, checksum.
    memset(b + ETHER_OCTETS + 2, 0, 4);
    memset(b + ETHER_OCTETS + 10, 0, 2);
    nse->ip_sum = ipv4_sum(0, b + ETHER_OCTETS, IPV4_OCTETS);
}

static void apply_bvc(struct state *state, const struct command_bvc *c)
{
    struct state_bvc *bvc = &state->bvc[c->bvc_id];
    struct ns_unitdata ns = {.bvci = c->bvci};
    bvc->nse = c->nse_id;
    ns_unitdata_put_header(&ns, bvc->ns);
}

static void apply_ms(struct state *state, const struct command_ms *c)
{
    state->ms[c->ms_id] = (struct state_ms){.bvc = c->bvc_id, .tlli = c->tlli, .n201_u = c->n201_u};
}

int state_lle_of_sapi(uint8_t sapi)
{
    for (int lle = 0; lle < STATE_LLES; lle++)
        if (lle_sapi[lle] == sapi)
            return lle;
    return -1;
}

static uint16_t npdu_octets_max(uint16_t n201_u)
{
    uint32_t octets = (n201_u - SNDCP_FIRST_OCTETS) +
                      (SNDCP_SEGMENTS_MAX - 1u) * (n201_u - (uint32_t)SNDCP_NEXT_OCTETS);
    return (uint16_t)(octets < UINT16_MAX ? octets : UINT16_MAX);
}

static void apply_pdp(struct state *state, const struct command_pdp *c)
{
    const struct state_ms *ms = &state->ms[c->ms_id];
    struct state_pdp *pdp = &state->pdp[c->pdp_id];
    // Best effort on acknowledged RLC: user data that holds no LLC acknowledgement.
    struct bssgp_dl_unitdata bssgp = {
        .tlli = ms->tlli,
        .qos = {.not_ack = true,
                .user_data = true,
                .precedence = c->traffic_class == CLASS_BACKGROUND ? 2 : 1},
        .lifetime_ms = c->lifetime_ms};
    *pdp = (struct state_pdp){.teid = state_teid(state, c->pdp_id),
                              .ms = c->ms_id,
                              .npdu_octets_max = npdu_octets_max(ms->n201_u),
                              .nsapi = c->nsapi,
                              .sapi = c->sapi,
                              .lle = (uint8_t)state_lle_of_sapi(c->sapi),
                              .traffic_class = c->traffic_class};
    bssgp_dl_unitdata_put_fixed(&bssgp, pdp->bssgp);
}

void state_apply(struct state *state, const struct command *command)
{
    switch ((enum command_op)command->op) {
#define COMMAND(name, LIST, help)            \
    case COMMAND_##name:                     \
        apply_##name(state, &command->name); \
        break;
#include "dataplane/state/commands.def"
#undef COMMAND
    case COMMAND_COUNT:
        break;
    }
}
