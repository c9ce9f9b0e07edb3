// What went into each part of the lab came out of it, or is counted as lost or as held there; and
// what comes out of one part goes into the next. The ledger, which books each IP packet from end to
// end, must agree with the parts' own counters.
#include <stdio.h>

#include "lab/lab_parts.h"

struct amount {
    uint64_t packets, octets;
};

// Sums over all MSs, all BSSs, and the ledger's classes.
struct sums {
    struct ms_counters ms;
    struct bss_traffic bss;
    struct ledger_tally books[LEDGER_WAYS];
    bool parts_hold; // each MS and each BSS has what it should by its own counters
};

static void add_ms_amount(struct ms_amount *sum, const struct ms_amount *more)
{
    sum->packets += more->packets;
    sum->octets += more->octets;
}

static void add_tally(struct bss_tally *sum, const struct bss_tally *more)
{
    sum->pdus += more->pdus;
    sum->octets += more->octets;
}

static void add_count(struct ledger_count *sum, const struct ledger_count *more)
{
    sum->packets += more->packets;
    sum->octets += more->octets;
}

// An MS: its LLC PDUs, its segments and its N-PDUs (ms.h).
static bool ms_holds(const struct ms_counters *c)
{
    struct ms_amount refused = {0}, lost = {0}, unsent = {0};
    uint64_t given_up = 0;
    for (int i = 0; i < MS_REFUSED_COUNT; i++)
        add_ms_amount(&refused, &c->refused[i]);
    for (int i = 0; i < MS_LOST_COUNT; i++) {
        add_ms_amount(&lost, &c->lost[i]);
        given_up += c->npdus_lost[i];
    }
    for (int i = 0; i < MS_UNSENT_COUNT; i++)
        add_ms_amount(&unsent, &c->up_unsent[i]);
    return c->pdus.octets == c->data.octets + c->control.octets + refused.octets &&
           c->segments.packets == c->delivered.packets + c->held.packets + lost.packets &&
           c->segments.octets == c->delivered.octets + c->held.octets + lost.octets &&
           c->npdus_begun == c->npdus_delivered + c->npdus_open + given_up &&
           c->up_npdus.octets == c->up_sent.octets + unsent.octets;
}

// A BSS: its LLC PDUs each way (bss.h).
static bool bss_holds(const struct bss_traffic *t)
{
    struct bss_tally lost[BSS_WAYS] = {0};
    for (int i = 0; i < BSS_LOSSES; i++)
        add_tally(&lost[bss_loss_way(i)], &t->lost[i]);
    for (int way = 0; way < BSS_WAYS; way++) {
        uint64_t over = way == BSS_DOWN ? t->over.octets : 0;
        if (t->in[way].octets != t->out[way].octets + lost[way].octets + over + t->held[way].octets)
            return false;
    }
    return true;
}

static void sum_parts(const struct lab *lab, struct sums *s)
{
    s->parts_hold = true;
    for (uint32_t i = 0; i < lab->mobile.n; i++) {
        const struct ms_counters *c = &((struct lab_mobile *)lab->mobile.item[i])->counters;
        s->parts_hold &= ms_holds(c);
        add_ms_amount(&s->ms.pdus, &c->pdus);
        add_ms_amount(&s->ms.delivered, &c->delivered);
        s->ms.npdus_delivered += c->npdus_delivered;
        add_ms_amount(&s->ms.up_npdus, &c->up_npdus);
        add_ms_amount(&s->ms.up_pdus, &c->up_pdus);
        add_ms_amount(&s->ms.answers, &c->answers);
    }
    lab_phones_add(lab, &s->ms.pdus, &s->ms.up_npdus);
    for (uint32_t i = 0; i < lab->bss.n; i++) {
        const struct bss_traffic *t =
            &bss_counters(((struct lab_bss *)lab->bss.item[i])->bss)->traffic;
        s->parts_hold &= bss_holds(t);
        for (int way = 0; way < BSS_WAYS; way++) {
            add_tally(&s->bss.in[way], &t->in[way]);
            add_tally(&s->bss.out[way], &t->out[way]);
        }
    }
    for (int c = 0; c < CLASS_COUNT; c++)
        for (int way = 0; way < LEDGER_WAYS; way++) {
            const struct ledger_tally *t = &lab->ledger.groups[LEDGER_CLASS].group[c].of[way];
            add_count(&s->books[way].sent, &t->before.sent);
            add_count(&s->books[way].sent, &t->sent);
            add_count(&s->books[way].delivered, &t->before.delivered);
            add_count(&s->books[way].delivered, &t->delivered);
        }
}

static bool link_holds(const struct net_counters *c)
{
    struct net_count lost = {0};
    for (int i = 0; i < NET_LOSSES; i++) {
        lost.packets += c->lost[i].packets;
        lost.octets += c->lost[i].octets;
    }
    return c->in.packets == c->out.packets + lost.packets + c->held.packets &&
           c->in.octets == c->out.octets + lost.octets + c->held.octets;
}

// What left CAKE, where there is one; false: it did not get what left Gi's line, or does not hold.
static bool past_cake(const struct lab *lab, struct net_count *out)
{
    struct net_count in = {0};
    *out = lab->gi_down.counters.out;
    if (!lab->config.cake.rate_bit_per_s)
        return true;
    *out = in;
    bool holds = true;
    for (uint32_t i = 0; i < lab->cake.n; i++) {
        const struct net_counters *c = &cake_counters(lab->cake.item[i])->net;
        holds &= link_holds(c);
        in.packets += c->in.packets;
        in.octets += c->in.octets;
        out->packets += c->out.packets;
        out->octets += c->out.octets;
    }
    return holds && in.packets == lab->gi_down.counters.out.packets &&
           in.octets == lab->gi_down.counters.out.octets;
}

// The hosts or the MSs, of the applications or outside.
static const struct flow_side *side_of(const struct lab *lab, enum flow_end end)
{
    return lab->outside.arrived ? &lab->outside_side[end] : &lab->flows.side[end];
}

#define SAME(a, b) ((a).packets == (b).packets && (a).octets == (b).octets)

static const char *down_wrong(const struct lab *lab, const struct sums *s)
{
    const struct flow_side *host = side_of(lab, FLOW_HOST), *ms = side_of(lab, FLOW_MS);
    const struct net_counters *gi = &lab->gi_down.counters;
    if (!SAME(host->sent, gi->in) || !SAME(host->sent, s->books[LEDGER_DOWN].sent))
        return "what the hosts sent is not what Gi's line and the ledger have";
    if (!link_holds(gi))
        return "Gi's line down does not balance";
    struct net_count out;
    if (!past_cake(lab, &out))
        return "CAKE does not balance";
    const struct ms_amount *lost = &lab->no_context[LEDGER_DOWN];
    if (out.packets != lab->ggsn.down_npdus + lost->packets ||
        out.octets != lab->ggsn.down_octets + lost->octets)
        return "what left Gi's line, or CAKE, is not what the GGSN sent on";
    if (s->bss.out[BSS_DOWN].pdus != s->ms.pdus.packets ||
        s->bss.out[BSS_DOWN].octets != s->ms.pdus.octets)
        return "what the BSSs delivered is not what the MSs have";
    if (s->ms.npdus_delivered != s->books[LEDGER_DOWN].delivered.packets ||
        s->ms.delivered.octets != s->books[LEDGER_DOWN].delivered.octets ||
        s->ms.npdus_delivered != ms->received.packets + ms->faults)
        return "N-PDUs of the MSs are not what the ledger and the flows have";
    return NULL;
}

static const char *up_wrong(const struct lab *lab, const struct sums *s)
{
    const struct flow_side *host = side_of(lab, FLOW_HOST), *ms = side_of(lab, FLOW_MS);
    const struct net_counters *gi = &lab->gi_up.counters;
    if (!SAME(ms->sent, s->ms.up_npdus) || !SAME(ms->sent, s->books[LEDGER_UP].sent))
        return "what the MSs' hosts sent is not what the MSs and the ledger have";
    if (s->ms.up_pdus.packets + s->ms.answers.packets > s->bss.in[BSS_UP].pdus)
        return "LLC PDUs of the MSs did not come to the BSSs";
    const struct ms_amount *lost = &lab->no_context[LEDGER_UP];
    if (lab->ggsn.up_npdus != gi->in.packets + lost->packets ||
        lab->ggsn.up_octets != gi->in.octets + lost->octets)
        return "what the GGSN got is not what went onto Gi's line";
    if (!link_holds(gi))
        return "Gi's line up does not balance";
    if (!SAME(gi->out, s->books[LEDGER_UP].delivered) ||
        gi->out.packets != host->received.packets + host->faults)
        return "what left Gi's line is not what the hosts and the ledger have";
    return NULL;
}

static const char *ledger_wrong(const struct ledger *ledger)
{
    for (int i = 0; i < LEDGER_FAULT_COUNT; i++)
        if (ledger->faults[i])
            return ledger_fault_helps[i];
    return ledger_sound(ledger) ? NULL : "the ledger does not balance";
}

const char *lab_wrong(const struct lab *lab)
{
    struct sums s = {0};
    sum_parts(lab, &s);
    if (!s.parts_hold)
        return "an MS or a BSS does not balance";
    const char *wrong = ledger_wrong(&lab->ledger);
    wrong = wrong ? wrong : down_wrong(lab, &s);
    return wrong ? wrong : up_wrong(lab, &s);
}
