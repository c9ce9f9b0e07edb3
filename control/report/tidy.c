// See tidy.h. A column of a run's table is a key, which says what its row is of, or a metric, by
// its name. The name of a metric ends with its unit.
#include "control/report/tidy.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/reader.h"

// Behind `entity` the keys, then what belongs to a value.
static const struct tidy_column columns[] = {
    {"entity", "which table the value is from: class, cell, ms, flow, application, tcp; or "
               "application_kind, for quantiles over all applications of a kind"},
    {"class", "the traffic class that the value is of; empty in this column and the next six: of "
              "none"},
    {"cell", "the cell, NSEI-BVCI"},
    {"ms", "the MS, by its IMSI"},
    {"flow", "the number of the flow"},
    {"end", "of TCP: the host's end or the MS's"},
    {"application", "the kind of application"},
    {"direction", "down (to the MS) or up"},
    {"metric", "what the value is, as that table's column is called"},
    {"value", "a number"},
    {"unit", "its unit; empty: a number of something"},
    {"n", "of a mean or a quantile: how many samples it has"}};
enum { COLUMNS = sizeof columns / sizeof columns[0], FIRST_KEY = 1, KEYS = 7, OF_APPLICATION = 5 };

static const char *key_name(int i)
{
    return columns[FIRST_KEY + i].name;
}

const struct tidy_column *tidy_column(size_t i)
{
    return i < COLUMNS ? &columns[i] : NULL;
}

static const struct {
    const char *file, *entity;
} tables[] = {{"classes.csv", "class"},
              {"cells.csv", "cell"},
              {"mss.csv", "ms"},
              {"flows.csv", "flow"},
              {"applications.csv", "application"},
              {"tcp.csv", "tcp"}};
_Static_assert(sizeof tables / sizeof tables[0] == TIDY_TABLES, "each has its count");

const char *tidy_file(int table)
{
    return tables[table].file;
}

// Which column counts the samples of times of that name.
static const struct {
    const char *metrics, *samples;
} counted[] = {{"delay_", "delivered_packets"}, {"transfer_", "transfers"},
               {"object_", "objects"},          {"page_", "pages"},
               {"round_trip_", "round_trips"},  {"rtt_", "rtt_samples"}};

static const struct {
    const char *ending, *unit;
} units[] = {{"_ms", "ms"},
             {"_bit_per_s", "bit/s"},
             {"_octets", "octets"},
             {"_packets", "packets"},
             {"_segments", "segments"}};

void tidy_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputs("\",", out);
}

void tidy_head(FILE *out)
{
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', out);
}

// Few of them belong to a row.
static void put_key(const char *text, FILE *out)
{
    if (*text)
        tidy_text(text, out);
    else
        fputc(',', out);
}

static const char *unit_of(const char *metric)
{
    size_t n = strlen(metric);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t ending = strlen(units[i].ending);
        if (n > ending && strcmp(metric + n - ending, units[i].ending) == 0)
            return units[i].unit;
    }
    return "";
}

static int key_of(const char *column)
{
    for (int i = 0; i < KEYS; i++)
        if (strcmp(column, key_name(i)) == 0)
            return i;
    return -1;
}

// ---- Tables ----

struct places {
    int key[KEYS], samples[READER_CELLS_MAX]; // -1: there is none
};

static int samples_of(const struct reader *reader, const char *metric)
{
    if (strcmp(unit_of(metric), "ms") != 0)
        return -1;
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (strncmp(metric, counted[i].metrics, strlen(counted[i].metrics)) == 0)
            return reader_column(reader, counted[i].samples);
    return -1;
}

static void find_columns(const struct reader *reader, struct places *places)
{
    for (int i = 0; i < KEYS; i++)
        places->key[i] = reader_column(reader, key_name(i));
    for (uint32_t i = 0; i < reader->columns; i++)
        places->samples[i] = samples_of(reader, reader->name[i]);
}

static void put_subject(const struct reader *reader, const struct places *places,
                        const char *entity, FILE *out)
{
    fprintf(out, "%s,", entity);
    for (int i = 0; i < KEYS; i++)
        put_key(places->key[i] < 0 ? "" : reader->cell[places->key[i]], out);
}

// A cell that is empty has no value, and no row.
static void put_row(struct reader *reader, const struct places *places, const char *before,
                    const char *entity, FILE *out)
{
    double number;
    for (uint32_t i = 0; i < reader->columns; i++) {
        const char *name = reader->name[i];
        if (key_of(name) >= 0 || !reader_number(reader, (int)i, &number))
            continue;
        int samples = places->samples[i];
        bool has = samples >= 0 && reader_number(reader, samples, &number);
        fputs(before, out);
        put_subject(reader, places, entity, out);
        tidy_text(name, out);
        fprintf(out, "%s,%s,%s\n", reader->cell[i], unit_of(name),
                has ? reader->cell[samples] : "");
    }
}

// A table of a run. take: for each of its rows.
static bool read_table(const char *folder, int table, size_t root_octets,
                       void (*take)(void *self, struct reader *reader, const struct places *places),
                       void *self, char error[TIDY_ERROR_OCTETS])
{
    struct reader *reader = malloc(sizeof *reader);
    struct places places;
    char path[PATH_MAX];
    bool absent;
    if (!reader)
        abort();
    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 64, folder, tables[table].file);
    if (reader_open(reader, path, root_octets, &absent)) {
        find_columns(reader, &places);
        while (reader_next(reader) && !reader->error[0])
            take(self, reader, &places);
        reader_close(reader);
    }
    bool good = absent || !reader->error[0];
    if (!good)
        snprintf(error, TIDY_ERROR_OCTETS, "%s: %.180s", tables[table].file, reader->error);
    free(reader);
    return good;
}

struct putting {
    const char *before, *entity;
    FILE *out;
};

static void put_one(void *self, struct reader *reader, const struct places *places)
{
    const struct putting *putting = self;
    put_row(reader, places, putting->before, putting->entity, putting->out);
}

// ---- How many there are ----

static void count_one(void *self, struct reader *reader, const struct places *places)
{
    uint64_t *values = self;
    *values += reader->columns;
    for (int i = 0; i < KEYS; i++)
        *values -= places->key[i] >= 0;
}

bool tidy_count(const char *folder, size_t root_octets, uint64_t values[TIDY_TABLES],
                char error[TIDY_ERROR_OCTETS])
{
    for (int i = 0; i < TIDY_TABLES; i++)
        if (!read_table(folder, i, root_octets, count_one, &values[i], error))
            return false;
    return true;
}

void tidy_leave_out(const uint64_t values[TIDY_TABLES], bool without[TIDY_TABLES])
{
    uint64_t all = 0;
    for (int i = 0; i < TIDY_TABLES; i++) {
        without[i] = false;
        all += values[i];
    }
    while (all > TIDY_VALUES_MOST) {
        int largest = -1;
        for (int i = 0; i < TIDY_TABLES; i++)
            if (!without[i] && (largest < 0 || values[i] > values[largest]))
                largest = i;
        without[largest] = true;
        all -= values[largest];
    }
}

// ---- Applications of a kind: percentiles, which the summary alone has ----

struct kind {
    const char *before, *name;
    FILE *out;
};

// Digits and a point. JSON has other numbers as well, such as 1e999.
static bool is_plain(const char *digits)
{
    return *digits && digits[strspn(digits, "0123456789.")] == '\0';
}

// A distribution such as "page_ms": { "n": 33, "mean": 4053.146, ... }.
static void put_distribution(void *self, const char *key, struct json_object *value)
{
    const struct kind *kind = self;
    static const char *const members[] = {"mean", "p50", "p95"};
    char digits[64], n[64], metric[64];
    size_t octets = strlen(key);
    if (!value_is_object(value) || !value_has(value, "n") || octets < 4)
        return;
    value_digits(value, "n", n, sizeof n);
    for (int i = 0; i < 3; i++) {
        if (!is_plain(value_digits(value, members[i], digits, sizeof digits)))
            continue;
        fprintf(kind->out, "%sapplication_kind,", kind->before);
        for (int k = 0; k < KEYS; k++)
            put_key(k == OF_APPLICATION ? kind->name : "", kind->out);
        snprintf(metric, sizeof metric, "%.*s_%s_ms", (int)octets - 3, key, members[i]);
        tidy_text(metric, kind->out);
        fprintf(kind->out, "%s,ms,%s\n", digits, n);
    }
}

static void put_kind(void *self, const char *name, struct json_object *figures)
{
    struct kind kind = *(const struct kind *)self;
    kind.name = name;
    value_members(figures, put_distribution, &kind);
}

static void put_kinds(const char *before, const struct json_object *summary, FILE *out)
{
    struct kind kind = {.before = before, .out = out};
    value_members(value_in(summary, "applications"), put_kind, &kind);
}

bool tidy_put(const char *before, const char *folder, size_t root_octets,
              const bool without[TIDY_TABLES], FILE *out, char error[TIDY_ERROR_OCTETS])
{
    char path[PATH_MAX];
    for (int i = 0; i < TIDY_TABLES; i++) {
        struct putting putting = {before, tables[i].entity, out};
        if (!without[i] && !read_table(folder, i, root_octets, put_one, &putting, error))
            return false;
    }
    snprintf(path, sizeof path, "%.*s/summary.json", PATH_MAX - 64, folder);
    struct json_object *summary = value_read_object(AT_FDCWD, path);
    put_kinds(before, summary, out);
    value_free(summary);
    return true;
}
