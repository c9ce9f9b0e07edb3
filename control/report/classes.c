// See classes.h.
#include "control/report/classes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/reader.h"

#define FILE_NAME "classes.csv"

enum { SENT, DELIVERED, LOST, UNDER_WAY, MARKED, GOODPUT, DELAY };
_Static_assert(GOODPUT == CLASSES_GOODPUT, "the figures' order");

const char *const classes_heads[CLASSES_FIGURES] = {
    "sent",          "delivered", "lost",    "under way", "marked", "goodput, kbit/s",
    "delay p50, ms", "p95, ms",   "p99, ms", "max, ms"};

static struct classes_row *add(struct classes *c, uint32_t run, const char *class,
                               const char *direction)
{
    if (c->count == CLASSES_ROWS_MAX)
        return NULL;
    struct classes_row *row = &c->row[c->count++];
    value_printable(class, row->class, sizeof row->class);
    value_printable(direction, row->direction, sizeof row->direction);
    row->run = run;
    return row;
}

// ---- The summary ----

struct walk {
    struct classes *classes;
    uint32_t run;
};

static void add_packets(void *self, const char *reason, struct json_object *counts)
{
    (void)reason;
    *(uint64_t *)self += value_number(counts, "packets");
}

static void take_class(void *self, const char *class, struct json_object *of_class)
{
    static const struct {
        int figure;
        const char *name;
    } counts[] = {{SENT, "in_packets"},
                  {DELIVERED, "packets"},
                  {MARKED, "marks"},
                  {GOODPUT, "goodput_bit_per_s"}};
    static const char *const delays[] = {"p50", "p95", "p99", "max"};
    const struct walk *w = self;
    struct classes_row *row = add(w->classes, w->run, class, "down");
    uint64_t dropped = 0;
    if (!row)
        return;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        value_digits(of_class, counts[i].name, row->digits[counts[i].figure],
                     CLASSES_DIGITS_OCTETS);
    for (int i = 0; i < 4; i++)
        value_digits(value_in(of_class, "delay_ms"), delays[i], row->digits[DELAY + i],
                     CLASSES_DIGITS_OCTETS);
    value_members(value_in(of_class, "drops"), add_packets, &dropped);
    snprintf(row->digits[LOST], CLASSES_DIGITS_OCTETS, "%" PRIu64, dropped);
}

// ---- classes.csv ----

static bool take_row(struct classes *c, struct reader *r, const int *column, uint32_t run)
{
    struct classes_row *row = add(c, run, r->cell[column[0]], r->cell[column[1]]);
    for (int i = 0; row && i < CLASSES_FIGURES; i++) {
        double number;
        const char *cell = r->cell[column[2 + i]];
        if (reader_number(r, column[2 + i], &number) && strlen(cell) < CLASSES_DIGITS_OCTETS)
            memcpy(row->digits[i], cell, strlen(cell) + 1);
    }
    return !r->error[0];
}

// False: there is no such file.
static bool read_file(struct classes *c, struct runs *runs, uint32_t run)
{
    static const char *const names[2 + CLASSES_FIGURES] = {
        "class",        "direction",         "sent_packets",   "delivered_packets",
        "lost_packets", "under_way_packets", "marked_packets", "goodput_bit_per_s",
        "delay_p50_ms", "delay_p95_ms",      "delay_p99_ms",   "delay_max_ms"};
    struct reader reader;
    int column[2 + CLASSES_FIGURES];
    if (!runs_open(runs, run, FILE_NAME, &reader))
        return reader.error[0];
    bool good = reader_columns(&reader, names, column, 2 + CLASSES_FIGURES);
    while (good && reader_next(&reader))
        good = take_row(c, &reader, column, run);
    runs_close(runs, run, FILE_NAME, &reader);
    return true;
}

bool classes_read(struct classes *c, struct runs *runs)
{
    *c = (struct classes){.row = calloc(CLASSES_ROWS_MAX, sizeof *c->row)};
    for (uint32_t i = 0; c->row && i < runs->count; i++) {
        struct walk walk = {c, i};
        if (!read_file(c, runs, i))
            value_members(value_in(runs->run[i].summary, "classes"), take_class, &walk);
    }
    return c->row != NULL;
}

void classes_release(struct classes *c)
{
    free(c->row);
    *c = (struct classes){0};
}
