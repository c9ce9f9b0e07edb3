// See gi_vectors.h: steps, as segments pass.
#include "lab/captures/gi/gi_vectors.h"

#include <stdlib.h>

#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_hash.h"

#define FAR_OCTETS   (64 << 20)
#define IDLE_DOWN_US 200000  // beyond a round trip: a host that pauses
#define IDLE_UP_US   2000000 // a user that does; its own queue may hold it up for long

static void *grow(void *array, uint32_t *room, uint32_t n, size_t octets)
{
    if (n < *room)
        return array;
    *room = *room ? 2 * *room : 256;
    array = realloc(array, *room * octets);
    if (!array)
        abort();
    return array;
}

struct gi_vectors *gi_vectors_create(void)
{
    struct gi_vectors *vectors = calloc(1, sizeof *vectors);
    if (!vectors)
        abort();
    gi_table_create(&vectors->by_address, sizeof(struct gi_vector_user), 0);
    vectors->vectors = vectors->steps = 1; // 0: none
    vectors->step = grow(NULL, &vectors->steps_room, 0, sizeof *vectors->step);
    vectors->step[0] = (struct gi_step){0};
    return vectors;
}

void gi_vectors_destroy(struct gi_vectors *vectors)
{
    if (!vectors)
        return;
    for (uint32_t i = 0; i < vectors->users; i++)
        gi_channel_free(&vectors->user[i]->channel);
    gi_table_destroy(&vectors->by_address);
    free(vectors->vector);
    free(vectors->step);
    free(vectors->user);
    free(vectors);
}

// ---- Users ----

// NULL: there are too many.
static struct gi_vector_user *find_user(struct gi_vectors *vectors, const struct gi_user *of)
{
    uint32_t hash = gi_hash_with(gi_hash_address(&of->address), of->number);
    struct gi_node *node = gi_table_first(&vectors->by_address, hash);
    for (; node; node = node->next) {
        struct gi_vector_user *user = (struct gi_vector_user *)node;
        if (user->number == of->number && address_same(&user->address, &of->address))
            return user;
    }
    if (vectors->users == GI_VECTORS_USERS_MOST)
        return NULL;
    struct gi_vector_user *user =
        (struct gi_vector_user *)gi_table_add(&vectors->by_address, hash, 0);
    user->address = of->address;
    user->number = of->number;
    user->index = vectors->users;
    vectors->user =
        grow(vectors->user, &vectors->users_room, vectors->users, sizeof(struct gi_vector_user *));
    vectors->user[vectors->users++] = user;
    return user;
}

// The flow's vector is made with its first segment; `vector` of a flow that has no room is a mark.
static struct gi_vector *vector_of(struct gi_vectors *vectors, struct gi_flow *flow, uint64_t t_us)
{
    if (flow->vector == GI_FLOW_NO_VECTOR)
        return NULL;
    if (flow->vector)
        return &vectors->vector[flow->vector];
    struct gi_vector_user *user = find_user(vectors, flow->user[GI_UP]);
    if (!user || vectors->vectors > GI_VECTORS_CONNECTIONS_MOST) {
        vectors->left.connections++;
        flow->vector = GI_FLOW_NO_VECTOR;
        return NULL;
    }
    vectors->vector =
        grow(vectors->vector, &vectors->vectors_room, vectors->vectors, sizeof *vectors->vector);
    flow->vector = vectors->vectors++;
    struct gi_vector *v = &vectors->vector[flow->vector];
    *v = (struct gi_vector){.user = user->index,
                            .begin_us = t_us,
                            .from_internet = flow->setup.from_internet,
                            .from_start = flow->setup.syns > 0,
                            .channel = {.number = flow->vector}};
    return v;
}

// ---- Steps ----

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// NULL: there is no room.
static struct gi_step *add_step(struct gi_vectors *vectors, struct gi_vector *v, enum gi_side side,
                                enum gi_step_what what, uint64_t t_us)
{
    v->full |= vectors->steps > GI_VECTORS_STEPS_MOST;
    if (v->full) {
        vectors->left.steps++;
        return NULL;
    }
    vectors->step =
        grow(vectors->step, &vectors->steps_room, vectors->steps, sizeof *vectors->step);
    struct gi_step *step = &vectors->step[vectors->steps];
    *step = (struct gi_step){.at_us = t_us, .side = (uint8_t)side, .what = (uint8_t)what};
    if (v->last)
        vectors->step[v->last].next = vectors->steps;
    else
        v->first = vectors->steps;
    v->last = vectors->steps++;
    if (what == GI_STEP_SENDS) // what it has sent before it closes is still to be acknowledged
        v->side[side].step = v->last;
    return step;
}

// When the end could have taken this step, as seen here: behind its last ACK or, for a host, a
// round trip behind what it got.
static uint64_t base_us(const struct gi_vector *v, const struct gi_flow *flow, enum gi_side side,
                        bool got)
{
    const struct gi_vector_side *own = &v->side[side], *other = &v->side[!side];
    uint64_t opened_us = flow->setup.acked ? flow->setup.ack_ns / 1000 : v->begin_us;
    if (side == GI_UP) // its own ACK went the same way as the step does
        return most(got ? other->ack_us : own->ack_us + v->rtt_us[GI_UP], opened_us);
    return most(got ? other->passed_us : own->ack_us, opened_us) + v->rtt_us[GI_DOWN];
}

static void begin_step(struct gi_vectors *vectors, struct gi_vector *v, const struct gi_flow *flow,
                       enum gi_side side, enum gi_step_what what, uint64_t t_us)
{
    const struct gi_step *last = &vectors->step[v->side[side].step];
    uint64_t got_before = v->side[side].step ? last->received : 0;
    struct gi_step *step = add_step(vectors, v, side, what, t_us);
    if (!step)
        return;
    step->received = v->side[!side].acked;
    step->octets_until = v->side[side].sent;
    step->base_us = least(base_us(v, flow, side, step->received > got_before), t_us);
    step->think_us = t_us - step->base_us;
}

static bool is_pause(const struct gi_vectors *vectors, const struct gi_vector *v, enum gi_side side,
                     uint64_t t_us)
{
    const struct gi_vector_side *own = &v->side[side];
    const struct gi_step *step = &vectors->step[own->step];
    if (!own->step || step->octets >= GI_VECTORS_STEP_MOST - FAR_OCTETS)
        return true;
    if (own->sent != own->acked)
        return false;
    uint64_t idle_us = side == GI_UP ? IDLE_UP_US : IDLE_DOWN_US;
    return v->side[!side].acked > step->received ||
           t_us - own->ack_us > 2 * (uint64_t)v->rtt_us[side] + idle_us;
}

static void take_data(struct gi_vectors *vectors, struct gi_vector *v, const struct gi_flow *flow,
                      const struct gi_packet *packet, enum gi_side side, uint64_t t_us)
{
    struct gi_vector_side *own = &v->side[side];
    if (!own->started) {
        own->started = true;
        own->next = packet->sequence;
    }
    uint32_t end = packet->sequence + packet->data_octets;
    int32_t ahead = (int32_t)(end - own->next);
    if (ahead > FAR_OCTETS || ahead < -FAR_OCTETS)
        return;
    own->passed_us = t_us;
    if (side == GI_UP)
        vectors->user[v->user]->channel.up = true;
    else
        gi_channel_sends(&vectors->user[v->user]->channel, &v->channel,
                         ahead > 0 ? (uint64_t)ahead : 0, t_us, v->rtt_us[GI_DOWN]);
    if (ahead <= 0)
        return;
    if (is_pause(vectors, v, side, t_us))
        begin_step(vectors, v, flow, side, GI_STEP_SENDS, t_us);
    own->next = end;
    own->sent += (uint32_t)ahead;
    if (v->full)
        return;
    vectors->step[own->step].octets += (uint32_t)ahead;
    vectors->step[own->step].octets_until += (uint32_t)ahead;
}

static uint32_t least_rtt(uint32_t known_us, uint64_t us)
{
    return us == 0 || us > UINT32_MAX || (known_us && known_us < us) ? known_us : (uint32_t)us;
}

// An ACK of the user up to there.
static void take_channel(struct gi_vectors *vectors, struct gi_vector *v,
                         const struct gi_flow *flow, uint64_t acked, uint64_t t_us)
{
    const struct gi_vector_side *down = &v->side[GI_DOWN];
    const struct gi_half *half = &flow->half[GI_DOWN];
    int32_t behind = (int32_t)(down->next - half->sacked_to);
    uint64_t reported = behind > 0 ? down->sent - least(down->sent, (uint32_t)behind) : down->sent;
    if (!half->selective || !gi_half_flight(half))
        reported = acked;
    uint64_t beyond = down->sent - acked - least(down->sent - acked, v->channel.reported);
    struct gi_channel_ack ack = {
        .t_us = t_us,
        .since_us = t_us - vectors->first_us,
        .octets = acked - down->acked,
        .rtt_us = least_rtt(vectors->user[v->user]->least_rtt_us, v->rtt_us[GI_UP]),
        .told = most(reported, acked),
        .hole = reported > acked,
        .ip_octets = half->ip_octets,
        .data_octets = half->data_octets,
        .selective = half->selective,
        .moments = vectors->users <= GI_SHARED_USERS_MOST,
        .troubles = flow->user[GI_UP]->troubles};
    if (!ack.octets && half->data_packets)
        ack.segment_octets = least(beyond, half->data_octets / half->data_packets);
    gi_channel_acks(&vectors->user[v->user]->channel, &v->channel, &ack);
}

// Of what the other end sends.
static void take_ack(struct gi_vectors *vectors, struct gi_vector *v, const struct gi_flow *flow,
                     const struct gi_packet *packet, enum gi_side side, uint64_t t_us)
{
    struct gi_vector_side *other = &v->side[!side];
    if (!other->started) {
        other->started = true;
        other->next = packet->acknowledgement;
        return;
    }
    int32_t behind = (int32_t)(other->next - packet->acknowledgement);
    uint64_t acked = behind > 0 ? other->sent - least(other->sent, (uint32_t)behind) : other->sent;
    if (side == GI_UP && (acked > other->acked || packet->sack_blocks))
        take_channel(vectors, v, flow, most(acked, other->acked), t_us);
    if (acked <= other->acked)
        return;
    other->acked = acked;
    other->ack_us = t_us;
    if (other->step && !v->full)
        vectors->step[other->step].end_us = t_us;
}

// From here to an end and back.
static void take_rtts(struct gi_vector *v, const struct gi_flow *flow)
{
    const struct gi_setup *setup = &flow->setup;
    bool from_internet = setup->from_internet;
    if (setup->syns == 1 && setup->syn_acks == 1)
        v->rtt_us[from_internet ? GI_UP : GI_DOWN] = least_rtt(
            v->rtt_us[from_internet ? GI_UP : GI_DOWN], (setup->syn_ack_ns - setup->syn_ns) / 1000);
    if (setup->syns == 1 && setup->syn_acks == 1 && setup->acked)
        v->rtt_us[from_internet ? GI_DOWN : GI_UP] = least_rtt(
            v->rtt_us[from_internet ? GI_DOWN : GI_UP], (setup->ack_ns - setup->syn_ack_ns) / 1000);
    if (flow->karn.samples)
        v->rtt_us[GI_UP] = least_rtt(v->rtt_us[GI_UP], flow->karn.least_us);
    if (flow->half[GI_UP].rtt.samples)
        v->rtt_us[GI_DOWN] = least_rtt(v->rtt_us[GI_DOWN], flow->half[GI_UP].rtt.least_us);
}

static void take_syn(struct gi_vector *v, const struct gi_packet *packet, enum gi_side side)
{
    struct gi_vector_side *own = &v->side[side];
    if (own->sent)
        return;
    own->started = true;
    own->next = packet->sequence + 1;
    own->mss_octets = packet->mss_octets;
}

void gi_vectors_take(struct gi_vectors *vectors, struct gi_flow *flow,
                     const struct gi_packet *packet, enum gi_side side)
{
    uint64_t t_us = packet->time_ns / 1000;
    if (!vectors->begun)
        vectors->first_us = t_us;
    vectors->begun = true;
    if (t_us < vectors->first_us) // the capture's clock was set back: what was before is over
        t_us = vectors->first_us;
    vectors->last_us = most(vectors->last_us, t_us);
    struct gi_vector *v = vector_of(vectors, flow, t_us);
    if (!v)
        return;
    v->end_us = most(v->end_us, t_us);
    t_us = v->end_us;
    if (packet->flags & TCP_SYN) {
        take_syn(v, packet, side);
        return;
    }
    if (packet->flags & TCP_ACK)
        take_ack(vectors, v, flow, packet, side, t_us);
    take_rtts(v, flow);
    if (packet->data_octets)
        take_data(vectors, v, flow, packet, side, t_us);
    if (packet->flags & (TCP_FIN | TCP_RST) && !v->closed) {
        begin_step(vectors, v, flow, side, GI_STEP_CLOSES, t_us);
        v->closed = true;
    }
}

// ---- Ends of flows ----

void gi_vectors_end(struct gi_vectors *vectors, const struct gi_flow *flow,
                    const struct gi_result *result)
{
    if (!flow->vector || flow->vector == GI_FLOW_NO_VECTOR)
        return;
    struct gi_vector *v = &vectors->vector[flow->vector];
    struct gi_vector_user *user = vectors->user[v->user];
    gi_channel_ends(&user->channel, &v->channel, v->side[GI_DOWN].sent - v->side[GI_DOWN].acked);
    user->least_rtt_us = least_rtt(user->least_rtt_us, v->rtt_us[GI_UP]);
    uint16_t up = v->side[GI_UP].mss_octets, down = v->side[GI_DOWN].mss_octets;
    v->mss_octets = up && down ? (uint16_t)least(up, down) : (uint16_t)most(up, down);
    v->window_octets = flow->half[GI_UP].window_most_octets;
    v->sack = result->sack != 0; // GI_NONE: not known, so as the profile has it
    v->timestamps = result->timestamps != 0;
    v->answered = flow->setup.acked || flow->half[GI_DOWN].data_octets ||
                  (!flow->setup.syns && flow->half[GI_UP].data_octets);
    if (result->rtt_internet_setup > 0) {
        vectors->internet_rtt_us += (uint64_t)result->rtt_internet_setup / 1000;
        vectors->internet_rtts++;
    }
    if (result->rtt_gprs_setup > 0 && result->background == 0) {
        vectors->gprs_setup_us += (uint64_t)result->rtt_gprs_setup / 1000;
        vectors->gprs_setups++;
    }
    if (result->down_lost_gprs > 0)
        user->lost += (uint64_t)result->down_lost_gprs;
    if (result->down_lost_internet > 0)
        vectors->lost_internet += (uint64_t)result->down_lost_internet;
    if (result->down_sent_packets > 0)
        vectors->sent_internet += (uint64_t)result->down_sent_packets;
}
