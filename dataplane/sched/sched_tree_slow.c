// See sched.h: adds and removes nodes. Each function checks everything before its first change, so
// a refusal changes nothing.
#include <string.h>

#include "dataplane/sched/sched_change.h"
#include "dataplane/sched/sched_overflow.h"

static void vars_reset(const struct sched *s, enum sched_scope scope, uint8_t *vars, uint32_t class)
{
    const struct sched_class *k = &s->config.of_class[class];
    memset(vars, 0, s->vars_octets[scope]);
    if (k->scope == scope && k->aqm.ops->reset)
        k->aqm.ops->reset(k->aqm.config, vars);
}

static void class_vars_reset(const struct sched *s, enum sched_scope scope, size_t node)
{
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        if (s->config.of_class[class].scope == scope)
            vars_reset(s, scope, tree_vars(s, scope, node * CLASS_COUNT + class), class);
}

int sched_nse_add(struct sched *s, uint32_t nse, struct bucket_terms cir, uint64_t now_ns)
{
    int fault = sched_change_nse(s, nse, false);
    if (!fault)
        fault = sched_change_terms(cir);
    if (fault)
        return fault;
    struct tree_nse *n = &s->nse[nse];
    *n = (struct tree_nse){.state = GATE_EXISTS,
                           .first = TREE_NONE,
                           .ring = {TREE_NONE, TREE_NONE},
                           .rank_top = {RANK_NONE, RANK_NONE},
                           .wheel_ref = WHEEL_NO_REF};
    sched_heap_clear(s, nse);
    class_vars_reset(s, SCHED_SCOPE_NSE, nse);
    return sched_nse_set(s, nse, cir, now_ns);
}

int sched_nse_remove(struct sched *s, uint32_t nse)
{
    int fault = sched_change_nse(s, nse, true);
    if (fault)
        return fault;
    if (s->nse[nse].bvcs)
        return -SCHED_BUSY;
    gate_unwait(&s->wheel, gate_of(&s->nse[nse]));
    s->nse[nse].state = 0;
    return 0;
}

int sched_bvc_add(struct sched *s, uint32_t bvc, uint32_t nse, uint64_t now_ns)
{
    int fault = sched_change_bvc(s, bvc, false);
    if (!fault)
        fault = sched_change_nse(s, nse, true);
    if (fault)
        return fault;
    struct tree_bvc *c = &s->bvc[bvc];
    *c = (struct tree_bvc){.state = GATE_EXISTS | GATE_STOPPED,
                           .nse = nse,
                           .offset = s->nse[nse].virtual,
                           .bucket.at_ns = now_ns};
    s->bvc_rest[bvc] = (struct tree_bvc_rest){.wheel_ref = WHEEL_NO_REF,
                                              .roll = TREE_NONE,
                                              .candidates = TREE_NONE,
                                              .candidates_left = TREE_NONE,
                                              .defaults.since_ns = now_ns};
    for (int class = 0; class < CLASS_COUNT; class ++)
        c->of_class[class] =
            (struct tree_class){.head = TREE_NONE, .round = 1, .rank_top = {RANK_NONE, RANK_NONE}};
    class_vars_reset(s, SCHED_SCOPE_BVC, bvc);
    s->nse[nse].bvcs++;
    sched_sizes_bvc_begins(s, bvc);
    return 0;
}

int sched_bvc_remove(struct sched *s, uint32_t bvc)
{
    int fault = sched_change_bvc(s, bvc, true);
    if (fault)
        return fault;
    if (s->bvc_rest[bvc].mss)
        return -SCHED_BUSY;
    gate_unwait(&s->wheel, bvc_gate(s, bvc));
    sched_roll_forget(s, bvc);
    s->nse[s->bvc[bvc].nse].bvcs--;
    s->bvc[bvc].state = 0;
    return 0;
}

int sched_ms_add(struct sched *s, uint32_t ms, uint32_t bvc, uint16_t n201_u, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, false);
    if (!fault)
        fault = sched_change_bvc(s, bvc, true);
    if (!fault)
        fault = sched_change_n201_u(s, n201_u);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    *m = (struct tree_ms){.state = GATE_EXISTS, .bvc = bvc, .wheel_ref = WHEEL_NO_REF};
    for (int lle = 0; lle < SCHED_LLES; lle++)
        m->n201_u[lle] = n201_u;
    bucket_default_set(&m->bucket, &s->bvc_rest[bvc].defaults, 0, now_ns);
    sched_roll_join(s, ms, bvc);
    sched_sizes_ms_begins(s, ms);
    sched_sizes_ms_comes(s, ms, bvc);
    return 0;
}

int sched_ms_remove(struct sched *s, uint32_t ms, enum drop_reason reason, uint64_t now_ns)
{
    int fault = sched_ms_flush(s, ms, reason, now_ns);
    if (fault)
        return fault;
    sched_ms_reserve(s, ms, false, now_ns);
    struct tree_ms *m = tree_ms(s, ms);
    sched_roll_leave(s, ms, m->bvc);
    sched_sizes_ms_goes(s, ms, m->bvc);
    for (uint32_t slot = 0; slot < s->config.pfcs_an_ms; slot++)
        tree_pfc_of(m, slot)->state = 0;
    m->state = 0;
    m->slots = 0;
    return 0;
}

static void flows_reset(const struct sched *s, uint32_t pfc, uint32_t class)
{
    for (uint32_t flow = 0; flow < s->config.flows_a_pfc; flow++) {
        struct tree_flow *f = queue_flow(s, pfc, flow);
        *f = (struct tree_flow){0};
        vars_reset(s, SCHED_SCOPE_FLOW,
                   tree_vars(s, SCHED_SCOPE_FLOW, queue_flow_index(s, pfc, flow)), class);
    }
    if (s->config.flows_a_pfc)
        *queue_flows(s, pfc) = (struct tree_flows){0};
}

// Data's virtual time is the tag of the slot `last`: never that of signalling, if there is data.
static void last_passes(struct tree_ms *m, uint32_t slot, enum traffic_class class)
{
    uint32_t data = sched_ms_of_kind(m, m->slots, false);
    if (!data && class != CLASS_SIGNALLING)
        m->last = (uint8_t)slot;
    if (!data || class != CLASS_SIGNALLING || m->last != slot)
        return;
    m->last = (uint8_t)__builtin_ctz(data); // the greatest, lest anybody owes more than before
    for (; data; data &= data - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(data);
        if (tree_before(tree_pfc_of(m, m->last)->tag, tree_pfc_of(m, other)->tag))
            m->last = (uint8_t)other;
    }
}

int sched_pfc_add(struct sched *s, uint32_t ms, uint32_t slot, enum traffic_class class)
{
    int fault = sched_change_ms(s, ms, true);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    if (slot >= s->config.pfcs_an_ms)
        return -SCHED_BAD_ID;
    if (m->slots & 1u << slot)
        return -SCHED_EXISTS;
    if ((uint32_t) class >= CLASS_COUNT)
        return -SCHED_BAD_CLASS;
    sched_overflow_leave(s, ms); // the MS may be ranked under another slot now
    struct tree_pfc *p = tree_pfc_of(m, slot);
    last_passes(m, slot, class);
    bool by_flow = s->config.of_class[class].flow_queues;
    *p = (struct tree_pfc){.state = by_flow ? PFC_BY_FLOW : 0,
                           .traffic_class = (uint8_t) class,
                           .wheel_ref = WHEEL_NO_REF,
                           .tag = tree_pfc_of(m, m->last)->tag,
                           .bucket.rate = BUCKET_UNLIMITED};
    vars_reset(s, SCHED_SCOPE_PFC,
               tree_vars(s, SCHED_SCOPE_PFC, tree_pfc_index(s, tree_pfc_id(ms, slot))), class);
    flows_reset(s, tree_pfc_id(ms, slot), class);
    m->slots |= (uint8_t)(1u << slot);
    sched_overflow_return(s, ms);
    return 0;
}

int sched_pfc_remove(struct sched *s, uint32_t ms, uint32_t slot, enum drop_reason reason,
                     uint64_t now_ns)
{
    int fault = sched_change_pfc(s, ms, slot);
    if (!fault)
        fault = sched_change_flush(s, tree_pfc_id(ms, slot), reason);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    sched_overflow_leave(s, ms);
    sched_share_part(s, ms, slot);
    tree_pfc_of(m, slot)->state = 0;
    m->slots &= (uint8_t) ~(1u << slot);
    sched_overflow_return(s, ms);
    m->blocked &= m->slots;
    sched_ms_update(s, ms, now_ns);
    for (uint32_t lle = 0; lle < SCHED_LLES; lle++)
        ms_lle_is_left(s, ms, lle, now_ns);
    return 0;
}
