// Start tags within an MS: data shares by weight, and signalling, before all data, by octets. Each
// kind has a clock of its own and is compared with its own kind alone. A PFC that wakes has no
// credit for what others sent meanwhile, nor a debt for what it sent alone. For data the tag of
// m->last takes care of that: who begins alone is raised to it. Signalling needs no such memory, as
// its parts are equal: its debt is limited.
#include "dataplane/sched/sched_parts.h"

// Enough for the N-PDU with which it went idle.
#define SIGNALLING_DEBT_PDUS 2

uint32_t sched_ms_of_kind(struct tree_ms *m, uint32_t slots, bool signals)
{
    uint32_t of_kind = 0;
    for (; slots; slots &= slots - 1)
        if (pfc_signals(tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))) == signals)
            of_kind |= slots & -slots;
    return of_kind;
}

static uint64_t least_tag(struct tree_ms *m, uint32_t slots)
{
    uint64_t least = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->tag;
    for (slots &= slots - 1; slots; slots &= slots - 1) {
        uint64_t tag = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->tag;
        if (tree_before(tag, least))
            least = tag;
    }
    return least;
}

void sched_ms_limit_debts(const struct sched *s, struct tree_ms *m)
{
    uint32_t data = sched_ms_of_kind(m, ms_competing(m), false);
    uint64_t least = data ? least_tag(m, data) : 0;
    for (; data; data &= data - 1) {
        struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(data));
        uint64_t most = least + tree_tag(s, p->traffic_class, s->config.pdu_octets_max);
        if (tree_before(most, p->tag))
            p->tag = most;
    }
}

// All are of one kind.
static void forget_among(const struct sched *s, struct tree_ms *m, uint32_t wake, uint32_t others,
                         bool signals)
{
    if (!wake || !others)
        return;
    uint64_t own = least_tag(m, wake), least = least_tag(m, others), begins = own;
    uint32_t debt_octets = SIGNALLING_DEBT_PDUS * s->config.pdu_octets_max;
    uint64_t most = least + tree_tag(s, CLASS_SIGNALLING, debt_octets);
    if (tree_before(own, least))
        begins = least;
    else if (signals && tree_before(most, own))
        begins = most;
    for (; wake; wake &= wake - 1)
        tree_pfc_of(m, (uint32_t)__builtin_ctz(wake))->tag += begins - own;
}

void sched_ms_forget_credit(const struct sched *s, struct tree_ms *m, uint32_t wake,
                            uint32_t others)
{
    for (int signals = 0; signals < 2; signals++)
        forget_among(s, m, sched_ms_of_kind(m, wake, signals), sched_ms_of_kind(m, others, signals),
                     signals);
}

// The others that share its bucket may wait, but compete with it.
void sched_pfc_forget_credit(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p,
                             uint32_t slot)
{
    bool signals = pfc_signals(p);
    uint32_t others = ms_competing(m);
    if (pfc_is_shared(p))
        others |= sched_share_members(m, slot) & m->backlog;
    others = sched_ms_of_kind(m, others & ~(1u << slot), signals);
    if (!others && !signals)
        others = 1u << m->last;
    forget_among(s, m, 1u << slot, others, signals);
}
