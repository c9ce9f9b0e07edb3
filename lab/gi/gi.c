// See gi.h. A flow ends when it is closed or reset and then silent for a minute, when its opening
// gets nowhere for two minutes, when it is idle, when another begins between the same ends, or with
// the last file. At a step back of the capture's clock all flows end.
#include "lab/gi/gi.h"

#include <stdlib.h>

#include "dataplane/wire/tcp.h"
#include "lab/gi/gi_tunnels.h"
#include "lab/gi/gi_write.h"

#define STEP_NS             S_IN_NS // a clock that goes back by less is taken as standing still
#define GAP_NS              (3600 * S_IN_NS) // a silence of all that is worth a note
#define CLOSED_NS           (60 * S_IN_NS)
#define OPENING_NS          (120 * S_IN_NS)
#define RECORDS_OCTETS_MOST (512ull << 20)
#define LINE_OCTETS         64
#define FRAMES_AHEAD        4
#define ALIKE_MOST          64 // flows between the same ends at once, of as many users
#define EXPIRE_NS           (100 * MS_IN_NS) // how often flows are looked for that are over

enum { OPENING, OPEN, CLOSED }; // the lists of flows

// A frame that has been read and not been taken yet.
struct arrival {
    struct gi_packet packet;
    enum gi_count fate;
    uint32_t hash;
    struct gi_flow *guess; // the first of its hash; other arrivals may end it
};

struct gi {
    struct gi_config config;
    struct gi_packet_rules rules;
    gi_sink_fn *sink;
    void *self;
    uint64_t now_ns, expire_ns;          // expire_ns: the next time
    uint64_t silence_ns[GI_TABLE_LISTS]; // after which a flow is over
    struct gi_counts counts;
    uint64_t taken; // segments by the flows' own accounts
    struct gi_users users;
    struct gi_tunnels tunnels;
    struct gi_table flows;
    struct gi_records records;
    struct gi_result result;
    struct arrival arrival[GI_FRAMES_MOST];
};

const struct gi_count_text gi_count_texts[GI_COUNTS] = {
#define FATE(name, help) [GI_COUNT_##name] = {#name, help},
#define NOTE(name, help) [GI_COUNT_##name] = {#name, help},
#include "lab/gi/gi_counts.def"
#undef FATE
#undef NOTE
};

// The flows that live have two users each at most; as many more addresses are kept.
static void begin_users(struct gi *gi)
{
    uint32_t flows = gi->config.flows_most;
    gi_users_create(&gi->users, 3 * flows + GI_FRAMES_MOST, &gi->counts.n[GI_COUNT_users_early]);
    gi_tunnels_create(&gi->tunnels, 2 * flows);
}

struct gi *gi_create(const struct gi_config *config, gi_sink_fn *sink, void *self)
{
    struct gi *gi = calloc(1, sizeof *gi);
    if (!gi)
        abort();
    gi->config = *config;
    gi->rules.take_bad_checksums = config->take_bad_checksums;
    gi->sink = sink;
    gi->self = self;
    gi->silence_ns[OPENING] = OPENING_NS;
    gi->silence_ns[OPEN] = config->idle_s * S_IN_NS;
    gi->silence_ns[CLOSED] = CLOSED_NS;
    gi->records.limit_octets = RECORDS_OCTETS_MOST;
    gi->records.self = config->losses;
    gi->records.judged = config->losses ? gi_write_loss : NULL;
    if (config->losses)
        gi_write_losses_head(config->losses);
    begin_users(gi);
    gi_table_create(&gi->flows, sizeof(struct gi_flow));
    return gi;
}

void gi_destroy(struct gi *gi)
{
    gi_finish(gi);
    gi_table_destroy(&gi->flows);
    gi_users_destroy(&gi->users);
    gi_tunnels_destroy(&gi->tunnels);
    free(gi);
}

// ---- The end of a flow ----

// A flow that has no figures, or none of loss.
static void count_bare(struct gi *gi, const struct gi_flow *flow)
{
    const struct gi_half *half = flow->half;
    gi->counts.n[GI_COUNT_one_way] += strcmp(gi->result.outcome, "one-way") == 0;
    gi->counts.n[GI_COUNT_in_pieces] += flow->fragments;
    bool told = flow->fragments || half[GI_UP].left_out || half[GI_DOWN].left_out;
    gi->counts.n[GI_COUNT_unseen] +=
        !told && (half[GI_UP].unseen_acked || half[GI_DOWN].unseen_acked);
    gi->counts.n[GI_COUNT_jumped] += flow->jumped;
}

static void finish(struct gi *gi, struct gi_flow *flow)
{
    for (int side = 0; side < GI_SIDES; side++) {
        gi->taken += flow->half[side].packets;
        gi->counts.n[GI_COUNT_forgotten] += flow->half[side].forgotten;
        gi_users_let_go(&gi->users, flow->user[side]);
    }
    gi_result_of(&gi->result, flow, gi->config.zone_s, &gi->records);
    count_bare(gi, flow);
    gi_table_remove(&gi->flows, &flow->node);
    gi->sink(gi->self, &gi->result);
}

static void finish_all(struct gi *gi, bool jumped)
{
    for (int list = 0; list < GI_TABLE_LISTS; list++)
        for (struct gi_node *node; (node = gi->flows.list[list].oldest);) {
            ((struct gi_flow *)node)->jumped = jumped;
            finish(gi, (struct gi_flow *)node);
        }
}

void gi_finish(struct gi *gi)
{
    finish_all(gi, false);
}

static bool is_over(const struct gi *gi, const struct gi_node *node)
{
    return gi->now_ns - node->touched_ns >= gi->silence_ns[node->list];
}

static void expire(struct gi *gi)
{
    if (gi->now_ns < gi->expire_ns)
        return;
    gi->expire_ns = gi->now_ns + EXPIRE_NS;
    for (int list = 0; list < GI_TABLE_LISTS; list++)
        for (struct gi_node *node; (node = gi->flows.list[list].oldest) && is_over(gi, node);)
            finish(gi, (struct gi_flow *)node);
    gi_users_expire(&gi->users, gi->now_ns);
    gi_tunnels_expire(&gi->tunnels, gi->now_ns, gi->silence_ns[OPEN]);
}

static void make_room(struct gi *gi)
{
    static const int first[GI_TABLE_LISTS] = {CLOSED, OPENING, OPEN};
    if (gi->flows.used < gi->config.flows_most)
        return;
    gi->counts.n[GI_COUNT_flows_early]++;
    for (int i = 0; i < GI_TABLE_LISTS; i++)
        if (gi->flows.list[first[i]].oldest) {
            finish(gi, (struct gi_flow *)gi->flows.list[first[i]].oldest);
            return;
        }
}

// ---- Time ----

static void take_time(struct gi *gi, uint64_t time_ns)
{
    if (time_ns >= gi->now_ns) {
        gi->counts.n[GI_COUNT_gaps] += gi->now_ns && time_ns - gi->now_ns > GAP_NS;
        gi->now_ns = time_ns;
    } else if (gi->now_ns - time_ns < STEP_NS) {
        gi->counts.n[GI_COUNT_clock_steps]++;
    } else {
        gi->counts.n[GI_COUNT_clock_jumps]++;
        finish_all(gi, true);
        gi->expire_ns = 0;
        gi_users_destroy(&gi->users);
        gi_tunnels_destroy(&gi->tunnels);
        begin_users(gi);
        gi->now_ns = time_ns;
    }
}

// ---- Whose a segment is ----

static bool has_prefix(const struct gi_prefix *prefix, const struct ipv6_address *address)
{
    uint32_t whole = prefix->bits / 8, rest = prefix->bits % 8;
    if (memcmp(prefix->address.octet, address->octet, whole) != 0)
        return false;
    uint8_t mask = (uint8_t)(0xff00 >> rest);
    return rest == 0 || ((prefix->address.octet[whole] ^ address->octet[whole]) & mask) == 0;
}

static bool is_mobile(const struct gi_config *config, const struct ipv6_address *address)
{
    for (uint32_t i = 0; i < config->mobiles; i++)
        if (has_prefix(&config->mobile[i], address))
            return true;
    return false;
}

static bool is_end(const struct gi_flow *flow, enum gi_side side, const struct gi_end *end)
{
    const struct gi_user *user = flow->user[side];
    return flow->port[side] == end->port && address_same(&user->address, &end->address);
}

// Of an address and a port alone, not of the tunnel: the same in all networks.
static uint32_t hash_of_end(const struct gi_end *end)
{
    uint64_t key[2];
    memcpy(key, &end->address, sizeof key);
    key[0] ^= end->port;
    return gi_table_hash(key, sizeof key);
}

static uint32_t hash_of(const struct gi_packet *packet)
{
    return hash_of_end(&packet->from) + hash_of_end(&packet->to);
}

// The first flow from that record on between these addresses and ports, in whichever tunnel.
static struct gi_flow *find_from(struct gi_node *node, const struct gi_packet *packet,
                                 uint32_t hash, enum gi_side *side)
{
    for (; node; node = node->next) {
        struct gi_flow *flow = (struct gi_flow *)node;
        if (node->hash != hash)
            continue;
        *side = is_end(flow, GI_UP, &packet->from) ? GI_UP : GI_DOWN;
        if (is_end(flow, *side, &packet->from) && is_end(flow, !*side, &packet->to))
            return flow;
    }
    return NULL;
}

static struct gi_flow *find(struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                            enum gi_side *side)
{
    struct gi_node *node = gi_table_first(&gi->flows, hash);
    struct gi_flow *flow;
    for (; (flow = find_from(node, packet, hash, side)); node = flow->node.next)
        if (flow->user[*side]->number == packet->from.user &&
            flow->user[!*side]->number == packet->to.user)
            return flow;
    return NULL;
}

// Which side sends the first segment that is seen of a flow. False: the flow is elsewhere.
static bool side_of(const struct gi *gi, const struct gi_packet *packet, enum gi_side *side)
{
    bool syn = packet->flags & TCP_SYN, ack = packet->flags & TCP_ACK;
    if (gi->config.mobiles) {
        bool from = is_mobile(&gi->config, &packet->from.address);
        *side = from ? GI_UP : GI_DOWN;
        return from != is_mobile(&gi->config, &packet->to.address);
    }
    if (syn)
        *side = ack ? GI_DOWN : GI_UP;
    else // a server's port is the smaller one, mostly
        *side = packet->from.port >= packet->to.port ? GI_UP : GI_DOWN;
    return true;
}

static void set_end(struct gi *gi, struct gi_flow *flow, enum gi_side side,
                    const struct gi_end *end)
{
    flow->port[side] = end->port;
    flow->user[side] = gi_users_get(&gi->users, end, gi->now_ns);
    gi_users_hold(flow->user[side]);
}

// Users of one address may have flows between the same ends, and each segment in a new tunnel is
// held against all of these. Of so many the one ends that was silent longest.
static void end_alike(struct gi *gi, const struct gi_packet *packet, uint32_t hash)
{
    struct gi_node *node = gi_table_first(&gi->flows, hash);
    struct gi_flow *oldest = NULL;
    uint32_t alike = 0;
    enum gi_side side;
    for (struct gi_flow *flow; (flow = find_from(node, packet, hash, &side));
         node = flow->node.next, alike++)
        if (!oldest || flow->node.touched_ns < oldest->node.touched_ns)
            oldest = flow;
    if (alike < ALIKE_MOST)
        return;
    gi->counts.n[GI_COUNT_flows_alike]++;
    finish(gi, oldest);
}

static struct gi_flow *begin(struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                             enum gi_side *side)
{
    if (!side_of(gi, packet, side))
        return NULL;
    if (gi->config.users_by_tunnel)
        end_alike(gi, packet, hash);
    make_room(gi);
    struct gi_flow *flow = (struct gi_flow *)gi_table_add(&gi->flows, hash, gi->now_ns);
    set_end(gi, flow, *side, &packet->from);
    set_end(gi, flow, !*side, &packet->to);
    bool syn = packet->flags & TCP_SYN, ack = packet->flags & TCP_ACK;
    flow->setup.from_internet = syn && (*side == GI_DOWN) != ack;
    return flow;
}

static int list_of(const struct gi_flow *flow)
{
    return gi_flow_is_closed(flow)                       ? CLOSED
           : flow->setup.syns && flow->setup.ack_ns == 0 ? OPENING
                                                         : OPEN;
}

// ---- Tunnels ----

// A change of what goes down is noted, for the tunnels up have the TEIDs of many users.
static void take_tunnel(struct gi *gi, struct gi_user *user, uint32_t teid, enum gi_side side)
{
    gi->counts.n[GI_COUNT_tunnel_changes] +=
        side == GI_DOWN && teid && user->teid[side] && user->teid[side] != teid;
    user->teid[side] = teid;
}

// The user of a flow of which the segment may be; 0: none.
static uint32_t user_by_flow(const struct gi *gi, const struct gi_packet *packet, uint32_t hash,
                             enum gi_side *side)
{
    struct gi_node *node = gi_table_first(&gi->flows, hash);
    for (struct gi_flow *flow; (flow = find_from(node, packet, hash, side));
         node = flow->node.next) {
        uint32_t number = flow->user[GI_UP]->number;
        if (number && gi_tunnels_fits(flow, packet, *side))
            return number;
    }
    return 0;
}

static void name_user(struct gi *gi, struct gi_packet *packet, uint32_t hash)
{
    enum gi_side side;
    if (!gi->config.users_by_tunnel || !packet->teid ||
        gi_tunnels_name(&gi->tunnels, packet, gi->now_ns))
        return;
    uint32_t number = user_by_flow(gi, packet, hash, &side);
    if (number || side_of(gi, packet, &side))
        gi_tunnels_give(&gi->tunnels, packet, number, side == GI_UP, gi->now_ns);
}

// Of a packet that does not show whose it is.
static void name_if_known(struct gi *gi, struct gi_packet *packet)
{
    if (gi->config.users_by_tunnel && packet->teid)
        gi->counts.n[GI_COUNT_tunnel_unknown] += !gi_tunnels_name(&gi->tunnels, packet, gi->now_ns);
}

// ---- Packets ----

static enum gi_count take_segment(struct gi *gi, struct gi_packet *packet, uint32_t hash)
{
    enum gi_side side;
    name_user(gi, packet, hash);
    struct gi_flow *flow = find(gi, packet, hash, &side);
    if (flow && (is_over(gi, &flow->node) || gi_flow_is_new(flow, packet, side))) {
        finish(gi, flow);
        flow = NULL;
    }
    if (!flow && !(flow = begin(gi, packet, hash, &side)))
        return GI_COUNT_elsewhere;
    if (!gi_flow_take(flow, packet, side, &gi->records, &gi->counts))
        return GI_COUNT_copies;
    take_tunnel(gi, flow->user[GI_UP], packet->teid, side);
    gi_users_count(&gi->users, flow->user[side], flow->user[!side], packet->ip_octets, gi->now_ns);
    gi_table_touch(&gi->flows, &flow->node, (uint32_t)list_of(flow), gi->now_ns);
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

static void take_fragment(struct gi *gi, const struct gi_packet *packet)
{
    enum gi_side side;
    struct gi_flow *flow = find(gi, packet, hash_of(packet), &side);
    if (flow)
        flow->fragments = true;
}

// ---- A row of frames ----
//
// They are read first, then the memory of their flows is fetched step by step, so that the
// processor waits for all of them at once; then they are taken one by one.

static void fetch_chain(const struct gi *gi, struct arrival *arrival)
{
    arrival->guess = NULL;
    if (arrival->fate != GI_COUNT_segments)
        return;
    arrival->hash = hash_of(&arrival->packet);
    __builtin_prefetch(gi_table_chain(&gi->flows, arrival->hash));
}

static void fetch_flow(const struct gi *gi, struct arrival *arrival)
{
    if (arrival->fate != GI_COUNT_segments)
        return;
    arrival->guess = (struct gi_flow *)gi_table_first(&gi->flows, arrival->hash);
    if (arrival->guess)
        for (size_t at = 0; at < sizeof *arrival->guess; at += LINE_OCTETS)
            __builtin_prefetch((const char *)arrival->guess + at);
}

static void fetch_parts(const struct arrival *arrival)
{
    const struct gi_flow *flow = arrival->guess;
    if (!flow)
        return;
    for (int side = 0; side < GI_SIDES; side++) {
        __builtin_prefetch(flow->user[side]);
        __builtin_prefetch((const char *)flow->user[side] + LINE_OCTETS);
        const struct gi_half *half = &flow->half[side];
        if (!half->record)
            continue;
        __builtin_prefetch(half->record + half->begin);               // for an ACK
        __builtin_prefetch(half->record + half->begin + half->count); // for data
    }
}

static void take(struct gi *gi, struct arrival *arrival)
{
    struct gi_packet *packet = &arrival->packet;
    enum gi_count fate = arrival->fate;
    gi->counts.frames++;
    take_time(gi, packet->time_ns);
    packet->time_ns = gi->now_ns;
    expire(gi);
    if (fate == GI_COUNT_segments)
        fate = take_segment(gi, packet, arrival->hash);
    else if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols)
        name_if_known(gi, packet);
    if (fate == GI_COUNT_fragments)
        take_fragment(gi, packet);
    if (fate == GI_COUNT_fragments || fate == GI_COUNT_other_protocols ||
        fate == GI_COUNT_elsewhere)
        take_background(gi, packet);
    gi->counts.n[fate]++;
}

void gi_take(struct gi *gi, const struct capture_packet *frames, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i + FRAMES_AHEAD < n)
            __builtin_prefetch(frames[i + FRAMES_AHEAD].octets);
        gi->arrival[i].fate =
            gi_packet_read(&gi->arrival[i].packet, &frames[i], &gi->rules, &gi->counts);
        fetch_chain(gi, &gi->arrival[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        fetch_flow(gi, &gi->arrival[i]);
    for (uint32_t i = 0; i < n; i++)
        fetch_parts(&gi->arrival[i]);
    for (uint32_t i = 0; i < n; i++)
        take(gi, &gi->arrival[i]);
}

// ---- Accounts ----

const struct gi_counts *gi_counts_of(const struct gi *gi)
{
    return &gi->counts;
}

uint64_t *gi_capture_counts(struct gi *gi)
{
    return gi->counts.capture;
}

struct gi_memory gi_memory_of(const struct gi *gi)
{
    struct gi_memory memory = {.flows_most = gi->flows.most_used,
                               .users_most = gi->users.table.most_used};
    memory.octets_most = gi_table_octets(&gi->flows) + gi_table_octets(&gi->users.table) +
                         gi_table_octets(&gi->tunnels.table) + gi->records.most_octets;
    if (memory.flows_most)
        memory.octets_a_flow = (uint32_t)(memory.octets_most / memory.flows_most);
    return memory;
}

const char *gi_wrong(const struct gi *gi)
{
    uint64_t fates = 0;
    for (int i = 0; i <= GI_LAST_FATE; i++)
        fates += gi->counts.n[i];
    if (fates != gi->counts.frames)
        return "frames";
    if (gi->flows.used == 0 && gi->taken != gi->counts.n[GI_COUNT_segments])
        return "segments";
    return gi->flows.used == 0 && gi->records.octets ? "records" : NULL;
}
