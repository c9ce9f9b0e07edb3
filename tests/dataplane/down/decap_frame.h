// What the tests of decap share: a typed frame that passes, changes to it, and what to expect of
// it. A frame goes through the port first, which drops it for its own reasons.
#ifndef TESTS_DATAPLANE_DOWN_DECAP_FRAME_H
#define TESTS_DATAPLANE_DOWN_DECAP_FRAME_H

#include "dataplane/down/down.h"
#include "tests/dataplane/wire/judge.h"

enum { IP = 14, UDP = 34, GTPU = 42, TPDU = 50, GOOD_OCTETS = 56 };

struct frame {
    uint8_t at[1600];
    uint32_t n;
};

extern struct rte_mempool *decap_pool;
extern struct down decap_down; // with Gn, to which good frames go
extern struct stats_port *const decap_stats;

// From 192.0.2.2 to 192.0.2.1, TEID 0x00400005, T-PDU "packet": GOOD_OCTETS.
struct frame frame_good(void);

// The good frame with one octet changed; the IPv4 checksum fits again unless it was that octet.
struct frame frame_changed(uint32_t at, uint8_t value);
void frame_insert(struct frame *f, uint32_t at, const uint8_t *octets, uint32_t n);
void frame_repair_checksum(struct frame *f);

// Makes the lengths of the layers up to `top` fit f->n; those above keep what they said.
enum layer { LAYER_IP, LAYER_UDP, LAYER_GTPU };
void frame_repair_lengths(struct frame *f, enum layer top);

struct rte_mbuf *frame_mbuf(const uint8_t *octets, uint32_t n);

// Through the port and decap; DECAP_TAKEN if either kept it. If there is a drop reason of decap's,
// or none, the mbuf is still the caller's, and *m.
uint32_t decap_frame(struct rte_mbuf **m, struct gpdu *gpdu);

// These free the mbuf.
void expect_mbuf_dropped(struct rte_mbuf *m, enum drop_reason expected);
void expect_mbuf_passed(struct rte_mbuf *m, const void *payload, uint32_t n);
void expect_drop(const struct frame *f, enum drop_reason expected);
void expect_pass(const struct frame *f, const void *payload, uint32_t n);

// CMocka's fixtures: for the group, and for a test, which gives back every buffer that it took.
int decap_start(void **state);
int decap_stop(void **state);
int decap_count_buffers(void **state);
int decap_expect_as_many_buffers(void **state);
#define DECAP_TEST(name) \
    cmocka_unit_test_setup_teardown(name, decap_count_buffers, decap_expect_as_many_buffers)

#endif
