// See drops.h.
#include "control/report/drops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/reader.h"

#define FILE_NAME "drops.csv"

static struct drops_row *add(struct drops *d, uint32_t run, const char *place, const char *reason,
                             const char *class)
{
    char text[2 * DROPS_NAME_OCTETS];
    if (d->count == DROPS_ROWS_MAX) {
        d->more = true;
        return NULL;
    }
    struct drops_row *row = &d->row[d->count++];
    snprintf(text, sizeof text, "%.20s: %.40s", place, reason);
    value_printable(text, row->what, sizeof row->what);
    value_printable(class, row->class, sizeof row->class);
    row->run = run;
    return row;
}

// ---- The summary ----

struct walk {
    struct drops *drops;
    uint32_t run;
    const char *class;
};

static void take_reason(void *self, const char *reason, struct json_object *counts)
{
    const struct walk *w = self;
    struct drops_row *row = add(w->drops, w->run, "sgsn", reason, w->class);
    if (row) {
        row->packets = value_number(counts, "packets");
        row->octets = value_number(counts, "octets");
    }
}

static void take_class(void *self, const char *class, struct json_object *of_class)
{
    struct walk *w = self;
    w->class = class;
    value_members(value_in(of_class, "drops"), take_reason, w);
}

// ---- drops.csv ----

static bool take_row(struct drops *d, struct reader *r, const int column[6], uint32_t run)
{
    double packets, octets;
    if (strcmp(r->cell[column[0]], "class") != 0)
        return true;
    if (!reader_number(r, column[4], &packets) || !reader_number(r, column[5], &octets))
        return !r->error[0];
    struct drops_row *row = add(d, run, r->cell[column[2]], r->cell[column[3]], r->cell[column[1]]);
    if (row) { // whole numbers up to 2^53 are exact
        row->packets = packets < 9e15 ? (uint64_t)packets : 0;
        row->octets = octets < 9e15 ? (uint64_t)octets : 0;
    }
    return true;
}

// False: there is no such file.
static bool read_file(struct drops *d, struct runs *runs, uint32_t run)
{
    static const char *const names[6] = {"by", "name", "place", "reason", "packets", "octets"};
    struct reader reader;
    int column[6];
    if (!runs_open(runs, run, FILE_NAME, &reader))
        return reader.error[0];
    bool good = reader_columns(&reader, names, column, 6);
    while (good && reader_next(&reader))
        good = take_row(d, &reader, column, run);
    runs_close(runs, run, FILE_NAME, &reader);
    return true;
}

bool drops_read(struct drops *d, struct runs *runs)
{
    *d = (struct drops){.row = calloc(DROPS_ROWS_MAX, sizeof *d->row)};
    for (uint32_t i = 0; d->row && i < runs->count; i++) {
        struct walk walk = {.drops = d, .run = i};
        if (!read_file(d, runs, i))
            value_members(value_in(runs->run[i].summary, "classes"), take_class, &walk);
    }
    return d->row != NULL;
}

void drops_release(struct drops *d)
{
    free(d->row);
    *d = (struct drops){0};
}
