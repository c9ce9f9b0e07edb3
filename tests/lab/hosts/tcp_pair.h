// Two ends of a connection and the way between them, for tests: each direction has a rate, a delay,
// a buffer, and a hook that may lose, delay, double or mark a segment. Every segment is accounted
// for.
#ifndef TESTS_LAB_HOSTS_TCP_PAIR_H
#define TESTS_LAB_HOSTS_TCP_PAIR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/hosts/tcp.h"

struct pair;

// What becomes of a segment: lost, or later by a time, or twice, or marked.
struct pair_fate {
    bool lose, twice, mark;
    uint64_t later_ns;
};

struct pair_packet {
    uint64_t at_ns, order;
    struct tcp segment;
    bool ce;
};

struct pair_way {
    uint64_t rate_bit_per_s, delay_ns, buffer_octets; // 0: unlimited
    void (*fate)(struct pair *pair, int from, const struct tcp *segment, bool ect,
                 struct pair_fate *fate);
    uint64_t free_ns;                                 // the line is busy until then
    uint64_t octets_most;                             // the fullest that the buffer was
    uint64_t sent, lost, doubled, arrived, sent_data; // segments
};

struct pair_side {
    struct pair *pair;
    int from;
    uint32_t events[TCP_EVENTS];
    uint64_t event_ns[TCP_EVENTS]; // the latest
};

struct pair {
    struct tcp_end end[2];
    struct pair_side side[2];
    struct pair_way way[2]; // [0]: from end 0 to end 1
    struct pair_packet *packet;
    uint32_t packets, room;
    uint64_t now_ns, orders, turns;
    void *more; // of the test
};

static inline uint32_t pair_ip_octets(const struct tcp *segment)
{
    return 20 + tcp_header_octets(segment) + segment->payload.n;
}

static inline void pair_put(struct pair *pair, uint64_t at_ns, const struct tcp *segment, int from,
                            bool ce)
{
    if (pair->packets == pair->room) {
        pair->room = pair->room ? 2 * pair->room : 64;
        pair->packet = realloc(pair->packet, pair->room * sizeof *pair->packet);
        assert_non_null(pair->packet);
    }
    uint32_t i = pair->packets++;
    for (; i > 0 && pair->packet[i - 1].at_ns <= at_ns; i--)
        pair->packet[i] = pair->packet[i - 1];
    pair->packet[i] = (struct pair_packet){at_ns, pair->orders++, *segment, ce};
    pair->packet[i].segment.source_port = (uint16_t)from;
}

static inline int pair_later(const void *a, const void *b)
{
    const struct pair_packet *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? 1 : -1;
    return x->order < y->order ? 1 : -1;
}

// After a test has moved packets.
static inline void pair_sort(struct pair *pair)
{
    if (pair->packets)
        qsort(pair->packet, pair->packets, sizeof *pair->packet, pair_later);
}

static inline uint64_t pair_waiting_octets(const struct pair *pair, const struct pair_way *way)
{
    uint64_t wait_ns = way->free_ns > pair->now_ns ? way->free_ns - pair->now_ns : 0;
    return (uint64_t)((unsigned __int128)wait_ns * way->rate_bit_per_s / 8 / S_IN_NS);
}

static inline void pair_send(void *self, const struct tcp *segment, bool ect, uint64_t now_ns)
{
    struct pair_side *side = self;
    struct pair *pair = side->pair;
    struct pair_way *way = &pair->way[side->from];
    struct pair_fate fate = {0};
    uint32_t octets = pair_ip_octets(segment);
    assert_true(now_ns == pair->now_ns);
    assert_true(tcp_header_octets(segment) <= TCP_OCTETS + TCP_OPTIONS_OCTETS);
    way->sent++;
    way->sent_data += segment->payload.n > 0;
    if (way->fate)
        way->fate(pair, side->from, segment, ect, &fate);
    uint64_t waiting = pair_waiting_octets(pair, way);
    if (fate.lose || (way->buffer_octets && waiting + octets > way->buffer_octets)) {
        way->lost++;
        return;
    }
    if (way->free_ns < now_ns)
        way->free_ns = now_ns;
    if (way->rate_bit_per_s)
        way->free_ns += units_line_time_ns(octets, way->rate_bit_per_s);
    if (waiting + octets > way->octets_most)
        way->octets_most = waiting + octets;
    uint64_t at_ns = way->free_ns + way->delay_ns + fate.later_ns;
    pair_put(pair, at_ns, segment, side->from, fate.mark && ect);
    if (fate.twice) {
        way->doubled++;
        pair_put(pair, at_ns, segment, side->from, fate.mark && ect);
    }
}

static inline void pair_event(void *self, enum tcp_event event, uint64_t now_ns)
{
    struct pair_side *side = self;
    side->events[event]++;
    side->event_ns[event] = now_ns;
}

// The ends, not yet connected; ISNs near the wrap.
static inline void pair_setup(struct pair *pair, const struct tcp_profile *left,
                              const struct tcp_profile *right)
{
    const struct tcp_profile *profile[2] = {left, right};
    memset(pair, 0, sizeof *pair);
    for (int i = 0; i < 2; i++) {
        pair->side[i] = (struct pair_side){.pair = pair, .from = i};
        struct tcp_owner owner = {&pair->side[i], pair_send, pair_event};
        tcp_setup(&pair->end[i], profile[i], &owner, UINT32_MAX - 20000 * (uint32_t)i - 9000);
        pair->way[i].delay_ns = 50 * MS_IN_NS;
    }
}

static inline void pair_release(struct pair *pair)
{
    tcp_release(&pair->end[0]);
    tcp_release(&pair->end[1]);
    free(pair->packet);
    pair->packet = NULL;
}

static inline void pair_connect(struct pair *pair)
{
    tcp_listen(&pair->end[1]);
    tcp_connect(&pair->end[0], pair->now_ns);
}

// What must be true at any instant.
static inline void pair_check(const struct pair *pair)
{
    uint64_t flying[2] = {0, 0};
    for (uint32_t i = 0; i < pair->packets; i++)
        flying[pair->packet[i].segment.source_port]++;
    for (int i = 0; i < 2; i++) {
        const struct pair_way *way = &pair->way[i];
        const struct tcp_figures *mine = &pair->end[i].figures, *peer = &pair->end[1 - i].figures;
        assert_int_equal(way->sent + way->doubled, way->lost + way->arrived + flying[i]);
        assert_int_equal(mine->sent_segments, way->sent);
        assert_int_equal(peer->received_segments, way->arrived);
        assert_true(mine->acked_octets <= peer->received_octets);
        assert_true(peer->received_octets <= mine->sent_octets - mine->retransmitted_octets);
    }
}

static inline uint64_t pair_next_ns(const struct pair *pair)
{
    uint64_t next_ns = pair->packets ? pair->packet[pair->packets - 1].at_ns : TIME_NEVER;
    for (int i = 0; i < 2; i++)
        if (pair->end[i].wake_ns < next_ns)
            next_ns = pair->end[i].wake_ns;
    return next_ns;
}

// One event; false: nothing will ever happen again, or not until then.
static inline bool pair_step(struct pair *pair, uint64_t until_ns)
{
    uint64_t next_ns = pair_next_ns(pair);
    if (next_ns == TIME_NEVER || next_ns > until_ns)
        return false;
    assert_true(next_ns >= pair->now_ns);
    if (next_ns == pair->now_ns) {
        if (++pair->turns > 100000)
            fail_msg("the world stands still at %llu ns", (unsigned long long)next_ns);
    } else {
        pair->turns = 0;
    }
    pair->now_ns = next_ns;
    if (pair->packets && pair->packet[pair->packets - 1].at_ns == next_ns) {
        struct pair_packet packet = pair->packet[--pair->packets];
        int to = 1 - packet.segment.source_port;
        pair->way[1 - to].arrived++;
        tcp_input(&pair->end[to], &packet.segment, packet.ce, next_ns);
    } else {
        tcp_wake(&pair->end[pair->end[1].wake_ns == next_ns], next_ns);
    }
    return true;
}

static inline void pair_run(struct pair *pair, uint64_t until_ns)
{
    while (pair_step(pair, until_ns))
        pair_check(pair);
    if (until_ns != TIME_NEVER && until_ns > pair->now_ns)
        pair->now_ns = until_ns;
}

#endif
