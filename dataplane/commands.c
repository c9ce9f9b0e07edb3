// See commands.h. A command is checked, put on the ring, and only then noted: what the ring refused
// has not happened. Removed ids may be given again at once, for the ring keeps the order; but for a
// cell, see commands_note.c.
#include "dataplane/commands_parts.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_ring_elem.h>
#include <string.h>

#include "dataplane/cipher/cipher.h"
#include "dataplane/down/down.h"
#include "dataplane/port/packet.h"

#define ALL_WORKERS UINT32_MAX

// Every command begins with the id of what it is about.
static uint32_t worker_of(const struct commands *k, const struct command *c)
{
    switch ((enum command_op)c->op) {
    case COMMAND_nse:
        return c->nse.nse_id % k->workers;
    case COMMAND_nse_flow:
    case COMMAND_nse_remove:
        return k->nse[c->nse_flow.nse_id].worker;
    case COMMAND_nsvc_weight:
    case COMMAND_send:
        return k->nse[k->nsvc[c->send.nsvc_id].nse].worker;
    case COMMAND_nsvc: // the others have to know whose its frames are
    case COMMAND_nsvc_remove:
    case COMMAND_ggsn:
    case COMMAND_ggsn_remove:
    case COMMAND_class_set:
    case COMMAND_class_aqm:
        return ALL_WORKERS;
    case COMMAND_bvc:
        return k->nse[c->bvc.nse_id].worker;
    case COMMAND_bvc_flow:
    case COMMAND_bvc_block:
    case COMMAND_bvc_credit:
    case COMMAND_bvc_reset:
    case COMMAND_bvc_remove:
        return commands_worker_of_bvc(k, c->bvc_flow.bvc_id);
    case COMMAND_ms:
        return commands_worker_of_bvc(k, c->ms.bvc_id);
    case COMMAND_pdp:
        return commands_worker_of_ms(k, c->pdp.ms_id);
    case COMMAND_pdp_remove:
        return commands_worker_of_ms(k, k->pdp[c->pdp_remove.pdp_id].ms);
    default:
        return commands_worker_of_ms(k, c->ms_flow.ms_id);
    }
}

// What one call may put on one ring: an MS's move, and a word for each of its contexts.
#define COMMANDS_A_CALL (1 + MADE_NSAPIS)

// The workers that a command goes to, a bit each: as `put` below.
static uint32_t workers_of(const struct commands *k, const struct command *c)
{
    uint32_t worker = worker_of(k, c), workers = 1u << worker % 32;
    if (worker == ALL_WORKERS)
        return (1u << k->workers) - 1;
    if (c->op == COMMAND_pdp_remove)
        workers |= 1u << teid_worker(k->pdp[c->pdp_remove.pdp_id].teid);
    uint32_t to = c->op == COMMAND_ms_move ? commands_worker_of_bvc(k, c->ms_move.bvc_id) : worker;
    if (to == worker)
        return workers;
    for (uint32_t pdp = k->ms[c->ms_move.ms_id].first_pdp; pdp != STATE_NONE;
         pdp = k->pdp[pdp].next)
        workers |= 1u << teid_worker(k->pdp[pdp].teid);
    return workers | 1u << to;
}

static bool has_room(const struct commands *k, const struct command *c)
{
    uint32_t workers = workers_of(k, c);
    for (uint32_t w = 0; w < k->workers; w++)
        if (workers >> w & 1 && rte_ring_free_count(k->worker[w].commands) < COMMANDS_A_CALL)
            return false;
    return true;
}

static void put_at(struct commands *k, uint32_t worker, struct command *c)
{
    rte_ring_sp_enqueue_elem(k->worker[worker].commands, c, sizeof *c);
    k->worker[worker].sent++;
}

// The worker that a context's TEID names sends its frames on to the one that has it; ALL_WORKERS:
// nobody has it any more.
static void put_redirect(struct commands *k, uint32_t pdp, uint32_t to)
{
    struct command c = {.op = COMMAND_redirect, .worker = to, .redirect = {pdp}};
    put_at(k, teid_worker(k->pdp[pdp].teid), &c);
}

// To another worker, if need be. The one that it leaves, and the one that it comes to, put right
// themselves what they know of its contexts.
static void put_move(struct commands *k, struct command *c)
{
    uint32_t ms = c->ms_move.ms_id, from = commands_worker_of_ms(k, ms);
    uint32_t to = commands_worker_of_bvc(k, c->ms_move.bvc_id);
    struct command expect = {.op = COMMAND_expect, .worker = from, .expect = {ms}};
    c->worker = to;
    put_at(k, from, c);
    if (to == from)
        return;
    put_at(k, to, &expect);
    for (uint32_t pdp = k->ms[ms].first_pdp; pdp != STATE_NONE; pdp = k->pdp[pdp].next) {
        uint32_t named = teid_worker(k->pdp[pdp].teid);
        if (named != from && named != to)
            put_redirect(k, pdp, to);
    }
}

static void put_pdp_remove(struct commands *k, struct command *c)
{
    uint32_t pdp = c->pdp_remove.pdp_id, worker = worker_of(k, c);
    put_at(k, worker, c);
    if (teid_worker(k->pdp[pdp].teid) != worker)
        put_redirect(k, pdp, ALL_WORKERS);
}

static void put(struct commands *k, struct command *c)
{
    uint32_t worker = worker_of(k, c);
    if (c->op == COMMAND_ms_move)
        put_move(k, c);
    else if (c->op == COMMAND_pdp_remove)
        put_pdp_remove(k, c);
    else if (worker != ALL_WORKERS)
        put_at(k, worker, c);
    else
        for (uint32_t w = 0; w < k->workers; w++)
            put_at(k, w, c);
}

// The key as the worker wants it, in place of a pointer to what is the caller's. GEA1, GEA2 and
// GEA5 are told apart from numbers that nobody knows.
static int take_key(struct command *c)
{
    struct octets kc = c->ms_cipher.key;
    char name[] = "GEA?";
    const char *why;
    name[3] = (char)('0' + c->ms_cipher.gea);
    c->ms_cipher.key = (struct octets){0};
    if (c->ms_cipher.gea == 0)
        return kc.n == 0 ? 0 : -EINVAL;
    return cipher_key(name, kc.at, kc.n, c->octets, &why);
}

static int take_elements(struct command *c, const struct bssgp_dl_unitdata *pdu)
{
    int n = bssgp_dl_unitdata_put_options(pdu, c->octets, sizeof c->octets);
    c->octets_n = n < 0 ? 0 : (uint32_t)n;
    return n < 0 ? -EMSGSIZE : 0;
}

static int take_options(struct command *c)
{
    struct command_ms_options *o = &c->ms_options;
    struct bssgp_dl_unitdata pdu = {.has_ra_capability = o->has_ra_capability,
                                    .ra_capability = o->ra_capability,
                                    .has_priority = o->has_priority,
                                    .priority = o->priority,
                                    .has_drx = o->has_drx,
                                    .drx = o->drx,
                                    .has_imsi = o->has_imsi,
                                    .imsi = o->imsi,
                                    .has_old_tlli = o->has_old_tlli,
                                    .old_tlli = o->old_tlli};
    o->ra_capability = (struct octets){0};
    return take_elements(c, &pdu);
}

static int take_pfi(const struct commands *k, struct command *c)
{
    struct bssgp_dl_unitdata pdu = {.has_pfi = c->pdp.has_pfi, .pfi = c->pdp.pfi};
    uint32_t generation = teid_generation(k->pdp[c->pdp.pdp_id].teid);
    c->teid = teid_make(worker_of(k, c), teid_generation_after(generation), c->pdp.pdp_id);
    return take_elements(c, &pdu);
}

// The PDU in a buffer of control's own, with that room for its headers in front.
static int take_pdu(const struct commands *k, struct command *c, struct octets *from,
                    uint16_t headroom)
{
    struct octets pdu = *from;
    *from = (struct octets){0};
    struct rte_mbuf *m = rte_pktmbuf_alloc(k->pool);
    if (!m)
        return -EAGAIN;
    m->data_off = headroom;
    uint8_t *at = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)pdu.n);
    if (!at || pdu.n > UINT16_MAX) {
        packet_release(m);
        return -EMSGSIZE;
    }
    memcpy(at, pdu.at, pdu.n);
    c->buffer = m;
    return 0;
}

// What the caller only points to, and what is worked out here.
static int take_values(const struct commands *k, struct command *c)
{
    c->teid = c->octets_n = c->worker = 0;
    c->buffer = NULL;
    switch ((enum command_op)c->op) {
    case COMMAND_ms_cipher:
        return take_key(c);
    case COMMAND_ms_options:
        return take_options(c);
    case COMMAND_pdp:
        return take_pfi(k, c);
    case COMMAND_send:
        return take_pdu(k, c, &c->send.pdu, RTE_PKTMBUF_HEADROOM);
    case COMMAND_llc:
        return take_pdu(k, c, &c->llc.pdu, DOWN_HEADROOM);
    case COMMAND_nsvc:
        c->worker = k->nse[c->nsvc.nse_id].worker;
        return 0;
    default:
        return 0;
    }
}

int64_t commands_send(struct commands *k, const struct command *command)
{
    struct command c = *command;
    commands_settle_going(k);
    int fault = c.op < COMMAND_COUNT ? commands_values_check(&c) : -EINVAL;
    if (!fault)
        fault = commands_ids_check(k, &c);
    if (fault)
        return fault;
    if (!has_room(k, &c))
        return -EAGAIN;
    fault = take_values(k, &c);
    if (fault)
        return fault;
    put(k, &c);
    commands_note(k, &c);
    return c.teid;
}

// The EAL gives whole lines of the cache.
static uint64_t lines(uint32_t n, size_t octets)
{
    return (n * octets + 63) & ~63ULL;
}

uint64_t commands_octets(const struct state_limits *l)
{
    uint64_t octets =
        lines(l->nses, sizeof(struct made_nse)) +
        lines(l->nsvcs, sizeof(struct made_nsvc) + STATE_ENDPOINT_OCTETS) +
        lines(l->bvcs, sizeof(struct made_bvc)) + lines(l->ggsns, sizeof(struct made_ggsn)) +
        lines(l->mss, sizeof(struct made_ms)) + lines(l->pdps, sizeof(struct made_pdp));
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        octets += names_octets(state_names_count(l, kind));
    return octets;
}

static void *zeroed(uint32_t n, size_t octets)
{
    return rte_calloc("control", n, octets, 64);
}

bool commands_setup(struct commands *k)
{
    for (uint32_t w = 0; w < k->workers; w++)
        k->worker[w].first_going = STATE_NONE;
    k->nse = zeroed(k->limits.nses, sizeof *k->nse);
    k->nsvc = zeroed(k->limits.nsvcs, sizeof *k->nsvc);
    k->bvc = zeroed(k->limits.bvcs, sizeof *k->bvc);
    k->ggsn = zeroed(k->limits.ggsns, sizeof *k->ggsn);
    k->ms = zeroed(k->limits.mss, sizeof *k->ms);
    k->pdp = zeroed(k->limits.pdps, sizeof *k->pdp);
    bool named = true;
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        named &= names_setup(&k->name[kind], state_names_count(&k->limits, kind)) == 0;
    k->endpoints =
        state_hash("control_endpoints", 0, k->limits.nsvcs, sizeof(struct state_endpoint));
    return k->nse && k->nsvc && k->bvc && k->ggsn && k->ms && k->pdp && named && k->endpoints;
}

void commands_release(struct commands *k)
{
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        names_release(&k->name[kind]);
    rte_hash_free(k->endpoints);
    rte_mempool_free(k->pool);
    rte_free(k->nse);
    rte_free(k->nsvc);
    rte_free(k->bvc);
    rte_free(k->ggsn);
    rte_free(k->ms);
    rte_free(k->pdp);
}
