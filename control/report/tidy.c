// See tidy.h. A column of a run's table is a key, which says what its row is of, or a metric, by
// its name. The name of a metric ends with its unit.
#include "control/report/tidy.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/reader.h"

static const char *const keys[] = {"class", "cell",        "ms",       "flow",
                                   "end",   "application", "direction"};
enum { KEYS = sizeof keys / sizeof keys[0], OF_APPLICATION = 5 };

static const struct {
    const char *file, *entity;
} tables[] = {{"classes.csv", "class"},
              {"cells.csv", "cell"},
              {"mss.csv", "ms"},
              {"flows.csv", "flow"},
              {"applications.csv", "application"},
              {"tcp.csv", "tcp"}};

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
    fputs("entity,", out);
    for (int i = 0; i < KEYS; i++)
        fprintf(out, "%s,", keys[i]);
    fputs("metric,value,unit,n\n", out);
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
        if (strcmp(column, keys[i]) == 0)
            return i;
    return -1;
}

// ---- Tables ----

struct columns {
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

static void find_columns(const struct reader *reader, struct columns *columns)
{
    for (int i = 0; i < KEYS; i++)
        columns->key[i] = reader_column(reader, keys[i]);
    for (uint32_t i = 0; i < reader->columns; i++)
        columns->samples[i] = samples_of(reader, reader->name[i]);
}

static void put_subject(const struct reader *reader, const struct columns *columns,
                        const char *entity, FILE *out)
{
    fprintf(out, "%s,", entity);
    for (int i = 0; i < KEYS; i++)
        put_key(columns->key[i] < 0 ? "" : reader->cell[columns->key[i]], out);
}

// A cell that is empty has no value, and no row.
static void put_row(struct reader *reader, const struct columns *columns, const char *before,
                    const char *entity, FILE *out)
{
    double number;
    for (uint32_t i = 0; i < reader->columns; i++) {
        const char *name = reader->name[i];
        if (key_of(name) >= 0 || !reader_number(reader, (int)i, &number))
            continue;
        int samples = columns->samples[i];
        bool has = samples >= 0 && reader_number(reader, samples, &number);
        fputs(before, out);
        put_subject(reader, columns, entity, out);
        tidy_text(name, out);
        fprintf(out, "%s,%s,%s\n", reader->cell[i], unit_of(name),
                has ? reader->cell[samples] : "");
    }
}

static bool put_table(const char *before, const char *path, size_t root_octets, const char *entity,
                      FILE *out, char error[TIDY_ERROR_OCTETS])
{
    struct reader *reader = malloc(sizeof *reader);
    struct columns columns;
    bool absent;
    if (!reader)
        abort();
    if (reader_open(reader, path, root_octets, &absent)) {
        find_columns(reader, &columns);
        while (reader_next(reader) && !reader->error[0])
            put_row(reader, &columns, before, entity, out);
        reader_close(reader);
    }
    bool good = absent || !reader->error[0];
    if (!good)
        snprintf(error, TIDY_ERROR_OCTETS, "%.60s: %.180s", strrchr(path, '/') + 1, reader->error);
    free(reader);
    return good;
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

bool tidy_put(const char *before, const char *folder, size_t root_octets, FILE *out,
              char error[TIDY_ERROR_OCTETS])
{
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 64, folder, tables[i].file);
        if (!put_table(before, path, root_octets, tables[i].entity, out, error))
            return false;
    }
    snprintf(path, sizeof path, "%.*s/summary.json", PATH_MAX - 64, folder);
    struct json_object *summary = value_read_object(AT_FDCWD, path);
    put_kinds(before, summary, out);
    value_free(summary);
    return true;
}
