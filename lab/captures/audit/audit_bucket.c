// See audit_bucket.h. The reported means are in double: nothing is judged by them.
#include "lab/captures/audit/audit_bucket.h"

#include "dataplane/base/units.h"

static audit_level octets_of(uint64_t octets)
{
    return (audit_level)octets * AUDIT_BUCKET_OCTET;
}

static audit_level leaked(uint64_t r_bit_per_s, uint64_t ns)
{
    return (audit_level)r_bit_per_s * (audit_level)ns;
}

// The integrals of the estimated queue and of the unused room, and the time in which R counts.
static void add_up(struct audit_bucket *bucket, double ns)
{
    double r = (double)bucket->r_bit_per_s / (double)OCTETS_IN_BITS / (double)S_IN_NS;
    double until_empty = r > 0 ? bucket->held / r : ns;
    double busy = until_empty < ns ? until_empty : ns;
    double area = busy * (bucket->held - r * busy / 2);
    bucket->held_ns += area;
    bucket->room_ns += ns * (double)bucket->bmax_octets - area;
    bucket->offered_octets += r * ns;
    bucket->covered_ns += ns;
    bucket->busy_ns += bucket->held > 0 ? busy : 0;
    bucket->held = until_empty < ns || bucket->held < r * ns ? 0 : bucket->held - r * ns;
}

static void take_off(audit_level *level, audit_level less)
{
    *level = *level > less ? *level - less : 0;
}

// As much as there is to take it off; the rest may be of PDUs that are still to come, as long as
// the tolerance lasts.
static void take_given_back(struct audit_bucket *bucket)
{
    audit_level given = octets_of(bucket->given_back);
    audit_level used = given < bucket->level ? given : bucket->level;
    double octets = (double)used / (double)AUDIT_BUCKET_OCTET;
    bucket->level -= used;
    bucket->held = bucket->held > octets ? bucket->held - octets : 0;
    bucket->given_back -= (uint64_t)((used + AUDIT_BUCKET_OCTET - 1) / AUDIT_BUCKET_OCTET);
}

void audit_bucket_settle(struct audit_bucket *bucket, uint64_t now_ns, uint64_t tolerance_ns)
{
    if (!bucket->set)
        return;
    uint64_t ns = now_ns > bucket->time_ns ? now_ns - bucket->time_ns : 0;
    take_off(&bucket->level, leaked(bucket->r_bit_per_s, ns));
    if (ns)
        add_up(bucket, (double)ns);
    bucket->time_ns += ns;
    bucket->empty_ns = bucket->level ? bucket->empty_ns : bucket->time_ns;
    if (bucket->given_back && now_ns > bucket->given_back_ns + tolerance_ns) {
        take_given_back(bucket);
        bucket->given_back = 0;
    }
}

void audit_bucket_change(struct audit_bucket *bucket, uint64_t now_ns, uint64_t bmax_octets,
                         uint64_t r_bit_per_s)
{
    audit_bucket_settle(bucket, now_ns, AUDIT_BUCKET_WAITS);
    if (!bucket->set)
        audit_bucket_restart(bucket, now_ns);
    bucket->set = true;
    bucket->bmax_octets = bmax_octets;
    bucket->r_bit_per_s = r_bit_per_s;
    struct audit_beyond *beyond = &bucket->beyond;
    beyond->r_most = r_bit_per_s > beyond->r_most ? r_bit_per_s : beyond->r_most;
    beyond->bmax_most = bmax_octets > beyond->bmax_most ? bmax_octets : beyond->bmax_most;
}

static void begin_beyond(struct audit_beyond *beyond)
{
    *beyond = (struct audit_beyond){.r_most = beyond->r_most, .bmax_most = beyond->bmax_most};
}

void audit_bucket_forget(struct audit_bucket *bucket, uint64_t now_ns)
{
    audit_bucket_settle(bucket, now_ns, 0);
    begin_beyond(&bucket->beyond);
    bucket->set = false;
}

void audit_bucket_full(struct audit_bucket *bucket, uint64_t now_ns, uint32_t percent,
                       uint64_t given_before)
{
    audit_bucket_settle(bucket, now_ns, 0);
    bucket->level = octets_of(bucket->bmax_octets) * percent / 100;
    bucket->held = (double)bucket->bmax_octets * percent / 100;
    bucket->given_back = bucket->given_total - given_before;
    bucket->given_back_ns = now_ns;
}

bool audit_bucket_is_above(const struct audit_bucket *bucket, uint32_t percent)
{
    return bucket->level > octets_of(bucket->bmax_octets) * percent / 100;
}

void audit_bucket_leak(struct audit_bucket *bucket, uint64_t r_bit_per_s, uint64_t ns)
{
    take_off(&bucket->level, leaked(r_bit_per_s, ns));
}

void audit_bucket_give_back(struct audit_bucket *bucket, uint64_t now_ns, uint64_t octets)
{
    bucket->given_back += octets;
    bucket->given_total += octets;
    bucket->given_back_ns = now_ns;
}

void audit_bucket_restart(struct audit_bucket *bucket, uint64_t now_ns)
{
    bucket->time_ns = bucket->empty_ns = now_ns;
    bucket->level = 0;
    bucket->held = 0;
    bucket->given_back = 0;
}

// B* <= Bmax, or B* = L: an empty bucket passes any PDU.
static audit_level over(const struct audit_bucket *bucket, uint32_t octets, uint64_t tolerance_ns)
{
    audit_level level = bucket->level, less = leaked(bucket->r_bit_per_s, tolerance_ns);
    level = level > less ? level - less : 0;
    audit_level after = level + octets_of(octets) - octets_of(bucket->bmax_octets);
    return level == 0 || after < 0 ? 0 : after;
}

struct audit_verdict audit_bucket_judge(struct audit_bucket *bucket, uint64_t now_ns,
                                        uint32_t octets, uint64_t tolerance_ns)
{
    struct audit_verdict verdict = {0};
    audit_bucket_settle(bucket, now_ns, tolerance_ns);
    if (!bucket->set)
        return verdict;
    if (bucket->given_back && over(bucket, octets, tolerance_ns) > 0)
        take_given_back(bucket);
    audit_level excess = over(bucket, octets, 0);
    verdict.refused = over(bucket, octets, tolerance_ns) > 0;
    if (!verdict.refused)
        return verdict;
    // Beyond Bmax it conforms once the bucket is empty.
    audit_level wait = bucket->level < excess ? bucket->level : excess;
    verdict.over_octets = (double)excess / (double)AUDIT_BUCKET_OCTET;
    verdict.early_ns = bucket->r_bit_per_s ? (uint64_t)(wait / bucket->r_bit_per_s) : UINT64_MAX;
    return verdict;
}

void audit_bucket_charge(struct audit_bucket *bucket, uint32_t octets, bool refused)
{
    if (!bucket->set)
        return;
    bucket->pdus++;
    bucket->octets += octets;
    bucket->beyond.sent_octets += octets;
    if (!refused)
        bucket->level += octets_of(octets);
    bucket->held += octets;
    if (bucket->held > bucket->held_most)
        bucket->held_most = bucket->held;
    double delay_s =
        bucket->r_bit_per_s ? bucket->held * OCTETS_IN_BITS / (double)bucket->r_bit_per_s : 0;
    if (delay_s > bucket->delay_most_s)
        bucket->delay_most_s = delay_s;
}

// ---- Beyond what packets that are missing explain ----

#define BEYOND_BMAXS 4u // so many intervals in which packets are missing explain that

void audit_bucket_confirm(struct audit_bucket *bucket, uint64_t now_ns)
{
    struct audit_beyond *beyond = &bucket->beyond;
    uint64_t given = bucket->given_total - beyond->given_before;
    // As many octets again may be in LLC-DISCARDEDs that are missing.
    audit_level more = octets_of(beyond->sent_octets) - octets_of(2 * given) -
                       leaked(beyond->r_most, now_ns - beyond->since_ns);
    audit_level most = octets_of(beyond->bmax_most);
    if (beyond->begun)
        beyond->level += more < most ? more : most;
    if (beyond->level < 0)
        beyond->level = 0;
    beyond->begun = true;
    beyond->since_ns = now_ns;
    beyond->sent_octets = 0;
    beyond->given_before = bucket->given_total;
}

bool audit_bucket_is_sure(const struct audit_bucket *bucket)
{
    const struct audit_beyond *beyond = &bucket->beyond;
    return beyond->level > octets_of(BEYOND_BMAXS * beyond->bmax_most);
}
