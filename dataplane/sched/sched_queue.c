// N-PDUs wait in slots of one array, linked. A slot stores the size of the N-PDU behind it, so that
// when it leaves, the next turn can be computed without reading the next slot. A PFC has one queue,
// or queues by flow, served by deficit round robin with new flows first (RFC 8290's two lists): a
// flow that sends little does not wait behind another flow. A hash selects the flow; two flows with
// one hash value share a queue.
// Invariant (S7): only the head of a queue leaves it.
#include "dataplane/sched/sched_queue.h"

enum { LIST_NONE, LIST_NEW, LIST_OLD };

struct tree_flow *sched_queue_flow(const struct sched *s, uint32_t pfc, uint32_t flow)
{
    return &s->flow[queue_flow_index(s, pfc, flow)];
}

struct tree_flows *sched_queue_flows(const struct sched *s, uint32_t pfc)
{
    return &s->flows[tree_pfc_index(s, pfc)];
}

static void list_append(const struct sched *s, uint32_t pfc, uint32_t list, uint32_t flow)
{
    struct tree_flows *lists = sched_queue_flows(s, pfc);
    struct tree_flow *f = sched_queue_flow(s, pfc, flow);
    f->list = (uint8_t)list;
    f->next = 0;
    if (lists->head[list])
        sched_queue_flow(s, pfc, lists->tail[list] - 1u)->next = (uint8_t)(flow + 1);
    else
        lists->head[list] = (uint8_t)(flow + 1);
    lists->tail[list] = (uint8_t)(flow + 1);
}

// The flow at the head of its list has ended its turn, or is empty. An empty flow stays in the list
// for one round more, so that it does not return as a new flow.
static void list_pass(const struct sched *s, uint32_t pfc, uint32_t list)
{
    struct tree_flows *lists = sched_queue_flows(s, pfc);
    uint32_t flow = lists->head[list] - 1u;
    struct tree_flow *f = sched_queue_flow(s, pfc, flow);
    lists->head[list] = f->next;
    f->list = LIST_NONE;
    bool others = lists->head[LIST_OLD] != 0;
    bool stays = f->queue.total || (others && !f->lingers);
    if (f->queue.total || f->deficit < 0)
        f->deficit += (int32_t)s->config.flow_quantum_octets;
    f->lingers = !f->queue.total && list == LIST_OLD;
    if (stays)
        list_append(s, pfc, LIST_OLD, flow);
}

void sched_queue_choose_flow(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    if (p->sent_octets || !p->queue.total)
        return;
    const struct tree_flows *lists = sched_queue_flows(s, pfc);
    for (;;) {
        uint32_t list = lists->head[LIST_NEW] ? LIST_NEW : LIST_OLD;
        uint32_t flow = lists->head[list] - 1u;
        const struct tree_flow *f = sched_queue_flow(s, pfc, flow);
        if (f->queue.total && f->deficit > 0) {
            const struct pdu *pdu = &s->slot[f->queue.head];
            p->flow = (uint8_t)flow;
            p->head_info = queue_info(pdu->octets, pdu->lle);
            return;
        }
        list_pass(s, pfc, list);
    }
}

void sched_queue_append_to_flow(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t flow,
                                uint32_t slot)
{
    struct tree_flow *f = sched_queue_flow(s, pfc, flow);
    queue_append(s, &f->queue, slot);
    f->lingers = false;
    if (f->list == LIST_NONE) {
        f->deficit = (int32_t)s->config.flow_quantum_octets;
        list_append(s, pfc, LIST_NEW, flow);
    }
    p->queue.total += total_of(s->slot[slot].octets);
}

// A half-sent N-PDU has ended: PFCs that waited for its LLE may send.
void sched_queue_close_lle(struct sched *s, uint32_t pfc, struct tree_ms *m, uint32_t lle)
{
    bool awaited = m->lle_waiters != 0;
    ms_lle_set(m, lle, 0);
    m->lle_waiters = 0;
    if (awaited && !ms_stands(m) && !(m->state & MS_WAITS))
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
