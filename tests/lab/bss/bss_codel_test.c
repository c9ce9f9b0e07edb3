// The BSS's own CoDel against the RFC's pseudocode (RFC 8289 clause 5), written down here as it
// stands there, on doubles, with an explicit queue.
#include "lab/bss/bss_codel.h"

#include <math.h>

#include "tests/dataplane/random.h"

#define MS       1000000.0
#define QUEUE    100000
#define TARGET   (50 * MS)
#define INTERVAL (1000 * MS)
#define IDLE     512

struct model {
    double first_above, drop_next;
    unsigned count, lastcount;
    int dropping;
};

static struct {
    uint64_t since[QUEUE];
    uint32_t octets[QUEUE], first, last, held;
} q;

static void put(uint64_t now, uint32_t octets)
{
    q.since[q.last] = now;
    q.octets[q.last++] = octets;
    q.held += octets;
}

struct got {
    int there, ok;
};

static struct got dodequeue(struct model *m, double now)
{
    struct got r = {0, 0};
    if (q.first == q.last) {
        m->first_above = 0;
        return r;
    }
    r.there = 1;
    q.held -= q.octets[q.first];
    double sojourn = now - (double)q.since[q.first++];
    if (sojourn < TARGET || q.held <= IDLE)
        m->first_above = 0;
    else if (m->first_above == 0)
        m->first_above = now + INTERVAL;
    else if (now >= m->first_above)
        r.ok = 1;
    return r;
}

static double control_law(double t, unsigned count)
{
    return t + INTERVAL / sqrt(count);
}

// Returns how many it drops; *there: one goes.
static uint32_t deque(struct model *m, double now, int *there)
{
    uint32_t drops = 0;
    struct got r = dodequeue(m, now);
    if (m->dropping) {
        if (!r.ok)
            m->dropping = 0;
        while (now >= m->drop_next && m->dropping) {
            drops++;
            m->count++;
            r = dodequeue(m, now);
            if (!r.ok)
                m->dropping = 0;
            else
                m->drop_next = control_law(m->drop_next, m->count);
        }
    } else if (r.ok) {
        drops++;
        r = dodequeue(m, now);
        m->dropping = 1;
        unsigned delta = m->count - m->lastcount;
        m->count = 1;
        if (delta > 1 && now - m->drop_next < 16 * INTERVAL)
            m->count = delta;
        m->drop_next = control_law(now, m->count);
        m->lastcount = m->count;
    }
    *there = r.there;
    return drops;
}

static const struct bss_codel_law law = {(uint64_t)TARGET, (uint64_t)INTERVAL, IDLE};

// The same on our own queue of the same PDUs.
static uint32_t own_deque(struct bss_codel *c, uint32_t *first, uint32_t *held, uint64_t now,
                          int *there)
{
    uint32_t drops = 0;
    for (*there = 1; *first < q.last; drops++) {
        uint64_t sojourn = now - q.since[*first];
        *held -= q.octets[(*first)++];
        if (!bss_codel_drops(c, &law, sojourn, *held, now))
            return drops;
    }
    *there = 0;
    bss_codel_empty(c, &law, now);
    return drops;
}

static void test_as_the_pseudocode(void **state)
{
    (void)state;
    random_begin();
    struct model m = {0};
    struct bss_codel c = {0};
    uint32_t first = 0, held = 0, all = 0, entered = 0;
    uint64_t now = 1000000000;
    while (q.last < QUEUE - 10) {
        uint32_t load = (uint32_t)(q.last / 5000 % 3); // light, heavy, heavier
        for (uint64_t n = random_in(0, 1 + load); n; n--) {
            uint32_t octets = (uint32_t)random_in(1, 6) * 256;
            put(now, octets);
            held += octets;
        }
        now += 1 + random_in(0, 40000000);
        int there, own_there;
        int was = m.dropping;
        uint32_t drops = deque(&m, (double)now, &there);
        uint32_t own = own_deque(&c, &first, &held, now, &own_there);
        assert_int_equal(own, drops);
        assert_int_equal(own_there, there);
        assert_int_equal(c.dropping, m.dropping);
        assert_int_equal(first, q.first);
        entered += m.dropping && !was;
        all += drops;
    }
    assert_true(all > 1000);
    assert_true(entered > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_pseudocode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
