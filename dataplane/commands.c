// See commands.h. A command is checked, put on the ring, and only then noted: what the ring refused
// has not happened. Removed ids may be given again at once, for the ring keeps the order; but for a
// cell, see commands_going.c.
#include "dataplane/commands_parts.h"

#include <errno.h>
#include <rte_hash.h>
#include <rte_malloc.h>
#include <rte_ring_elem.h>
#include <string.h>
#include <sys/random.h>

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
    case COMMAND_gn_from:
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
    case COMMAND_pdp_uplink:
    case COMMAND_pdp_remove:
        return commands_worker_of_ms(k, k->pdp[c->pdp_remove.pdp_id].ms);
    default:
        return commands_worker_of_ms(k, c->ms_flow.ms_id);
    }
}

// ---- What a worker knows it by ----

static uint32_t here(const struct commands *k, uint32_t ms)
{
    return dp_at_place(k->ms[ms].at);
}

// A copy of the command, in which MSs and contexts have the ids that the worker knows them by.
static struct command as_known(const struct commands *k, const struct command *command)
{
    struct command c = *command;
    switch ((enum command_op)c.op) {
    case COMMAND_ms:
        c.ms_id = c.ms.ms_id;
        c.ms.ms_id = c.place;
        break;
    case COMMAND_pdp:
        c.pdp.pdp_id = teid_index(k->teid_bits, c.teid);
        c.pdp.ms_id = here(k, c.pdp.ms_id);
        break;
    case COMMAND_pdp_uplink: // which begins with the same id
    case COMMAND_pdp_remove:
        c.pdp_remove.pdp_id = teid_index(k->teid_bits, k->pdp[c.pdp_remove.pdp_id].here);
        break;
    case COMMAND_nse ... COMMAND_bvc_remove: // of which every worker has as many as control
    case COMMAND_class_set:
    case COMMAND_class_aqm:
    case COMMAND_expect:
    case COMMAND_redirect:
        break;
    default:
        c.ms_flow.ms_id = here(k, c.ms_flow.ms_id);
    }
    return c;
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
        workers |= 1u << teid_worker(k->teid_bits, k->pdp[c->pdp_remove.pdp_id].teid);
    uint32_t to = c->op == COMMAND_ms_move ? commands_worker_of_bvc(k, c->ms_move.bvc_id) : worker;
    if (to == worker)
        return workers;
    for (uint32_t pdp = k->ms[c->ms_move.ms_id].first_pdp; pdp != STATE_NONE;
         pdp = k->pdp[pdp].next)
        workers |= 1u << teid_worker(k->teid_bits, k->pdp[pdp].teid);
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

// The worker that a context's TEID names sends its frames on to the one that has it, under the TEID
// that it has there; 0: nobody has it any more.
static void put_redirect(struct commands *k, uint32_t pdp, uint32_t to)
{
    uint32_t teid = k->pdp[pdp].teid;
    struct command c = {
        .op = COMMAND_redirect, .teid = to, .redirect = {teid_index(k->teid_bits, teid)}};
    put_at(k, teid_worker(k->teid_bits, teid), &c);
}

// To another worker, if need be. The one that it leaves, and the one that it comes to, put right
// themselves what they know of its contexts.
static void put_move(struct commands *k, const struct command *c, struct command *known)
{
    uint32_t ms = c->ms_move.ms_id, from = commands_worker_of_ms(k, ms), to = c->worker;
    struct command expect = {.op = COMMAND_expect, .worker = (uint16_t)from, .expect = {c->place}};
    memcpy(expect.teid_of, c->teid_of, sizeof expect.teid_of);
    put_at(k, from, known);
    if (to == from)
        return;
    put_at(k, to, &expect);
    for (uint32_t pdp = k->ms[ms].first_pdp; pdp != STATE_NONE; pdp = k->pdp[pdp].next) {
        uint32_t named = teid_worker(k->teid_bits, k->pdp[pdp].teid);
        if (named != from && named != to)
            put_redirect(k, pdp, c->teid_of[k->pdp[pdp].nsapi]);
    }
}

static void put_pdp_remove(struct commands *k, const struct command *c, struct command *known)
{
    uint32_t pdp = c->pdp_remove.pdp_id, worker = worker_of(k, c);
    put_at(k, worker, known);
    if (teid_worker(k->teid_bits, k->pdp[pdp].teid) != worker)
        put_redirect(k, pdp, 0);
}

static void put(struct commands *k, const struct command *c)
{
    uint32_t worker = worker_of(k, c);
    struct command known = as_known(k, c);
    if (c->op == COMMAND_ms_move)
        put_move(k, c, &known);
    else if (c->op == COMMAND_pdp_remove)
        put_pdp_remove(k, c, &known);
    else if (worker != ALL_WORKERS)
        put_at(k, worker, &known);
    else
        for (uint32_t w = 0; w < k->workers; w++)
            put_at(k, w, &known);
}

int64_t commands_send(struct commands *k, const struct command *command)
{
    struct command c = *command;
    commands_going_settle(k);
    int fault = c.op < COMMAND_COUNT ? commands_values_check(&c) : -EINVAL;
    if (!fault)
        fault = commands_ids_check(k, &c);
    if (fault)
        return fault;
    if (!has_room(k, &c))
        return -EAGAIN;
    fault = commands_take_values(k, &c);
    if (fault)
        return fault;
    put(k, &c);
    commands_note(k, &c);
    commands_age(k);
    return c.teid;
}

// The EAL gives whole lines of the cache.
static uint64_t lines(uint32_t n, size_t octets)
{
    return (n * octets + 63) & ~63ULL;
}

uint64_t commands_octets(const struct commands *sizes)
{
    const struct state_limits *l = &sizes->limits;
    uint64_t octets =
        lines(l->nses, sizeof(struct made_nse)) +
        lines(l->nsvcs, sizeof(struct made_nsvc) + STATE_ENDPOINT_OCTETS) +
        lines(l->bvcs, sizeof(struct made_bvc)) + lines(l->ggsns, sizeof(struct made_ggsn)) +
        lines(l->mss, sizeof(struct made_ms)) + lines(l->pdps, sizeof(struct made_pdp));
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        octets += names_octets(state_names_count(l, kind));
    return octets +
           sizes->workers * (places_octets(sizes->room_mss) + places_octets(sizes->room_pdps) +
                             lines(sizes->room_pdps, sizeof(uint32_t)));
}

static void *zeroed(uint32_t n, size_t octets)
{
    return rte_calloc("control", n, octets, 64);
}

static bool workers_setup(struct commands *k)
{
    bool there = true;
    for (uint32_t w = 0; w < k->workers; w++) {
        struct commands_worker *worker = &k->worker[w];
        worker->going.first = worker->kept.first = STATE_NONE;
        worker->teid = zeroed(k->room_pdps, sizeof *worker->teid);
        there &= places_setup(&worker->mss, k->room_mss);
        there &= places_setup(&worker->pdps, k->room_pdps) && worker->teid;
    }
    return there;
}

static uint64_t system_random(void)
{
    uint64_t random = 0;
    while (getrandom(&random, sizeof random, 0) != sizeof random)
        ;
    return random;
}

bool commands_setup(struct commands *k)
{
    k->teid_bits = teid_bits(k->workers, k->room_pdps);
    k->teid_seed = k->teid_seed ? k->teid_seed : system_random();
    bool there = workers_setup(k);
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
    return there && k->nse && k->nsvc && k->bvc && k->ggsn && k->ms && k->pdp && named &&
           k->endpoints;
}

void commands_release(struct commands *k)
{
    for (int kind = 0; kind < STATE_NAMED_KINDS; kind++)
        names_release(&k->name[kind]);
    for (uint32_t w = 0; w < k->workers; w++) {
        places_release(&k->worker[w].mss);
        places_release(&k->worker[w].pdps);
        rte_free(k->worker[w].teid);
    }
    rte_hash_free(k->endpoints);
    rte_mempool_free(k->pool);
    rte_free(k->nse);
    rte_free(k->nsvc);
    rte_free(k->bvc);
    rte_free(k->ggsn);
    rte_free(k->ms);
    rte_free(k->pdp);
}
