// What text and page say of figures that do not count: the machine's rates, cycles that other
// programs disturbed, a rate that is the generator's; and that they say nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bench/throughput/report.h"

static const char machines[] = "most trials were disturbed", cycles[] = "other programs disturbed",
                  limit[] = "the generator does no more than this";

static struct bench_point points[2];
static struct bench_result *const r = &points[0].result;
static struct machine machine;

// A result in which nothing is to be said: 10 Mpps of a generator that does 20, and no disturbance.
static void begin(void)
{
    struct bench_options *o = &points[0].options;
    memset(points, 0, sizeof points);
    *o = (struct bench_options){.mss_list = {.of = {1000}, .n = 1},
                                .size_list = {.of = {576}, .n = 1},
                                .mss = 1000,
                                .size_octets = 576,
                                .cipher = "none",
                                .ports = "ring",
                                .workers = 1,
                                .losses = 1,
                                .repeats = 3,
                                .n201_u = 1520};
    *r = (struct bench_result){.options = o,
                               .machine = &machine,
                               .good = true,
                               .threads = true,
                               .tsc_hz = 2.6e9,
                               .mean_octets = 576,
                               .generator = {20e6, 20e6, 20e6}};
    r->saturated.cycles = (struct spread){200, 228, 900}; // as on a machine that is free
    r->search.trials = 20;
    r->search.disturbed = 10;
    r->search.rate[0].pps = (struct spread){10e6, 10e6, 10e6};
    report_searched(r);
    for (uint32_t i = 0; i < LATENCY_LOAD_COUNT; i++) {
        r->latency[i].point = r;
        histogram_add(&r->latency[i].of.of, 1000);
    }
}

static void write_page(const struct bench_results *results, FILE *out)
{
    report_page(results, out);
}

static void write_text(const struct bench_results *results, FILE *out)
{
    report_text(&results->point[0].result, out);
}

typedef void writer_fn(const struct bench_results *results, FILE *out);

static struct bench_results one_point(void)
{
    return (struct bench_results){.options = &points[0].options,
                                  .machine = &machine,
                                  .point = points,
                                  .points = 1,
                                  .done = 1};
}

// Not inline: GCC 12 would take its result for a pointer to its variable.
__attribute__((noinline)) static char *written(const struct bench_results *results,
                                               writer_fn *write)
{
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    assert_non_null(out);
    write(results, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect(writer_fn *write, const char *note, bool said)
{
    struct bench_results results = one_point();
    report_searched(r);
    char *text = written(&results, write);
    if ((strstr(text, note) != NULL) != said)
        fail_msg("\"%s\" is %s in:\n%s", note, said ? "not" : "wrongly", text);
    free(text);
}

static void expect_notes(bool is_machines, bool is_disturbed, bool is_limit)
{
    writer_fn *const writers[] = {write_text, report_lines, write_page};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        expect(writers[i], machines, is_machines);
        expect(writers[i], cycles, is_disturbed);
        expect(writers[i], limit, is_limit);
    }
}

static void nothing_to_say(void **state)
{
    (void)state;
    begin();
    expect_notes(false, false, false);
}

static void most_trials_are_the_machines(void **state)
{
    (void)state;
    begin();
    r->search.disturbed = 11;
    expect_notes(true, false, false);
    // Nor is such a rate the generator's, wherever it is.
    r->search.rate[0].behind = true;
    r->search.rate[0].pps.median = 19.9e6;
    expect_notes(true, false, false);
}

static void cycles_are_disturbed(void **state)
{
    (void)state;
    begin();
    r->saturated.cycles.median = 231;
    expect_notes(false, true, false);
    r->searched = false; // --no-search
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    report_text(r, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, cycles));
    free(text);
}

// It was late at half of what it does alone, or near that anyway. Late at a hundredth of that it
// was kept from its processor.
static void the_generators_limit(void **state)
{
    (void)state;
    begin();
    r->search.rate[0].pps.median = 18.1e6;
    expect_notes(false, false, true);
    r->search.rate[0] = (struct search_rate){.pps = {11e6, 11e6, 11e6}, .behind = true};
    expect_notes(false, false, true);
    r->search.rate[0].pps.median = 0.2e6;
    expect_notes(false, false, false);
}

static void write_latency(const struct bench_results *results, FILE *out)
{
    table_csv(&bench_latency_table, results, out);
}

static uint32_t lines_of(const struct bench_results *results, writer_fn *write)
{
    char *text = written(results, write);
    uint32_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    free(text);
    return lines;
}

// A point at which every rate lost too much keeps its cycles, and has no latency.
static void no_rate_is_found(void **state)
{
    (void)state;
    begin();
    struct bench_results results = one_point();
    assert_true(report_found_all(&results));
    assert_int_equal(lines_of(&results, write_latency), 1 + LATENCY_LOAD_COUNT);

    r->search.rate[0].pps = (struct spread){0, 0, 10e6};
    memset(r->latency, 0, sizeof r->latency);
    expect_notes(false, false, false);
    assert_false(report_found_all(&results));
    assert_int_equal(lines_of(&results, write_latency), 1);
    char *text = written(&results, report_json);
    assert_non_null(strstr(text, "\"cycles_per_packet\": 200"));
    assert_null(strstr(text, "latency_us"));
    free(text);
    writer_fn *const writers[] = {write_text, report_lines, write_page};
    for (uint32_t i = 0; i < 3; i++)
        expect(writers[i], "no rate lost as little as it may", true);
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned n = 0;
    for (text = strstr(text, what); text; text = strstr(text + 1, what))
        n++;
    return n;
}

// On a busy machine nearly each point has the same note.
static void a_note_is_there_once_with_its_points(void **state)
{
    (void)state;
    begin();
    r->search.disturbed = 11;
    points[1] = points[0];
    points[1].options.size_octets = 64;
    points[1].result.options = &points[1].options;
    points[1].result.saturated.cycles.median = 400;
    report_searched(&points[1].result);
    for (int i = 0; i < LATENCY_LOAD_COUNT; i++)
        points[1].result.latency[i].point = &points[1].result;
    struct bench_results results = one_point();
    results.points = results.done = 2;
    char *text = written(&results, write_page);
    assert_int_equal(count_of(text, machines), 1);
    assert_int_equal(
        count_of(text, "where (2)</summary>1000 MSs, 576 octets<br>1000 MSs, 64 octets<"), 1);
    assert_int_equal(count_of(text, cycles), 1);
    assert_int_equal(count_of(text, "where (1)</summary>1000 MSs, 64 octets, cycles a packet<"), 1);
    free(text);
}

// Of a sweep that is not at its end the page has what there is.
static void a_part_of_a_sweep(void **state)
{
    (void)state;
    begin();
    points[0].options.size_list = (struct bench_list){.of = {576, 64}, .n = 2};
    struct bench_results results = {
        .options = &points[0].options, .machine = &machine, .point = points, .points = 2};
    for (results.done = 1; results.done <= 2; results.done++) {
        char *text = written(&results, write_page);
        assert_int_equal(strstr(text, "1 of 2 points were not measured yet") != NULL,
                         results.done == 1);
        assert_int_equal(strstr(text, "1 of 2 points failed") != NULL, results.done == 2);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_say),
        cmocka_unit_test(most_trials_are_the_machines),
        cmocka_unit_test(cycles_are_disturbed),
        cmocka_unit_test(the_generators_limit),
        cmocka_unit_test(a_note_is_there_once_with_its_points),
        cmocka_unit_test(a_part_of_a_sweep),
        cmocka_unit_test(no_rate_is_found),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
