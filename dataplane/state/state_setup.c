// See state.h: allocation.
#include "dataplane/state/state.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_hash_crc.h>
#include <rte_malloc.h>
#include <stdio.h>

#include "dataplane/state/event.h"

const char *const state_event_names[EVENT_COUNT] = {
#define EVENT(name, help) #name,
#include "dataplane/state/events.def"
#undef EVENT
};

static void *zeroed(uint32_t n, size_t octets)
{
    return rte_calloc("state", n, octets, 64);
}

uint32_t state_names_count(const struct state_limits *limits, enum state_named kind)
{
    return kind == STATE_NAMED_TLLI ? 2 * limits->mss : limits->bvcs;
}

uint32_t state_counts_count(const struct state_limits *limits)
{
    return limits->mss / 9 + 64;
}

static uint64_t all_names_octets(const struct state_limits *limits)
{
    uint64_t octets = (uint64_t)limits->nsvcs * STATE_ENDPOINT_OCTETS;
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        octets += state_names_octets(state_names_count(limits, kind));
    return octets;
}

// The EAL gives whole cache lines.
static uint64_t lines(uint32_t n, size_t octets)
{
    return (n * octets + 63) & ~63ULL;
}

uint64_t state_octets(const struct state_limits *l)
{
    return lines(l->nses, sizeof(struct state_nse)) + lines(l->nsvcs, sizeof(struct state_nsvc)) +
           lines(l->bvcs, sizeof(struct state_bvc)) +
           lines(l->ggsns, sizeof(struct state_ggsn) + STATE_ENDPOINT_OCTETS) +
           lines(l->mss, sizeof(struct state_ms)) + lines(l->mss, sizeof(struct state_ms_up)) +
           lines(state_counts_count(l), sizeof(struct state_ms_counts)) +
           lines(l->pdps, sizeof(struct state_pdp)) + lines(l->pdps, sizeof(struct state_pdp_up)) +
           lines(l->mss, l->options_octets) + all_names_octets(l);
}

// The library's hash of any key reads eight octets at once, beyond the end of such a key.
static uint32_t hash_of_words(const void *key, uint32_t octets, uint32_t hash)
{
    uint32_t word;
    for (uint32_t at = 0; at < octets; at += sizeof word) {
        memcpy(&word, (const uint8_t *)key + at, sizeof word);
        hash = rte_hash_crc_4byte(word, hash);
    }
    return hash;
}

struct rte_hash *state_hash(const char *what, uint32_t worker, uint32_t entries,
                            uint32_t key_octets)
{
    char name[RTE_HASH_NAMESIZE];
    snprintf(name, sizeof name, "%s%u", what, worker);
    struct rte_hash_parameters params = {.name = name,
                                         .entries = entries < 8 ? 8 : entries,
                                         .key_len = key_octets,
                                         .hash_func = hash_of_words,
                                         .socket_id = SOCKET_ID_ANY,
                                         .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE};
    return rte_hash_create(&params);
}

static bool all_there(const struct state *s)
{
    return s->nse && s->nsvc && s->bvc && s->ggsn && s->ms && s->ms_up && s->ms_counts && s->pdp &&
           s->pdp_up && s->endpoints && s->ggsns && (s->options || !s->limits.options_octets);
}

static void counts_set(struct state *state)
{
    uint32_t n = state_counts_count(&state->limits);
    for (uint32_t i = 0; i < n; i++)
        state->ms_counts[i].next = i + 1 < n ? i + 2 : 0;
    state->counts_free = 1;
}

int state_setup(struct state *state, uint32_t worker, const struct state_limits *limits,
                struct port *gn, struct port *gb)
{
    *state =
        (struct state){.worker = worker,
                       .teid_bits = teid_bits(limits->workers, limits->pdps),
                       .limits = *limits,
                       .gn = gn,
                       .gb = gb,
                       .nse = zeroed(limits->nses, sizeof *state->nse),
                       .nsvc = zeroed(limits->nsvcs, sizeof *state->nsvc),
                       .bvc = zeroed(limits->bvcs, sizeof *state->bvc),
                       .ggsn = zeroed(limits->ggsns, sizeof *state->ggsn),
                       .ms = zeroed(limits->mss, sizeof *state->ms),
                       .ms_up = zeroed(limits->mss, sizeof *state->ms_up),
                       .ms_counts = zeroed(state_counts_count(limits), sizeof *state->ms_counts),
                       .pdp = zeroed(limits->pdps, sizeof *state->pdp),
                       .pdp_up = zeroed(limits->pdps, sizeof *state->pdp_up)};
    if (limits->options_octets)
        state->options = zeroed(limits->mss, limits->options_octets);
    bool named = true;
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        named &= state_names_setup(&state->name[kind], state_names_count(limits, kind)) == 0;
    state->endpoints =
        state_hash("endpoints", worker, limits->nsvcs, sizeof(struct state_endpoint));
    state->ggsns = state_hash("ggsns", worker, limits->ggsns, sizeof(struct ipv6_address));
    if (named && all_there(state)) {
        counts_set(state);
        return 0;
    }
    state_release(state);
    return -ENOMEM;
}

void state_release(struct state *state)
{
    rte_free(state->nse);
    rte_free(state->nsvc);
    rte_free(state->bvc);
    rte_free(state->ggsn);
    rte_free(state->ms);
    rte_free(state->ms_up);
    rte_free(state->ms_counts);
    rte_free(state->pdp);
    rte_free(state->pdp_up);
    rte_free(state->options);
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        state_names_release(&state->name[kind]);
    rte_hash_free(state->endpoints);
    rte_hash_free(state->ggsns);
    *state = (struct state){0};
}
