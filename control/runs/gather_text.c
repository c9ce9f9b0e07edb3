// See gather_parts.h: the tables for a terminal. Times stand in ms, rates in kbit/s.
#include <stdlib.h>
#include <string.h>

#include "control/runs/gather_parts.h"

#define COLUMNS      4 // variants beside each other
#define NAME_COLUMN  32
#define VALUE_COLUMN 19

// ---- A variant's classes ----

static void print_cell(const struct gather_all *all, struct gather_place at, double unit)
{
    struct statistics s = gather_statistics(all, at);
    if (s.n == 0)
        printf("  %17s", "-");
    else if (s.n == 1)
        printf("  %9.1f        ", s.mean / unit);
    else
        printf("  %9.1f +- %-5.1f", s.mean / unit, s.ci95 / unit);
}

static void print_group(const struct gather_all *all, uint32_t group)
{
    static const struct {
        int figure;
        double unit;
    } cells[] = {{GATHER_GOODPUT, 1e3},
                 {GATHER_P50, 1},
                 {GATHER_P95, 1},
                 {GATHER_DROPPED, 1},
                 {GATHER_MARKS, 1}};
    const struct plan *plan = all->plan;
    const struct plan_group *g = &plan->group[group];
    printf("\n  %s%s%s, %u of %u runs\n", g->variant ? g->variant : "",
           g->variant && g->point ? " " : "",
           g->point     ? g->point
           : g->variant ? ""
                        : "all",
           gather_complete(all, group * plan->seeds, plan->seeds), plan->seeds);
    for (int c = 0; c < CLASS_COUNT; c++) {
        if (!gather_has(all, group, GATHER_CLASSES, c))
            continue;
        printf("  %-15s", class_names[c]);
        for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
            print_cell(all, (struct gather_place){group, GATHER_CLASSES, c, cells[i].figure},
                       cells[i].unit);
        printf("\n");
    }
}

// ---- Variants side by side: a row for each figure ----

// The groups beside each other: every `step`-th from the first, `count` of them.
struct columns {
    uint32_t first, step, count;
};

static const struct row {
    enum gather_what what;
    const char *figure, *text; // the figure's name in summary.json
    double unit;
} rows[] = {{GATHER_CLASSES, "goodput_bit_per_s", "goodput kbit/s", 1e3},
            {GATHER_CLASSES, "delay_p95_ms", "delay p95 ms", 1},
            {GATHER_APPLICATIONS, "goodput_bit_per_s", "goodput kbit/s", 1e3},
            {GATHER_APPLICATIONS, "transfer_mean_ms", "transfer mean ms", 1},
            {GATHER_APPLICATIONS, "page_mean_ms", "page mean ms", 1},
            {GATHER_APPLICATIONS, "page_p95_ms", "page p95 ms", 1},
            {GATHER_APPLICATIONS, "round_trip_mean_ms", "round trip mean ms", 1},
            {GATHER_APPLICATIONS, "round_trip_p95_ms", "round trip p95 ms", 1}};

static int place_of(const struct row *row)
{
    int i = 0;
    while (strcmp(gather_sets[row->what].figure[i].name, row->figure) != 0)
        i++;
    return i;
}

static bool has_row(const struct gather_all *all, const struct columns *columns,
                    struct gather_place at)
{
    bool has = false;
    for (uint32_t i = 0; i < columns->count; i++) {
        at.group = columns->first + i * columns->step;
        has |= gather_has(all, at.group, at.what, at.subject) && gather_statistics(all, at).n > 0;
    }
    return has;
}

static void print_value(const struct gather_all *all, struct gather_place at, double unit)
{
    struct statistics s = gather_statistics(all, at);
    char text[48] = "-";
    if (s.n == 1)
        snprintf(text, sizeof text, "%.1f", s.mean / unit);
    else if (s.n > 1)
        snprintf(text, sizeof text, "%.1f +- %.1f", s.mean / unit, s.ci95 / unit);
    printf(" %*s", VALUE_COLUMN, text);
}

static void print_row(const struct gather_all *all, const struct columns *columns, int subject,
                      const struct row *row)
{
    struct gather_place at = {columns->first, row->what, subject, place_of(row)};
    char name[64];
    if (!has_row(all, columns, at))
        return;
    snprintf(name, sizeof name, "%s, %s", gather_subject(row->what, subject), row->text);
    printf("  %-*s", NAME_COLUMN, name);
    for (uint32_t i = 0; i < columns->count; i++) {
        at.group = columns->first + i * columns->step;
        print_value(all, at, row->unit);
    }
    printf("\n");
}

static void print_columns(const struct gather_all *all, const struct columns *columns)
{
    const struct plan_group *group = all->plan->group;
    printf("\n  %-*.*s", NAME_COLUMN, NAME_COLUMN,
           group[columns->first].point ? group[columns->first].point : "side by side");
    for (uint32_t i = 0; i < columns->count; i++)
        printf(" %*.*s", VALUE_COLUMN, VALUE_COLUMN,
               group[columns->first + i * columns->step].variant);
    printf("\n");
    for (int what = 0; what < GATHER_WHATS; what++)
        for (int i = 0; gather_subject((enum gather_what)what, i); i++)
            for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
                if (rows[r].what == (enum gather_what)what)
                    print_row(all, columns, i, &rows[r]);
}

// A variant's points follow each other, as do its groups.
static uint32_t points_of(const struct plan *plan)
{
    uint32_t points = 1;
    while (points < plan->groups && plan->group[points].variant && plan->group[0].variant &&
           strcmp(plan->group[points].variant, plan->group[0].variant) == 0)
        points++;
    return points;
}

static void print_side_by_side(const struct gather_all *all)
{
    uint32_t points = points_of(all->plan), variants = all->plan->groups / points;
    if (variants < 2 || !all->plan->group[0].variant)
        return;
    for (uint32_t point = 0; point < points; point++)
        for (uint32_t v = 0; v < variants; v += COLUMNS) {
            uint32_t left = variants - v;
            struct columns columns = {v * points + point, points, left < COLUMNS ? left : COLUMNS};
            print_columns(all, &columns);
        }
}

void gather_print(const struct gather_all *all, const char *dir)
{
    uint32_t runs = plan_runs(all->plan);
    printf("%s: %u of %u runs complete; the mean +- its 95 %% confidence interval over seeds\n\n",
           all->name, gather_complete(all, 0, runs), runs);
    printf("  %-15s  %-17s  %-17s  %-17s  %-17s  %s\n", "class", "goodput kbit/s", "delay p50 ms",
           "delay p95 ms", "dropped in SGSN", "marked packets");
    for (uint32_t g = 0; g < all->plan->groups; g++)
        print_group(all, g);
    print_side_by_side(all);
    printf("\n  results         %s/summary.json, runs.csv, results.csv\n", dir);
}
