// What is answered and what is not, of frames to the host that the port of port_fixture.h is.
#ifndef TESTS_DATAPLANE_PORT_HOST_JUDGE_H
#define TESTS_DATAPLANE_PORT_HOST_JUDGE_H

#include "tests/dataplane/port/port_fixture.h"

#include "dataplane/wire/icmpv6.h"

// That a frame is for the host, and answered by exactly this one.
static inline void is_answered(const void *frame, uint32_t octets, const void *answer, uint32_t n)
{
    uint64_t before = fx.stats.host_packets;
    assert_false(fixture_receive_octets(frame, octets, 0));
    assert_int_equal(fx.stats.host_packets, before + 1);
    fixture_assert_sent(answer, n);
    fixture_assert_nothing_sent();
}

static inline void is_dropped(const void *frame, uint32_t octets, enum drop_reason reason)
{
    uint64_t before = fx.stats.drop[reason].packets;
    assert_false(fixture_receive_octets(frame, octets, 0));
    if (fx.stats.drop[reason].packets != before + 1)
        fail_msg("not %s", stats_drop_names[reason]);
    fixture_assert_nothing_sent();
}

struct change {
    uint32_t at;
    uint8_t value;
};

static inline void each_is_dropped(const uint8_t *good, uint32_t octets,
                                   const struct change *change, uint32_t n, enum drop_reason reason)
{
    uint8_t b[FRAME_OCTETS_MAX];
    for (uint32_t i = 0; i < n; i++) {
        memcpy(b, good, octets);
        b[change[i].at] = change[i].value;
        is_dropped(b, octets, reason);
    }
}

// Writes the message's checksum, as far as the family has one over it.
static inline void new_checksum(uint8_t *b, uint32_t octets)
{
    struct ipv6_address source, destination;
    if (b[12] == 8) {
        frame_ipv4_checksum(b);
        put_be16(b + 36, 0);
        put_be16(b + 36, ipv4_fold(ipv4_sum(0, b + 34, octets - 34)));
        return;
    }
    memcpy(&source, b + 22, 16);
    memcpy(&destination, b + 38, 16);
    icmpv6_put_checksum(b + 54, octets - 54, &source, &destination);
}

// As each_is_dropped, with a checksum that is good.
static inline void each_is_dropped_though_sound(const uint8_t *good, uint32_t octets,
                                                const struct change *change, uint32_t n)
{
    uint8_t b[FRAME_OCTETS_MAX];
    for (uint32_t i = 0; i < n; i++) {
        memcpy(b, good, octets);
        b[change[i].at] = change[i].value;
        new_checksum(b, octets);
        is_dropped(b, octets, DROP_icmp);
    }
}

// That without a buffer for it an answer is counted as unsent; two frames, which have the host's.
static inline void both_go_unanswered(const void *one, uint32_t octets, const void *other,
                                      uint32_t n)
{
    struct rte_mbuf *all[1024];
    uint32_t held = 0;
    while (held < 1024 && (all[held] = rte_pktmbuf_alloc(fx.port.answer_pool)))
        held++;
    assert_in_range(held, 1, 1023);
    assert_false(fixture_receive_octets(one, octets, 0));
    assert_false(fixture_receive_octets(other, n, 0));
    fixture_assert_nothing_sent();
    assert_int_equal(fx.stats.host_packets, 2);
    assert_int_equal(fx.stats.answers, 2);
    assert_int_equal(fx.stats.answers_unsent, 2);
    rte_pktmbuf_free_bulk(all, held);
}

#endif
