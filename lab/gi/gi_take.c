// See gi.h: packets one by one, in their order. The memory that a packet needs is fetched in steps
// while others before it are taken, so that the processor waits for little of it.
#include "lab/gi/gi_parts.h"

#include "dataplane/wire/address.h"
#include "lab/gi/gi_hash.h"
#include "lab/gi/gi_quick.h"

// How many frames ahead each step is; a flow is known when its slot is there, its records and
// users when the flow is.
#define SLOT_AHEAD    28
#define BRIEF_AHEAD   64
#define FLOW_AHEAD    20
#define LINES_AHEAD   13
#define RECORDS_AHEAD 6
#define GUESSES       32 // more than are ahead
#define LINE_OCTETS   64
#define ACKED_USUALLY 2 // segments, by one ACK

// ---- The long way ----

static uint32_t list_of(const struct gi_flow *flow)
{
    return gi_flow_is_closed(flow)                       ? GI_CLOSED
           : flow->setup.syns && flow->setup.ack_ns == 0 ? GI_OPENING
                                                         : GI_OPEN;
}

static enum gi_count take_segment(struct gi *gi, struct gi_packet *packet, uint32_t hash)
{
    enum gi_side side;
    gi_whose_name_user(gi, packet, hash);
    struct gi_flow *flow = gi_whose_find(gi, packet, hash, &side);
    if (flow && (gi_end_is_due(gi, &flow->node) || gi_flow_is_new(flow, packet, side))) {
        gi_end_flow(gi, flow);
        flow = NULL;
    }
    if (!flow && !(flow = gi_whose_begin(gi, packet, hash, &side)))
        return GI_COUNT_elsewhere;
    if (!gi_flow_take(flow, packet, side, &gi->records, &gi->counts))
        return GI_COUNT_copies;
    gi->in_tunnels |= packet->teid != 0;
    gi_whose_take_tunnel(gi, flow->user[GI_UP], packet->teid, side);
    gi_users_count(&gi->users, flow->user[side], flow->user[!side], packet->ip_octets, gi->now_ns);
    gi_table_touch(&gi->flows, &flow->node, list_of(flow), gi->now_ns);
    flow->calm = flow->node.list == GI_OPEN && gi_quick_is_calm(flow);
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

static void take(struct gi *gi, struct gi_packet *packet, enum gi_count fate, uint32_t hash)
{
    packet->time_ns = gi->now_ns;
    if (fate == GI_COUNT_segments)
        fate = take_segment(gi, packet, hash);
    else if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols)
        gi_whose_name_if_known(gi, packet);
    if (fate == GI_COUNT_fragments)
        take_fragment(gi, packet, hash);
    if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols ||
        fate == GI_COUNT_elsewhere)
        take_background(gi, packet);
    gi->counts.n[fate]++;
}

// ---- The short way ----

static inline bool is_address(const struct ipv6_address *address, uint32_t ipv4)
{
    uint64_t word[2];
    memcpy(word, address, sizeof word);
    return word[0] == 0 && word[1] == gi_hash_mapped(ipv4);
}

static inline bool is_side(const struct gi_flow *flow, const struct gi_brief *brief,
                           enum gi_side side)
{
    return flow->port[side] == brief->from_port && flow->port[!side] == brief->to_port &&
           is_address(&flow->user[side]->address, brief->from) &&
           is_address(&flow->user[!side]->address, brief->to);
}

static inline bool is_flow_of(const struct gi_flow *flow, const struct gi_brief *brief,
                              enum gi_side *side)
{
    *side = is_side(flow, brief, GI_UP) ? GI_UP : GI_DOWN;
    return *side == GI_UP || is_side(flow, brief, GI_DOWN);
}

// guess: the flow of that hash when its memory was fetched, or NULL. One that has ended since is
// not calm.
static bool take_brief(struct gi *gi, const struct gi_brief *brief, struct gi_flow *flow)
{
    enum gi_side side;
    if (!flow || !flow->calm || gi_end_is_due(gi, &flow->node) || !is_flow_of(flow, brief, &side) ||
        !gi_quick_take(flow, brief, gi->now_ns, side, &gi->records))
        return false;
    if (gi->in_tunnels)
        gi_whose_take_tunnel(gi, flow->user[GI_UP], 0, side);
    gi_users_count(&gi->users, flow->user[side], flow->user[!side], brief->ip_octets, gi->now_ns);
    gi_table_touch(&gi->flows, &flow->node, GI_OPEN, gi->now_ns);
    gi->counts.n[GI_COUNT_segments]++;
    return true;
}

// ---- Memory ahead ----

static inline void fetch(const void *at)
{
    __builtin_prefetch(at);
}

static inline struct gi_flow *fetch_flow(const struct gi *gi, const struct gi_brief *brief)
{
    struct gi_node *node = gi_table_guess(&gi->flows, brief->hash);
    fetch(node);
    return (struct gi_flow *)node;
}

static inline void fetch_two(const void *at)
{
    fetch(at);
    fetch((const char *)at + LINE_OCTETS);
}

// By its port alone: mostly right, and nothing but time hangs on it.
static inline enum gi_side guess_side(const struct gi_flow *flow, const struct gi_brief *brief)
{
    return flow->port[GI_UP] == brief->from_port ? GI_UP : GI_DOWN;
}

static inline void fetch_lines(const struct gi_flow *flow, const struct gi_brief *brief)
{
    if (!flow)
        return;
    enum gi_side side = guess_side(flow, brief);
    fetch_two(flow->user[GI_UP]);
    fetch_two(flow->user[GI_DOWN]);
    fetch_two(&flow->half[side]);
    fetch(&flow->half[!side]);
    fetch(&flow->rate);
    if (brief->data_octets)
        return;
    fetch((const char *)&flow->half[!side] + LINE_OCTETS);
    fetch_two(&flow->transfer);
    fetch(&flow->trips);
}

// Of what the ACK covers, or where the segment will be put.
static inline void fetch_records(const struct gi_flow *flow, const struct gi_brief *brief)
{
    if (!flow)
        return;
    enum gi_side side = guess_side(flow, brief);
    const struct gi_half *half = &flow->half[brief->data_octets ? side : !side];
    if (!half->room)
        return;
    const struct gi_record *record = half->record + half->begin;
    record += brief->data_octets ? half->count : 0;
    fetch(record);
    fetch((const char *)(record + (brief->data_octets ? 1 : ACKED_USUALLY)) - 1);
}

// ---- A batch ----

// The frame at `at` is fetched so far as one that is `ahead` of the one that is taken.
static inline void fetch_step(const struct gi *gi, const struct gi_batch *batch, uint32_t at,
                              uint32_t ahead, struct gi_flow **guess)
{
    if (at >= batch->frames)
        return;
    const struct gi_brief *brief = &batch->brief[at];
    if (ahead == SLOT_AHEAD)
        fetch(gi_table_place(&gi->flows, brief->hash));
    else if (ahead == FLOW_AHEAD)
        guess[at % GUESSES] = fetch_flow(gi, brief);
    else if (ahead == LINES_AHEAD)
        fetch_lines(guess[at % GUESSES], brief);
    else
        fetch_records(guess[at % GUESSES], brief);
}

static inline void fetch_ahead(const struct gi *gi, const struct gi_batch *batch, uint32_t i,
                               struct gi_flow **guess)
{
    const struct gi_brief *brief = batch->brief;
    fetch(brief + i + BRIEF_AHEAD); // the other thread has written it
    fetch_step(gi, batch, i + SLOT_AHEAD, SLOT_AHEAD, guess);
    fetch_step(gi, batch, i + FLOW_AHEAD, FLOW_AHEAD, guess);
    fetch_step(gi, batch, i + LINES_AHEAD, LINES_AHEAD, guess);
    fetch_step(gi, batch, i + RECORDS_AHEAD, RECORDS_AHEAD, guess);
}

// The first frames of a batch.
static void fetch_first(const struct gi *gi, const struct gi_batch *batch, struct gi_flow **guess)
{
    static const uint32_t steps[] = {SLOT_AHEAD, FLOW_AHEAD, LINES_AHEAD, RECORDS_AHEAD};
    for (size_t step = 0; step < sizeof steps / sizeof steps[0]; step++)
        for (uint32_t at = 0; at < steps[step]; at++)
            fetch_step(gi, batch, at, steps[step], guess);
}

static void take_long(struct gi *gi, struct gi_batch *batch, const struct gi_brief *brief)
{
    struct gi_packet packet;
    if (brief->full == GI_BATCH_NO_FULL) {
        gi_batch_expand(brief, &packet);
        take(gi, &packet, GI_COUNT_segments, brief->hash);
    } else {
        struct gi_full *full = &batch->full[brief->full];
        take(gi, &full->packet, full->fate, brief->hash);
    }
}

static inline void take_one(struct gi *gi, struct gi_batch *batch, const struct gi_brief *brief,
                            struct gi_flow *guess)
{
    uint64_t time_ns = brief->time_ns;
    if (time_ns >= gi->now_ns && time_ns - gi->now_ns <= GI_GAP_NS)
        gi->now_ns = time_ns;
    else
        gi_take_time(gi, time_ns);
    if (gi->now_ns >= gi->expire_ns)
        gi_end_silent(gi);
    if (brief->full != GI_BATCH_NO_FULL || gi->long_way || !take_brief(gi, brief, guess))
        take_long(gi, batch, brief);
}

void gi_batch_take(struct gi *gi, struct gi_batch *batch)
{
    struct gi_flow *guess[GUESSES] = {NULL};
    gi->counts.frames += batch->frames;
    fetch_first(gi, batch, guess);
    for (uint32_t i = 0; i < batch->frames; i++) {
        fetch_ahead(gi, batch, i, guess);
        take_one(gi, batch, &batch->brief[i], guess[i % GUESSES]);
    }
}

void gi_take(struct gi *gi, const struct capture_packet *frames, uint32_t n)
{
    gi_batch_clear(gi->batch);
    gi_batch_add(gi->batch, frames, n, &gi->rules, &gi->counts);
    gi_batch_take(gi, gi->batch);
}
