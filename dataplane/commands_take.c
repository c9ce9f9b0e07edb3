// See commands_parts.h: what control works out for a command: values that the caller only points
// to, and the places that an MS and its contexts have at their worker.
#include "dataplane/commands_parts.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <string.h>

#include "dataplane/cipher/cipher.h"
#include "dataplane/down/down.h"
#include "dataplane/port/packet.h"

// A worker with room for all has control's own ids.
static uint32_t preferred(uint32_t id, uint32_t room, uint32_t all)
{
    return room == all ? id : UINT32_MAX;
}

static uint32_t new_place(struct commands *k, uint32_t worker, uint32_t ms)
{
    return places_take(&k->worker[worker].mss, preferred(ms, k->room_mss, k->limits.mss));
}

static uint32_t new_teid(struct commands *k, uint32_t worker, uint32_t pdp)
{
    struct commands_worker *w = &k->worker[worker];
    uint32_t place = places_take(&w->pdps, preferred(pdp, k->room_pdps, k->limits.pdps));
    uint32_t *teid = &w->teid[place], first = teid_make(k->teid_bits, worker, 0, place);
    *teid = teid_after(k->teid_bits, k->teid_seed, *teid ? ++w->renewed : 0, *teid ? *teid : first);
    return *teid;
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

static int take_options(const struct commands *k, struct command *c)
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
    int n = bssgp_dl_unitdata_put_options(&pdu, c->octets, k->limits.options_octets);
    c->octets_n = n < 0 ? 0 : (uint32_t)n;
    return n < 0 ? -EMSGSIZE : 0;
}

static int take_pdp(struct commands *k, struct command *c)
{
    c->teid = new_teid(k, commands_worker_of_ms(k, c->pdp.ms_id), c->pdp.pdp_id);
    return 0;
}

static int take_ms(struct commands *k, struct command *c)
{
    c->place = new_place(k, commands_worker_of_bvc(k, c->ms.bvc_id), c->ms.ms_id);
    return 0;
}

// At another worker it has other places; a context that comes back to the worker whose TEID its
// GGSN has finds its own.
static int take_move(struct commands *k, struct command *c)
{
    uint32_t ms = c->ms_move.ms_id, from = commands_worker_of_ms(k, ms);
    uint32_t to = commands_worker_of_bvc(k, c->ms_move.bvc_id);
    c->worker = (uint16_t)to;
    if (to == from)
        return 0;
    c->place = new_place(k, to, ms);
    for (uint32_t id = k->ms[ms].first_pdp; id != STATE_NONE; id = k->pdp[id].next) {
        const struct made_pdp *pdp = &k->pdp[id];
        uint32_t named = teid_worker(k->teid_bits, pdp->teid);
        c->teid_of[pdp->nsapi] = named == to ? pdp->teid : new_teid(k, to, id);
        if (named == from)
            c->homes |= (uint16_t)(1u << pdp->nsapi);
    }
    return 0;
}

// Copies the PDU into a buffer of control's pool, behind `headroom` free octets for headers.
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
int commands_take_values(struct commands *k, struct command *c)
{
    c->teid = c->place = c->ms_id = c->octets_n = 0;
    c->homes = c->worker = 0;
    c->buffer = NULL;
    switch ((enum command_op)c->op) {
    case COMMAND_ms_cipher:
        return take_key(c);
    case COMMAND_ms_options:
        return take_options(k, c);
    case COMMAND_pdp:
        return take_pdp(k, c);
    case COMMAND_ms:
        return take_ms(k, c);
    case COMMAND_ms_move:
        return take_move(k, c);
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
