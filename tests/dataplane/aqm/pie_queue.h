// A queue under PIE, asked by its tests. Its vars are copied in and out: they live in plain octets.
#ifndef TESTS_DATAPLANE_AQM_PIE_QUEUE_H
#define TESTS_DATAPLANE_AQM_PIE_QUEUE_H

#include "dataplane/aqm/pie.h"

#include "tests/dataplane/aqm/asked.h"

#define RATE    1000000U // octets/s of most tests: an octet a microsecond
#define US_NS   1000ULL
#define REF_NS  (15 * MS_NS)
#define STEP_NS (15 * MS_NS)
#define PACKET  1500

static inline struct pie_vars vars_of(const struct asked *a)
{
    struct pie_vars vars;
    memcpy(&vars, a->vars, sizeof vars);
    return vars;
}

static inline void set_vars(struct asked *a, struct pie_vars vars)
{
    memcpy(a->vars, &vars, sizeof vars);
}

static inline struct asked pie(void)
{
    struct asked a = asked_of("pie");
    asked_ready(&a);
    return a;
}

static inline struct aqm_view queue_of(uint64_t now_ns, uint64_t delay_ns)
{
    static struct rng rng = {{1, 2, 3, 4}};
    uint32_t octets = (uint32_t)(delay_ns / US_NS);
    return (struct aqm_view){.now_ns = now_ns,
                             .pdu_octets = PACKET,
                             .queue_octets = octets,
                             .queue_pdus = octets / PACKET,
                             .share_octets_per_s = RATE,
                             .ect = true,
                             .rng = &rng};
}

static inline enum aqm_verdict comes(struct asked *a, uint64_t now_ns, uint64_t delay_ns)
{
    struct aqm_view view = queue_of(now_ns, delay_ns);
    return asked_in(a, &view);
}

static inline void looks(struct asked *a, uint64_t now_ns, uint64_t delay_ns)
{
    struct aqm_view view = queue_of(now_ns, delay_ns);
    assert_int_equal(asked_out(a, &view), AQM_PASS);
}

static inline long double p_of(struct asked *a)
{
    return (long double)vars_of(a).p / PIE_ONE;
}

#endif
