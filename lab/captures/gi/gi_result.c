// See gi_result.h. A figure is left out where this capture cannot have it: all but the counts of
// packets if the clock went back or one end was not heard; loss and what hangs on it if segments
// were fragments, were forgotten or left out, or were acknowledged without having passed here.
#include "lab/captures/gi/gi_result.h"

const struct gi_field gi_fields[] = {
#define FIELD(kind, name, help) {#name, help, GI_KIND_##kind, offsetof(struct gi_result, name)},
#include "lab/captures/gi/gi_flow.def"
#undef FIELD
};
const size_t gi_fields_count = sizeof gi_fields / sizeof gi_fields[0];

// A round trip of the set-up is valid below TCP's first time-out.
#define SETUP_RTT_NS (3 * S_IN_NS)

// ---- Outcome ----

static const char *outcome_of(const struct gi_flow *flow)
{
    const struct gi_setup *setup = &flow->setup;
    if (flow->jumped)
        return "clock";
    if (setup->from_internet)
        return "from-internet";
    if (setup->syns == 0)
        return flow->half[GI_UP].packets && flow->half[GI_DOWN].packets ? "no-syn" : "one-way";
    if (setup->acked)
        return setup->syns == 1 && setup->syn_acks == 1 ? "optimal" : "repeated";
    if (setup->syn_acks)
        return flow->reset & 1 << GI_UP ? "aborted" : "given-up";
    if (flow->reset & 1 << GI_DOWN)
        return "refused";
    if (flow->half[GI_DOWN].packets || flow->half[GI_UP].packets > setup->syns)
        return "one-way"; // it goes on, so its SYN-ACK was not captured
    return "no-answer";
}

static bool has_figures(const struct gi_result *r)
{
    return strcmp(r->outcome, "clock") != 0 && strcmp(r->outcome, "one-way") != 0;
}

// ---- Set-up ----

static int64_t below(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns - from_ns < SETUP_RTT_NS ? (int64_t)(to_ns - from_ns) : GI_NONE;
}

static void put_setup(struct gi_result *r, const struct gi_flow *flow)
{
    const struct gi_setup *setup = &flow->setup;
    r->syns = setup->syns;
    r->syn_acks = setup->syn_acks;
    r->setup = r->rtt_internet_setup = r->rtt_gprs_setup = r->background = GI_NONE;
    if (!has_figures(r) || setup->syns == 0 || setup->from_internet)
        return;
    r->background = setup->acked ? setup->background : setup->background_before;
    if (!setup->acked)
        return;
    r->setup = (int64_t)(setup->ack_ns - setup->syn_ns);
    if (setup->syns == 1 && setup->syn_acks == 1) {
        r->rtt_internet_setup = below(setup->syn_ns, setup->syn_ack_ns);
        r->rtt_gprs_setup = below(setup->syn_ack_ns, setup->ack_ns);
    }
}

// ---- Counts and loss ----

static void put_counts(struct gi_result *r, const struct gi_flow *flow)
{
    const struct gi_half *up = &flow->half[GI_UP], *down = &flow->half[GI_DOWN];
    r->up_packets = up->packets;
    r->down_packets = down->packets;
    r->up_octets = (int64_t)up->ip_octets;
    r->down_octets = (int64_t)down->ip_octets;
    r->up_data_octets = (int64_t)up->data_octets;
    r->down_data_octets = (int64_t)down->data_octets;
    r->up_data_packets = up->data_packets;
    r->down_data_packets = down->data_packets;
    r->up_resent_packets = up->resent_packets;
    r->down_resent_packets = down->resent_packets;
    r->down_resent_octets = (int64_t)down->resent_octets;
    r->down_unseen = down->unseen_acked;
}

static bool row_is_known(const struct gi_half *half)
{
    return half->started && !half->forgotten && !half->left_out && half->unseen_acked == 0;
}

static void put_loss_up(struct gi_result *r, const struct gi_half *up, bool known)
{
    r->up_lost_internet = known ? up->judged[GI_VERDICT_lost_downstream] : GI_NONE;
    r->up_lost_gprs = known ? up->judged[GI_VERDICT_lost_upstream] : GI_NONE;
}

static void put_loss_down(struct gi_result *r, const struct gi_half *down,
                          const struct gi_causes *causes, bool known)
{
    r->down_lost_internet = known ? down->judged[GI_VERDICT_lost_upstream] : GI_NONE;
    r->down_lost_gprs = known ? down->judged[GI_VERDICT_lost_downstream] : GI_NONE;
    r->down_spurious = known ? down->judged[GI_VERDICT_spurious] : GI_NONE;
    r->down_sent_packets =
        known ? down->data_packets + down->judged[GI_VERDICT_lost_upstream] : GI_NONE;
    r->down_first_packets = known ? down->data_packets - down->resent_packets : GI_NONE;
    r->down_unneeded = known ? down->judged[GI_VERDICT_unneeded] : GI_NONE;
    r->down_go_back = known ? down->judged[GI_VERDICT_go_back] : GI_NONE;
    r->down_undecided = known ? down->judged[GI_VERDICT_undecided] : GI_NONE;
    r->down_reordered = known ? down->judged[GI_VERDICT_reordered] : GI_NONE;
    r->down_fast = known ? causes->fast : GI_NONE;
    r->down_timeouts = known ? causes->timeouts : GI_NONE;
    r->down_probes = known ? causes->probes : GI_NONE;
    bool gprs = down->judged[GI_VERDICT_lost_downstream] > down->judged[GI_VERDICT_lost_upstream];
    bool internet =
        down->judged[GI_VERDICT_lost_upstream] > down->judged[GI_VERDICT_lost_downstream];
    r->bottleneck = !known                                     ? ""
                    : gprs                                     ? "gprs"
                    : internet                                 ? "internet"
                    : down->judged[GI_VERDICT_lost_downstream] ? "equal"
                                                               : "none";
}

// ---- Round trips, rate, throughput ----

#define PUT_RTT(r, name, rtt, known)                                                         \
    do {                                                                                     \
        bool has = (known) && (rtt)->samples;                                                \
        (r)->name##_samples = (known) ? (rtt)->samples : GI_NONE;                            \
        (r)->name##_least = has ? (rtt)->least_us * 1000LL : GI_NONE;                        \
        (r)->name##_mean = has ? (int64_t)((rtt)->sum_us * 1000 / (rtt)->samples) : GI_NONE; \
        (r)->name##_most = has ? (rtt)->most_us * 1000LL : GI_NONE;                          \
    } while (0)

static void put_rtts(struct gi_result *r, const struct gi_flow *flow, bool known)
{
    PUT_RTT(r, rtt_gprs, &flow->half[GI_DOWN].rtt, known);
    PUT_RTT(r, rtt_gprs_karn, &flow->karn, known);
    PUT_RTT(r, rtt_internet, &flow->half[GI_UP].rtt, known);
}

static int64_t rate_of(uint64_t octets, uint64_t time_ns)
{
    return time_ns ? (int64_t)((double)octets * 8 * S_IN_NS / (double)time_ns + 0.5) : GI_NONE;
}

// Of the octets that passed, those that were not lost. Losses that were taken back were before.
static uint64_t arrived(uint64_t passed, int32_t lost, uint64_t least)
{
    uint64_t gone = lost > 0 ? (uint64_t)lost : 0;
    return passed > gone + least ? passed - gone : least;
}

static void put_transfer(struct gi_result *r, const struct gi_flow *flow, bool known)
{
    const struct gi_transfer *t = &flow->transfer;
    const struct gi_half *down = &flow->half[GI_DOWN];
    uint64_t time_ns = t->last_ack_ns - t->first_ack_ns;
    r->channel_rate = known ? rate_of(flow->rate.octets, flow->rate.time_ns) : GI_NONE;
    r->channel_periods = known ? flow->rate.periods : GI_NONE;
    r->alone = gi_flow_is_alone(flow, flow->user_packets_last);
    r->single_exchange = down->data_packets && !flow->dialogue;
    r->throughput = r->goodput = r->share = GI_NONE;
    uint64_t own_octets = arrived(t->own_octets, (int32_t)t->last_own_lost, 0);
    uint64_t user_octets = arrived(gi_user_octets_between(t->first_passed, t->last_passed),
                                   (int32_t)(t->last_user_lost - t->first_user_lost), own_octets);
    if (!known || !flow->acked || time_ns == 0)
        return;
    r->goodput = rate_of(t->data_octets, time_ns);
    if (own_octets == 0)
        return;
    r->throughput = rate_of(user_octets, time_ns);
    r->share = (int64_t)(own_octets * 1000000 / user_octets);
}

static void put_options(struct gi_result *r, const struct gi_flow *flow)
{
    const struct gi_half *up = &flow->half[GI_UP], *down = &flow->half[GI_DOWN];
    uint32_t most =
        up->ip_octets_most > down->ip_octets_most ? up->ip_octets_most : down->ip_octets_most;
    bool said = flow->setup.syns && flow->setup.syn_acks && !up->options_cut && !down->options_cut;
    r->mss = most;
    r->window = up->window_most_octets;
    r->sack = said ? up->sack_permitted && down->sack_permitted : GI_NONE;
    r->timestamps = said ? up->timestamps_seen && down->timestamps_seen : GI_NONE;
}

void gi_result_of(struct gi_result *result, struct gi_flow *flow, int32_t zone_s,
                  struct gi_records *records)
{
    struct gi_result *r = result;
    gi_rate_end(&flow->rate);
    bool closed = gi_flow_is_closed(flow) && !flow->reset;
    records->flow = flow;
    records->now_ns = flow->node.touched_ns;
    gi_half_trips_end(&flow->half[GI_DOWN], &flow->trips);
    for (enum gi_side side = GI_UP; side < GI_SIDES; side++)
        gi_half_end(&flow->half[side], gi_flow_round_trip_us(flow, side), closed, records);
    r->user = flow->user[GI_UP]->address;
    r->host = flow->user[GI_DOWN]->address;
    r->user_port = flow->port[GI_UP];
    r->host_port = flow->port[GI_DOWN];
    r->teid_up = flow->user[GI_UP]->teid[GI_UP] ? flow->user[GI_UP]->teid[GI_UP] : GI_NONE;
    r->teid_down = flow->user[GI_UP]->teid[GI_DOWN] ? flow->user[GI_UP]->teid[GI_DOWN] : GI_NONE;
    r->begin = (int64_t)flow->first_ns;
    int64_t local_s = (int64_t)(flow->first_ns / S_IN_NS) + zone_s;
    r->hour = (local_s % 86400 + 86400) % 86400 / 3600;
    r->lasted = (int64_t)(flow->node.touched_ns - flow->first_ns);
    r->outcome = outcome_of(flow);
    bool known = has_figures(r) && !flow->fragments;
    const struct gi_causes *causes = gi_causes_read(records, flow->causes);
    put_setup(r, flow);
    put_counts(r, flow);
    put_loss_up(r, &flow->half[GI_UP], known && row_is_known(&flow->half[GI_UP]));
    put_loss_down(r, &flow->half[GI_DOWN], causes, known && row_is_known(&flow->half[GI_DOWN]));
    r->zero_windows = known ? causes->zero_windows : GI_NONE;
    r->stalls = known ? causes->stalls : GI_NONE;
    r->stalled = known ? (int64_t)causes->stalled_us * 1000 : GI_NONE;
    put_rtts(r, flow, has_figures(r));
    put_transfer(r, flow, known && row_is_known(&flow->half[GI_DOWN]));
    put_options(r, flow);
}
