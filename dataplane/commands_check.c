// See commands_parts.h: whether a command may be: ranges first, then what it names.
#include "dataplane/commands_parts.h"

#include <errno.h>
#include <rte_hash.h>

// The BSS's least part is in its most, and in the whole.
static int lifetimes_check(const struct command_class_set *c)
{
    bool in_most = c->bss_most_ns == 0 || c->bss_least_ns <= c->bss_most_ns;
    bool in_all = c->lifetime_ns == 0 || c->bss_least_ns <= c->lifetime_ns;
    return in_most && in_all ? 0 : -ERANGE;
}

static int nets_check(const struct command_nets *nets)
{
    if (nets->n > PORT_NETS)
        return -ERANGE;
    for (uint64_t i = 0; i < nets->n; i++)
        if (nets->item[i].prefix > 128)
            return -ERANGE;
    return 0;
}

int commands_values_check(const struct command *c)
{
    for (uint32_t i = 0; i < commands_fields[c->op].count; i++) {
        const struct field *f = &commands_fields[c->op].fields[i];
        const void *owner = &c->nse; // the union's members all begin here
        uint64_t value = field_get(f, owner);
        bool given = f->has_offset == FIELD_ALWAYS || *((const bool *)owner + f->has_offset);
        if (given && field_is_integer(f) && (value < f->least || value > f->most))
            return -ERANGE;
    }
    if (c->op == COMMAND_send && c->send.pdu.n == 0)
        return -ERANGE;
    if (c->op == COMMAND_llc && (c->llc.pdu.n == 0 || c->llc.pdu.n > COMMAND_LLC_OCTETS_MAX))
        return -ERANGE;
    if (c->op == COMMAND_gn_from)
        return nets_check(&c->gn_from.nets);
    if (c->op == COMMAND_class_set)
        return lifetimes_check(&c->class_set);
    if (c->op == COMMAND_ms_n201_u)
        return state_lle_of_sapi(c->ms_n201_u.sapi) < 0 ? -ERANGE : 0;
    return c->op == COMMAND_pdp && state_lle_of_sapi(c->pdp.sapi) < 0 ? -ERANGE : 0;
}

// An id that has to be there, or one that has to be free.
#define THERE(k, kind, count, id) \
    ((id) >= (k)->limits.count ? -ERANGE : (k)->kind[id].made ? 0 : -ENOENT)
#define FREE(k, kind, count, id) \
    ((id) >= (k)->limits.count ? -ERANGE : (k)->kind[id].made ? -EEXIST : 0)

// One that goes is not there any more, and not free yet; -EAGAIN says so until its worker has come
// past its removal, and never longer, so that who waits with events untaken does not wait for them.
static int bvc_there(const struct commands *k, uint32_t bvc)
{
    int fault = THERE(k, bvc, bvcs, bvc);
    return !fault && k->bvc[bvc].going ? -ENOENT : fault;
}

static int bvc_free(const struct commands *k, uint32_t bvc)
{
    int fault = FREE(k, bvc, bvcs, bvc);
    if (!fault && k->bvc[bvc].mss > 0)
        return -EEXIST;
    return fault == -EEXIST && k->bvc[bvc].going ? -EAGAIN : fault;
}

static int nse_there(const struct commands *k, uint32_t nse)
{
    return THERE(k, nse, nses, nse);
}

static int nsvc_there(const struct commands *k, uint32_t nsvc)
{
    return THERE(k, nsvc, nsvcs, nsvc);
}

static int ggsn_there(const struct commands *k, uint32_t ggsn)
{
    return THERE(k, ggsn, ggsns, ggsn);
}

// One station's. Of a link's own broadcast address nothing is known here.
static bool is_unicast(const struct ipv6_address *a)
{
    if (!address_is_ipv4(a))
        return !address_is_none(a) && a->octet[0] != 0xff;
    uint32_t ipv4 = address_ipv4(a);
    return ipv4 >> 24 != 0 && ipv4 >> 28 != 0xe && ipv4 != UINT32_MAX;
}

// Another station's, of a family that the port has.
static int peer_check(const struct commands_port *port, const struct ipv6_address *peer)
{
    const struct ipv6_address *ours = address_is_ipv4(peer) ? &port->ipv4 : &port->ipv6;
    if (address_is_none(ours))
        return -EAFNOSUPPORT;
    return is_unicast(peer) && !address_same(peer, ours) ? 0 : -EADDRNOTAVAIL;
}

static int nsvc_new(const struct commands *k, const struct command_nsvc *c)
{
    struct state_endpoint endpoint = state_endpoint(c);
    int fault = FREE(k, nsvc, nsvcs, c->nsvc_id);
    if (!fault)
        fault = nse_there(k, c->nse_id);
    if (!fault)
        fault = peer_check(&k->gb, &c->peer_address);
    if (!fault && rte_hash_lookup(k->endpoints, &endpoint) >= 0)
        fault = -EEXIST;
    if (!fault && k->nse[c->nse_id].nsvcs == STATE_NSVCS_AN_NSE)
        fault = -ENOSPC;
    return fault;
}

static int ggsn_new(const struct commands *k, const struct command_ggsn *c)
{
    int fault = FREE(k, ggsn, ggsns, c->ggsn_id);
    return fault ? fault : peer_check(&k->gn, &c->address);
}

static int ms_there(const struct commands *k, uint32_t ms)
{
    return THERE(k, ms, mss, ms);
}

static int pfc_there(const struct commands *k, uint32_t ms, uint32_t slot)
{
    int fault = ms_there(k, ms);
    if (fault)
        return fault;
    return k->ms[ms].slots >> slot & 1 ? 0 : -ENOENT;
}

static int bvc_new(const struct commands *k, const struct command_bvc *c)
{
    int fault = bvc_free(k, c->bvc_id);
    if (!fault)
        fault = nse_there(k, c->nse_id);
    if (!fault && commands_named(k, c->nse_id, STATE_NAMED_BVCI, c->bvci))
        fault = k->nse[c->nse_id].going ? -EAGAIN : -EEXIST;
    return fault;
}

static int ms_new(const struct commands *k, const struct command_ms *c)
{
    int fault = FREE(k, ms, mss, c->ms_id);
    if (!fault)
        fault = bvc_there(k, c->bvc_id);
    if (!fault && commands_named(k, k->bvc[c->bvc_id].nse, STATE_NAMED_TLLI, c->tlli))
        fault = -EEXIST;
    if (!fault && k->worker[commands_worker_of_bvc(k, c->bvc_id)].mss.left == 0)
        fault = -ENOSPC;
    return fault;
}

static int pfc_new(const struct commands *k, const struct command_pfc *c)
{
    int fault = c->slot < k->pfcs_an_ms ? ms_there(k, c->ms_id) : -ERANGE;
    if (fault)
        return fault;
    if (k->ms[c->ms_id].slots >> c->slot & 1)
        return -EEXIST;
    return c->has_shares ? pfc_there(k, c->ms_id, c->shares) : 0;
}

static int pdp_new(const struct commands *k, const struct command_pdp *c)
{
    int fault = FREE(k, pdp, pdps, c->pdp_id);
    if (!fault)
        fault = pfc_there(k, c->ms_id, c->slot);
    if (!fault && c->has_ggsn_id)
        fault = ggsn_there(k, c->ggsn_id);
    if (!fault && k->ms[c->ms_id].nsapis >> c->nsapi & 1)
        fault = -EEXIST;
    if (!fault && k->worker[commands_worker_of_ms(k, c->ms_id)].pdps.left == 0)
        fault = -ENOSPC;
    return fault;
}

// The worker has room for an MS that comes to it, and for those of its contexts that have no place
// there already.
static int room_check(const struct commands *k, uint32_t ms, uint32_t worker)
{
    uint32_t pdps = 0;
    for (uint32_t pdp = k->ms[ms].first_pdp; pdp != STATE_NONE; pdp = k->pdp[pdp].next)
        pdps += teid_worker(k->teid_bits, k->pdp[pdp].teid) != worker;
    return k->worker[worker].mss.left > 0 && k->worker[worker].pdps.left >= pdps ? 0 : -ENOSPC;
}

static int ms_moves(const struct commands *k, const struct command_ms_move *c)
{
    int fault = ms_there(k, c->ms_id);
    if (!fault)
        fault = bvc_there(k, c->bvc_id);
    if (fault)
        return fault;
    uint32_t from = commands_nse_of_ms(k, c->ms_id), to = k->bvc[c->bvc_id].nse;
    if (from != to && commands_named(k, to, STATE_NAMED_TLLI, k->ms[c->ms_id].tlli))
        return -EEXIST;
    return k->nse[from].worker != k->nse[to].worker ? room_check(k, c->ms_id, k->nse[to].worker)
                                                    : 0;
}

static int ms_tlli_new(const struct commands *k, const struct command_ms_tlli *c)
{
    int fault = ms_there(k, c->ms_id);
    if (fault || c->tlli == k->ms[c->ms_id].tlli || c->tlli == k->ms[c->ms_id].old_tlli)
        return fault;
    return commands_named(k, commands_nse_of_ms(k, c->ms_id), STATE_NAMED_TLLI, c->tlli) ? -EEXIST
                                                                                         : 0;
}

// All parameters of the class's own AQM, within their ranges and going together.
static int class_aqm_check(const struct commands *k, const struct command_class_aqm *c)
{
    const struct aqm_ops *ops = k->aqm[c->traffic_class];
    uint64_t params[AQM_PARAMS_MAX];
    struct aqm aqm;
    if (c->params.n != ops->param_count)
        return -EINVAL;
    for (uint32_t i = 0; i < ops->param_count; i++) {
        const struct dp_aqm_param *p = &c->params.item[i];
        if (p->unit > AQM_LEVEL_PDUS || p->value >> AQM_LEVEL_UNIT_SHIFT)
            return -ERANGE;
    }
    dp_aqm_values(&c->params, params);
    return aqm_setup(&aqm, ops, params) ? -ERANGE : 0;
}

static int busy(int fault, bool held)
{
    if (fault)
        return fault;
    return held ? -EBUSY : 0;
}

// A PDP context is in that packet flow.
static bool pfc_held(const struct commands *k, uint32_t ms, uint32_t slot)
{
    for (uint32_t pdp = k->ms[ms].first_pdp; pdp != STATE_NONE; pdp = k->pdp[pdp].next)
        if (k->pdp[pdp].slot == slot)
            return true;
    return false;
}

static int bvc_removable(const struct commands *k, uint32_t id)
{
    int fault = bvc_there(k, id);
    return busy(fault, !fault && (k->bvc[id].mss > 0 || k->bvc[id].kept));
}

static int pfc_removable(const struct commands *k, const struct command_pfc_remove *c)
{
    int fault = pfc_there(k, c->ms_id, c->slot);
    return busy(fault, !fault && pfc_held(k, c->ms_id, c->slot));
}

// Its last cells may be on their way out.
static int nse_removable(const struct commands *k, uint32_t id)
{
    int fault = nse_there(k, id);
    if (fault || (k->nse[id].bvcs == 0 && k->nse[id].nsvcs == 0))
        return fault;
    return k->nse[id].nsvcs == 0 && k->nse[id].going == k->nse[id].bvcs ? -EAGAIN : -EBUSY;
}

int commands_ids_check(const struct commands *k, const struct command *c)
{
    int fault;
    switch ((enum command_op)c->op) {
    case COMMAND_nse:
        return FREE(k, nse, nses, c->nse.nse_id);
    case COMMAND_nse_flow:
        return nse_there(k, c->nse_flow.nse_id);
    case COMMAND_nse_remove:
        return nse_removable(k, c->nse_remove.nse_id);
    case COMMAND_nsvc:
        return nsvc_new(k, &c->nsvc);
    case COMMAND_nsvc_weight:
        return nsvc_there(k, c->nsvc_weight.nsvc_id);
    case COMMAND_nsvc_remove:
        return nsvc_there(k, c->nsvc_remove.nsvc_id);
    case COMMAND_send:
        return nsvc_there(k, c->send.nsvc_id);
    case COMMAND_ggsn:
        return ggsn_new(k, &c->ggsn);
    case COMMAND_ggsn_remove:
        fault = ggsn_there(k, c->ggsn_remove.ggsn_id);
        return busy(fault, !fault && k->ggsn[c->ggsn_remove.ggsn_id].pdps > 0);
    case COMMAND_bvc:
        return bvc_new(k, &c->bvc);
    case COMMAND_bvc_flow:
        return bvc_there(k, c->bvc_flow.bvc_id);
    case COMMAND_bvc_block:
        return bvc_there(k, c->bvc_block.bvc_id);
    case COMMAND_bvc_credit:
        return bvc_there(k, c->bvc_credit.bvc_id);
    case COMMAND_bvc_reset:
        return bvc_there(k, c->bvc_reset.bvc_id);
    case COMMAND_bvc_remove:
        return bvc_removable(k, c->bvc_remove.bvc_id);
    case COMMAND_ms:
        return ms_new(k, &c->ms);
    case COMMAND_ms_cipher:
        return ms_there(k, c->ms_cipher.ms_id);
    case COMMAND_ms_tlli:
        return ms_tlli_new(k, &c->ms_tlli);
    case COMMAND_ms_n201_u:
        return ms_there(k, c->ms_n201_u.ms_id);
    case COMMAND_ms_options:
        return ms_there(k, c->ms_options.ms_id);
    case COMMAND_ms_flow:
        return ms_there(k, c->ms_flow.ms_id);
    case COMMAND_ms_default:
        return ms_there(k, c->ms_default.ms_id);
    case COMMAND_ms_credit:
        return ms_there(k, c->ms_credit.ms_id);
    case COMMAND_llc:
        return ms_there(k, c->llc.ms_id);
    case COMMAND_ms_freeze:
        return ms_there(k, c->ms_freeze.ms_id);
    case COMMAND_ms_standby:
        return ms_there(k, c->ms_standby.ms_id);
    case COMMAND_ms_listen:
        return ms_there(k, c->ms_listen.ms_id);
    case COMMAND_ms_release:
        return ms_there(k, c->ms_release.ms_id);
    case COMMAND_ms_move:
        return ms_moves(k, &c->ms_move);
    case COMMAND_ms_flush:
        return ms_there(k, c->ms_flush.ms_id);
    case COMMAND_ms_remove:
        fault = ms_there(k, c->ms_remove.ms_id);
        return busy(fault, !fault && k->ms[c->ms_remove.ms_id].nsapis != 0);
    case COMMAND_pfc:
        return pfc_new(k, &c->pfc);
    case COMMAND_pfc_flow:
        return pfc_there(k, c->pfc_flow.ms_id, c->pfc_flow.slot);
    case COMMAND_pfc_credit:
        return pfc_there(k, c->pfc_credit.ms_id, c->pfc_credit.slot);
    case COMMAND_pfc_remove:
        return pfc_removable(k, &c->pfc_remove);
    case COMMAND_pdp:
        return pdp_new(k, &c->pdp);
    case COMMAND_pdp_uplink:
    case COMMAND_pdp_remove:
        return THERE(k, pdp, pdps, c->pdp_remove.pdp_id);
    case COMMAND_gn_from:
    case COMMAND_class_set:
        return 0;
    case COMMAND_class_aqm:
        return class_aqm_check(k, &c->class_aqm);
    case COMMAND_expect: // only dp_command itself sends these
    case COMMAND_redirect:
        break;
    }
    return -EINVAL;
}
