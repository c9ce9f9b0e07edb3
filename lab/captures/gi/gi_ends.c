// See gi_parts.h. A flow ends when it is closed or reset and then silent for a minute, when its
// opening gets nowhere for two minutes, when it is idle, when another begins between the same ends,
// or with the last file. At a step back of the capture's clock all flows end.
#include "lab/captures/gi/gi_parts.h"

#define EXPIRE_NS (100 * MS_IN_NS) // how often flows are looked for that are over

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

void gi_end_flow(struct gi *gi, struct gi_flow *flow)
{
    for (int side = 0; side < GI_SIDES; side++) {
        gi->taken += flow->half[side].packets;
        gi->counts.n[GI_COUNT_forgotten] += flow->half[side].forgotten;
        gi_users_let_go(&gi->users, flow->user[side]);
    }
    gi_result_of(&gi->result, flow, gi->config.zone_s, &gi->records);
    gi_causes_end(&gi->records, &flow->causes);
    count_bare(gi, flow);
    gi->series.now.ended++;
    if (gi->config.vectors)
        gi_vectors_end(gi->config.vectors, flow, &gi->result);
    gi_table_remove(&gi->flows, &flow->node);
    gi->sink(gi->self, &gi->result);
}

void gi_end_all(struct gi *gi, bool jumped)
{
    for (int list = 0; list < GI_TABLE_LISTS; list++)
        for (struct gi_node *node; (node = gi->flows.list[list].oldest);) {
            ((struct gi_flow *)node)->jumped |= jumped && list != GI_CLOSED;
            gi_end_flow(gi, (struct gi_flow *)node);
        }
}

void gi_end_silent(struct gi *gi)
{
    gi->expire_ns = gi->now_ns + EXPIRE_NS;
    for (int list = 0; list < GI_TABLE_LISTS; list++)
        for (struct gi_node *node; (node = gi->flows.list[list].oldest) && gi_end_is_due(gi, node);)
            gi_end_flow(gi, (struct gi_flow *)node);
    gi_users_expire(&gi->users, gi->now_ns);
    gi_tunnels_expire(&gi->tunnels, gi->now_ns, gi->silence_ns[GI_OPEN]);
}

void gi_end_for_room(struct gi *gi)
{
    static const int first[GI_TABLE_LISTS] = {GI_CLOSED, GI_OPENING, GI_OPEN};
    if (gi->flows.used < gi->config.flows_most)
        return;
    gi->counts.n[GI_COUNT_flows_early]++;
    for (int i = 0; i < GI_TABLE_LISTS; i++)
        if (gi->flows.list[first[i]].oldest) {
            gi_end_flow(gi, (struct gi_flow *)gi->flows.list[first[i]].oldest);
            return;
        }
}

// ---- Time ----

bool gi_take_time(struct gi *gi, uint64_t time_ns)
{
    if (time_ns >= gi->now_ns) {
        if (time_ns - gi->now_ns > GI_GAP_NS && gi->now_ns)
            gi->counts.n[GI_COUNT_gaps]++;
        gi->now_ns = time_ns;
        return false;
    }
    if (gi->now_ns - time_ns < GI_WINDOW_NS) {
        gi->counts.n[GI_COUNT_clock_steps]++;
        return true;
    }
    gi->counts.n[GI_COUNT_clock_jumps]++;
    gi_end_all(gi, true);
    gi->expire_ns = 0;
    gi_users_destroy(&gi->users);
    gi_tunnels_destroy(&gi->tunnels);
    gi_begin_users(gi);
    gi->now_ns = time_ns;
    return false;
}
