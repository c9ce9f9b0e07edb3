// Three buckets that must agree: one with values of its own, one that lives on its cell's defaults,
// and the replay of TS 48.018 8.2.3.2, which counts in other units and finds times by trying.
#ifndef TESTS_DATAPLANE_SCHED_BUCKET_TRIO_H
#define TESTS_DATAPLANE_SCHED_BUCKET_TRIO_H

#include "dataplane/sched/bucket.h"
#include "tests/dataplane/random.h"
#include "tests/oracle/bucket_replay.h"

#define MS_NS    1000000ULL
#define DAY_NS   (86400 * S_IN_NS)
#define YEAR_NS  (365 * DAY_NS)
#define RATE     80u // 8000 bit/s
#define PDU_MOST 1600

struct trio {
    struct bucket own, on_default;
    struct leak leak;
    struct replay_bucket judge;
    uint64_t now_ns;
};

static inline void trio_set(struct trio *trio, uint32_t rate, uint32_t max_octets)
{
    struct bucket_terms terms = {rate, max_octets};
    bucket_set(&trio->own, terms, trio->now_ns);
    leak_set(&trio->leak, terms, trio->now_ns);
    replay_set(&trio->judge, trio->now_ns, rate * BUCKET_RATE_BIT_PER_S, max_octets);
}

static inline struct trio trio_begin(uint64_t now_ns, uint32_t rate, uint32_t max_octets)
{
    struct trio trio = {.now_ns = now_ns};
    trio_set(&trio, rate, max_octets);
    return trio;
}

static inline uint64_t trio_level(const struct trio *trio)
{
    uint64_t level = bucket_level(&trio->own, trio->now_ns);
    assert_int_equal(level, bucket_default_level(&trio->on_default, &trio->leak, trio->now_ns));
    assert_true(level * (__int128)BUCKET_RATE_BIT_PER_S ==
                replay_level(&trio->judge, trio->now_ns));
    return level;
}

static inline void trio_ratio(struct trio *trio, uint32_t percent)
{
    uint64_t level = bucket_level_of_ratio(trio->own.max_octets, percent);
    trio->own.level = level;
    trio->own.at_ns = trio->now_ns;
    bucket_default_set(&trio->on_default, &trio->leak, level, trio->now_ns);
    replay_ratio(&trio->judge, trio->now_ns, percent);
}

// When it will conform, by all three.
static inline uint64_t trio_conforms_at(const struct trio *trio, uint32_t octets)
{
    uint64_t level = trio_level(trio);
    struct bucket_terms terms = bucket_terms(&trio->own);
    uint64_t at_ns = bucket_conforms_at(level, terms, octets, trio->now_ns);
    assert_int_equal(at_ns, replay_conforms_at(&trio->judge, trio->now_ns, octets));
    assert_int_equal(bucket_conforms(level, terms, octets), at_ns == trio->now_ns);
    return at_ns;
}

// Sends it if it conforms.
static inline bool trio_send(struct trio *trio, uint32_t octets)
{
    if (trio_conforms_at(trio, octets) != trio->now_ns)
        return false;
    uint64_t level = trio_level(trio);
    bucket_charge(&trio->own, level, octets, trio->now_ns);
    bucket_default_set(&trio->on_default, &trio->leak, level + octets * BUCKET_UNITS_AN_OCTET,
                       trio->now_ns);
    assert_true(replay_send(&trio->judge, trio->now_ns, octets));
    return true;
}

static inline void expect_octets(const struct trio *trio, uint64_t octets)
{
    assert_int_equal(trio_level(trio), octets * BUCKET_UNITS_AN_OCTET);
}

// least .. most, each order of magnitude as likely as another.
static inline uint64_t random_log(uint64_t least, uint64_t most)
{
    uint64_t value = random_next();
    value >>= random_next() % 64;
    return value < least || value > most ? random_in(least, most) : value;
}

#endif
