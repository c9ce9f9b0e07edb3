// The ledger beside a plain list of every packet ever sent, in random worlds: each count of each
// group is what the list says, at every step, also behind a mark. And one fault at a time.
#include "lab/report/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define CELLS    3
#define MSS      6
#define CONTEXTS 10
#define FLOWS    14
#define STEPS    2500

static const char *const of_sgsn[] = {"queue_full", "aqm"}, *const of_radio[] = {"bler", "flush",
                                                                                 "x"};
static const struct ledger_place sgsn = {"dataplane", of_sgsn, of_sgsn, 2},
                                 radio = {"radio", of_radio, of_radio, 3};
static struct ledger ledger;

// ---- The list ----

enum state { UNDER_WAY, DELIVERED, LOST };

static struct packet {
    struct ledger_key key;
    uint32_t group[LEDGER_KINDS], octets, reason;
    uint64_t sent_ns, ended_ns;
    enum state state;
    bool ect, ce;
    int sent_marks, ended_marks; // how many marks there were
} list[STEPS];
static int sent, waiting[STEPS], waits; // waiting: of those under way, the places in the list
static int marks;
static uint32_t cell_of_ms[MSS], ms_of_context[CONTEXTS], class_of_context[CONTEXTS];
static uint32_t context_of_flow[FLOWS];

struct sums {
    struct ledger_count of[3], sent, begun, marked,
        by_reason[5]; // but `of` UNDER_WAY since the mark
    unsigned __int128 delay_ns;
    uint64_t most_ns;
};

static void add(struct ledger_count *count, uint32_t octets)
{
    count->packets++;
    count->octets += octets;
}

static struct sums sums_of(int kind, uint32_t group, unsigned way)
{
    struct sums s = {0};
    for (const struct packet *p = list; p < list + sent; p++) {
        if (p->group[kind] != group || p->key.way != way)
            continue;
        if (p->sent_marks == marks)
            add(&s.sent, p->octets);
        else if (p->state == UNDER_WAY || p->ended_marks == marks)
            add(&s.begun, p->octets);
        if (p->state != UNDER_WAY && p->ended_marks < marks)
            continue;
        add(&s.of[p->state], p->octets);
        if (p->state == LOST)
            add(&s.by_reason[p->reason], p->octets);
        if (p->state != DELIVERED)
            continue;
        if (p->ce)
            add(&s.marked, p->octets);
        s.delay_ns += p->ended_ns - p->sent_ns;
        if (p->ended_ns - p->sent_ns > s.most_ns)
            s.most_ns = p->ended_ns - p->sent_ns;
    }
    return s;
}

static void same(struct ledger_count found, struct ledger_count right)
{
    assert_int_equal(found.packets, right.packets);
    assert_int_equal(found.octets, right.octets);
}

static struct ledger_count loss_of(const struct ledger_tally *t, uint32_t reason)
{
    for (uint32_t i = 0; i < t->losses; i++)
        if (t->loss[i].reason == reason)
            return t->loss[i].count;
    return (struct ledger_count){0};
}

static void compare_tally(const struct ledger_tally *t, const struct sums *s)
{
    same(t->sent, s->sent);
    same(ledger_begun(t), s->begun);
    assert_int_equal(ledger_has(t), s->sent.packets + s->begun.packets > 0);
    same(ledger_under_way(t), s->of[UNDER_WAY]);
    same(t->delivered, s->of[DELIVERED]);
    same(t->lost, s->of[LOST]);
    same(t->marked, s->marked);
    for (uint32_t reason = 0; reason < 5; reason++)
        same(loss_of(t, reason), s->by_reason[reason]);
    assert_int_equal(t->delay.samples, s->of[DELIVERED].packets);
    assert_true(t->delay.sum_ns == s->delay_ns && t->delay.most_ns == s->most_ns);
}

static void compare_all(void)
{
    for (int kind = 0; kind < LEDGER_KINDS; kind++)
        for (uint32_t i = 0; i < ledger.groups[kind].count; i++)
            for (unsigned way = 0; way < LEDGER_WAYS; way++) {
                struct sums s = sums_of(kind, i, way);
                compare_tally(&ledger.groups[kind].group[i].of[way], &s);
            }
}

// ---- The worlds ----

static void make_world(struct rng *rng)
{
    ledger_setup(&ledger);
    assert_int_equal(ledger_add_place(&ledger, &sgsn), 0);
    assert_int_equal(ledger_add_place(&ledger, &radio), 2);
    sent = waits = marks = 0;
    for (int i = 0; i < CELLS; i++)
        assert_int_equal(ledger_add_cell(&ledger, "cell"), i);
    for (int i = 0; i < MSS; i++) {
        cell_of_ms[i] = (uint32_t)rng_below(rng, CELLS);
        assert_int_equal(ledger_add_ms(&ledger, "ms", cell_of_ms[i]), i);
    }
    for (int i = 0; i < CONTEXTS; i++) {
        ms_of_context[i] = (uint32_t)rng_below(rng, MSS);
        class_of_context[i] = (uint32_t)rng_below(rng, CLASS_COUNT);
        assert_int_equal(ledger_add_context(&ledger, ms_of_context[i], class_of_context[i]), i);
    }
    for (int i = 0; i < FLOWS; i++) {
        context_of_flow[i] = (uint32_t)rng_below(rng, CONTEXTS);
        assert_int_equal(ledger_add_flow(&ledger, "flow", context_of_flow[i]), i);
    }
}

static bool is_waiting(struct ledger_key key)
{
    for (int i = 0; i < waits; i++) {
        const struct ledger_key *k = &list[waiting[i]].key;
        if (k->context == key.context && k->way == key.way && k->id == key.id)
            return true;
    }
    return false;
}

static void send_one(struct rng *rng, uint16_t id, uint64_t now_ns)
{
    bool no_flow = rng_below(rng, 4) == 0;
    uint32_t flow = (uint32_t)rng_below(rng, FLOWS);
    uint32_t context = no_flow ? (uint32_t)rng_below(rng, CONTEXTS) : context_of_flow[flow];
    uint32_t ms = ms_of_context[context];
    struct packet p = {
        .key = {context, rng_below(rng, 2) ? LEDGER_UP : LEDGER_DOWN, id},
        .group = {class_of_context[context], cell_of_ms[ms], ms, no_flow ? LEDGER_NO_FLOW : flow},
        .octets = 20 + (uint32_t)rng_below(rng, 1500),
        .sent_ns = now_ns,
        .sent_marks = marks,
        .ect = rng_below(rng, 2)};
    if (is_waiting(p.key))
        return;
    ledger_sent(&ledger, p.key, p.octets, p.group[LEDGER_FLOW], p.ect, now_ns);
    waiting[waits++] = sent;
    list[sent++] = p;
}

static void end_one(struct rng *rng, uint64_t now_ns)
{
    int i = (int)rng_below(rng, (uint64_t)waits);
    struct packet *p = &list[waiting[i]];
    waiting[i] = waiting[--waits];
    p->state = rng_below(rng, 3) ? DELIVERED : LOST;
    p->ended_ns = now_ns;
    p->ended_marks = marks;
    p->ce = p->ect && rng_below(rng, 2);
    p->reason = (uint32_t)rng_below(rng, 5);
    assert_true(ledger_is_under_way(&ledger, p->key));
    if (p->state == LOST)
        ledger_lost(&ledger, p->key, p->reason, now_ns);
    else
        ledger_delivered(&ledger, p->key, p->octets, p->ce, now_ns);
    assert_false(ledger_is_under_way(&ledger, p->key));
}

// Few ids, so that those of ended packets come again; the share that is sent rises and falls.
static void random_worlds(void **state)
{
    (void)state;
    for (uint64_t world = 0; world < 12; world++) {
        struct rng rng;
        uint64_t now_ns = 1000;
        rng_seed(&rng, world, 0);
        make_world(&rng);
        uint64_t ids = world % 2 ? 8 : 65536;
        for (int step = 0; step < STEPS; step++) {
            now_ns += rng_below(&rng, 1000000000);
            uint64_t of_10 = step / 400 % 2 ? 4 : 7;
            if (rng_below(&rng, 40) == 0) {
                uint32_t ms = (uint32_t)rng_below(&rng, MSS);
                cell_of_ms[ms] = (uint32_t)rng_below(&rng, CELLS);
                ledger_move(&ledger, ms, cell_of_ms[ms]);
            }
            if (waits == 0 || rng_below(&rng, 10) < of_10)
                send_one(&rng, (uint16_t)rng_below(&rng, ids), now_ns);
            else
                end_one(&rng, now_ns);
            if (step % 1000 == 500) {
                ledger_mark(&ledger);
                marks++;
            }
            assert_true(ledger_sound(&ledger));
            if (step % 100 == 99)
                compare_all();
        }
        compare_all();
        ledger_release(&ledger);
    }
}

// ---- One MS ----

static const struct ledger_key first = {0, LEDGER_DOWN, 1};

static int begin(void **state)
{
    (void)state;
    ledger_setup(&ledger);
    ledger_add_place(&ledger, &sgsn);
    ledger_add_cell(&ledger, "a");
    ledger_add_cell(&ledger, "b");
    ledger_add_ms(&ledger, "ms", 0);
    ledger_add_context(&ledger, 0, 0);
    ledger_sent(&ledger, first, 100, LEDGER_NO_FLOW, false, 50);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    ledger_release(&ledger);
    return 0;
}

// Every id is in use at once, in both directions; then the next packet's is, too.
static void all_65536_ids_under_way(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 2; way++)
        for (uint32_t id = 0; id < 65536; id++)
            if (way || id != first.id)
                ledger_sent(&ledger, (struct ledger_key){0, way, (uint16_t)id}, 40, LEDGER_NO_FLOW,
                            false, 60);
    assert_true(ledger_sound(&ledger));
    assert_int_equal(ledger_under_way(&ledger.groups[LEDGER_MS].group[0].of[0]).packets, 65536);
    ledger_sent(&ledger, (struct ledger_key){0, 0, 7}, 40, LEDGER_NO_FLOW, false, 60);
    assert_int_equal(ledger.faults[LEDGER_FAULT_id_in_use], 1);
    for (uint32_t way = 0; way < 2; way++)
        for (uint32_t id = 0; id < 65536; id++)
            ledger_lost(&ledger, (struct ledger_key){0, way, (uint16_t)id}, 1, 70);
    ledger.faults[LEDGER_FAULT_id_in_use] = 0;
    assert_true(ledger_sound(&ledger));
    assert_int_equal(ledger.underway.entries, 0);
}

// Ids wrap twice while at most 1000 packets are under way: the table stays as small as that.
static void the_table_is_bounded_by_what_is_under_way(void **state)
{
    (void)state;
    ledger_lost(&ledger, first, 0, 60);
    for (uint32_t i = 0; i < 200000; i++) {
        ledger_sent(&ledger, (struct ledger_key){0, LEDGER_DOWN, (uint16_t)i}, 40, LEDGER_NO_FLOW,
                    false, i);
        if (i >= 1000)
            ledger_delivered(&ledger, (struct ledger_key){0, LEDGER_DOWN, (uint16_t)(i - 1000)}, 40,
                             false, i);
    }
    assert_true(ledger_sound(&ledger));
    assert_int_equal(ledger.underway.entries, 1000);
    assert_true(ledger.underway.slots <= 2048);
}

static void only(enum ledger_fault fault)
{
    for (int i = 0; i < LEDGER_FAULT_COUNT; i++)
        assert_int_equal(ledger.faults[i], i == (int)fault);
    assert_false(ledger_sound(&ledger));
    ledger.faults[fault] = 0;
}

static void delivered_twice(void **state)
{
    (void)state;
    ledger_delivered(&ledger, first, 100, false, 60);
    assert_true(ledger_sound(&ledger));
    ledger_delivered(&ledger, first, 100, false, 60);
    only(LEDGER_FAULT_unknown);
}

static void lost_after_its_delivery(void **state)
{
    (void)state;
    ledger_delivered(&ledger, first, 100, false, 60);
    ledger_lost(&ledger, first, 0, 60);
    only(LEDGER_FAULT_unknown);
}

static void never_sent(void **state)
{
    const struct ledger_key other[] = {{0, LEDGER_UP, 1}, {0, LEDGER_DOWN, 2}, {1, LEDGER_DOWN, 1}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        ledger_delivered(&ledger, other[i], 100, false, 60);
        only(LEDGER_FAULT_unknown);
    }
}

static void ends_that_cannot_be(void **state)
{
    (void)state;
    ledger_lost(&ledger, first, sgsn.count, 60);
    only(LEDGER_FAULT_reason);
    assert_true(ledger_is_under_way(&ledger, first));
    ledger_delivered(&ledger, first, 99, false, 60);
    only(LEDGER_FAULT_octets);
    ledger_sent(&ledger, first, 100, LEDGER_NO_FLOW, false, 70);
    ledger_delivered(&ledger, first, 100, true, 80);
    only(LEDGER_FAULT_ce);
    ledger_sent(&ledger, first, 100, LEDGER_NO_FLOW, true, 90);
    ledger_delivered(&ledger, first, 100, true, 80);
    only(LEDGER_FAULT_before_sent);
    ledger_sent(&ledger, (struct ledger_key){1, LEDGER_UP, 1}, 100, LEDGER_NO_FLOW, true, 90);
    only(LEDGER_FAULT_owner);
    ledger_sent(&ledger, first, 100, 0, true, 90);
    only(LEDGER_FAULT_owner);
    assert_true(ledger_sound(&ledger));
}

static void a_count_that_is_wrong_is_found(void **state)
{
    (void)state;
    struct ledger_tally *t = &ledger.groups[LEDGER_CELL].group[0].of[LEDGER_DOWN];
    t->lost.octets++;
    assert_false(ledger_sound(&ledger));
    t->lost.octets--;
    t->delivered.packets++;
    assert_false(ledger_sound(&ledger));
}

// The MS has moved since; what it is sent from now on counts for the new cell.
static void a_packet_counts_for_the_cell_that_it_was_sent_to(void **state)
{
    const struct ledger_groups *cells = &ledger.groups[LEDGER_CELL];
    const struct ledger_key second = {0, LEDGER_DOWN, 2};
    (void)state;
    ledger_move(&ledger, 0, 1);
    ledger_sent(&ledger, second, 200, LEDGER_NO_FLOW, false, 60);
    ledger_delivered(&ledger, first, 100, false, 70);
    ledger_delivered(&ledger, second, 200, false, 80);
    assert_int_equal(cells->group[0].of[LEDGER_DOWN].delivered.octets, 100);
    assert_int_equal(cells->group[1].of[LEDGER_DOWN].delivered.octets, 200);
    assert_int_equal(cells->group[0].of[LEDGER_DOWN].delay.most_ns, 20);
}

// A step has what happened since the step before it, delays too.
static void steps(void **state)
{
    struct ledger_tally *step = &ledger.groups[LEDGER_CLASS].group[0].step[LEDGER_DOWN];
    (void)state;
    assert_int_equal(step->sent.packets, 1);
    ledger_step(&ledger);
    ledger_delivered(&ledger, first, 100, false, 70);
    ledger_sent(&ledger, first, 60, LEDGER_NO_FLOW, false, 80);
    assert_int_equal(step->sent.octets, 60);
    assert_int_equal(step->delivered.octets, 100);
    assert_int_equal(step->delay.most_ns, 20);
    ledger_lost(&ledger, first, 1, 90);
    assert_int_equal(loss_of(step, 1).octets, 60);
    ledger_step(&ledger);
    assert_int_equal(step->sent.packets + step->delivered.packets + step->lost.packets, 0);
    assert_int_equal(loss_of(step, 1).packets + step->delay.samples, 0);
}

#define ONE_MS(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_worlds),
        ONE_MS(all_65536_ids_under_way),
        ONE_MS(the_table_is_bounded_by_what_is_under_way),
        ONE_MS(delivered_twice),
        ONE_MS(lost_after_its_delivery),
        ONE_MS(never_sent),
        ONE_MS(ends_that_cannot_be),
        ONE_MS(a_count_that_is_wrong_is_found),
        ONE_MS(a_packet_counts_for_the_cell_that_it_was_sent_to),
        ONE_MS(steps),
    };
    return cmocka_run_group_tests_name("lab/report/ledger", tests, NULL, NULL);
}
