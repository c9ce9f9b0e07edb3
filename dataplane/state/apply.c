// See state.h: carrying out commands, in the worker's arrays and in the scheduler's tree. Nothing
// here runs per packet.
#include "dataplane/state/state.h"

#include <string.h>

#define GB_TTL 64

static const uint8_t lle_sapi[STATE_LLES] = {3, 5, 9, 11};

static struct bucket_terms terms(bool limited, uint32_t rate, uint32_t bucket_octets)
{
    return (struct bucket_terms){limited ? rate : BUCKET_UNLIMITED, bucket_octets};
}
#define TERMS(c) terms((c)->has_rate_100_bit_per_s, (c)->rate_100_bit_per_s, (c)->bucket_octets)
#define MS_TERMS(c) \
    terms((c)->has_ms_rate_100_bit_per_s, (c)->ms_rate_100_bit_per_s, (c)->ms_bucket_octets)

// The level that a bucket-full ratio says.
#define LEVEL(c) bucket_level_of_ratio((c)->bucket_octets, (c)->full_percent)

// What a command is carried out with.
struct apply {
    struct state *state;
    struct sched *sched;
    uint64_t now_ns;
    uint32_t teid;
    const uint8_t *key;
};

static void put_outer(const struct state_gb *gb, const struct command_nse *c, struct state_nse *nse)
{
    struct ether ether = {.destination = c->peer_mac, .source = gb->mac, .type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {.ttl = GB_TTL,
                      .protocol = IPV4_PROTOCOL_UDP,
                      .source = gb->address,
                      .destination = c->peer_address};
    struct udp udp = {.source_port = gb->port, .destination_port = c->peer_port};
    uint8_t *b = nse->outer;
    ether_encode(&ether, b, ETHER_OCTETS);
    ipv4_encode(&ip, b + ETHER_OCTETS, IPV4_OCTETS);
    udp_encode(&udp, b + ETHER_OCTETS + IPV4_OCTETS, UDP_OCTETS);
    // The parts that change with the frame are left out of the sum: length, id, checksum.
    memset(b + ETHER_OCTETS + 2, 0, 4);
    memset(b + ETHER_OCTETS + 10, 0, 2);
    nse->ip_sum = ipv4_sum(0, b + ETHER_OCTETS, IPV4_OCTETS);
    nse->ip_id = 0;
}

static int apply_nse(const struct apply *a, const struct command_nse *c)
{
    int fault = sched_nse_add(a->sched, c->nse_id, terms(false, 0, 0), a->now_ns);
    if (!fault)
        put_outer(&a->state->gb, c, &a->state->nse[c->nse_id]);
    return fault;
}

static int apply_nse_flow(const struct apply *a, const struct command_nse_flow *c)
{
    return sched_nse_set(a->sched, c->nse_id, TERMS(c), a->now_ns);
}

static int apply_nse_remove(const struct apply *a, const struct command_nse_remove *c)
{
    return sched_nse_remove(a->sched, c->nse_id);
}

static int apply_bvc(const struct apply *a, const struct command_bvc *c)
{
    struct state_bvc *bvc = &a->state->bvc[c->bvc_id];
    struct ns_unitdata ns = {.bvci = c->bvci};
    int fault = sched_bvc_add(a->sched, c->bvc_id, c->nse_id, a->now_ns);
    if (fault)
        return fault;
    bvc->nse = c->nse_id;
    ns_unitdata_put_header(&ns, bvc->ns);
    return 0;
}

static int apply_bvc_flow(const struct apply *a, const struct command_bvc_flow *c)
{
    int fault = sched_bvc_set(a->sched, c->bvc_id, TERMS(c), MS_TERMS(c), a->now_ns);
    if (fault || !c->has_full_percent)
        return fault;
    return sched_bvc_level(a->sched, c->bvc_id, LEVEL(c), a->now_ns);
}

static int apply_bvc_reset(const struct apply *a, const struct command_bvc_reset *c)
{
    return sched_bvc_reset(a->sched, c->bvc_id, a->now_ns);
}

static int apply_bvc_remove(const struct apply *a, const struct command_bvc_remove *c)
{
    return sched_bvc_remove(a->sched, c->bvc_id);
}

static int apply_ms(const struct apply *a, const struct command_ms *c)
{
    int fault = sched_ms_add(a->sched, c->ms_id, c->bvc_id, c->n201_u, a->now_ns);
    if (!fault)
        a->state->ms[c->ms_id] =
            (struct state_ms){.bvc = c->bvc_id, .tlli = c->tlli, .n201_u = c->n201_u};
    return fault;
}

// As LLGMM-ASSIGN: a new key starts the numbers anew. What was framed before goes as it is.
static int apply_ms_cipher(const struct apply *a, const struct command_ms_cipher *c)
{
    struct state_ms *ms = &a->state->ms[c->ms_id];
    ms->enciphered = c->gea != 0;
    ms->iov_ui = c->iov_ui;
    memcpy(ms->key, a->key, sizeof ms->key);
    memset(ms->sent, 0, sizeof ms->sent);
    return 0;
}

static int apply_ms_flow(const struct apply *a, const struct command_ms_flow *c)
{
    int fault = sched_ms_set(a->sched, c->ms_id, TERMS(c), a->now_ns);
    if (fault || !c->has_full_percent)
        return fault;
    return sched_ms_level(a->sched, c->ms_id, LEVEL(c), a->now_ns);
}

static int apply_ms_default(const struct apply *a, const struct command_ms_default *c)
{
    return sched_ms_default(a->sched, c->ms_id, a->now_ns);
}

static int apply_ms_freeze(const struct apply *a, const struct command_ms_freeze *c)
{
    return sched_ms_freeze(a->sched, c->ms_id, a->now_ns);
}

static int apply_ms_release(const struct apply *a, const struct command_ms_release *c)
{
    return sched_ms_release(a->sched, c->ms_id, a->now_ns);
}

static int apply_ms_move(const struct apply *a, const struct command_ms_move *c)
{
    int fault = sched_ms_move(a->sched, c->ms_id, c->bvc_id, a->now_ns);
    if (!fault)
        a->state->ms[c->ms_id].bvc = c->bvc_id;
    return fault;
}

static int apply_ms_flush(const struct apply *a, const struct command_ms_flush *c)
{
    return sched_ms_flush(a->sched, c->ms_id, DROP_flushed, a->now_ns);
}

static int apply_ms_remove(const struct apply *a, const struct command_ms_remove *c)
{
    return sched_ms_remove(a->sched, c->ms_id, DROP_removed, a->now_ns);
}

static int apply_pfc(const struct apply *a, const struct command_pfc *c)
{
    int fault = sched_pfc_add(a->sched, c->ms_id, c->slot, c->traffic_class);
    if (!fault)
        a->state->ms[c->ms_id].traffic_class[c->slot] = c->traffic_class;
    return fault;
}

static int apply_pfc_flow(const struct apply *a, const struct command_pfc_flow *c)
{
    int fault = sched_pfc_set(a->sched, c->ms_id, c->slot, TERMS(c), a->now_ns);
    if (fault || !c->has_full_percent)
        return fault;
    return sched_pfc_level(a->sched, c->ms_id, c->slot, LEVEL(c), a->now_ns);
}

static int apply_pfc_remove(const struct apply *a, const struct command_pfc_remove *c)
{
    return sched_pfc_remove(a->sched, c->ms_id, c->slot, DROP_removed, a->now_ns);
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

static int apply_pdp(const struct apply *a, const struct command_pdp *c)
{
    const struct state_ms *ms = &a->state->ms[c->ms_id];
    struct state_pdp *pdp = &a->state->pdp[c->pdp_id];
    uint8_t traffic_class = ms->traffic_class[c->slot];
    // Best effort on acknowledged RLC: user data that holds no LLC acknowledgement.
    struct bssgp_dl_unitdata bssgp = {
        .tlli = ms->tlli,
        .qos = {.not_ack = true,
                .user_data = true,
                .precedence = traffic_class == CLASS_BACKGROUND ? 2 : 1}};
    *pdp = (struct state_pdp){.teid = a->teid,
                              .ms = c->ms_id,
                              .npdu_octets_max = npdu_octets_max(ms->n201_u),
                              .npdu_number = SNDCP_NPDU_NUMBERS - 1, // the first one is 0
                              .nsapi = c->nsapi,
                              .sapi = c->sapi,
                              .lle = (uint8_t)state_lle_of_sapi(c->sapi),
                              .slot = c->slot,
                              .traffic_class = traffic_class};
    bssgp_dl_unitdata_put_fixed(&bssgp, pdp->bssgp);
    return 0;
}

// What is queued for it stays in its packet flow's queue, which others may share, and is known by
// its TEID when it comes out.
static int apply_pdp_remove(const struct apply *a, const struct command_pdp_remove *c)
{
    a->state->pdp[c->pdp_id].teid = 0;
    return 0;
}

int state_apply(struct state *state, struct sched *sched, const struct command *command,
                uint64_t now_ns)
{
    struct apply a = {state, sched, now_ns, command->teid, command->key};
    switch ((enum command_op)command->op) {
#define COMMAND(name, LIST, help) \
    case COMMAND_##name:          \
        return apply_##name(&a, &command->name);
#include "dataplane/state/commands.def"
#undef COMMAND
    case COMMAND_COUNT:
        break;
    }
    return -SCHED_MISSING;
}
