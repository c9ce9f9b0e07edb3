// See gi.h: packets one by one, in their order. The memory that a packet needs is fetched in steps
// while others before it are taken, so that the processor waits for little of it.
#include "lab/gi/gi_parts.h"

#include "lab/gi/gi_hash.h"
#include "lab/gi/gi_hints.h"
#include "lab/gi/gi_quick.h"

// So many ends ahead their slot is fetched, and their flow; so many frames ahead what a
// packet needs of its flow, and the records.
#define SLOTS_AHEAD   24
#define GUESSES_AHEAD 16
#define BRIEFS_AHEAD  64
#define NODES_AHEAD   28
#define FLOWS_AHEAD   16
#define RECORDS_AHEAD 8
#define ACKED_USUALLY 2 // segments, by one ACK

// ---- The long way ----

static uint32_t list_of(const struct gi_flow *flow)
{
    return gi_flow_is_closed(flow)                  ? GI_CLOSED
           : flow->setup.syns && !flow->setup.acked ? GI_OPENING
                                                    : GI_OPEN;
}

// A packet that goes the long way: between which ends, and what is known of its flow.
struct long_way {
    const struct gi_ends *ends;
    struct gi_flow *flow; // NULL: it is to be looked for, or there is none
    enum gi_side side;
};

// The flow that was guessed, if it still lives and is not due, calm or not: there is no other one
// between its ends.
static struct gi_flow *known_flow(const struct gi *gi, const struct gi_guess *guess)
{
    bool lives = guess->number && (guess->flow->number | GI_FLOW_CALM) == guess->number;
    return lives && !gi_end_is_due(gi, &guess->flow->node) ? guess->flow : NULL;
}

static enum gi_count take_segment(struct gi *gi, struct gi_packet *packet,
                                  const struct long_way *way, struct gi_guess *taken)
{
    enum gi_side side = way->side;
    struct gi_flow *flow = way->flow;
    if (!flow) {
        gi_whose_name_user(gi, packet, way->ends->hash);
        flow = gi_whose_find(gi, packet, way->ends->hash, &side);
    }
    if (flow && (gi_end_is_due(gi, &flow->node) || gi_flow_is_new(flow, packet, side))) {
        gi_end_flow(gi, flow);
        flow = NULL;
    }
    if (!flow && !(flow = gi_whose_begin(gi, packet, way->ends->hash, &side)))
        return GI_COUNT_elsewhere;
    if (!gi_flow_take(flow, packet, side, &gi->records, &gi->counts))
        return GI_COUNT_copies;
    gi->in_tunnels |= packet->teid != 0;
    gi_whose_take_tunnel(gi, flow->user[GI_UP], packet->teid, side);
    gi_users_count(&gi->users, flow->user[side], flow->user[!side], packet->ip_octets, gi->now_ns);
    gi_table_touch(&gi->flows, &flow->node, list_of(flow), gi->now_ns);
    bool calm = gi_table_list(&flow->node) == GI_OPEN && gi_quick_is_calm(flow);
    flow->number = calm ? flow->number | GI_FLOW_CALM : flow->number & ~GI_FLOW_CALM;
    *taken = (struct gi_guess){flow, flow->number | GI_FLOW_CALM, side};
    return GI_COUNT_segments;
}

static void take_background(struct gi *gi, const struct gi_packet *packet)
{
    struct gi_user *from = gi_users_get(&gi->users, &packet->from, gi->now_ns);
    gi_users_hold(from); // else the room for the other may be its own
    struct gi_user *to = gi_users_get(&gi->users, &packet->to, gi->now_ns);
    gi_users_let_go(&gi->users, from);
    gi_users_count(&gi->users, from, to, packet->ip_octets, gi->now_ns);
}

static void take_fragment(struct gi *gi, const struct gi_packet *packet, uint32_t hash)
{
    enum gi_side side;
    struct gi_flow *flow = gi_whose_find(gi, packet, hash, &side);
    if (flow)
        flow->fragments = true;
}

// taken: by which flow, and by which side of it.
static void take(struct gi *gi, struct gi_packet *packet, enum gi_count fate,
                 const struct long_way *way, struct gi_guess *taken)
{
    packet->time_ns = gi->now_ns;
    if (fate == GI_COUNT_segments)
        fate = take_segment(gi, packet, way, taken);
    else if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols)
        gi_whose_name_if_known(gi, packet);
    if (fate == GI_COUNT_fragments)
        take_fragment(gi, packet, way->ends->hash);
    if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols ||
        fate == GI_COUNT_elsewhere)
        take_background(gi, packet);
    gi->counts.n[fate]++;
}

// ---- The short way ----

static inline __attribute__((always_inline)) bool take_of(struct gi *gi, struct gi_flow *flow,
                                                          const struct gi_brief *brief,
                                                          uint64_t now_ns, enum gi_side side)
{
    if (gi_rarely(!gi_quick_take(flow, brief, now_ns, side, &gi->records)))
        return false;
    if (gi_rarely(gi->in_tunnels))
        gi_whose_take_tunnel(gi, flow->user[GI_UP], 0, side);
    gi_users_count_busy(flow->user[side], flow->user[!side], brief->ip_octets, now_ns);
    gi_table_touch(&gi->flows, &flow->node, GI_OPEN, now_ns);
    return true;
}

// The flow is the one that was found when the batch began, or taken by since, and it is calm.
static inline bool take_brief(struct gi *gi, const struct gi_brief *brief, uint64_t now_ns,
                              const struct gi_guess *guess)
{
    struct gi_flow *flow = guess->flow;
    if (gi_rarely(!guess->number) || gi_rarely(flow->number != guess->number) ||
        gi_rarely(now_ns - flow->node.touched_ns >= gi->silence_ns[GI_OPEN]))
        return false;
    return (guess->side ^ brief->reversed) == GI_UP ? take_of(gi, flow, brief, now_ns, GI_UP)
                                                    : take_of(gi, flow, brief, now_ns, GI_DOWN);
}

// ---- Memory ahead ----

static inline void fetch_node(const struct gi_guess *guesses, const struct gi_brief *brief)
{
    const struct gi_flow *flow = guesses[brief->ends].flow;
    if (flow)
        gi_fetch(&flow->node.hash);
}

// Who sends data, or is acknowledged, has records.
static inline void fetch_flow(const struct gi_guess *guesses, const struct gi_batch *batch,
                              const struct gi_brief *brief)
{
    const struct gi_guess *guess = &guesses[brief->ends];
    const struct gi_flow *flow = guess->flow;
    if (gi_rarely(brief->is_full))
        gi_fetch_lines(&batch->full[brief->full], sizeof batch->full[0]);
    if (!flow)
        return;
    bool is_up = (guess->side ^ brief->reversed) == GI_UP;
    gi_fetch(&flow->user[GI_UP]->node.touched_ns);
    gi_fetch(&flow->user[GI_DOWN]->node.touched_ns);
    gi_fetch(&flow->half[GI_UP].una);
    gi_fetch(&flow->half[GI_DOWN]);
    gi_fetch(&flow->half[GI_DOWN].packets);
    if (is_up || brief->data_octets == 0)
        gi_fetch(&flow->half[GI_UP]); // in one line with the rate
    if (is_up)
        gi_fetch(&flow->transfer);
}

// Of what the ACK covers, or where the segment will be put.
static inline void fetch_records(const struct gi_guess *guesses, const struct gi_brief *brief)
{
    const struct gi_guess *guess = &guesses[brief->ends];
    if (!guess->flow)
        return;
    enum gi_side side = guess->side ^ brief->reversed;
    const struct gi_half *half = &guess->flow->half[brief->data_octets ? side : !side];
    if (!half->room)
        return;
    const struct gi_record *record = half->record + half->begin;
    record += brief->data_octets ? half->count : 0;
    gi_fetch(record);
    gi_fetch((const char *)(record + (brief->data_octets ? 1 : ACKED_USUALLY)) - 1);
}

// ---- The flows of new ends ----

static bool is_first(const struct gi_flow *flow, const struct gi_ends *ends, enum gi_side side)
{
    return flow->port[side] == (uint16_t)ends->ports && flow->port[!side] == ends->ports >> 16 &&
           flow->ipv4[side] == (uint32_t)ends->addresses &&
           flow->ipv4[!side] == ends->addresses >> 32;
}

// Of IPv6 neither frames nor flows have these addresses: both have 0. So 0.0.0.0 counts as none.
static bool has_addresses(const struct gi_ends *ends)
{
    return (uint32_t)ends->addresses && ends->addresses >> 32;
}

// A flow with other addresses than IPv4's is never calm.
static void look_at(const struct gi *gi, struct gi_guess *guess, const struct gi_ends *ends)
{
    const struct gi_flow *flow = guess->flow;
    if (!flow || gi->long_way || !has_addresses(ends))
        return;
    guess->side = is_first(flow, ends, GI_UP) ? GI_UP : GI_DOWN;
    if (guess->side == GI_UP || is_first(flow, ends, GI_DOWN))
        guess->number = flow->number | GI_FLOW_CALM;
}

static void guess_flow(const struct gi *gi, struct gi_guess *guess, const struct gi_ends *ends)
{
    struct gi_node *node = gi_table_guess(&gi->flows, ends->hash);
    *guess = (struct gi_guess){.flow = (struct gi_flow *)node};
    if (node)
        gi_fetch(&node->hash);
}

// What a number stood for before is overwritten.
static void learn_ends(struct gi *gi, const struct gi_batch *batch)
{
    const uint32_t end = batch->ends_n;
    struct gi_guess *guess = &gi->guess[batch->reader][batch->ends_first];
    memcpy(&gi->ends[batch->reader][batch->ends_first], batch->ends, end * sizeof batch->ends[0]);
    for (uint32_t n = 0; n < end + SLOTS_AHEAD; n++) {
        if (n < end) {
            gi_fetch(gi_table_place(&gi->flows, batch->ends[n].hash));
            gi_fetch(&batch->ends[n] + SLOTS_AHEAD);
        }
        uint32_t guessed = n - (SLOTS_AHEAD - GUESSES_AHEAD), looked = n - SLOTS_AHEAD;
        if (guessed < end) // else it is beyond the end, or below 0
            guess_flow(gi, guess + guessed, &batch->ends[guessed]);
        if (looked < end)
            look_at(gi, guess + looked, &batch->ends[looked]);
    }
}

// ---- A batch ----

static void take_long(struct gi *gi, struct gi_batch *batch, const struct gi_brief *brief,
                      struct gi_guess *guess)
{
    struct gi_packet packet;
    struct gi_guess taken = {0};
    const struct long_way way = {&gi->ends[batch->reader][brief->ends], known_flow(gi, guess),
                                 guess->side ^ brief->reversed};
    gi->counts.n[GI_COUNT_segments]--; // it is one of the batch's, and is counted here
    if (brief->is_full) {
        struct gi_full *full = &batch->full[brief->full];
        take(gi, &full->packet, full->fate, &way, &taken);
    } else {
        // Of a flow that is known nobody asks for the ends, which are mostly in no cache.
        gi_batch_expand(batch, brief, way.flow ? NULL : way.ends, &packet);
        take(gi, &packet, GI_COUNT_segments, &way, &taken);
    }
    if (!taken.flow || gi->long_way)
        return;
    taken.side ^= brief->reversed;
    *guess = taken;
}

static inline void take_one(struct gi *gi, struct gi_batch *batch, const struct gi_brief *brief,
                            struct gi_guess *guess)
{
    uint64_t now_ns = brief->time_ns;
    if (gi_rarely(now_ns - gi->now_ns > GI_GAP_NS)) { // or it goes back
        gi_take_time(gi, now_ns);
        now_ns = gi->now_ns;
    }
    gi->now_ns = now_ns;
    if (gi_rarely(now_ns >= gi->expire_ns))
        gi_end_silent(gi);
    if (gi_rarely(brief->is_full) || gi_rarely(!take_brief(gi, brief, now_ns, guess)))
        take_long(gi, batch, brief, guess);
}

void gi_batch_fetch(const struct gi_batch *batch)
{
    gi_fetch(batch);
    gi_fetch_lines(batch->brief, BRIEFS_AHEAD * sizeof batch->brief[0]);
    gi_fetch_lines(batch->ends, SLOTS_AHEAD * sizeof batch->ends[0]);
    gi_fetch_lines(batch->far, BRIEFS_AHEAD * sizeof batch->far[0]);
}

static_assert(GI_FRAMES_MOST + NODES_AHEAD < GI_FAR_NONE, "the end of the far ones is far");

void gi_batch_take(struct gi *gi, struct gi_batch *batch)
{
    const struct gi_brief *brief = batch->brief;
    struct gi_guess *guess = gi->guess[batch->reader];
    const uint16_t *nodes = batch->far, *flows = batch->far, *records = batch->far;
    const uint32_t frames = batch->frames;
    gi->counts.frames += frames;
    gi->counts.n[GI_COUNT_segments] += frames; // but for those that go the long way
    learn_ends(gi, batch);
    for (uint32_t i = 0; i < frames; i++) {
        gi_fetch(&brief[i + BRIEFS_AHEAD]);
        while (*nodes <= i + NODES_AHEAD)
            fetch_node(guess, &brief[*nodes++]);
        while (*flows <= i + FLOWS_AHEAD)
            fetch_flow(guess, batch, &brief[*flows++]);
        while (*records <= i + RECORDS_AHEAD)
            fetch_records(guess, &brief[*records++]);
        take_one(gi, batch, &brief[i], &guess[brief[i].ends]);
    }
}

void gi_take_counts(struct gi *gi)
{
    for (int i = 0; i < GI_READERS; i++) {
        gi_counts_add(&gi->counts, &gi->reader[i]->counts);
        gi->reader[i]->counts = (struct gi_counts){0};
    }
}

void gi_take(struct gi *gi, const struct capture_packet *frames, uint32_t n)
{
    gi_batch_begin(gi->batch, gi->reader[0]);
    gi_batch_add(gi->batch, frames, n, gi->reader[0]);
    gi_take_counts(gi);
    gi_batch_take(gi, gi->batch);
}
