// See bucket_replay.h.
#include "tests/oracle/bucket_replay.h"

#include <stddef.h>

// B* of the clause.
static __int128 level_with(const struct replay_bucket *bucket, uint64_t now_ns, uint32_t octets)
{
    __int128 pdu = (__int128)octets * REPLAY_OCTET;
    __int128 leaked = (__int128)(now_ns - bucket->at_ns) * bucket->rate;
    __int128 level = bucket->level + pdu - leaked;
    return level < pdu ? pdu : level;
}

__int128 replay_level(const struct replay_bucket *bucket, uint64_t now_ns)
{
    return level_with(bucket, now_ns, 0);
}

void replay_set(struct replay_bucket *bucket, uint64_t now_ns, uint64_t rate_bit_per_s,
                uint64_t max_octets)
{
    bucket->level = replay_level(bucket, now_ns);
    bucket->at_ns = now_ns;
    bucket->rate = rate_bit_per_s;
    bucket->octets = max_octets;
}

void replay_ratio(struct replay_bucket *bucket, uint64_t now_ns, uint32_t percent)
{
    bucket->level = (__int128)bucket->octets * percent * REPLAY_OCTET / 100;
    bucket->at_ns = now_ns;
}

bool replay_conforms(const struct replay_bucket *bucket, uint64_t now_ns, uint32_t octets)
{
    if (bucket->rate == 0 || now_ns < bucket->at_ns)
        return false;
    __int128 level = level_with(bucket, now_ns, octets);
    return level <= (__int128)bucket->octets * REPLAY_OCTET ||
           level == (__int128)octets * REPLAY_OCTET;
}

// Twice as far until it conforms, then half of what is between.
uint64_t replay_conforms_at(const struct replay_bucket *bucket, uint64_t now_ns, uint32_t octets)
{
    if (replay_conforms(bucket, now_ns, octets))
        return now_ns;
    uint64_t step_ns = 1;
    while (!replay_conforms(bucket, now_ns + step_ns, octets)) {
        if (step_ns >= REPLAY_NEVER / 4 - now_ns / 2)
            return REPLAY_NEVER;
        step_ns *= 2;
    }
    uint64_t no_ns = now_ns, yes_ns = now_ns + step_ns;
    while (yes_ns - no_ns > 1) {
        uint64_t between_ns = no_ns + (yes_ns - no_ns) / 2;
        if (replay_conforms(bucket, between_ns, octets))
            yes_ns = between_ns;
        else
            no_ns = between_ns;
    }
    return yes_ns;
}

bool replay_send(struct replay_bucket *bucket, uint64_t now_ns, uint32_t octets)
{
    if (!replay_conforms(bucket, now_ns, octets))
        return false;
    bucket->level = level_with(bucket, now_ns, octets);
    bucket->at_ns = now_ns;
    return true;
}

int replay_send_all(struct replay_bucket *const *buckets, int n, uint64_t now_ns, uint32_t octets)
{
    for (int i = 0; i < n; i++)
        if (buckets[i] != NULL && !replay_conforms(buckets[i], now_ns, octets))
            return i;
    for (int i = 0; i < n; i++)
        if (buckets[i] != NULL)
            replay_send(buckets[i], now_ns, octets);
    return -1;
}
