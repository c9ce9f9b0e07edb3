// One TBF's RLC: filling blocks, the window, repetition, delivery in order; and the loss of PDUs.
#include "lab/radio/radio_parts.h"

#include "lab/engine/need.h"

#define ROOM_FIRST 64

static struct radio_counts *counts_of(struct radio *radio, const struct tbf *tbf)
{
    return &radio->share[tbf->way].counts;
}

static void add(struct radio_amount *amount, uint32_t octets)
{
    amount->packets++;
    amount->octets += octets;
}

static void subtract(struct radio_amount *amount, uint32_t octets)
{
    amount->packets--;
    amount->octets -= octets;
}

// --- LLC PDUs that the radio holds ---------------------------------------------------------------

static void date(struct radio *radio, struct radio_pdu *pdu)
{
    pdu->dated = true;
    pdu->older = radio->dated_last;
    pdu->newer = NULL;
    *(pdu->older ? &pdu->older->newer : &radio->dated_first) = pdu;
    radio->dated_last = pdu;
}

static void undate(struct radio *radio, struct radio_pdu *pdu)
{
    if (!pdu->dated)
        return;
    pdu->dated = false;
    *(pdu->older ? &pdu->older->newer : &radio->dated_first) = pdu->newer;
    *(pdu->newer ? &pdu->newer->older : &radio->dated_last) = pdu->older;
}

void tbf_add(struct radio *radio, struct tbf *tbf, struct radio_pdu *pdu)
{
    pdu->tbf = tbf;
    pdu->begun = pdu->dated = pdu->late = false;
    pdu->next = NULL;
    pdu->before = tbf->last;
    *(tbf->last ? &tbf->last->next : &tbf->first) = pdu;
    tbf->last = pdu;
    if (!tbf->unsent)
        tbf->unsent = pdu;
    if (tbf->way == RADIO_UP && radio->config.up_discard_ns)
        date(radio, pdu);
    add(&counts_of(radio, tbf)->in, pdu->octets);
    add(&counts_of(radio, tbf)->held, pdu->octets);
    add(&tbf->held, pdu->octets);
}

static void take_out(struct radio *radio, struct tbf *tbf, struct radio_pdu *pdu)
{
    undate(radio, pdu);
    if (tbf->unsent == pdu)
        tbf->unsent = pdu->next;
    *(pdu->before ? &pdu->before->next : &tbf->first) = pdu->next;
    *(pdu->next ? &pdu->next->before : &tbf->last) = pdu->before;
    pdu->next = pdu->before = NULL;
    subtract(&counts_of(radio, tbf)->held, pdu->octets);
    subtract(&tbf->held, pdu->octets);
}

void tbf_lose(struct radio *radio, struct tbf *tbf, struct radio_pdu *pdu, enum radio_loss why,
              uint64_t now_ns)
{
    take_out(radio, tbf, pdu);
    add(&counts_of(radio, tbf)->lost[why], pdu->octets);
    radio->owner.lost(radio->owner.self, tbf->ms->index, tbf->way, pdu, why, now_ns);
}

// What the owner adds meanwhile stays. The TBF has ended.
void tbf_lose_all(struct radio *radio, struct tbf *tbf, enum radio_loss why, uint64_t now_ns)
{
    for (uint64_t n = tbf->held.packets; n > 0; n--)
        tbf_lose(radio, tbf, tbf->first, why, now_ns);
}

uint64_t tbf_discard_ns(const struct radio *radio)
{
    return radio->dated_first ? radio->dated_first->since_ns + radio->config.up_discard_ns
                              : TIME_NEVER;
}

// One that is begun goes on, but does not start again with another TBF.
void tbf_discard_late(struct radio *radio, uint64_t now_ns)
{
    while (tbf_discard_ns(radio) <= now_ns) {
        struct radio_pdu *pdu = radio->dated_first;
        undate(radio, pdu);
        pdu->late = pdu->begun;
        if (!pdu->begun)
            tbf_lose(radio, pdu->tbf, pdu, RADIO_LOSS_up_late, now_ns);
    }
}

// --- Sending -------------------------------------------------------------------------------------

// The PDU with the next octet to send in a period that starts now, or NULL.
static struct radio_pdu *next_pdu(struct radio *radio, struct tbf *tbf, uint64_t now_ns)
{
    if (tbf->way == RADIO_UP)
        return tbf->unsent && tbf->unsent->from_ns <= now_ns ? tbf->unsent : NULL;
    if (!tbf->unsent && tbf->more) {
        tbf->more = false;
        struct radio_pdu *pdu = radio->owner.next_down(radio->owner.self, tbf->ms->index, now_ns);
        if (pdu) {
            tbf->more = true;
            pdu->since_ns = pdu->from_ns = now_ns;
            if (radio->config.order == RADIO_ORDER_RANK)
                tbf->rank = pdu->rank;
            tbf_add(radio, tbf, pdu);
        }
    }
    return tbf->unsent;
}

static void count_octets(struct radio *radio, struct tbf *tbf, uint32_t octets)
{
    tbf->use.octets += octets;
    radio->share[tbf->way].use.octets += octets;
}

// Packs octets of PDUs into block vs. Returns whether there were any.
static bool fill_block(struct radio *radio, struct tbf *tbf, uint64_t now_ns)
{
    uint32_t room = tbf->law->block_octets;
    struct radio_pdu *pdu;
    while (room > 0 && (pdu = next_pdu(radio, tbf, now_ns))) {
        uint32_t left = pdu->octets - tbf->sent_octets;
        pdu->begun = true;
        count_octets(radio, tbf, left < room ? left : room);
        if (left > room) {
            tbf->sent_octets += room;
            return true;
        }
        pdu->last_block = tbf->vs;
        tbf->unsent = pdu->next;
        tbf->sent_octets = 0;
        room -= left == room ? left : left + 1; // the length indicator
    }
    return room < tbf->law->block_octets;
}

static uint32_t *block_at(struct tbf *tbf, uint32_t block)
{
    return &tbf->block[block & (tbf->block_room - 1)];
}

// Makes room in the ring for block vs.
static void grow_blocks(struct tbf *tbf)
{
    if (tbf->vs - tbf->va < tbf->block_room)
        return;
    uint32_t room = tbf->block_room ? 2 * tbf->block_room : ROOM_FIRST;
    uint32_t *block = need(malloc(room * sizeof *block));
    for (uint32_t b = tbf->va; b != tbf->vs; b++)
        block[b & (room - 1)] = *block_at(tbf, b);
    free(tbf->block);
    tbf->block = block;
    tbf->block_room = room;
}

static void push_wrong(struct tbf *tbf, struct tbf_wrong wrong)
{
    if (tbf->wrong_count == tbf->wrong_room) {
        uint32_t room = tbf->wrong_room ? 2 * tbf->wrong_room : ROOM_FIRST;
        struct tbf_wrong *ring = need(malloc(room * sizeof *ring));
        for (uint32_t i = 0; i < tbf->wrong_count; i++)
            ring[i] = tbf->wrong[(tbf->wrong_first + i) & (tbf->wrong_room - 1)];
        free(tbf->wrong);
        tbf->wrong = ring;
        tbf->wrong_room = room;
        tbf->wrong_first = 0;
    }
    tbf->wrong[(tbf->wrong_first + tbf->wrong_count++) & (tbf->wrong_room - 1)] = wrong;
}

static bool again_due(const struct tbf *tbf, uint32_t period)
{
    return tbf->wrong_count && tbf->wrong[tbf->wrong_first].due <= period;
}

static uint32_t pop_wrong(struct tbf *tbf)
{
    uint32_t block = tbf->wrong[tbf->wrong_first].block;
    tbf->wrong_first = (tbf->wrong_first + 1) & (tbf->wrong_room - 1);
    tbf->wrong_count--;
    return block;
}

// Acknowledgements of blocks from before a round trip have come.
static bool window_is_open(const struct radio *radio, struct tbf *tbf, uint32_t period)
{
    while (tbf->va != tbf->vq && (*block_at(tbf, tbf->va) >> 1) + radio->round_trip <= period)
        tbf->va++;
    return tbf->vs - tbf->va < tbf->law->window;
}

static bool has_more(const struct tbf *tbf)
{
    return tbf->unsent || tbf->more;
}

// A new block or a repetition, whichever is due. Returns false if there is none.
static bool send_block(struct radio *radio, struct tbf *tbf, uint32_t period)
{
    struct radio_counts *counts = counts_of(radio, tbf);
    uint32_t block = tbf->vs;
    if (again_due(tbf, period)) {
        block = pop_wrong(tbf);
        counts->blocks_again++;
    } else {
        if (!window_is_open(radio, tbf, period)) {
            tbf->stalled = has_more(tbf);
            return false;
        }
        if (!fill_block(radio, tbf, period * radio->config.period_ns))
            return false;
        grow_blocks(tbf);
        tbf->vs++;
    }
    bool wrong = tbf->law->bler_ppm && rng_below(&radio->rng, PPM) < tbf->law->bler_ppm;
    *block_at(tbf, block) = period << 1 | !wrong;
    if (wrong)
        push_wrong(tbf, (struct tbf_wrong){block, period + radio->round_trip});
    counts->blocks++;
    counts->blocks_wrong += wrong;
    return true;
}

// Sends in one slot. Returns false if there is nothing to send now.
bool tbf_send(struct radio *radio, struct tbf *tbf, uint32_t period)
{
    tbf->stalled = false;
    if (tbf->way == RADIO_DOWN && tbf->ms->walk)
        radio_walk_to(radio, tbf->ms, period * radio->config.period_ns);
    uint32_t sent = 0;
    while (sent < tbf->law->blocks && send_block(radio, tbf, period))
        sent++;
    if (sent)
        tbf->last_sent = period;
    return sent > 0;
}

// For a TBF that could not send: the first period in which it can; UINT32_MAX: new data decides.
uint32_t tbf_next_period(const struct radio *radio, struct tbf *tbf, uint32_t period)
{
    uint32_t again = tbf->wrong_count ? tbf->wrong[tbf->wrong_first].due : UINT32_MAX;
    uint32_t next = UINT32_MAX;
    if (tbf->stalled)
        next = (*block_at(tbf, tbf->va) >> 1) + radio->round_trip; // if it arrives
    else if (tbf->unsent)
        next = share_first_period(radio, tbf->unsent->from_ns, period * radio->config.period_ns);
    else if (tbf->more)
        next = period + 1;
    return again < next ? again : next;
}

// --- Arrival -------------------------------------------------------------------------------------

static void arrive(struct radio *radio, struct tbf *tbf, struct radio_pdu *pdu, uint64_t now_ns)
{
    if (tbf->losses_planned) {
        tbf->losses_planned--;
        tbf_lose(radio, tbf, pdu, RADIO_LOSS_planned, now_ns);
        return;
    }
    take_out(radio, tbf, pdu);
    add(&counts_of(radio, tbf)->out, pdu->octets);
    radio->owner.arrived(radio->owner.self, tbf->ms->index, tbf->way, pdu, now_ns);
}

// All blocks that were sent without errors have arrived.
void tbf_receive(struct radio *radio, struct tbf *tbf, uint64_t now_ns)
{
    while (tbf->vq != tbf->vs && (*block_at(tbf, tbf->vq) & 1))
        tbf->vq++;
    while (tbf->first && tbf->first != tbf->unsent &&
           (int32_t)(tbf->first->last_block - tbf->vq) < 0)
        arrive(radio, tbf, tbf->first, now_ns);
}

// Blocks under way are gone; PDUs that did not arrive are to be sent from their first octet.
void tbf_end(struct radio *radio, struct tbf *tbf, uint64_t now_ns)
{
    share_leave(radio, tbf);
    use_ends(&radio->share[tbf->way], tbf);
    tbf->open = tbf->sets_up = tbf->stalled = tbf->sleeps = false;
    tbf->va = tbf->vq = tbf->vs = tbf->wrong_count = tbf->sent_octets = 0;
    tbf->unsent = tbf->first;
    for (struct radio_pdu *pdu = tbf->first, *next; pdu; pdu = next) {
        next = pdu->next;
        pdu->begun = false;
        if (pdu->late)
            tbf_lose(radio, tbf, pdu, RADIO_LOSS_up_late, now_ns);
    }
}
