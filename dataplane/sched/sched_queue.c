// N-PDUs wait in slots of one array, linked. A slot stores the size of the N-PDU behind it, so that
// when it leaves, the next turn can be computed without reading the next slot. A PFC has one queue,
// or queues by flow, served by deficit round robin with new flows first (RFC 8290's two lists, but
// a flow stays new for its quantum of each round, not for one burst): a flow that sends little does
// not wait behind another flow. Before these go flows with at most a quantum queued, which may owe
// as much as their MS. What goes before its turn is counted for the first flow of those that it
// passes, so that new flows without end, which owe nothing each, get half.
//
// A flow has a queue of its own, wherever one is free: it is found by a tag, 16 bits of its hash,
// among the queues in use; a place that the hash alone chose would be another flow's in one of ten
// cases. With all queues in use a flow takes one that is empty, or shares the one of its hash; and
// goes on sharing it while that has N-PDUs, so that its own are not reordered.
// Invariant (S7): only the head of a queue leaves it.
#include "dataplane/sched/sched_queue.h"

uint32_t sched_queue_flow_of(const struct sched *s, uint32_t pfc, uint32_t hash)
{
    const struct tree_flow *f = queue_flow(s, pfc, 0);
    uint64_t used = queue_flows(s, pfc)->used, empty = 0;
    uint32_t flows = s->config.flows_a_pfc, own = hash & (flows - 1);
    uint16_t tag = queue_tag_of(hash);
    for (uint64_t left = used; left; left &= left - 1) {
        uint32_t flow = (uint32_t)__builtin_ctzll(left);
        if (f[flow].tag == tag)
            return flow;
        if (!f[flow].queue.total)
            empty |= left & -left;
    }
    uint64_t all = ~0ULL >> (64 - flows), unused = ~used & all;
    if (unused >> own & 1 || (f[own].shared && f[own].queue.total))
        return own;
    if (unused | empty)
        return (uint32_t)__builtin_ctzll(unused ? unused : empty);
    return own;
}

static void list_append(const struct sched *s, uint32_t pfc, uint32_t list, uint32_t flow)
{
    struct tree_flows *lists = queue_flows(s, pfc);
    struct tree_flow *f = queue_flow(s, pfc, flow);
    lists->used |= 1ULL << flow;
    f->list = (uint8_t)list & 3;
    f->next = 0;
    if (lists->head[list - 1])
        queue_flow(s, pfc, lists->tail[list - 1] - 1u)->next = (uint8_t)(flow + 1);
    else
        lists->head[list - 1] = (uint8_t)(flow + 1);
    lists->tail[list - 1] = (uint8_t)(flow + 1);
    if (list == LIST_OLD && !lists->round_end)
        lists->round_end = (uint8_t)(flow + 1);
}

// The head of a flow in that list may go. A flow with at most a quantum queued goes on credit, too.
static bool flow_goes(const struct sched *s, const struct tree_flow *f, uint32_t list)
{
    if (list != LIST_SMALL)
        return f->deficit > 0;
    return total_octets(f->queue.total) <= s->config.flow_quantum_octets &&
           f->deficit > -credit_octets(s);
}

// Into the first list, from this one on, in which its head may go; else it has a turn to come.
static void list_enter(const struct sched *s, uint32_t pfc, uint32_t list, uint32_t flow)
{
    struct tree_flow *f = queue_flow(s, pfc, flow);
    while (list < LIST_OLD && !flow_goes(s, f, list))
        list++;
    if (list == LIST_OLD)
        f->deficit += (int32_t)s->config.flow_quantum_octets;
    list_append(s, pfc, list, flow);
}

#define DEBT_ROUNDS 128 // debts end after so many at most: a flow knows its round by 8 bits

// The flow at the head of its list has ended its turn, or is empty. A round ends with the turn of
// the flow that was the last of the old ones as the round began.
static void list_pass(const struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t list)
{
    struct tree_flows *lists = queue_flows(s, pfc);
    uint32_t flow = lists->head[list - 1] - 1u;
    struct tree_flow *f = queue_flow(s, pfc, flow);
    uint8_t round = lists->round;
    bool ends = list == LIST_OLD && lists->round_end == flow + 1;
    lists->head[list - 1] = f->next;
    if (f->queue.total) {
        list_enter(s, pfc, list < LIST_OLD ? list + 1 : LIST_OLD, flow);
    } else {
        lists->used &= ~(1ULL << flow);
        f->list = LIST_NONE;
        f->next = round;
        p->queue.owing |= 1ULL << flow;
    }
    if (ends) {
        if (++lists->round % DEBT_ROUNDS == 0)
            p->queue.owing = 0;
        lists->round_end = lists->head[LIST_OLD - 1] ? lists->tail[LIST_OLD - 1] : 0;
    }
}

// What flows of lists before its own have sent before the first flow of the list.
static int32_t ahead_of(const struct sched *s, uint32_t pfc, uint32_t list)
{
    uint32_t first = queue_flows(s, pfc)->head[list - 1];
    return first ? queue_flow(s, pfc, first - 1)->deficit : 0;
}

// The list of the next flow; one has a flow. Where new flows have sent two turns of an MS before
// the first of the old ones, that goes before the next of them; and before small ones, which ask
// for more than their share then, after four.
static uint32_t next_list(const struct sched *s, uint32_t pfc)
{
    const uint8_t *head = queue_flows(s, pfc)->head;
    int32_t of_new = ahead_of(s, pfc, LIST_NEW), of_old = ahead_of(s, pfc, LIST_OLD);
    if (head[LIST_SMALL - 1] && of_new <= 2 * credit_octets(s) && of_old <= 2 * credit_octets(s))
        return LIST_SMALL;
    if (head[LIST_NEW - 1] && of_old <= credit_octets(s))
        return LIST_NEW;
    return head[LIST_OLD - 1] ? LIST_OLD : LIST_NEW;
}

void sched_queue_choose_flow(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    if (p->sent_octets || !p->queue.total)
        return;
    const struct tree_flows *lists = queue_flows(s, pfc);
    for (;;) {
        uint32_t list = next_list(s, pfc);
        uint32_t flow = lists->head[list - 1] - 1u;
        const struct tree_flow *f = queue_flow(s, pfc, flow);
        if (f->queue.total && flow_goes(s, f, list)) {
            const struct pdu *pdu = &s->slot[f->queue.head];
            p->flow = (uint8_t)flow;
            p->head_info = queue_info(pdu->octets, pdu->lle);
            return;
        }
        list_pass(s, pfc, p, list);
    }
}

void sched_queue_charge(const struct sched *s, uint32_t pfc, uint32_t flow, uint32_t octets)
{
    const uint8_t *head = queue_flows(s, pfc)->head;
    struct tree_flow *f = queue_flow(s, pfc, flow);
    f->deficit -= (int32_t)octets;
    uint32_t list = f->list + 1u;
    while (list < LIST_OLD && !head[list - 1])
        list++;
    if (list <= LIST_OLD && head[list - 1])
        queue_flow(s, pfc, head[list - 1] - 1u)->deficit += (int32_t)octets;
}

// All flows are empty: none waits for what another one owes, so that is forgotten.
static void lists_clear(const struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    const struct tree_flows *lists = queue_flows(s, pfc);
    for (uint32_t list = LIST_SMALL; list <= LIST_OLD; list++)
        while (lists->head[list - 1])
            list_pass(s, pfc, p, list);
    p->queue.owing = 0;
}

// A flow joins the new ones while it has sent less than a quantum in this round, and what it has
// sent too much in the last ones is paid: so one that sends little waits for no turn of the others,
// and one whose queue runs empty again and again gets no more than they.
static void join(const struct sched *s, uint32_t pfc, uint32_t flow, bool owes)
{
    struct tree_flow *f = queue_flow(s, pfc, flow);
    int64_t quantum = s->config.flow_quantum_octets, deficit = quantum;
    uint8_t rounds = (uint8_t)(queue_flows(s, pfc)->round - f->next);
    if (owes && f->deficit + rounds * quantum < quantum)
        deficit = f->deficit + rounds * quantum;
    f->deficit = (int32_t)deficit;
    list_enter(s, pfc, LIST_SMALL, flow);
}

void sched_queue_append_to_flow(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t flow,
                                uint32_t slot)
{
    struct tree_flow *f = queue_flow(s, pfc, flow);
    uint16_t tag = queue_tag_of(s->slot[slot].flow_hash);
    f->shared = f->queue.total && (f->shared || f->tag != tag);
    if (!p->queue.total)
        lists_clear(s, pfc, p);
    bool joins = f->list == LIST_NONE, owes = p->queue.owing >> flow & 1 && f->tag == tag;
    if (!f->queue.total) {
        f->signalled = s->slot[slot].mark || (f->signalled && f->tag == tag);
        f->tag = tag;
    }
    queue_append(s, &f->queue, slot);
    if (joins)
        join(s, pfc, flow, owes);
    p->queue.total += total_of(s->slot[slot].octets);
}

// A half-sent N-PDU has ended: PFCs that waited for its LLE may send.
void sched_queue_close_lle(struct sched *s, uint32_t pfc, struct tree_ms *m, uint32_t lle)
{
    bool awaited = m->lle_waiters != 0;
    ms_lle_set(m, lle, 0);
    m->lle_waiters = 0;
    if (awaited && !ms_stands(m) && !(m->state & GATE_WAITS))
        sched_ms_ready(s, tree_pfc_ms(pfc), m);
}

void sched_queue_drop(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_queue *q,
                      bool behind, enum drop_reason reason)
{
    struct pdu *head = &s->slot[q->head];
    uint32_t slot = behind ? head->next : q->head;
    const struct pdu *pdu = &s->slot[slot];
    sched_list_drop(s, p, pdu, reason);
    if (!behind) {
        q->head = pdu->next;
        if (q == &p->queue) // by flow, the head is chosen among all flows
            p->head_info = pdu->next_octets_lle;
    } else {
        if (q->tail == slot)
            q->tail = q->head;
        head->next = pdu->next;
        head->next_octets_lle = pdu->next_octets_lle;
    }
    queue_forget(s, pfc, tree_ms(s, tree_pfc_ms(pfc)), p, q, slot);
}
