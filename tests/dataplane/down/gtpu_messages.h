// What the tests of GTP-U's own messages share: a Gn port that hears them, typed, from a GGSN.
#ifndef SLUICE_TESTS_DATAPLANE_DOWN_GTPU_MESSAGES_H
#define SLUICE_TESTS_DATAPLANE_DOWN_GTPU_MESSAGES_H

#include "tests/dataplane/down/thread.h"

#include <string.h>

#include "tests/dataplane/wire/judge.h"

#define GTPU_AT      42 // Ethernet, IPv4, UDP
#define FROM_PORT    0xc123
#define UNKNOWN_TEID 0x00400777u

static inline void add_ggsn(uint32_t id, uint32_t address)
{
    thread_do(&(struct command){.op = COMMAND_ggsn,
                                .ggsn = {.ggsn_id = id,
                                         .address = address_of_ipv4(address),
                                         .has_mac = true,
                                         .mac = {{2, 0, 0, 0, 0, 7}}}});
}

static inline void open_gn(uint32_t error_indications_per_s)
{
    struct dp_config c = thread_config(100, 64);
    c.error_indications_per_s = error_indications_per_s;
    thread_open_config(&c);
    thread_add_ms(0, 500);
    add_ggsn(0, GGSN);
}

static inline const struct stats_port *gn(void)
{
    return &dp_stats(t.worker)->of_port[STATS_GN];
}

// From GGSN, port FROM_PORT.
static inline void put_gtpu(const uint8_t *message, uint32_t n)
{
    struct rte_mbuf *m = thread_gn_frame(0, n - 8, 0);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    thread_put16(b + 34, FROM_PORT);
    memcpy(b + GTPU_AT, message, n);
    thread_send_frame(m);
}

static inline void send_gtpu(const uint8_t *message, uint32_t n)
{
    put_gtpu(message, n);
    thread_poll_to_rest();
    assert_true(dp_balanced(t.worker));
}
#define SEND(...) send_gtpu(TYPED(__VA_ARGS__), sizeof TYPED(__VA_ARGS__))

static const uint8_t unknown[] = {0x30, 0xff, 0, 1, 0x00, 0x40, 0x07, 0x77, 1};

static inline uint32_t take_answers(void)
{
    struct rte_mbuf *m;
    uint32_t n = 0;
    for (; rte_ring_dequeue(t.gn.from_port, (void **)&m) == 0; n++)
        rte_pktmbuf_free(m);
    return n;
}

// So many G-PDUs without a tunnel at this instant; how many were told.
static inline uint32_t told_of(uint32_t n)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < n; i++) {
        put_gtpu(unknown, sizeof unknown);
        if (i % 32 == 31 || i + 1 == n) {
            thread_poll_to_rest();
            told += take_answers();
        }
    }
    assert_true(dp_balanced(t.worker));
    return told;
}

#endif
