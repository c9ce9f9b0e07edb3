// A queue under COBALT, asked by its tests.
#ifndef TESTS_DATAPLANE_AQM_COBALT_QUEUE_H
#define TESTS_DATAPLANE_AQM_COBALT_QUEUE_H

#include "tests/dataplane/aqm/asked.h"

#define MTU     1500
#define SLOW    2500 // octets/s: 20 kbit/s, an MTU takes 600 ms
#define FAST    1000000000U
#define LONG_NS (100 * S_NS)

// At FAST: target 5 ms, interval 1 s.
static inline struct asked cobalt_stale(bool ecn, uint64_t overfull, uint64_t stale_ns)
{
    struct asked a = asked_of("cobalt");
    asked_param(&a, "ecn", ecn);
    asked_param(&a, "stale", stale_ns);
    asked_param(&a, "overfull", overfull);
    asked_ready(&a);
    return a;
}

static inline struct aqm_view head(uint64_t now_ns, uint64_t sojourn_ns, uint32_t share)
{
    static struct rng rng = {{1, 2, 3, 4}};
    return (struct aqm_view){.now_ns = now_ns,
                             .sojourn_ns = sojourn_ns,
                             .pdu_octets = MTU,
                             .queue_octets = 100 * MTU,
                             .queue_pdus = 100,
                             .share_octets_per_s = share,
                             .ect = true,
                             .rng = &rng};
}

static inline enum aqm_verdict ask(struct asked *a, uint64_t now_ns, uint64_t sojourn_ns,
                                   uint32_t share)
{
    struct aqm_view view = head(now_ns, sojourn_ns, share);
    return asked_out(a, &view);
}

static inline struct asked cobalt(bool ecn, uint64_t overfull)
{
    return cobalt_stale(ecn, overfull, 0);
}

// An N-PDU comes to an empty queue.
static inline void comes_to_empty(struct asked *a, uint64_t now_ns)
{
    struct aqm_view view = head(now_ns, 0, FAST);
    view.queue_octets = view.queue_pdus = 0;
    assert_int_equal(asked_in(a, &view), AQM_PASS);
}

#endif
