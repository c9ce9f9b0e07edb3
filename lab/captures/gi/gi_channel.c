// See gi_channel.h.
#include "lab/captures/gi/gi_channel.h"

#include <stdlib.h>
#include <string.h>

#define FULL_OCTETS 4500    // as in gi_rate.h
#define SILENCE_US  3000000 // of a channel that is not there
#define LEAST_US    4000000 // of a rate that says something
#define TIMER_US    100000  // behind an ACK and a round trip
#define LOW_PARTS   3       // little is under way: less than such a part of the most

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// ---- What it holds ----

static void hold(struct gi_channel *channel, uint64_t t_us)
{
    if (channel->helds == GI_CHANNEL_HELD || channel->acked < channel->clean_at)
        return;
    channel->held[(channel->held_first + channel->helds++) % GI_CHANNEL_HELD] =
        (struct gi_channel_held){channel->sent, (uint32_t)least(channel->flight, UINT32_MAX),
                                 (uint32_t)t_us};
}

// What is acknowledged had come in order if nothing is missing.
static void let_go(struct gi_channel *channel, bool clean, uint64_t t_us)
{
    for (; channel->helds && channel->held[channel->held_first].sent <= channel->acked;
         channel->helds--) {
        const struct gi_channel_held *held = &channel->held[channel->held_first];
        if (clean) {
            channel->held_most = most(channel->held_most, held->flight);
            channel->last = (struct gi_channel_wait){held->flight, (uint32_t)t_us - held->at_us};
        }
        channel->held_first = (channel->held_first + 1) % GI_CHANNEL_HELD;
    }
}

// The last one, if there was one since nothing was missing, was the last before a loss.
static void look_for_loss(struct gi_channel *channel, const struct gi_channel_ack *ack)
{
    if (ack->hole && channel->last.us)
        channel->before_loss[channel->losses++ % GI_CHANNEL_LOSSES] = channel->last;
    if (ack->hole || ack->troubles != channel->troubles)
        channel->last.us = 0;
}

static void give_up(struct gi_channel *channel, struct gi_channel_flow *flow)
{
    channel->queued -= least(channel->queued, flow->queued);
    channel->full = channel->waits = false;
    flow->queued = 0;
    flow->given_up = flow->sent;
}

void gi_channel_sends(struct gi_channel *channel, struct gi_channel_flow *flow, uint64_t octets,
                      uint64_t t_us, uint64_t rtt_us)
{
    channel->packets++;
    if (channel->flight == 0) {
        channel->fresh = true;
        channel->last.us = 0;
    }
    channel->sent += octets;
    channel->flight += octets;
    channel->queued += octets;
    flow->queued += octets;
    flow->sent += octets;
    if (octets)
        hold(channel, t_us);
    else if (t_us - channel->ack_us > 2 * rtt_us + TIMER_US)
        give_up(channel, flow);
    if (octets)
        return;
    if (LOW_PARTS * channel->flight < channel->held_most)
        channel->again_low++;
    else
        channel->again_high++;
}

// ---- What it carries ----

static void carry(struct gi_channel *channel, uint64_t since_us, uint64_t octets, uint64_t us,
                  bool full)
{
    uint64_t bin = since_us / GI_CHANNEL_BIN_US;
    if (bin >= GI_CHANNEL_BINS_MOST)
        return;
    if (bin >= channel->bins) {
        uint32_t bins = (uint32_t)bin + 1;
        channel->bin = realloc(channel->bin, bins * sizeof *channel->bin);
        if (!channel->bin)
            abort();
        memset(channel->bin + channel->bins, 0, (bins - channel->bins) * sizeof *channel->bin);
        channel->bins = bins;
    }
    channel->bin[bin].octets += (uint32_t)octets;
    channel->bin[bin].us += (uint32_t)us;
    channel->bin[bin].full_octets += full ? (uint32_t)octets : 0;
    channel->bin[bin].full_us += full ? (uint32_t)us : 0;
    channel->sum.octets += octets;
    channel->sum.us += us;
    channel->full_sum.octets += full ? octets : 0;
    channel->full_sum.us += full ? us : 0;
}

// What has arrived since the ACK before, each octet once.
static uint64_t arrived(struct gi_channel_flow *flow, const struct gi_channel_ack *ack)
{
    if (ack->octets) {
        uint64_t known = least(flow->reported, ack->octets);
        flow->reported -= known;
        return ack->octets - known;
    }
    flow->reported += ack->segment_octets;
    return ack->segment_octets;
}

// An ACK of one segment behind one of two may have waited for a second one.
static bool is_late(struct gi_channel_flow *flow, uint64_t octets)
{
    bool late = 2 * octets <= flow->arrived;
    flow->arrived = octets;
    return late;
}

// The next segment to come: how long it has been under way.
static uint32_t waited_us(const struct gi_channel *channel, uint64_t t_us)
{
    return channel->helds ? (uint32_t)t_us - channel->held[channel->held_first].at_us : 0;
}

void gi_channel_acks(struct gi_channel *channel, struct gi_channel_flow *flow,
                     const struct gi_channel_ack *ack)
{
    uint64_t octets = arrived(flow, ack), us = ack->t_us - channel->ack_us;
    if (channel->fresh && ack->octets) // the trouble was a silence, before which all had come
        channel->troubles = ack->troubles;
    channel->fresh = false;
    bool clean = ack->troubles == channel->troubles && channel->acked >= channel->clean_at;
    look_for_loss(channel, ack);
    if (ack->troubles != channel->troubles)
        channel->clean_at = channel->sent;
    channel->troubles = ack->troubles;
    bool late = is_late(flow, octets), some = channel->waits && !late;
    if ((channel->full || some) && (clean || ack->selective) && us < SILENCE_US && ack->data_octets)
        carry(channel, ack->since_us, octets * ack->ip_octets / ack->data_octets, us,
              channel->full);
    channel->ack_us = ack->t_us;
    channel->acked += ack->octets;
    channel->flight -= least(channel->flight, ack->octets);
    channel->queued -= least(channel->queued, flow->queued);
    flow->queued = flow->sent - most(ack->told, flow->given_up);
    channel->queued += flow->queued;
    channel->full = channel->queued >= FULL_OCTETS;
    let_go(channel, clean, ack->t_us);
    channel->waits = ack->rtt_us && waited_us(channel, ack->t_us) >= ack->rtt_us;
}

void gi_channel_ends(struct gi_channel *channel, const struct gi_channel_flow *flow,
                     uint64_t flight)
{
    channel->acked += flight; // it is nobody's any more
    channel->flight -= least(channel->flight, flight);
    channel->queued -= least(channel->queued, flow->queued);
}

static bool was_full(const struct gi_channel *channel)
{
    return channel->full_sum.us >= LEAST_US;
}

struct gi_channel_sum gi_channel_bin(const struct gi_channel *channel, uint32_t bin)
{
    const struct gi_channel_bin *b = &channel->bin[bin];
    return was_full(channel) ? (struct gi_channel_sum){b->full_octets, b->full_us}
                             : (struct gi_channel_sum){b->octets, b->us};
}

uint64_t gi_channel_rate(const struct gi_channel *channel)
{
    struct gi_channel_sum sum = was_full(channel) ? channel->full_sum : channel->sum;
    return sum.us < LEAST_US ? 0 : sum.octets * 8 * 1000000 / sum.us;
}
