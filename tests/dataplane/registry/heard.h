// MSs of NSE 0 that are heard in its cells, and what the worker tells of it.
#ifndef SLUICE_TESTS_REGISTRY_HEARD_H
#define SLUICE_TESTS_REGISTRY_HEARD_H

#include <string.h>

#include "tests/dataplane/path/path.h"
#include "tests/oracle/ul_sender.h"

static struct ul_ms ul[4];
static uint32_t fcs_fault;

// NSE 0 with so many cells, MS 0 in cell 0.
static inline void open_cells(uint32_t cells)
{
    struct dp_config c = path_small_config(100, 64);
    c.bvcs = cells;
    path_open_small_config(&c);
    p.hold_events = true;
    for (uint32_t bvc = 1; bvc < cells; bvc++)
        path_bvc(bvc, 0, (uint16_t)(2 + bvc));
    path_plain_ms(0, 0, 500);
    memset(ul, 0, sizeof ul);
}

// The MS sends an N-PDU from a cell of NSE 0.
static inline void hear_as(uint32_t ms, uint32_t tlli, uint16_t bvci)
{
    static struct ip_frame frame;
    static const uint8_t npdu[20] = {0x45};
    struct ul_cell cell = {.ends = path_ends_gb(0), .bvci = bvci, .fcs_fault = fcs_fault};
    ul[ms].tlli = tlli;
    ul[ms].n201_u = 500;
    assert_int_equal(ul_send(&ul[ms], &cell, 3, 5, npdu, sizeof npdu, &frame), 1);
    assert_true(path_give(STATS_GB, 0, &frame));
    path_poll();
}

static inline void hear(uint32_t ms, uint16_t bvci)
{
    hear_as(ms, PATH_TLLI + ms, bvci);
}

static inline void expect_event_of(enum event_kind kind, uint32_t bvc, uint32_t ms)
{
    struct event event;
    assert_true(dp_event(p.dp, &event));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.worker, 0);
    assert_int_equal(event.bvc_id, bvc);
    if (kind == EVENT_moved)
        assert_int_equal(event.ms_id, ms);
    dp_event_done(p.dp, &event);
}

static inline void expect_event(enum event_kind kind, uint32_t bvc)
{
    expect_event_of(kind, bvc, 0);
}

static inline void expect_no_event(void)
{
    struct event event;
    assert_false(dp_event(p.dp, &event));
}

// The receiver checks the BVCI.
static inline void expect_downlink_in(uint32_t bvc)
{
    uint64_t received = p.down_received;
    p.ms[0].bvc = bvc;
    path_down(0, 100);
    path_poll();
    assert_int_equal(p.down_received, received + 1);
}

#endif
