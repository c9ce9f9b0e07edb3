// See series.h.
#include "lab/report/series.h"

#include <assert.h>

void series_setup(struct series *s, FILE *out, const struct series_subjects *subjects)
{
    *s = (struct series){.csv = {.out = out}, .subjects = *subjects};
}

void series_column(struct series *s, const struct series_column *column)
{
    assert(s->columns < SERIES_COLUMNS_MAX && !s->headed);
    s->column[s->columns++] = *column;
}

static void put_head(struct series *s)
{
    csv_text(&s->csv, "time_s");
    for (const struct series_name *name = s->subjects.names; name->name; name++)
        csv_text(&s->csv, name->name);
    for (uint32_t i = 0; i < s->columns; i++)
        csv_text(&s->csv, s->column[i].name);
    csv_end(&s->csv);
    s->headed = true;
}

void series_describe(const struct series *s, FILE *out)
{
    fputs("time_s: the end of the step\n", out);
    for (const struct series_name *name = s->subjects.names; name->name; name++)
        fprintf(out, "%s: %s\n", name->name, name->help);
    for (uint32_t i = 0; i < s->columns; i++)
        fprintf(out, "%s: %s\n", s->column[i].name, s->column[i].help);
}

static void put_value(struct csv *csv, uint64_t value, int decimals)
{
    if (value == SERIES_NONE)
        csv_none(csv);
    else if (decimals)
        csv_decimal(csv, value, decimals);
    else
        csv_number(csv, value);
}

static void put_row(struct series *s, uint32_t subject, uint64_t now_ns)
{
    csv_decimal(&s->csv, now_ns / 1000, 6);
    s->subjects.put(s->subjects.self, subject, &s->csv);
    for (uint32_t i = 0; i < s->columns; i++) {
        const struct series_column *c = &s->column[i];
        put_value(&s->csv, c->read(c->self, subject, now_ns - s->before_ns), c->decimals);
    }
    csv_end(&s->csv);
}

void series_step(struct series *s, uint64_t now_ns)
{
    if (!s->headed)
        put_head(s);
    assert(now_ns >= s->before_ns + 1000);
    uint32_t subjects = s->subjects.count(s->subjects.self);
    for (uint32_t i = 0; i < subjects; i++)
        if (s->subjects.has_row(s->subjects.self, i))
            put_row(s, i, now_ns);
    s->before_ns = now_ns;
}
