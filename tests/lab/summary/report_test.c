// When a run is sound: one thing at a time is wrong, and says so. What the summary says of drops.
// The lab behind the report is a stand-in: the functions of lab.h that a report asks are here.
#include "lab/summary/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct lab {
    struct line line[STATS_SIDES];
    struct ledger ledger;
    struct lab_received received;
    struct lab_faults faults;
    const char *wrong;
};

static struct lab lab;
static struct report report;
static struct rte_mbuf *const a_frame = (struct rte_mbuf *)&lab; // looked at by nobody

const struct line *lab_line(const struct lab *of, enum stats_side side)
{
    return &of->line[side];
}

const struct ledger *lab_ledger(const struct lab *of)
{
    return &of->ledger;
}

struct lab_received lab_received(const struct lab *of)
{
    return of->received;
}

struct lab_faults lab_faults(const struct lab *of)
{
    return of->faults;
}

const char *lab_wrong(const struct lab *of)
{
    return of->wrong;
}

// The applications' section has tests of its own (e2e/quickstart).
void lab_put_applications(const struct lab *of, struct json *json, uint64_t measured_ns, bool batch)
{
    (void)of, (void)json, (void)measured_ns, (void)batch;
}

void lab_describe_applications(const char *before, FILE *out)
{
    (void)before;
    (void)out;
}

void lab_put_phones(const struct lab *of, struct json *json)
{
    (void)of, (void)json;
}

void lab_describe_phones(const char *before, FILE *out)
{
    (void)before, (void)out;
}

void lab_print_phones(const struct lab *of, FILE *out)
{
    (void)of, (void)out;
}

// 100 frames on Gn, of which the port lost 10; 70 on Gb, of which it lost 3. 80 frames went to Gb,
// two of which came in three fragments each; all came.
static int begin(void **state)
{
    (void)state;
    lab = (struct lab){.line = {[STATS_GN] = {.sent_packets = 100, .lost_packets = 10},
                                [STATS_GB] = {.sent_packets = 70, .lost_packets = 3}},
                       .received = {.frames = 84, .fragments = 4}};
    static struct ledger_group classes[CLASS_COUNT];
    lab.ledger.groups[LEDGER_CLASS] = (struct ledger_groups){classes, CLASS_COUNT, CLASS_COUNT};
    report = (struct report){.lab = &lab, .balanced = true};
    report.stats.of_port[STATS_GN].rx_packets = 90;
    report.stats.of_port[STATS_GB].rx_packets = 67;
    report.stats.of_port[STATS_GB].tx_packets = 80;
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

static void what_the_lab_says(void **state)
{
    uint64_t *const counts[] = {&lab.faults.count, &lab.line[STATS_GN].lost_packets,
                                &lab.line[STATS_GN].sent_packets, &lab.line[STATS_GB].lost_packets,
                                &lab.line[STATS_GB].sent_packets};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ++*counts[i];
        assert_false(report_sound(&report));
        --*counts[i];
    }
    lab.wrong = "an MS or a BSS does not balance";
    assert_false(report_sound(&report));
    lab.wrong = NULL;
    assert_true(report_sound(&report));
}

// One is sound while it may still be on its way: on the line, or in pieces in the port.
static void a_frame_that_is_lost(void **state)
{
    (void)state;
    lab.received.frames--;
    assert_false(report_sound(&report));
    lab.line[STATS_GB].on_line = a_frame;
    assert_true(report_sound(&report));
    lab.received.fragments++; // one more that is no frame of its own
    assert_false(report_sound(&report));
    report.in_pieces = 1;
    assert_true(report_sound(&report));
    lab.received.frames--;
    assert_false(report_sound(&report));
}

// A frame too many makes up for none that was lost, but is one itself.
static void a_frame_too_many(void **state)
{
    (void)state;
    lab.received.frames++;
    assert_false(report_sound(&report));
    lab.line[STATS_GB].on_line = a_frame;
    assert_false(report_sound(&report));
}

// The lines' own counters are in the summary, each under its name.
static void what_the_lines_say(void **state)
{
    static const uint64_t events[EVENT_COUNT];
    static const char *const wanted[] = {
        "\"gn_sent_frames\": 100,",     "\"gn_lost_frames\": 10,",
        "\"gn_delivered_frames\": 31,", "\"gn_delivered_octets\": 3100,",
        "\"gn_frames_under_way\": 1,",  "\"gb_sent_frames\": 70,",
        "\"gb_sent_octets\": 7000,",    "\"gb_lost_frames\": 3,",
        "\"gb_delivered_frames\": 84,", "\"gb_frames_under_way\": 0,"};
    char *text = NULL;
    size_t n = 0;
    (void)state;
    report.name = report.last_fault = "";
    report.events = events;
    report.elapsed_ns = 1;
    lab.line[STATS_GN].delivered_packets = 31;
    lab.line[STATS_GN].delivered_octets = 3100;
    lab.line[STATS_GN].on_line = a_frame;
    lab.line[STATS_GB].sent_octets = 7000;
    lab.line[STATS_GB].delivered_packets = 84;
    FILE *out = open_memstream(&text, &n);
    report_summary(&report, out);
    fclose(out);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("no %s", wanted[i]);
    free(text);
}

// A class of which packets only went up has its place in the summary, too.
static void a_class_with_uplink_only(void **state)
{
    (void)state;
    struct ledger_tally *up =
        &lab.ledger.groups[LEDGER_CLASS].group[CLASS_BACKGROUND].of[LEDGER_UP];
    assert_false(report_has_class(&report, CLASS_BACKGROUND));
    up->sent.packets = 1;
    assert_true(report_has_class(&report, CLASS_BACKGROUND));
    report.lab = NULL;
    assert_false(report_has_class(&report, CLASS_BACKGROUND));
    report.since.of_class[CLASS_BACKGROUND].in_packets = 1;
    assert_true(report_has_class(&report, CLASS_BACKGROUND));
    up->sent.packets = 0;
}

static char *summary_of(void)
{
    static const uint64_t events[EVENT_COUNT];
    char *text = NULL;
    size_t n = 0;
    report.name = report.last_fault = "";
    report.events = events;
    FILE *out = open_memstream(&text, &n);
    report_summary(&report, out);
    fclose(out);
    return text;
}

// In real time: 3 s of which 1 s is left out, in which 250 of 1250 octets went out. The workers'
// counters stay those of the whole run.
static void a_warm_up(void **state)
{
    static const char *const wanted[] = {"\"real_s\": 3.000000000,", "\"warmup_s\": 1.000000000,",
                                         "\"out_packets\": 4,", "\"goodput_bit_per_s\": 4000,",
                                         "\"commands\": 7,"};
    (void)state;
    report.lab = NULL;
    report.elapsed_ns = 3 * S_IN_NS;
    report.warmup_ns = S_IN_NS;
    report.stats.commands = 7;
    report.since.of_class[CLASS_BACKGROUND] =
        (struct stats_class){.in_packets = 4, .out_packets = 4, .out_octets = 1000};
    char *text = summary_of();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("no %s in %s", wanted[i], text);
    free(text);
    report.elapsed_ns = report.warmup_ns; // it ended just then: no rate is of no time
    assert_int_equal(report_measured_ns(&report), 1);
    report.warmup_ns = 0;
    text = summary_of();
    assert_null(strstr(text, "warmup_s"));
    free(text);
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
        REPORT_TEST(all_that_came_is_sound),
        REPORT_TEST(what_the_dataplane_says_of_itself),
        REPORT_TEST(what_the_lab_says),
        REPORT_TEST(a_frame_that_is_lost),
        REPORT_TEST(a_frame_too_many),
        REPORT_TEST(what_the_lines_say),
        REPORT_TEST(a_class_with_uplink_only),
        REPORT_TEST(why_packets_were_dropped),
        REPORT_TEST(a_warm_up),
    };
    return cmocka_run_group_tests_name("lab/summary/report", tests, NULL, NULL);
}
