// See gi.h: frames one by one, in their order.
#include "lab/captures/gi/gi_parts.h"

#include "lab/captures/gi/gi_hash.h"
#include "lab/captures/read/capture_merge.h"

#define FRAMES_AT_ONCE 64

// So many packets before one leaves the window, what it needs is fetched, one after the other.
#define SLOT_AHEAD  24
#define FLOW_AHEAD  16
#define USERS_AHEAD 8

static uint32_t list_of(const struct gi_flow *flow)
{
    return gi_flow_is_closed(flow)                  ? GI_CLOSED
           : flow->setup.syns && !flow->setup.acked ? GI_OPENING
                                                    : GI_OPEN;
}

// late: its flow has no figures.
static enum gi_count take_segment(struct gi *gi, struct gi_packet *packet, uint32_t hash, bool late)
{
    enum gi_side side;
    if (gi->config.users_by_tunnel && packet->teid)
        gi_whose_name_user(gi, packet, hash);
    struct gi_flow *flow = gi_whose_find(gi, packet, hash, &side);
    if (flow && (gi_end_is_due(gi, &flow->node) || gi_flow_is_new(flow, packet, side))) {
        gi_end_flow(gi, flow);
        flow = NULL;
    }
    if (!flow && !(flow = gi_whose_begin(gi, packet, hash, &side)))
        return GI_COUNT_elsewhere;
    struct gi_series_before before = {0};
    if (gi->series.take)
        before = gi_series_before(flow);
    if (!gi_flow_take(flow, packet, side, &gi->records, &gi->counts))
        return GI_COUNT_copies;
    if (gi->series.take)
        gi_series_segment(&gi->series, flow, side, packet->ip_octets, &before);
    if (gi->config.sequence)
        gi_sequence_take(gi->config.sequence, packet, side);
    if (late)
        flow->jumped = true;
    if (gi->config.vectors)
        gi_vectors_take(gi->config.vectors, flow, packet, side);
    if (packet->teid != flow->user[GI_UP]->teid[side])
        gi_whose_take_tunnel(gi, flow->user[GI_UP], packet->teid, side);
    gi_users_count(&gi->users, flow->user[side], flow->user[!side], packet->ip_octets, gi->now_ns);
    gi_table_touch(&gi->flows, &flow->node, list_of(flow), gi->now_ns);
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

static uint32_t hash_of(const struct gi_packet *packet)
{
    return gi_hash_ends(gi_hash_address(&packet->from.address),
                        gi_hash_address(&packet->to.address), packet->from.port, packet->to.port);
}

// Has the frame one of which the ends are known?
static bool has_packet(enum gi_count fate)
{
    return fate == GI_COUNT_segments || fate == GI_COUNT_fragments ||
           fate == GI_COUNT_other_protocols;
}

// What is found first by the hash of the one that leaves so many packets later; NULL: nothing.
static struct gi_flow *flow_ahead(struct gi *gi, uint32_t ahead)
{
    uint64_t slot = *gi_table_slot(&gi->flows, gi_window_at(&gi->window, ahead)->hash);
    return (struct gi_flow *)gi_table_node(slot);
}

// No cache holds ten thousand flows: what the next packets need of them is on its way meanwhile. It
// may be another flow's, for nothing depends on it. gcc leaves out calls that do nothing else.
static inline __attribute__((always_inline)) void fetch_ahead(struct gi *gi)
{
    const struct gi_flow *flow = flow_ahead(gi, FLOW_AHEAD), *next = flow_ahead(gi, USERS_AHEAD);
    __builtin_prefetch(gi_table_slot(&gi->flows, gi_window_at(&gi->window, SLOT_AHEAD)->hash));
    for (size_t at = GI_FLOW_BEFORE; flow && at < sizeof *flow; at += GI_LINE_OCTETS)
        __builtin_prefetch((const char *)flow + at);
    for (int side = 0; next && side < GI_SIDES; side++)
        __builtin_prefetch(&next->user[side]->node.touched_ns);
}

// The first of those that wait.
static void take_first(struct gi *gi)
{
    fetch_ahead(gi);
    struct gi_waiting *first = gi_window_leave(&gi->window);
    struct gi_packet *packet = &first->packet;
    enum gi_count fate = first->fate;
    bool late = gi_take_time(gi, packet->time_ns);
    if (gi->series.take)
        gi_series_time(&gi->series, gi->now_ns, gi->flows.used);
    if (gi->now_ns >= gi->expire_ns)
        gi_end_silent(gi);
    packet->time_ns = gi->now_ns;
    if (has_packet(fate) && packet->doubt) {
        bool taken = gi_sums_are_void(&gi->sums);
        gi->counts.n[GI_COUNT_sums_taken] += taken;
        fate = taken ? fate : packet->doubt;
    }
    if (fate == GI_COUNT_segments)
        fate = take_segment(gi, packet, first->hash, late);
    else if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols)
        gi_whose_name_if_known(gi, packet);
    if (fate == GI_COUNT_fragments) {
        first->frame = 0;
        take_fragment(gi, packet, first->hash);
    }
    if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols ||
        fate == GI_COUNT_elsewhere)
        take_background(gi, packet);
    gi->counts.n[fate]++;
}

void gi_take(struct gi *gi, const struct capture_packet *frame)
{
    while (gi_window_is_full(&gi->window, frame->time_ns))
        take_first(gi);
    struct gi_waiting *waiting = gi_window_free(&gi->window);
    struct gi_piece piece;
    waiting->fate = gi_packet_read(&waiting->packet, &piece, frame, &gi->rules, &gi->counts);
    waiting->frame = (uint32_t)++gi->counts.frames;
    if (waiting->fate == GI_COUNT_segments || waiting->fate == GI_COUNT_fragments)
        waiting->hash = hash_of(&waiting->packet);
    if (waiting->fate == GI_COUNT_segments && (gi->sums.any || waiting->packet.doubt))
        gi_sums_take(&gi->sums, &waiting->packet);
    if (waiting->fate == GI_COUNT_fragments && piece.octets)
        gi_pieces_take(&gi->pieces, waiting, &piece);
    bool sorted = gi_window_put(&gi->window, frame->time_ns);
    gi->counts.n[GI_COUNT_sorted] += sorted && frame->time_ns >= gi->now_ns;
    while (gi->series.take && gi_window_is_due(&gi->window)) // somebody may be looking
        take_first(gi);
}

void gi_finish(struct gi *gi)
{
    while (gi->window.count)
        take_first(gi);
    gi_end_all(gi, false);
    gi_series_end(&gi->series);
}

uint64_t gi_read(struct gi *gi, struct capture_merge *captures, gi_go_on_fn *go_on, void *self)
{
    struct capture_packet frames[FRAMES_AT_ONCE];
    uint64_t all = 0;
    uint32_t n;
    while (go_on(self, all) &&
           (n = capture_merge_read(captures, frames, FRAMES_AT_ONCE, gi->counts.capture))) {
        for (uint32_t i = 0; i < n; i++)
            gi_take(gi, &frames[i]);
        all += n;
    }
    return all;
}
