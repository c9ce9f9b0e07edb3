// CoDel against the pseudocode of RFC 8289 section 5, written out here over a queue of its own, in
// double: on random traffic both drop the same packets at the same times. Time is in whole ns, as a
// clock has it, so the gaps of the control law are rounded down.
#include "dataplane/aqm/aqm.h"

#include "tests/dataplane/aqm/asked.h"

#define MTU       1500
#define RATE      1000000000U // so fast that no MTU's time matters
#define QUEUE_MAX 4096

struct rfc_packet {
    double arrived;
    uint32_t octets, id;
};

struct rfc_queue {
    struct rfc_packet packet[QUEUE_MAX];
    uint32_t head, tail, octets;
    double target, interval, first_above, drop_next;
    uint32_t mtu, count, lastcount;
    bool dropping;
    // what happened
    uint32_t drops, reentries;
    uint32_t dropped[QUEUE_MAX];
};

static bool rfc_dodequeue(struct rfc_queue *q, double now, struct rfc_packet *p, bool *found)
{
    *found = q->head != q->tail;
    if (!*found) {
        q->first_above = 0;
        return false;
    }
    *p = q->packet[q->head++ % QUEUE_MAX];
    q->octets -= p->octets;
    if (now - p->arrived < q->target || q->octets <= q->mtu) {
        q->first_above = 0;
        return false;
    }
    if (q->first_above == 0) {
        q->first_above = now + q->interval;
        return false;
    }
    return now >= q->first_above;
}

static void rfc_drop(struct rfc_queue *q, const struct rfc_packet *p)
{
    q->dropped[q->drops++ % QUEUE_MAX] = p->id;
}

static double rfc_control_law(const struct rfc_queue *q, double t)
{
    return t + floor(q->interval / sqrt(q->count));
}

// What goes out, if anything does.
static bool rfc_deque(struct rfc_queue *q, double now, struct rfc_packet *p)
{
    bool found, ok = rfc_dodequeue(q, now, p, &found);
    if (q->dropping) {
        if (!ok)
            q->dropping = false;
        while (q->dropping && now >= q->drop_next) {
            rfc_drop(q, p);
            q->count++;
            ok = rfc_dodequeue(q, now, p, &found);
            if (!ok)
                q->dropping = false;
            else
                q->drop_next = rfc_control_law(q, q->drop_next);
        }
    } else if (ok) {
        rfc_drop(q, p);
        rfc_dodequeue(q, now, p, &found);
        q->dropping = true;
        uint32_t delta = q->count - q->lastcount;
        q->count = 1;
        if (delta > 1 && now - q->drop_next < 16 * q->interval) {
            q->count = delta;
            q->reentries++;
        }
        q->drop_next = rfc_control_law(q, now);
        q->lastcount = q->count;
    }
    return found;
}

// ---- The same traffic through ours ----

struct our_queue {
    struct rfc_packet packet[QUEUE_MAX];
    uint32_t head, tail, octets;
    uint32_t drops;
    struct asked aqm;
};

static bool our_deque(struct our_queue *q, uint64_t now_ns, struct rfc_packet *p, uint32_t *dropped)
{
    while (q->head != q->tail) {
        *p = q->packet[q->head % QUEUE_MAX];
        struct aqm_view view = {.now_ns = now_ns,
                                .sojourn_ns = now_ns - (uint64_t)p->arrived,
                                .pdu_octets = p->octets,
                                .queue_octets = q->octets,
                                .queue_pdus = q->tail - q->head,
                                .share_octets_per_s = RATE};
        enum aqm_verdict verdict = asked_out(&q->aqm, &view);
        q->head++;
        q->octets -= p->octets;
        if (verdict == AQM_PASS)
            return true;
        assert_int_equal(verdict, AQM_DROP);
        dropped[q->drops++ % QUEUE_MAX] = p->id;
    }
    return false;
}

static struct rfc_queue rfc;
static struct our_queue our;
static uint32_t our_dropped[QUEUE_MAX];

static void both_enque(uint64_t now_ns, uint32_t octets, uint32_t id)
{
    if (rfc.tail - rfc.head >= QUEUE_MAX)
        return;
    struct rfc_packet p = {(double)now_ns, octets, id};
    rfc.packet[rfc.tail++ % QUEUE_MAX] = p;
    rfc.octets += octets;
    our.packet[our.tail++ % QUEUE_MAX] = p;
    our.octets += octets;
}

static void both_deque(uint64_t now_ns)
{
    struct rfc_packet theirs = {0}, ours = {0};
    uint32_t before = rfc.drops;
    bool found = rfc_deque(&rfc, (double)now_ns, &theirs);
    assert_int_equal(our_deque(&our, now_ns, &ours, our_dropped), found);
    assert_int_equal(our.drops, rfc.drops);
    for (uint32_t i = before; i != rfc.drops; i++)
        assert_int_equal(our_dropped[i % QUEUE_MAX], rfc.dropped[i % QUEUE_MAX]);
    if (found)
        assert_int_equal(ours.id, theirs.id);
}

// Load that comes and goes, in hundredths of what the link serves, and now and then a standstill.
static void run_both(uint64_t interval_ns)
{
    uint64_t now_ns = S_NS;
    uint32_t id = 0, load = 100;
    for (uint32_t i = 0; i < 20000; i++) {
        now_ns += random_in(interval_ns / 200, interval_ns / 20);
        if (random_next() % 4000 == 0)
            now_ns += random_in(1, 40) * interval_ns;
        if (random_next() % 500 == 0)
            load = (uint32_t)random_in(0, 200);
        uint32_t arrivals = load / 100 + (random_next() % 100 < load % 100);
        while (arrivals--)
            both_enque(now_ns, (uint32_t)random_in(40, MTU), id++);
        both_deque(now_ns);
    }
}

static struct asked codel(uint64_t target_ns, uint64_t interval_ns)
{
    struct asked a = asked_of("codel");
    asked_param(&a, "target", AQM_LEVEL_OF(AQM_LEVEL_TIME, target_ns));
    asked_param(&a, "interval", interval_ns);
    asked_ready(&a);
    return a;
}

static void test_drops_are_those_of_the_pseudocode(void **state)
{
    uint64_t drops = 0, reentries = 0;
    (void)state;
    random_begin();
    for (uint32_t run = 0; run < 60; run++) {
        uint64_t interval_ns = random_in(20, 4000) * MS_NS;
        uint64_t target_ns = interval_ns / random_in(2, 20);
        rfc = (struct rfc_queue){
            .target = (double)target_ns, .interval = (double)interval_ns, .mtu = MTU};
        our = (struct our_queue){.aqm = codel(target_ns, interval_ns)};
        run_both(interval_ns);
        drops += rfc.drops;
        reentries += rfc.reentries;
    }
    assert_true(drops > 10000 && reentries > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drops_are_those_of_the_pseudocode),
    };
    return cmocka_run_group_tests_name("aqm/codel_rfc", tests, NULL, NULL);
}
