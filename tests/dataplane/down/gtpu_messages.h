// What the tests of GTP-U's own messages share: a Gn port that hears them, typed, from a GGSN.
#ifndef SLUICE_TESTS_DATAPLANE_DOWN_GTPU_MESSAGES_H
#define SLUICE_TESTS_DATAPLANE_DOWN_GTPU_MESSAGES_H

#include "tests/dataplane/path/path.h"

#include <string.h>

#include "tests/dataplane/wire/judge.h"

#define GTPU_AT      42 // Ethernet, IPv4, UDP
#define FROM_PORT    0xc123
#define UNKNOWN_TEID 0x00400777u

static inline void add_ggsn(uint32_t id, uint32_t address)
{
    struct ip_ends ends = path_ends_gn(0);
    struct command c = {
        .op = COMMAND_ggsn,
        .ggsn = {.ggsn_id = id, .address = address_of_ipv4(address), .has_mac = true}};
    memcpy(c.ggsn.mac.octet, ends.source_mac, 6);
    path_do(&c);
}

static inline void open_gn(uint32_t error_indications_per_s)
{
    struct dp_config c = path_small_config(100, 64);
    c.error_indications_per_s = error_indications_per_s;
    path_open_small_config(&c);
    p.hold_frames = p.hold_events = true;
    path_plain_ms(0, 0, 500);
    add_ggsn(0, GGSN);
}

static inline const struct stats_port *gn(void)
{
    return &dp_stats(p.worker)->of_port[STATS_GN];
}

// From GGSN, port FROM_PORT.
static inline void put_gtpu(const uint8_t *message, uint32_t n)
{
    struct rte_mbuf *m = path_gn_frame(0, n - 8, 0);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    put16(b + 34, FROM_PORT);
    memcpy(b + GTPU_AT, message, n);
    path_put(STATS_GN, m);
}

static inline void send_gtpu(const uint8_t *message, uint32_t n)
{
    put_gtpu(message, n);
    path_poll();
    assert_true(dp_balanced(p.worker));
}
#define SEND(...) send_gtpu(TYPED(__VA_ARGS__), sizeof TYPED(__VA_ARGS__))

static const uint8_t unknown[] = {0x30, 0xff, 0, 1, 0x00, 0x40, 0x07, 0x77, 1};

// So many G-PDUs without a tunnel at this instant; how many were told.
static inline uint32_t told_of(uint32_t n)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < n; i++) {
        put_gtpu(unknown, sizeof unknown);
        if (i % 32 == 31 || i + 1 == n) {
            path_poll();
            told += path_discard(STATS_GN);
        }
    }
    assert_true(dp_balanced(p.worker));
    return told;
}

#endif
