// What the tests of an MS's holds share: a world with an MS, and what has come of it.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_PATH_HOLD_H
#define SLUICE_TESTS_DATAPLANE_PATH_PATH_HOLD_H

#include "dataplane/base/units.h"
#include "tests/dataplane/path/path.h"

#define READY_S 5

// Cells 0 and 1 of NSE 0, cell 2 of NSE 1; MS 0 in cell 0.
static inline void open_world(uint32_t workers, uint64_t ready_s)
{
    struct dp_config c = path_config(workers);
    c.ready_ns = ready_s * S_IN_NS;
    path_open(&c);
    path_ggsn(0, false);
    for (uint32_t nse = 0; nse < 2; nse++) {
        path_nse(nse);
        path_nsvc(nse, nse, nse, 1);
    }
    for (uint32_t bvc = 0; bvc < 3; bvc++)
        path_bvc(bvc, bvc / 2, (uint16_t)(2 + bvc));
    path_plain_ms(0, 0, 500);
    path_poll();
}

static inline void expect(uint32_t received, uint64_t page, uint64_t heard)
{
    path_poll();
    assert_int_equal(p.pdp[0].down.received, received);
    assert_int_equal(p.events[EVENT_page], page);
    assert_int_equal(p.events[EVENT_heard], heard);
}

static inline void down(uint32_t received)
{
    path_down(0, 300);
    path_poll();
    assert_int_equal(p.pdp[0].down.received, received);
}

static inline void close_whole(void)
{
    path_expect_all();
    path_expect_conservation();
    path_close();
}

static inline void event_is(const struct event *e)
{
    if (e->kind != EVENT_page && e->kind != EVENT_heard)
        return;
    assert_int_equal(e->ms_id, 0);
    assert_int_equal(e->bvc_id, p.ms[0].bvc);
    assert_int_equal(e->nse_id, p.bvc[p.ms[0].bvc].nse);
    assert_int_equal(e->pdu.n, 0);
}

#endif
