// See gi_flow.h.
#include "lab/captures/gi/gi_flow.h"

#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_half_parts.h"

// A copy comes at once.
#define COPY_US 5000

// ---- Set-up ----

static void take_syn(struct gi_flow *flow, const struct gi_packet *packet)
{
    struct gi_setup *setup = &flow->setup;
    const struct gi_user *user = flow->user[GI_UP];
    gi_half_more(&setup->syns, 1);
    if (setup->syns > 1)
        return;
    setup->syn_ns = packet->time_ns;
    setup->initial = packet->sequence;
    setup->background_before =
        user->passed && packet->time_ns - user->node.touched_ns < GI_SILENCE_NS;
}

// The first ACK of the end that sent the SYN, with which the flow began. The user's other packets
// until now are not of this flow.
static void take_first_ack(struct gi_flow *flow, const struct gi_packet *packet)
{
    struct gi_setup *setup = &flow->setup;
    setup->acked = true;
    setup->ack_ns = packet->time_ns;
    setup->background =
        setup->background_before || !gi_flow_is_alone(flow, gi_user_packets(flow->user[GI_UP]));
}

static void take_setup(struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side)
{
    struct gi_setup *setup = &flow->setup;
    enum gi_side opener = setup->from_internet ? GI_DOWN : GI_UP;
    if (packet->flags & TCP_SYN && !(packet->flags & TCP_ACK)) {
        if (side == opener)
            take_syn(flow, packet);
    } else if (packet->flags & TCP_SYN && side != opener) {
        if (setup->syn_acks == 0)
            setup->syn_ack_ns = packet->time_ns;
        gi_half_more(&setup->syn_acks, 1);
    } else if (packet->flags & TCP_ACK && !(packet->flags & (TCP_RST | TCP_SYN)) &&
               side == opener && setup->syns && setup->syn_acks && !setup->acked) {
        take_first_ack(flow, packet);
    }
}

// A repeated SYN may get a second SYN-ACK with another sequence number. The other end's first ACK
// says which of the two it has received. A host that still has an earlier connection of these ports
// answers the first SYN with an ACK of that one (RFC 793, figure 10), which is not of this one, as
// the reset that it gets is not. A SYN-ACK that was overtaken by what follows it begins nothing.
static void take_answer(struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side,
                        struct gi_records *records)
{
    enum gi_side answerer = flow->setup.from_internet ? GI_UP : GI_DOWN;
    struct gi_half *half = &flow->half[answerer];
    if (flow->setup.acked || !flow->setup.syns || !half->started || half->data_packets)
        return;
    bool renumbered = side == answerer && packet->flags & TCP_SYN &&
                      packet->sequence != half->una && packet->sequence + 1 != half->una;
    bool before = side != answerer && packet->flags & TCP_ACK && flow->renumbered &&
                  packet->acknowledgement == flow->setup.answered_before + 1;
    if (renumbered && flow->setup.syn_acks) {
        flow->renumbered = true;
        flow->setup.answered_before = half->una;
    } else if (renumbered)
        flow->ended = flow->reset = 0;
    if (renumbered || before)
        gi_half_restart(half, renumbered ? packet->sequence : packet->acknowledgement, records);
}

// ---- What an end says of itself ----

static void take_options(struct gi_half *half, const struct gi_packet *packet)
{
    if (packet->has_timestamps)
        half->timestamps_seen = true;
    if (!(packet->flags & TCP_SYN))
        return;
    half->options_cut |= packet->options_cut;
    half->sack_permitted = packet->sack_permitted;
    half->scale_seen = packet->has_scale;
    half->scale = packet->scale;
}

// A window is scaled if both ends said so, and never in a SYN (RFC 7323 2.2).
static void take_window(struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side)
{
    struct gi_half *half = &flow->half[side];
    bool scaled = half->scale_seen && flow->half[!side].scale_seen && !(packet->flags & TCP_SYN);
    uint32_t octets = (uint32_t)packet->window << (scaled ? half->scale : 0);
    if (octets > half->window_most_octets)
        half->window_most_octets = octets;
}

// A capture of both directions of a mirrored port may have each packet twice.
static bool is_copy(struct gi_half *half, const struct gi_packet *packet)
{
    bool copy = packet->ip_id && half->packets && packet->ip_id == half->last_ip_id &&
                packet->sequence == half->last_sequence &&
                (uint16_t)packet->data_octets == half->last_octets &&
                packet->acknowledgement == half->last_packet_ack &&
                (uint32_t)(packet->time_ns / 1000) - half->last_us < COPY_US;
    if (!copy)
        gi_half_take_id(half, packet->ip_id);
    half->last_us = (uint32_t)(packet->time_ns / 1000);
    half->last_sequence = packet->sequence;
    half->last_octets = (uint16_t)packet->data_octets;
    half->last_packet_ack = packet->acknowledgement;
    return copy;
}

// ---- Data and ACKs ----

// Each segment of the set-up was there once.
static bool is_set_up_once(const struct gi_flow *flow)
{
    return flow->setup.syns == 1 && flow->setup.syn_acks == 1 && flow->setup.acked;
}

uint32_t gi_flow_round_trip_us(const struct gi_flow *flow, enum gi_side end)
{
    const struct gi_setup *setup = &flow->setup;
    const struct gi_rtt *rtt = end == GI_UP ? &flow->karn : &flow->half[GI_UP].rtt;
    uint64_t least_us = rtt->samples ? rtt->least_us : 0;
    bool opener = (end == GI_UP) != setup->from_internet;
    uint64_t setup_ns = 0;
    if (is_set_up_once(flow))
        setup_ns = opener ? setup->ack_ns - setup->syn_ack_ns : setup->syn_ack_ns - setup->syn_ns;
    if (setup_ns && (least_us == 0 || setup_ns / 1000 < least_us))
        least_us = setup_ns / 1000;
    return (uint32_t)least_us;
}

static void begin_transfer(struct gi_flow *flow, uint32_t own_octets, uint64_t passed)
{
    struct gi_transfer *transfer = &flow->transfer;
    flow->passed = true;
    transfer->first_user_lost = transfer->last_user_lost = flow->user[GI_UP]->lost_octets;
    transfer->last_own_octets = own_octets;
    transfer->first_passed = transfer->last_passed = passed;
}

static void take_data(struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side,
                      struct gi_records *records, struct gi_counts *counts)
{
    struct gi_half *half = &flow->half[side];
    uint64_t passed = flow->user[GI_UP]->passed + packet->ip_octets;
    bool answered = flow->half[!side].packets > 0;
    // Of what comes in its order nobody asks whether it was lost.
    uint32_t upstream_us = packet->sequence == half->next ? 0 : gi_flow_round_trip_us(flow, side);
    enum gi_half_sent sent =
        gi_half_send(half, packet, (uint32_t)passed, upstream_us, answered, records);
    if (sent == GI_HALF_FAR || sent == GI_HALF_LARGE)
        counts->n[sent == GI_HALF_FAR ? GI_COUNT_far_segments : GI_COUNT_large_segments]++;
    if (side == GI_UP) {
        if (packet->data_octets && flow->half[GI_DOWN].data_packets)
            flow->dialogue = true;
        return;
    }
    if (packet->data_octets && !flow->passed)
        begin_transfer(flow, (uint32_t)half->ip_octets, passed);
    if (sent == GI_HALF_OUT_OF_ORDER)
        flow->user[GI_UP]->troubles++;
}

// What the first ACK covers arrived before the time begins. If all of it was sent again, only its
// first segment is known to be before that; and if that was, too, `once` is false.
static void begin_time(struct gi_flow *flow, const struct gi_acked *acked, uint64_t now_ns)
{
    struct gi_transfer *transfer = &flow->transfer;
    flow->acked = true;
    transfer->first_ack_ns = now_ns;
    if (!acked->once)
        return;
    transfer->last_own_octets = acked->once_own_octets;
    transfer->first_passed = transfer->last_passed =
        gi_user_passed_with(flow->user[GI_UP], acked->once_user_octets);
}

// An ACK of the user that advances.
static void take_transfer(struct gi_flow *flow, const struct gi_acked *acked, uint32_t ack,
                          uint64_t now_ns)
{
    struct gi_transfer *transfer = &flow->transfer;
    if (!acked->data || !acked->exact)
        return;
    if (flow->acked)
        transfer->data_octets += ack - transfer->last_ack - acked->fin;
    else
        begin_time(flow, acked, now_ns);
    transfer->last_ack_ns = now_ns;
    transfer->last_ack = ack;
    uint64_t passed = gi_user_passed_with(flow->user[GI_UP], acked->user_octets);
    if (gi_user_passed_later(passed, transfer->last_passed)) {
        // Behind one that was late the user's count goes on and this flow's may not: see take_late.
        if (gi_half_after(acked->own_octets, transfer->last_own_octets)) {
            transfer->own_octets += acked->own_octets - transfer->last_own_octets;
            transfer->last_own_octets = acked->own_octets;
        }
        transfer->last_passed = passed;
    }
    transfer->last_own_lost = transfer->own_lost;
    transfer->last_user_lost = flow->user[GI_UP]->lost_octets;
}

// A packet with data: the mean of these, and of all headers.
static uint32_t packet_octets(const struct gi_half *half)
{
    uint64_t headers = half->ip_octets - half->data_octets;
    return (uint32_t)(half->data_octets / half->data_packets + headers / half->packets);
}

// What the verdicts since then say to be lost, or not to be lost after all.
static void count_lost(struct gi_flow *flow, uint32_t lost_before)
{
    const struct gi_half *half = &flow->half[GI_DOWN];
    int32_t lost = (int32_t)(half->judged[GI_VERDICT_lost_downstream] - lost_before);
    if (lost == 0)
        return;
    uint32_t octets = (uint32_t)(lost * (int64_t)packet_octets(half));
    flow->transfer.own_lost += octets;
    flow->user[GI_UP]->lost_octets += octets;
}

// Other flows of the user share the channel, and their losses are octets that it did not carry.
static void take_rate(struct gi_flow *flow, const struct gi_acked *acked,
                      const struct gi_packet *packet)
{
    struct gi_user *user = flow->user[GI_UP];
    const struct gi_half *half = &flow->half[GI_DOWN];
    uint32_t now_us = gi_half_us(packet->time_ns);
    user->troubles += acked->trouble || now_us - user->heard_us > GI_RATE_SILENCE_US;
    user->heard_us = now_us;
    if (flow->troubles != user->troubles)
        gi_rate_trouble(&flow->rate, half->next, gi_half_flight(half));
    else if (acked->advanced && acked->exact)
        gi_rate_ack(&flow->rate, packet->time_ns, packet->acknowledgement, acked->user_octets,
                    gi_half_flight(half));
    flow->troubles = user->troubles;
}

static void take_ack(struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side,
                     struct gi_records *records)
{
    struct gi_half *other = &flow->half[!side];
    uint32_t lost_before = other->judged[GI_VERDICT_lost_downstream];
    struct gi_receiver receiver = {.set_up = is_set_up_once(flow),
                                   .now_us = gi_half_us(packet->time_ns)};
    if (side == GI_UP) {
        receiver.order = &flow->user[GI_UP]->order;
        receiver.trips = &flow->trips;
        receiver.karn = &flow->karn;
    }
    struct gi_acked acked;
    gi_half_ack(other, packet, &receiver, records, &acked);
    if (side == GI_DOWN)
        return;
    count_lost(flow, lost_before);
    take_rate(flow, &acked, packet);
    if (acked.advanced)
        take_transfer(flow, &acked, packet->acknowledgement, packet->time_ns);
}

bool gi_flow_take(struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side,
                  struct gi_records *records, struct gi_counts *counts)
{
    struct gi_half *half = &flow->half[side];
    uint32_t silent_us = half->packets ? gi_half_us(packet->time_ns) - half->last_us : 0;
    if (is_copy(half, packet))
        return false;
    if (gi_flow_packets(flow) == 0) {
        flow->first_ns = packet->time_ns;
        flow->user_packets_before = gi_user_packets(flow->user[GI_UP]);
    }
    flow->user_packets_last = gi_user_packets(flow->user[GI_UP]) + 1;
    if (packet->time_ns - flow->node.touched_ns >= GI_STALL_NS && gi_flow_packets(flow))
        gi_causes_silence(records, &flow->causes, &flow->half[GI_DOWN],
                          packet->time_ns - flow->node.touched_ns);
    if (packet->flags & TCP_SYN || !flow->setup.acked) {
        take_answer(flow, packet, side, records);
        take_setup(flow, packet, side);
    }
    take_options(half, packet);
    take_window(flow, packet, side);
    half->packets++;
    half->ip_octets += packet->ip_octets;
    if (packet->ip_octets > half->ip_octets_most)
        half->ip_octets_most = packet->ip_octets;
    records->flow = flow;
    records->now_ns = packet->time_ns;
    if (side == GI_UP)
        gi_causes_ack(records, &flow->causes, &flow->half[GI_DOWN], packet);
    else
        gi_causes_data(records, &flow->causes, &flow->half[GI_DOWN], packet, silent_us);
    take_ack(flow, packet, side, records);
    take_data(flow, packet, side, records, counts);
    if (packet->flags & TCP_FIN)
        flow->ended |= 1 << side;
    if (packet->flags & TCP_RST)
        flow->reset |= 1 << side;
    return true;
}

// ---- Beginning and end ----

bool gi_flow_is_closed(const struct gi_flow *flow)
{
    if (flow->reset)
        return true;
    return flow->ended == GI_BOTH && gi_half_flight(&flow->half[GI_UP]) == 0 &&
           gi_half_flight(&flow->half[GI_DOWN]) == 0;
}

bool gi_flow_is_new(const struct gi_flow *flow, const struct gi_packet *packet, enum gi_side side)
{
    if (!(packet->flags & TCP_SYN) || packet->flags & TCP_ACK)
        return false;
    enum gi_side opener = flow->setup.from_internet ? GI_DOWN : GI_UP;
    if (flow->setup.syns == 0) // it began before the capture
        return true;
    if (side != opener)
        return gi_flow_is_closed(flow);
    return packet->sequence != flow->setup.initial;
}
