// When a run is sound: one thing at a time is wrong, and says so. What the summary says of drops.
#include "lab/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CLASS 2

static struct lab lab;
static struct report report;
static struct rte_mbuf *const a_frame = (struct rte_mbuf *)&lab; // looked at by nobody

// 100 frames on Gn, of which the port lost 10; 90 N-PDUs went out in 80 frames, two of which came
// in three fragments each; all came.
static int begin(void **state)
{
    (void)state;
    lab = (struct lab){.gn = {.sent_packets = 100, .lost_packets = 10}};
    lab.receiver.frames = 84;
    lab.receiver.fragments = 4;
    lab.receiver.of_class[CLASS].npdus = 90;
    report = (struct report){.lab = &lab, .balanced = true};
    report.stats.of_port[STATS_GN].rx_packets = 90;
    report.stats.of_port[STATS_GB].tx_packets = 80;
    report.stats.of_class[CLASS].out_packets = 90;
    return 0;
}

static void all_that_came_is_sound(void **state)
{
    (void)state;
    assert_true(report_sound(&report));
    report.lab = NULL;
    assert_true(report_sound(&report));
}

// In real time as in the lab.
static void what_the_dataplane_says_of_itself(void **state)
{
    (void)state;
    for (int real = 0; real < 2; real++) {
        report.lab = real ? NULL : &lab;
        report.balanced = false;
        assert_false(report_sound(&report));
        report.balanced = true;
        report.stats.commands_refused = 1;
        assert_false(report_sound(&report));
        report.stats.commands_refused = 0;
        assert_true(report_sound(&report));
    }
}

static void what_the_ends_say(void **state)
{
    uint64_t *const counts[] = {&lab.gn_unexpected, &lab.receiver.faults, &lab.receiver.discarded,
                                &lab.gn.lost_packets, &lab.gn.sent_packets};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ++*counts[i];
        assert_false(report_sound(&report));
        --*counts[i];
    }
    assert_true(report_sound(&report));
}

// One is sound while it may still be on its way: on the line, or in pieces in the port.
static void an_n_pdu_that_is_lost(void **state)
{
    (void)state;
    lab.receiver.of_class[CLASS].npdus--;
    assert_false(report_sound(&report));
    lab.gb.on_line = a_frame;
    assert_true(report_sound(&report));
    lab.gb.on_line = NULL;
    report.in_pieces = 1;
    assert_true(report_sound(&report));
    lab.receiver.of_class[CLASS].npdus--;
    assert_false(report_sound(&report));
}

static void a_frame_that_is_lost(void **state)
{
    (void)state;
    lab.receiver.frames--;
    assert_false(report_sound(&report));
    lab.gb.on_line = a_frame;
    assert_true(report_sound(&report));
    lab.receiver.fragments++; // one more that is no frame of its own
    assert_false(report_sound(&report));
}

// What came twice, or in another class, makes up for nothing.
static void an_n_pdu_too_many(void **state)
{
    (void)state;
    lab.receiver.of_class[CLASS].npdus++;
    assert_false(report_sound(&report));
    lab.receiver.of_class[CLASS].npdus--;
    lab.receiver.of_class[CLASS + 1].npdus++;
    lab.receiver.of_class[CLASS].npdus--;
    assert_false(report_sound(&report));
    lab.gb.on_line = a_frame;
    assert_false(report_sound(&report));
}

// summary.json names each reason that has a count, and no other.
static void why_packets_were_dropped(void **state)
{
    static const uint64_t events[EVENT_COUNT];
    struct stats_drop *drop = report.stats.of_port[STATS_GB].drop;
    (void)state;
    report.name = report.last_fault = "";
    report.events = events;
    for (int one = 0; one < DROP_COUNT; one++) {
        char *text = NULL, wanted[128];
        size_t n = 0;
        drop[one] = (struct stats_drop){7, 700};
        FILE *out = open_memstream(&text, &n);
        report_summary(&report, out);
        fclose(out);
        for (int d = 0; d < DROP_COUNT; d++) {
            snprintf(wanted, sizeof wanted, "\"%s\": {", stats_drop_names[d]);
            assert_int_equal(strstr(text, wanted) != NULL, d == one);
        }
        free(text);
        drop[one] = (struct stats_drop){0};
    }
}

#define REPORT_TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPORT_TEST(all_that_came_is_sound),   REPORT_TEST(what_the_dataplane_says_of_itself),
        REPORT_TEST(what_the_ends_say),        REPORT_TEST(an_n_pdu_that_is_lost),
        REPORT_TEST(a_frame_that_is_lost),     REPORT_TEST(an_n_pdu_too_many),
        REPORT_TEST(why_packets_were_dropped),
    };
    return cmocka_run_group_tests_name("lab/report/report", tests, NULL, NULL);
}
