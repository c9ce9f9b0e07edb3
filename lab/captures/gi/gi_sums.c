// See gi_sums.h.
#include "lab/captures/gi/gi_sums.h"

#include <assert.h>

#include "dataplane/wire/tcp.h"

#define AHEAD_MOST (1u << 30) // octets: the largest window (RFC 7323)
#define SPREAD     0x9e3779b97f4a7c15ull

static_assert(GI_SUMS_DOUBTED == 1 << 8, "a place for each value of 8 bits");

static bool is_same(const struct gi_end *one, const struct gi_end *other)
{
    return one->port == other->port &&
           memcmp(&one->address, &other->address, sizeof one->address) == 0;
}

static bool is_between(const struct gi_end *from, const struct gi_end *to,
                       const struct gi_packet *packet)
{
    return is_same(from, &packet->from) && is_same(to, &packet->to);
}

static uint64_t number_of(const struct gi_end *end)
{
    uint64_t word[2];
    memcpy(word, &end->address, sizeof word);
    return (word[0] ^ word[1]) + end->port;
}

// The same for both directions. Two flows of one place take it from each other, which the figures
// tell: so it must not be by the hash of flows, whose key is random.
static struct gi_doubted *place_of(struct gi_sums *sums, const struct gi_packet *packet)
{
    uint64_t number = number_of(&packet->from) + number_of(&packet->to);
    return &sums->doubted[number * SPREAD >> 56];
}

void gi_sums_take(struct gi_sums *sums, const struct gi_packet *packet)
{
    struct gi_doubted *one = place_of(sums, packet);
    uint32_t octets =
        packet->data_octets + !!(packet->flags & TCP_SYN) + !!(packet->flags & TCP_FIN);
    sums->any = true;
    if (one->waits && packet->flags & TCP_ACK && is_between(&one->to, &one->from, packet) &&
        packet->acknowledgement - one->end < AHEAD_MOST) {
        sums->acknowledged++;
        one->waits = false;
    }
    bool is_again = one->waits && is_between(&one->from, &one->to, packet);
    if (packet->doubt != GI_COUNT_segments && octets && !is_again) {
        *one = (struct gi_doubted){packet->from, packet->to, packet->sequence + octets, true};
    } else if (packet->doubt == GI_COUNT_segments && is_again &&
               one->end - packet->sequence - 1 < octets) {
        sums->sent_again++;
        one->waits = false;
    }
}
