// See gi.h: packets one by one, in their order. The memory that a packet needs is fetched in steps
// while others before it are taken, so that the processor waits for little of it.
#include "lab/gi/gi_parts.h"

#include "dataplane/wire/address.h"
#include "lab/gi/gi_hash.h"
#include "lab/gi/gi_quick.h"

// Each step is a block of frames ahead of the next one; a flow is known when its slot is there, its
// records and users when the flow is.
#define BLOCK         8
#define GUESSES       (4 * BLOCK) // of those that are ahead, and of the block that is taken
#define BRIEFS_AHEAD  32
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

// A calm flow has addresses of IPv4.
static inline bool is_address(const struct ipv6_address *address, uint32_t ipv4)
{
    uint32_t word;
    memcpy(&word, address->octet + sizeof *address - sizeof word, sizeof word);
    return word == ipv4;
}

static inline bool is_side(const struct gi_flow *flow, const struct gi_brief *brief,
                           enum gi_side side)
{
    return flow->port[side] == brief->tcp.from_port && flow->port[!side] == brief->tcp.to_port &&
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

// Not the compiler's own: it leaves out calls of functions that do nothing else.
static inline void fetch(const void *at)
{
    __asm__ volatile("prefetcht0 %0" : : "m"(*(const char *)at));
}

static inline void fetch_two(const void *at)
{
    fetch(at);
    fetch((const char *)at + LINE_OCTETS);
}

// By its port alone: mostly right, and nothing but time hangs on it.
static inline enum gi_side guess_side(const struct gi_flow *flow, const struct gi_brief *brief)
{
    return flow->port[GI_UP] == brief->tcp.from_port ? GI_UP : GI_DOWN;
}

// To ask which half sends takes longer than to fetch a line too many.
static inline void fetch_lines(const struct gi *gi, const struct gi_brief *brief,
                               struct gi_flow **guess)
{
    const struct gi_flow *flow = *guess;
    (void)gi;
    if (!flow)
        return;
    fetch_two(flow->user[GI_UP]);
    fetch(flow->user[GI_DOWN]);
    fetch_two(&flow->half[GI_UP]);
    fetch_two(&flow->half[GI_DOWN]);
    fetch(&flow->rate);
    if (brief->data_octets)
        return;
    fetch_two(&flow->transfer);
}

// Of what the ACK covers, or where the segment will be put.
static inline void fetch_records(const struct gi *gi, const struct gi_brief *brief,
                                 struct gi_flow **guess)
{
    const struct gi_flow *flow = *guess;
    (void)gi;
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

typedef void fetch_fn(const struct gi *gi, const struct gi_brief *brief, struct gi_flow **guess);

static inline void fetch_slot(const struct gi *gi, const struct gi_brief *brief,
                              struct gi_flow **guess)
{
    (void)guess;
    fetch(gi_table_place(&gi->flows, brief->hash));
    fetch(brief + BRIEFS_AHEAD); // the other thread has written it
}

static inline void fetch_flow(const struct gi *gi, const struct gi_brief *brief,
                              struct gi_flow **guess)
{
    struct gi_node *node = gi_table_guess(&gi->flows, brief->hash);
    fetch(node);
    *guess = (struct gi_flow *)node;
}

// Where the block that begins there ends.
static inline int32_t end_of(const struct gi_batch *batch, int32_t at)
{
    int32_t frames = (int32_t)batch->frames;
    return at + BLOCK < frames ? at + BLOCK : frames;
}

// The frames of a block, if there are such.
static inline __attribute__((always_inline)) void fetch_block(const struct gi *gi,
                                                              const struct gi_batch *batch,
                                                              int32_t at, fetch_fn *step,
                                                              struct gi_flow **guess)
{
    for (int32_t i = at, end = end_of(batch, at); at >= 0 && i < end; i++)
        step(gi, &batch->brief[i], &guess[i % GUESSES]);
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

static void take_block(struct gi *gi, struct gi_batch *batch, int32_t at, struct gi_flow **guess)
{
    for (int32_t i = at, end = end_of(batch, at); i < end; i++)
        take_one(gi, batch, &batch->brief[i], guess[i % GUESSES]);
}

void gi_batch_take(struct gi *gi, struct gi_batch *batch)
{
    struct gi_flow *guess[GUESSES];
    gi->counts.frames += batch->frames;
    for (int32_t at = -4 * BLOCK; at < (int32_t)batch->frames; at += BLOCK) {
        fetch_block(gi, batch, at + 4 * BLOCK, fetch_slot, guess);
        fetch_block(gi, batch, at + 3 * BLOCK, fetch_flow, guess);
        fetch_block(gi, batch, at + 2 * BLOCK, fetch_lines, guess);
        fetch_block(gi, batch, at + 1 * BLOCK, fetch_records, guess);
        if (at >= 0)
            take_block(gi, batch, at, guess);
    }
}

void gi_take(struct gi *gi, const struct capture_packet *frames, uint32_t n)
{
    gi_batch_clear(gi->batch);
    gi_batch_add(gi->batch, frames, n, &gi->rules, &gi->counts);
    gi_batch_take(gi, gi->batch);
}
