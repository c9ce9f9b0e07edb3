// See batches.h. A batch's figures are those that the summary would have of a run of its time
// alone, and are written and read like them.
#include "control/run/batches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/compared.h"
#include "control/report/statistics.h"
#include "control/report/tidy.h"

struct batch {
    struct run *run;
    struct engine_timer timer; // its beginning
    uint64_t start_ns, end_ns;
    struct json_object *figures; // NULL: it did not come to its end
};

struct batches {
    uint32_t count, begun;
    struct stats_worker before;  // the workers' counters at the beginning of the batch
    struct json_object *figures; // of all of the run's measured time
    struct batch batch[];
};

static struct json_object *figures_of(const struct report *report)
{
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    if (!out)
        abort();
    report_figures(report, out);
    if (fclose(out))
        abort();
    struct json_object *figures = value_parse_object(text);
    free(text);
    return figures;
}

static struct report look(const struct run *run, const struct batch *batch)
{
    struct report report = {.lab = run->lab,
                            .workers = run->load.dp.workers,
                            .before = &run->batches->before,
                            .batch = true,
                            .warmup_ns = batch->start_ns,
                            .elapsed_ns = batch->end_ns};
    report_look(&report, run->dp);
    return report;
}

static void end_batch(struct run *run)
{
    struct batch *batch = &run->batches->batch[run->batches->begun - 1];
    struct report report = look(run, batch);
    batch->figures = figures_of(&report);
}

static void begin_batch(void *self, uint64_t now_ns)
{
    struct run *run = ((struct batch *)self)->run;
    struct batches *b = run->batches;
    (void)now_ns;
    if (b->begun)
        end_batch(run);
    struct report report = {.workers = run->load.dp.workers};
    report_add(&report, run->dp);
    b->before = report.stats;
    b->begun++;
    lab_batch(run->lab);
}

void batches_begin(struct run *run)
{
    uint32_t n = run->load.run.batches;
    uint64_t from_ns = run->load.run.warmup_ns, all_ns = run->load.run.duration_ns - from_ns;
    if (n == 0)
        return;
    struct batches *b = calloc(1, sizeof *b + n * sizeof b->batch[0]);
    if (!b)
        abort();
    b->count = n;
    run->batches = b;
    for (uint32_t i = 0; i < n; i++) {
        struct batch *batch = &b->batch[i];
        batch->run = run;
        batch->start_ns = from_ns + (uint64_t)((unsigned __int128)all_ns * i / n);
        batch->end_ns = from_ns + (uint64_t)((unsigned __int128)all_ns * (i + 1) / n);
        engine_timer_init(&batch->timer, begin_batch, batch);
        engine_set(lab_engine(run->lab), &batch->timer, batch->start_ns);
    }
}

void batches_release(struct run *run)
{
    struct batches *b = run->batches;
    for (uint32_t i = 0; b && i < b->count; i++)
        value_free(b->batch[i].figures);
    if (b)
        value_free(b->figures);
    free(b);
    run->batches = NULL;
}

// ---- Over the batches ----

// A figure of a class or an application. values: of each batch, NAN: it has none.
struct row {
    const struct compared_set *set;
    const char *subject;
    const struct compared_figure *figure;
    const double *values;
    struct statistics over; // them
};
typedef void take_fn(void *self, const struct row *row);

// As of several runs: a class without traffic had a goodput of 0, and no delay. An application of
// which TCP sent nothing had no timeout: without that 0, their mean would be of busy batches alone.
static double value_in_batch(const struct batch *batch, enum compared_what what,
                             const char *subject, int figure)
{
    const struct compared_set *set = &compared_sets[what];
    const struct json_object *of = value_in(value_in(batch->figures, set->key), subject);
    if (!batch->figures)
        return NAN;
    if (!of)
        return set->figure[figure].member && !compared_counts(&set->figure[figure]) ? NAN : 0;
    const char *key = set->figure[figure].key;
    const struct json_object *all =
        value_in(value_in(batch->run->batches->figures, set->key), subject);
    if (strcmp(key, "tcp") == 0 && value_in(all, key) && !value_in(of, key))
        return 0;
    return compared_value(of, what, figure);
}

static void each_of(const struct batches *b, enum compared_what what, const char *subject,
                    take_fn *take, void *self)
{
    const struct compared_set *set = &compared_sets[what];
    double values[STATISTICS_BATCHES_MOST];
    for (int f = 0; f < set->figures; f++) {
        bool any = false;
        for (uint32_t i = 0; i < b->count; i++) {
            values[i] = value_in_batch(&b->batch[i], what, subject, f);
            any |= !isnan(values[i]);
        }
        if (any)
            take(self, &(struct row){set, subject, &set->figure[f], values,
                                     statistics_of_batches(values, b->count)});
    }
}

static void each_in(const struct batches *b, enum compared_what what, take_fn *take, void *self)
{
    const struct json_object *subjects = value_in(b->figures, compared_sets[what].key);
    for (size_t i = 0; i < value_size(subjects); i++)
        each_of(b, what, value_key(subjects, i), take, self);
}

static uint32_t ended(const struct batches *b)
{
    uint32_t n = 0;
    while (n < b->count && b->batch[n].figures)
        n++;
    return n;
}

// ---- summary.json ----

struct putting {
    struct json *json;
    const char *subject; // whose object is open
};

void batches_put(struct json *json, const struct statistics *over)
{
    json_put(json, "batches", over->n);
    json_key(json, "mean");
    json_real(json, over->mean);
    json_key(json, "ci95");
    if (over->n > 1)
        json_real(json, over->ci95);
    else
        json_null(json);
    json_key(json, "lag1");
    json_real(json, over->lag1);
    json_key(json, "too_short");
    json_boolean(json, over->too_short);
}

static void put_row(void *self, const struct row *row)
{
    struct putting *p = self;
    if (p->subject != row->subject) {
        if (p->subject)
            json_close(p->json);
        json_put_object(p->json, row->subject);
        p->subject = row->subject;
    }
    json_put_object(p->json, row->figure->name);
    batches_put(p->json, &row->over);
    json_close(p->json);
}

static void put_batches(const void *self, struct json *json)
{
    const struct batches *b = self;
    json_put_object(json, "batches");
    json_put(json, "count", ended(b));
    json_key(json, "length_s");
    json_decimal(json, b->batch[0].end_ns - b->batch[0].start_ns, 9);
    for (int what = 0; what < COMPARED_BATCHED; what++) {
        struct putting putting = {json, NULL};
        json_put_object(json, compared_sets[what].key);
        each_in(b, (enum compared_what)what, put_row, &putting);
        if (putting.subject)
            json_close(json);
        json_close(json);
    }
    json_close(json);
}

void batches_end(struct run *run, struct report *report)
{
    struct batches *b = run->batches;
    if (!b)
        return;
    struct report all = *report;
    report_look(&all, run->dp);
    if (report->complete)
        end_batch(run);
    b->figures = figures_of(&all);
    report->put_batches = put_batches;
    report->batches = b;
}

// ---- The text ----

static void print_row(void *self, const struct row *row)
{
    FILE *out = self;
    const struct statistics *s = &row->over;
    int decimals = row->figure->decimals > 3 ? 3 : 1; // of a ratio; of all others
    if (s->n < 2 || s->mean == 0)
        return;
    fprintf(out, "  %-15s %-23s %11.*f +- %-9.*f in %u", row->subject, row->figure->name, decimals,
            s->mean, decimals, s->ci95, s->n);
    if (s->too_short)
        fprintf(out, "; BATCHES TOO SHORT: lag-1 autocorrelation %.2f", s->lag1);
    fputc('\n', out);
}

void batches_print(const struct run *run, FILE *out)
{
    const struct batches *b = run->batches;
    if (!b)
        return;
    fprintf(out,
            "\n  batches         %u of %.3f s; the mean of a figure over them +- its 95 %% "
            "confidence interval; counts are of one batch\n",
            ended(b), (double)(b->batch[0].end_ns - b->batch[0].start_ns) / 1e9);
    for (int what = 0; what < COMPARED_BATCHED; what++)
        each_in(b, (enum compared_what)what, print_row, out);
}

// ---- batches.csv ----

static const struct tidy_column columns[] = {
    {"batch", "its number, from 1 on"},
    {"start_s", "its beginning; what happens just then is of it"},
    {"end_s", "its end"},
    {"set", "classes or applications, as in summary.json"},
    {"subject", "which of them"},
    {"metric", "the figure, as in summary.json of several runs"},
    {"value", "in the batch; empty: it has none there"},
};

struct csv_rows {
    const struct batch *batch;
    uint32_t number;
    FILE *out;
};

static void put_csv_row(void *self, const struct row *row)
{
    const struct csv_rows *rows = self;
    double value = row->values[rows->number];
    fprintf(rows->out, "%u,%.9f,%.9f,%s,%s,%s,", rows->number + 1,
            (double)rows->batch->start_ns / 1e9, (double)rows->batch->end_ns / 1e9, row->set->key,
            row->subject, row->figure->name);
    if (!isnan(value))
        fprintf(rows->out, "%.*f", row->figure->decimals, value);
    fputc('\n', rows->out);
}

void batches_put_csv(const void *self, FILE *out)
{
    const struct batches *b = ((const struct run *)self)->batches;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', out);
    for (uint32_t i = 0; i < ended(b); i++)
        for (int what = 0; what < COMPARED_BATCHED; what++)
            each_in(b, (enum compared_what)what, put_csv_row,
                    &(struct csv_rows){&b->batch[i], i, out});
}

void batches_describe(FILE *out)
{
    fprintf(out, "\n%s\n", BATCHES_FILE);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        fprintf(out, "%s: %s\n", columns[i].name, columns[i].help);
}

void batches_describe_keys(FILE *out)
{
    static const char *const of[] = {"classes.CLASS", "applications.KIND"};
    static const char *const members[][2] = {
        {"batches", "how many have it"},
        {"mean", "over these"},
        {"ci95", "half its 95 % confidence interval (Student's t); null: of one batch"},
        {"lag1", "the autocorrelation of neighbours"},
        {"too_short", "true: batches depend on each other, so the interval is too small"},
    };
    fputs("batches: with run.batches: its measured time in so many equal parts\n"
          "batches.count: those that came to their end\n"
          "batches.length_s: of one\n",
          out);
    for (size_t i = 0; i < COMPARED_BATCHED; i++) {
        fprintf(out, "batches.%s: each figure of theirs that runs are compared by\n",
                compared_sets[i].key);
        for (size_t k = 0; k < sizeof members / sizeof members[0]; k++)
            fprintf(out, "batches.%s.FIGURE.%s: %s\n", of[i], members[k][0], members[k][1]);
    }
}
