// See gi_scenario_figures.h.
#include "control/captures/gi_scenario_figures.h"

#include <stdlib.h>

#define RADIO_RTT_US     60000 // of the scenario's radio, without a queue: two periods and two blocks
#define RATE_USUAL       40000 // bit/s
#define RATE_LEAST       1000
#define RATE_MOST        1000000000
#define QUEUE_LEAST      16000 // octets
#define QUEUE_MOST       20000000
#define WAY_LEAST_US     1000
#define WAY_MOST_US      400000 // the BSS does not come up over a longer line
#define LOST_MOST_PPM    100000
#define INTERNET_MOST_US 10000000
#define SETUP_MOST_US    10000000
#define BEGIN_S          5 // and a second more for each BEGIN_USERS, of which each has a cell
#define BEGIN_USERS      10
#define BEGIN_WAYS       20    // and so many ways between SGSN and BSS
#define RUN_MOST_S       86400 // of run.duration
#define PPM              1000000
// Losses that say whether octets or time limit the queue; so much more alike are those of a time.
#define LOSSES_LEAST 3
#define ALIKE_PARTS  2
#define ALIKE_PPM    100000 // octets that are the queue's

static uint64_t within(uint64_t number, uint64_t least, uint64_t most)
{
    return number < least ? least : number > most ? most : number;
}

static uint64_t mean(uint64_t sum, uint64_t n)
{
    return n ? sum / n : 0;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

// 0: there are none.
static uint64_t median(uint64_t *numbers, uint32_t n)
{
    if (n == 0)
        return 0;
    qsort(numbers, n, sizeof *numbers, by_number);
    return numbers[n / 2];
}

// One of the least, but not what a single user has alone.
static uint64_t tenth(uint64_t *numbers, uint32_t n)
{
    if (n == 0)
        return 0;
    qsort(numbers, n, sizeof *numbers, by_number);
    return numbers[n / 10];
}

uint64_t gi_scenario_rate_of(uint64_t octets, uint64_t us)
{
    return within(octets * 8 * 1000000 / us, RATE_LEAST, RATE_MOST);
}

uint64_t gi_scenario_rate(const struct gi_vector_user *user)
{
    uint64_t rate = gi_channel_rate(&user->channel);
    return rate ? within(rate, RATE_LEAST, RATE_MOST) : 0;
}

// Of what is under way, what is in the queue, in IP octets.
static uint64_t without_way(const struct gi_vector_user *user, uint64_t octets)
{
    uint64_t way = gi_scenario_rate(user) * user->least_rtt_us / 8 / 1000000;
    octets += octets / 30; // with headers
    return octets > way ? octets - way : 0;
}

static uint64_t queue_of(const struct gi_vector_user *user)
{
    return without_way(user, user->channel.held_most);
}

// Of what a user lost, the part that a full queue does not explain.
static uint64_t lost_by_chance(const struct gi_vector_user *user)
{
    uint64_t low = user->channel.again_low, all = low + user->channel.again_high;
    return all ? user->lost * low / all : 0;
}

// The mean of how far they are from there: a median would be 0 for octets, which are whole
// segments.
static uint64_t spread(const uint64_t *numbers, uint32_t n, uint64_t middle)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += numbers[i] > middle ? numbers[i] - middle : middle - numbers[i];
    return mean(sum, n);
}

// Of the last segment before a loss: how long it waited in the queue. What was lost behind it would
// have waited for half of a segment's time more.
static uint64_t wait_of(const struct gi_vector_user *user, uint64_t us)
{
    const struct gi_channel *channel = &user->channel;
    uint64_t rate = gi_scenario_rate(user);
    uint64_t segment_us = rate ? channel->sent / channel->packets * 8 * 1000000 / rate : 0;
    uint64_t other_us = user->least_rtt_us + segment_us / 2;
    return us > other_us ? us - other_us : 0;
}

// A full queue, as the last segments before losses tell: 0 where they do not.
struct full_queue {
    uint64_t octets; // it holds
    uint64_t us;     // a packet may wait in it
};

// If it is the time that a packet may wait, the waits before losses are alike, and the octets under
// way are not, for the rate changes. By chance something is lost with any number under way.
static struct full_queue full_queue_of(const struct gi_vectors *vectors)
{
    uint32_t n = 0;
    uint64_t *octets = calloc(2 * GI_CHANNEL_LOSSES * (vectors->users + 1), sizeof *octets);
    if (!octets)
        abort();
    uint64_t *us = octets + GI_CHANNEL_LOSSES * vectors->users;
    for (uint32_t i = 0; i < vectors->users; i++) {
        const struct gi_vector_user *user = vectors->user[i];
        if (2 * lost_by_chance(user) >= user->lost)
            continue;
        for (uint32_t k = 0; k < within(user->channel.losses, 0, GI_CHANNEL_LOSSES); k++) {
            octets[n] = without_way(user, user->channel.before_loss[k].octets);
            us[n++] = wait_of(user, user->channel.before_loss[k].us);
        }
    }
    uint64_t middle = median(octets, n), middle_us = median(us, n);
    uint64_t apart = middle ? spread(octets, n, middle) * PPM / middle : 0;
    uint64_t apart_us = middle_us ? spread(us, n, middle_us) * PPM / middle_us : 0;
    free(octets);
    if (n < LOSSES_LEAST || middle == 0 || middle_us == 0)
        return (struct full_queue){0};
    if (ALIKE_PARTS * apart_us < apart)
        return (struct full_queue){0, within(middle_us, 0, GI_SCENARIO_WAIT_MOST_US)};
    return (struct full_queue){apart < ALIKE_PPM ? middle : 0, 0};
}

// rtt_us: from the SGSN to the user and back, with a TBF.
static void take_users(struct gi_scenario_figures *f, const struct gi_vectors *vectors,
                       uint64_t *rtt_us)
{
    uint64_t *number = calloc(3 * (vectors->users + 1), sizeof *number);
    uint32_t n[3] = {0};
    uint64_t lost = 0, packets = 0, most = 0;
    if (!number)
        abort();
    uint64_t *rate = number, *rtt = rate + vectors->users, *full = rtt + vectors->users;
    for (uint32_t i = 0; i < vectors->users; i++) {
        const struct gi_vector_user *user = vectors->user[i];
        f->users += user->place > 0;
        if (gi_scenario_rate(user))
            rate[n[0]++] = gi_scenario_rate(user);
        if (user->least_rtt_us)
            rtt[n[1]++] = user->least_rtt_us;
        if (2 * lost_by_chance(user) < user->lost)
            full[n[2]++] = queue_of(user);
        most = queue_of(user) > most ? queue_of(user) : most;
        lost += lost_by_chance(user);
        packets += user->channel.packets;
    }
    f->rate_is_known = n[0] > 0;
    f->rate_bit_per_s = n[0] ? median(rate, n[0]) : RATE_USUAL;
    *rtt_us = tenth(rtt, n[1]);
    struct full_queue q = full_queue_of(vectors);
    f->longest_wait_us = q.us;
    f->queue_full = n[2] > 0 && !f->longest_wait_us;
    f->queue_by_losses = f->queue_full && q.octets;
    f->queue_octets = f->queue_by_losses ? q.octets : f->queue_full ? median(full, n[2]) : 2 * most;
    f->queue_octets = within(f->queue_octets, QUEUE_LEAST, QUEUE_MOST);
    if (packets)
        f->lost_ppm = lost * PPM / packets;
    free(number);
}

struct gi_scenario_figures gi_scenario_figures_of(const struct gi_vectors *vectors)
{
    struct gi_scenario_figures f = {0};
    uint64_t rtt_us = 0, setup_us = mean(vectors->gprs_setup_us, vectors->gprs_setups);
    take_users(&f, vectors, &rtt_us);
    f.up_is_known = vectors->up_ns_an_octet > 0;
    f.up_rate_bit_per_s = f.up_is_known ? 8000000000 / vectors->up_ns_an_octet : f.rate_bit_per_s;
    f.up_rate_bit_per_s = within(f.up_rate_bit_per_s, RATE_LEAST, RATE_MOST);
    f.way_us = rtt_us > RADIO_RTT_US ? (rtt_us - RADIO_RTT_US) / 2 : 0;
    uint64_t beyond_us = f.way_us > WAY_MOST_US ? f.way_us - WAY_MOST_US : 0;
    f.way_us = within(f.way_us, WAY_LEAST_US, WAY_MOST_US);
    f.begin_s = BEGIN_S + f.users / BEGIN_USERS + BEGIN_WAYS * f.way_us / 1000000;
    f.seconds =
        within((vectors->last_us - vectors->first_us) / 1000000 + 1, 1, RUN_MOST_S - f.begin_s);
    f.setup_us = setup_us > rtt_us ? within((setup_us - rtt_us) / 2, 0, SETUP_MOST_US) : 0;
    // What is too long for the line is in front of the queue: the round trip stays.
    f.internet_us = mean(vectors->internet_rtt_us, vectors->internet_rtts) / 2 + beyond_us;
    f.internet_us = within(f.internet_us, 0, INTERNET_MOST_US);
    f.internet_lost_ppm =
        within(mean(vectors->lost_internet * PPM, vectors->sent_internet), 0, LOST_MOST_PPM);
    f.lost_ppm = within(f.lost_ppm, 0, LOST_MOST_PPM);
    return f;
}
