// MSs of NSE 0 that are heard in its cells, and what the worker tells of it.
#ifndef SLUICE_TESTS_REGISTRY_HEARD_H
#define SLUICE_TESTS_REGISTRY_HEARD_H

#include <string.h>

#include "tests/dataplane/down/thread.h"
#include "tests/oracle/ul_sender.h"

static struct ul_ms ul[4];
static uint32_t fcs_fault;

// NSE 0 with cells 0 and 1, MS 0 in cell 0.
static inline void open_cells(void)
{
    thread_open(100, 64);
    thread_add_cell(1, 0);
    thread_add_ms(0, 500);
    memset(ul, 0, sizeof ul);
}

// The MS sends an N-PDU from a cell of NSE 0.
static inline void hear_as(uint32_t ms, uint32_t tlli, uint16_t bvci)
{
    static struct ip_frame frame;
    static const uint8_t npdu[20] = {0x45};
    struct ul_cell cell = {.ends = {.source_mac = {2, 0, 0, 0, 0, 0x10},
                                    .destination_mac = {2, 0, 0, 0, 0, 2},
                                    .source = {[10] = 0xff, 0xff, 198, 51, 100, 2},
                                    .destination = {[10] = 0xff, 0xff, 198, 51, 100, 1},
                                    .source_port = BSS_PORT,
                                    .destination_port = 23000},
                           .bvci = bvci,
                           .fcs_fault = fcs_fault};
    ul[ms].tlli = tlli;
    ul[ms].n201_u = 500;
    assert_int_equal(ul_send(&ul[ms], &cell, 3, 5, npdu, sizeof npdu, &frame), 1);
    struct rte_mbuf *m = rte_pktmbuf_alloc(t.gb.pool);
    assert_non_null(m);
    memcpy(rte_pktmbuf_append(m, (uint16_t)frame.n), frame.octets, frame.n);
    assert_int_equal(rte_ring_enqueue(t.gb.to_port, m), 0);
    thread_poll_to_rest();
}

static inline void hear(uint32_t ms, uint16_t bvci)
{
    hear_as(ms, TLLI_FIRST + ms, bvci);
}

static inline void expect_event_of(enum event_kind kind, uint32_t bvc, uint32_t ms)
{
    struct event event;
    assert_true(dp_event(t.dp, &event));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.worker, 0);
    assert_int_equal(event.bvc_id, bvc);
    if (kind == EVENT_moved)
        assert_int_equal(event.ms_id, ms);
    dp_event_done(t.dp, &event);
}

static inline void expect_event(enum event_kind kind, uint32_t bvc)
{
    expect_event_of(kind, bvc, 0);
}

static inline void expect_no_event(void)
{
    struct event event;
    assert_false(dp_event(t.dp, &event));
}

// The receiver checks the BVCI.
static inline void expect_downlink_in(uint32_t bvc)
{
    uint32_t received = t.received;
    t.bvc_of[0] = bvc;
    thread_send(0, 100);
    thread_poll_and_take_all();
    assert_int_equal(t.received, received + 1);
}

#endif
