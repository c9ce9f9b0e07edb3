// See report.h: the CSV files (tables.def), and all files in a folder.
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/throughput/keys.h"
#include "bench/throughput/report.h"
#include "control/report/below.h"
#include "control/run/results.h"

// ---- Rows of all points ----

static const struct bench_result *measured_from(const struct bench_results *results, uint32_t point)
{
    for (; point < results->points; point++)
        if (results->point[point].result.good)
            return &results->point[point].result;
    return NULL;
}

// The place behind the point's.
static uint32_t behind(const struct bench_results *results, const struct bench_result *result)
{
    uint32_t i = 0;
    while (&results->point[i].result != result)
        i++;
    return i + 1;
}

static const struct bench_result *searched_from(const struct bench_results *results, uint32_t point)
{
    const struct bench_result *r = measured_from(results, point);
    while (r && !r->searched)
        r = measured_from(results, behind(results, r));
    return r;
}

bool report_is_searched(const struct bench_results *results)
{
    return searched_from(results, 0) != NULL;
}

static const struct bench_rate *rates_from(const struct bench_results *results, uint32_t point)
{
    const struct bench_result *r = searched_from(results, point);
    return r ? r->rates : NULL;
}

static const struct bench_rate *rates_next(const struct bench_results *results,
                                           const struct bench_rate *row)
{
    const struct bench_result *r = row->point;
    return row + 1 < r->rates + r->options->losses ? row + 1
                                                   : rates_from(results, behind(results, r));
}

static const struct bench_latency *latency_from(const struct bench_results *results, uint32_t point)
{
    const struct bench_result *r = searched_from(results, point);
    while (r && !report_is_found(r))
        r = searched_from(results, behind(results, r));
    return r ? r->latency : NULL;
}

static const struct bench_latency *latency_next(const struct bench_results *results,
                                                const struct bench_latency *row)
{
    const struct bench_result *r = row->point;
    return row + 1 < r->latency + LATENCY_LOAD_COUNT ? row + 1
                                                     : latency_from(results, behind(results, r));
}

// ---- Files ----

#define TABLE_FILE  "bench/throughput/tables.def"
#define TABLE_OWNER const struct bench_results *results
#include "lab/base/table_make.h"

static void put_trials(const struct bench_result *r, FILE *out)
{
    for (uint32_t i = 0; i < r->search.trials; i++) {
        const struct bench_trial row = {r, &r->search.trial[i]};
        table_csv_row(&bench_trials_table, NULL, &row, out);
    }
}

static void put_buckets(const struct bench_result *r, const struct latency *l, FILE *out)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (!l->of.bucket[i])
            continue;
        seen += l->of.bucket[i];
        const struct bench_bucket row = {r, l, i, (double)seen / (double)l->of.samples};
        table_csv_row(&bench_histogram_table, NULL, &row, out);
    }
}

static void put_histogram(const struct bench_result *r, FILE *out)
{
    for (uint32_t i = 0; i < LATENCY_LOAD_COUNT; i++)
        put_buckets(r, &r->latency[i].of, out);
}

// The first is there without a search, too.
static const struct csv_file {
    const struct table *table;
    void (*rows)(const struct bench_result *r, FILE *out); // NULL: the table has them itself
} csv_files[] = {{&bench_cycles_table, NULL},
                 {&bench_rates_table, NULL},
                 {&bench_trials_table, put_trials},
                 {&bench_latency_table, NULL},
                 {&bench_histogram_table, put_histogram}};
#define CSV_FILES (sizeof csv_files / sizeof csv_files[0])

// In the place of what has that name, which may be a link to somebody's file.
static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = n < (int)sizeof path ? below_replace(path) : NULL;
    if (!file)
        fprintf(stderr, "sluice bench: %s/%s: %s\n", folder, name, strerror(errno));
    return file;
}

static bool close_in(FILE *file, const char *folder, const char *name)
{
    bool good = !ferror(file);
    good &= fclose(file) == 0;
    if (!good)
        fprintf(stderr, "sluice bench: %s/%s could not be written\n", folder, name);
    return good;
}

static bool put_csv(const struct bench_results *results, const char *folder,
                    const struct csv_file *csv)
{
    const struct bench_result *r = csv->rows ? searched_from(results, 0) : NULL;
    FILE *file = open_in(folder, csv->table->csv);
    if (!file)
        return false;
    if (csv->rows)
        table_csv_head(csv->table, file);
    else
        table_csv(csv->table, results, file);
    for (; r; r = searched_from(results, behind(results, r)))
        csv->rows(r, file);
    return close_in(file, folder, csv->table->csv);
}

static bool put_file(const struct bench_results *results, const char *folder, const char *name,
                     void (*put)(const struct bench_results *results, FILE *out))
{
    FILE *file = open_in(folder, name);
    if (!file)
        return false;
    put(results, file);
    return close_in(file, folder, name);
}

static bool is_there(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat is;
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 64, folder, name);
    return lstat(path, &is) == 0;
}

// A run's files and a benchmark's have the same names in part. What an earlier benchmark left may
// be replaced, as a single run replaces a run's.
static bool may_replace(const char *folder)
{
    static const char *const of_runs[] = {"summary.json", "run.json", "contexts.json",
                                          "knobs.json"};
    for (size_t i = 0; i < sizeof of_runs / sizeof of_runs[0]; i++)
        if (is_there(folder, of_runs[i])) {
            fprintf(stderr,
                    "sluice bench: --out: %s: has the results of `sluice run` (%s); give another "
                    "--out\n",
                    folder, of_runs[i]);
            return false;
        }
    if (is_there(folder, RESULTS_OF_BENCH))
        fprintf(stderr, "results: %s has those of an earlier benchmark, to be replaced\n", folder);
    return true;
}

// The folder with those that it is in.
bool report_folder(const char *folder)
{
    char part[PATH_MAX];
    bool good = snprintf(part, sizeof part, "%s/", folder) < (int)sizeof part;
    if (!good)
        errno = ENAMETOOLONG;
    for (char *slash = part + 1; good && (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        good = mkdir(part, 0777) == 0 || errno == EEXIST;
    }
    good = good && access(part, W_OK | X_OK) == 0; // a file, with the slash behind it, is no folder
    if (!good)
        fprintf(stderr, "sluice bench: --out: %s: %s\n", folder, strerror(errno));
    return good && may_replace(folder);
}

// Removes a file of a search that an earlier benchmark made.
static bool remove_in(const char *folder, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 64, folder, name);
    bool good = unlink(path) == 0 || errno == ENOENT;
    if (!good)
        fprintf(stderr, "sluice bench: %s: %s\n", path, strerror(errno));
    return good;
}

bool report_files(const struct bench_results *results, const char *folder)
{
    bool searched = report_is_searched(results), good = true;
    for (const struct csv_file *csv = csv_files + 1; csv < csv_files + CSV_FILES && good; csv++)
        good = searched ? put_csv(results, folder, csv) : remove_in(folder, csv->table->csv);
    return good && put_csv(results, folder, &csv_files[0]) &&
           put_file(results, folder, RESULTS_OF_BENCH, report_json) &&
           put_file(results, folder, "report.html", report_page);
}

void bench_columns(FILE *out)
{
    for (const struct csv_file *csv = csv_files; csv < csv_files + CSV_FILES; csv++) {
        fprintf(out, "\n%s\n", csv->table->csv);
        table_describe(csv->table, out);
    }
}
