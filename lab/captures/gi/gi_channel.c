// See gi_channel.h.
#include "lab/captures/gi/gi_channel.h"

#include <stdlib.h>
#include <string.h>

#define FULL_OCTETS 4500     // as in gi_rate.h
#define SILENCE_US  3000000  // of a channel that is not there
#define AWAY_US     10000000 // the same, of a channel that others may have
#define LEAST_US    4000000  // of a rate that says something
#define TIMER_US    100000   // behind an ACK and a round trip
#define LOW_PARTS   3        // little is under way: less than such a part of the most

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
    if (octets) {
        hold(channel, t_us);
        channel->recent[channel->recent_next++ % GI_CHANNEL_RECENT] =
            (struct gi_channel_sent){flow->number, (uint32_t)flow->sent, (uint32_t)t_us};
    } else if (t_us - channel->ack_us > 2 * rtt_us + TIMER_US)
        give_up(channel, flow);
    if (octets)
        return;
    if (LOW_PARTS * channel->flight < channel->held_most)
        channel->again_low++;
    else
        channel->again_high++;
}

// ---- What it carries ----

static bool was_full(const struct gi_channel *channel)
{
    return channel->full_bins.sum.us >= LEAST_US;
}

// An array of `count` elements gets zeros behind them, so that there is one at `at`.
static void *reach(void *array, uint32_t *count, uint64_t at, size_t element_octets)
{
    if (at < *count)
        return array;
    uint8_t *longer = realloc(array, (at + 1) * element_octets);
    if (!longer)
        abort();
    memset(longer + *count * element_octets, 0, (at + 1 - *count) * element_octets);
    *count = (uint32_t)at + 1;
    return longer;
}

static void carry(struct gi_channel_bins *bins, uint64_t since_us, uint64_t octets, uint64_t us)
{
    uint64_t bin = since_us / GI_CHANNEL_BIN_US;
    if (bin >= GI_CHANNEL_BINS_MOST)
        return;
    bins->bin = reach(bins->bin, &bins->count, bin, sizeof *bins->bin);
    bins->bin[bin].octets += (uint32_t)octets;
    bins->bin[bin].us += (uint32_t)us;
    bins->sum.octets += octets;
    bins->sum.us += us;
}

static void forget(struct gi_channel_bins *bins)
{
    free(bins->bin);
    *bins = (struct gi_channel_bins){0};
}

static void remember_in(struct gi_channel *channel, uint64_t moment, uint64_t octets,
                        uint64_t full_us)
{
    if (moment >= GI_CHANNEL_MOMENTS_MOST)
        return;
    channel->moment = reach(channel->moment, &channel->moments, moment, sizeof *channel->moment);
    struct gi_channel_moment *m = &channel->moment[moment];
    m->octets += (uint32_t)octets;
    m->full_octets += full_us ? (uint32_t)octets : 0;
    m->full_us += (uint32_t)full_us;
}

// What arrived in full_us up to the ACK: a slow channel needs more than a moment for a packet.
static void remember(struct gi_channel *channel, const struct gi_channel_ack *ack, uint64_t octets,
                     uint64_t full_us)
{
    uint64_t until_us = ack->since_us, left_us = least(full_us, until_us);
    while (left_us) {
        uint64_t moment = (until_us - 1) / GI_CHANNEL_MOMENT_US;
        uint64_t us = least(left_us, until_us - moment * GI_CHANNEL_MOMENT_US);
        uint64_t part = octets * us / left_us;
        remember_in(channel, moment, part, us);
        octets -= part;
        left_us -= us;
        until_us -= us;
    }
    remember_in(channel, until_us / GI_CHANNEL_MOMENT_US, octets, 0);
}

static void take_carried(struct gi_channel *channel, const struct gi_channel_ack *ack,
                         uint64_t octets, uint64_t us)
{
    if (channel->full)
        carry(&channel->full_bins, ack->since_us, octets, us);
    else if (!was_full(channel))
        carry(&channel->few_bins, ack->since_us, octets, us);
    if (was_full(channel))
        forget(&channel->few_bins);
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

// How many of a flow's segments come with an ACK, and how long the next one has been under way.
struct come {
    uint32_t segments, next_us; // next_us: 0: there is none
};

static struct come come_of(struct gi_channel *channel, const struct gi_channel_flow *flow,
                           const struct gi_channel_ack *ack)
{
    struct come come = {0};
    for (uint32_t i = 0; i < GI_CHANNEL_RECENT; i++) {
        struct gi_channel_sent *sent = &channel->recent[i];
        uint32_t us = (uint32_t)ack->t_us - sent->at_us;
        if (sent->flow != flow->number)
            continue;
        if ((int32_t)((uint32_t)ack->told - sent->end) < 0) {
            come.next_us = us > come.next_us ? us : come.next_us;
            continue;
        }
        come.segments++;
        sent->flow = 0;
    }
    return come;
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
    struct come come = come_of(channel, flow, ack);
    // An ACK of one segment behind one of two may have waited for another one.
    bool late = come.segments == 1 && flow->arrived > 1;
    bool sure = clean && !ack->hole && !channel->up && !late;
    bool counts = channel->full ? clean || ack->selective : channel->waits && sure;
    octets = ack->data_octets ? octets * ack->ip_octets / ack->data_octets : 0;
    counts = counts && us < SILENCE_US && ack->data_octets;
    if (counts)
        take_carried(channel, ack, octets, us);
    if (ack->moments) {
        bool is_full = channel->full && (clean || ack->selective);
        remember(channel, ack, octets, is_full && us < AWAY_US ? us : 0);
    }
    flow->arrived = come.segments;
    channel->up = false;
    channel->ack_us = ack->t_us;
    channel->acked += ack->octets;
    channel->flight -= least(channel->flight, ack->octets);
    channel->queued -= least(channel->queued, flow->queued);
    flow->queued = flow->sent - most(ack->told, flow->given_up);
    channel->queued += flow->queued;
    channel->full = channel->queued >= FULL_OCTETS;
    channel->waits = sure && ack->rtt_us && come.next_us >= ack->rtt_us;
    let_go(channel, clean, ack->t_us);
}

void gi_channel_ends(struct gi_channel *channel, const struct gi_channel_flow *flow,
                     uint64_t flight)
{
    channel->acked += flight; // it is nobody's any more
    channel->flight -= least(channel->flight, flight);
    channel->queued -= least(channel->queued, flow->queued);
}

uint32_t gi_channel_bins(const struct gi_channel *channel)
{
    uint32_t few = channel->few_bins.count, full = channel->full_bins.count;
    return few > full ? few : full;
}

struct gi_channel_sum gi_channel_bin(const struct gi_channel *channel, uint32_t bin)
{
    struct gi_channel_sum sum = {0};
    const struct gi_channel_bins *both[] = {&channel->full_bins, &channel->few_bins};
    for (uint32_t i = 0; i < 2; i++)
        if (bin < both[i]->count) {
            sum.octets += both[i]->bin[bin].octets;
            sum.us += both[i]->bin[bin].us;
        }
    return sum;
}

uint64_t gi_channel_rate(const struct gi_channel *channel)
{
    uint64_t octets = channel->full_bins.sum.octets + channel->few_bins.sum.octets;
    uint64_t us = channel->full_bins.sum.us + channel->few_bins.sum.us;
    return us < LEAST_US ? 0 : octets * 8 * 1000000 / us;
}

void gi_channel_free(struct gi_channel *channel)
{
    forget(&channel->full_bins);
    forget(&channel->few_bins);
    free(channel->moment);
}
