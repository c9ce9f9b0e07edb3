// See registry.h: puts commands on the rings, and finds names. A removed id can be reused at once,
// because the ring keeps the order of commands; a cell's id cannot, see bvc.c.
#include "dataplane/registry/parts.h"

#include <rte_mbuf.h>
#include <rte_ring_elem.h>
#include <string.h>

#include "dataplane/port/packet.h"

// The most commands that one call puts on one ring: an MS's move, and one for each context.
#define COMMANDS_A_CALL (1 + COMMAND_NSAPIS)

int registry_room(const struct registry *r, uint32_t workers)
{
    for (uint32_t w = 0; w < r->workers; w++)
        if (workers >> w & 1 && rte_ring_free_count(r->worker[w].commands) < COMMANDS_A_CALL)
            return -EAGAIN;
    return 0;
}

void registry_put(struct registry *r, uint32_t worker, const struct command *c)
{
    rte_ring_sp_enqueue_elem(r->worker[worker].commands, (void *)(uintptr_t)c, sizeof *c);
    r->worker[worker].sent++;
}

int registry_offer(struct registry *r, uint32_t workers, const struct command *c)
{
    int fault = registry_room(r, workers);
    for (uint32_t w = 0; w < r->workers && !fault; w++)
        if (workers >> w & 1)
            registry_put(r, w, c);
    return fault;
}

// The counts in an MS's record are of its worker's commands, modulo 2^32. Each command visits one
// record and limits its counts' age to AGE_MOST: a record is visited long before its counts wrap.
#define AGE_MOST (1u << 31)

static uint32_t aged(uint64_t sent, uint32_t count)
{
    return (uint32_t)sent - count > AGE_MOST ? (uint32_t)sent - AGE_MOST : count;
}

static void age(struct registry *r)
{
    struct registry_ms *ms = &r->ms[r->aging];
    r->aging = r->aging + 1 < r->limits.mss ? r->aging + 1 : 0;
    if (!ms->made)
        return;
    uint64_t sent = r->worker[dp_at_worker(ms->at)].sent;
    ms->since = aged(sent, ms->since);
    ms->said = aged(sent, ms->said);
    ms->heard = aged(sent, ms->heard);
}

// ---- Commands ----

static int carry(struct registry *r, struct command *c)
{
    switch ((enum command_op)c->op) {
#define COMMAND(name, LIST, help) \
    case COMMAND_##name:          \
        return registry_##name(r, c);
#include "dataplane/state/commands.def"
#undef COMMAND
    case COMMAND_expect: // only the registry itself sends these two
    case COMMAND_redirect:
        break;
    }
    return -EINVAL;
}

int64_t registry_command(struct registry *r, const struct command *command)
{
    struct command c = *command;
    c.teid = c.place = c.ms_id = c.octets_n = 0;
    c.homes = c.worker = 0;
    c.buffer = NULL;
    int fault = carry(r, &c);
    if (fault)
        return fault;
    age(r);
    return c.teid;
}

// ---- Names ----

static bool is_named(const struct registry *r, uint32_t id, uint32_t nse, enum state_named kind,
                     uint32_t value)
{
    if (kind == STATE_NAMED_BVCI)
        return r->bvc[id].bvci == value && r->bvc[id].nse == nse;
    const struct registry_ms *ms = &r->ms[id];
    return (ms->tlli == value || ms->old_tlli == value) && r->bvc[ms->bvc].nse == nse;
}

uint32_t registry_find(const struct registry *r, uint32_t nse, enum state_named kind,
                       uint32_t value)
{
    struct names_search search = names_search(&r->name[kind], names_hash(nse, value));
    uint32_t id = names_next(&r->name[kind], &search);
    while (id != NAMES_NONE && !is_named(r, id, nse, kind, value))
        id = names_next(&r->name[kind], &search);
    return id;
}

uint32_t registry_mss_of(const struct registry *r, uint32_t tlli, uint32_t *ms, uint32_t most)
{
    uint32_t n = 0;
    for (uint32_t nse = 0; nse < r->limits.nses && n < most; nse++) {
        uint32_t id = r->nse[nse].made ? registry_find(r, nse, STATE_NAMED_TLLI, tlli) : STATE_NONE;
        if (id != STATE_NONE)
            ms[n++] = id;
    }
    return n;
}

// ---- PDUs ----

int registry_take_pdu(const struct registry *r, struct command *c, struct octets *from,
                      uint16_t headroom)
{
    struct octets pdu = *from;
    *from = (struct octets){0};
    struct rte_mbuf *m = rte_pktmbuf_alloc(r->pool);
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
