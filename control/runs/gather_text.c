// See gather_parts.h: the tables for a terminal. Times stand in ms, rates in kbit/s.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/runs/gather_parts.h"

#define COLUMNS          4 // variants beside each other
#define NAME_COLUMN      32
#define VALUE_COLUMN     19
#define FAILURES_PRINTED 20

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
    } cells[] = {{COMPARED_GOODPUT, 1e3},
                 {COMPARED_P50, 1},
                 {COMPARED_P95, 1},
                 {COMPARED_DROPPED, 1},
                 {COMPARED_MARKS, 1}};
    const struct plan *plan = all->plan;
    const struct plan_group *g = &plan->group[group];
    printf("\n  %s%s%s, %u of %u runs\n", g->variant ? g->variant : "",
           g->variant && g->point ? " " : "",
           g->point     ? g->point
           : g->variant ? ""
                        : "all",
           gather_complete(all, group * plan->seeds, plan->seeds), plan->seeds);
    for (int c = 0; c < CLASS_COUNT; c++) {
        if (!gather_has(all, group, COMPARED_CLASSES, c))
            continue;
        printf("  %-15s", class_names[c]);
        for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
            print_cell(all, (struct gather_place){group, COMPARED_CLASSES, c, cells[i].figure},
                       cells[i].unit);
        printf("\n");
    }
}

// ---- Variants side by side: a row for each figure ----

// The groups beside each other.
struct columns {
    const uint32_t *group;
    uint32_t count;
};

static const struct row {
    enum compared_what what;
    const char *figure, *text; // the figure's name in summary.json
    double unit;
} rows[] = {{COMPARED_CLASSES, "goodput_bit_per_s", "goodput kbit/s", 1e3},
            {COMPARED_CLASSES, "delay_p95_ms", "delay p95 ms", 1},
            {COMPARED_APPLICATIONS, "goodput_bit_per_s", "goodput kbit/s", 1e3},
            {COMPARED_APPLICATIONS, "transfer_mean_ms", "transfer mean ms", 1},
            {COMPARED_APPLICATIONS, "page_mean_ms", "page mean ms", 1},
            {COMPARED_APPLICATIONS, "page_p95_ms", "page p95 ms", 1},
            {COMPARED_APPLICATIONS, "round_trip_mean_ms", "round trip mean ms", 1},
            {COMPARED_APPLICATIONS, "round_trip_p95_ms", "round trip p95 ms", 1},
            {COMPARED_LAB, "attach_mean_ms", "attach mean ms", 1},
            {COMPARED_LAB, "attach_p95_ms", "attach p95 ms", 1},
            {COMPARED_LAB, "context_mean_ms", "context mean ms", 1},
            {COMPARED_LAB, "context_p95_ms", "context p95 ms", 1},
            {COMPARED_LAB, "first_octet_mean_ms", "first octet mean ms", 1},
            {COMPARED_LAB, "first_octet_p95_ms", "first octet p95 ms", 1}};

static int place_of(const struct row *row)
{
    int i = 0;
    while (strcmp(compared_sets[row->what].figure[i].name, row->figure) != 0)
        i++;
    return i;
}

static bool has_row(const struct gather_all *all, const struct columns *columns,
                    struct gather_place at)
{
    bool has = false;
    for (uint32_t i = 0; i < columns->count; i++) {
        at.group = columns->group[i];
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
    struct gather_place at = {columns->group[0], row->what, subject, place_of(row)};
    char name[64];
    if (!has_row(all, columns, at))
        return;
    snprintf(name, sizeof name, "%s, %s", gather_subject(row->what, subject), row->text);
    printf("  %-*s", NAME_COLUMN, name);
    for (uint32_t i = 0; i < columns->count; i++) {
        at.group = columns->group[i];
        print_value(all, at, row->unit);
    }
    printf("\n");
}

// Variants have them side by side.
static void print_lab(const struct gather_all *all, uint32_t group)
{
    for (size_t r = 0; r < sizeof rows / sizeof rows[0] && !all->plan->group[group].variant; r++)
        if (rows[r].what == COMPARED_LAB)
            print_row(all, &(struct columns){&group, 1}, 0, &rows[r]);
}

// The octets of the point's name that the variants share.
static int shared_octets(const struct plan *plan, const struct plan_group *group)
{
    size_t own = strlen(plan_own(plan, group)), all = group->point ? strlen(group->point) : 0;
    return (int)(all - own - (own > 0 && own < all)); // less the comma between
}

// A row of the values of the variants' own axes: for each column the number-th, if it has so many.
// Returns whether any has.
static bool print_own(const struct plan *plan, const struct columns *columns, int number)
{
    bool any = false;
    for (uint32_t i = 0; i < columns->count; i++) {
        const char *part = plan_own(plan, &plan->group[columns->group[i]]);
        for (int n = 0; n < number; n++)
            part += strcspn(part, ",") + (strchr(part, ',') != NULL);
        int octets = (int)strcspn(part, ",");
        if (octets && !any)
            printf("%*s", NAME_COLUMN + 2 + (int)i * (VALUE_COLUMN + 1), "");
        any |= octets > 0;
        if (any)
            printf(" %*.*s", VALUE_COLUMN, octets < VALUE_COLUMN ? octets : VALUE_COLUMN, part);
    }
    printf("%s", any ? "\n" : "");
    return any;
}

static void print_head(const struct plan *plan, const struct columns *columns)
{
    const struct plan_group *first = &plan->group[columns->group[0]];
    int octets = shared_octets(plan, first);
    printf("\n  %-*.*s", NAME_COLUMN, octets && octets < NAME_COLUMN ? octets : NAME_COLUMN,
           octets ? first->point : "side by side");
    for (uint32_t i = 0; i < columns->count; i++)
        printf(" %*.*s", VALUE_COLUMN, VALUE_COLUMN, plan->group[columns->group[i]].variant);
    printf("\n");
    for (int number = 0; print_own(plan, columns, number); number++)
        ;
}

static void print_columns(const struct gather_all *all, const struct columns *columns)
{
    print_head(all->plan, columns);
    for (int what = 0; what < COMPARED_WHATS; what++)
        for (int i = 0; gather_subject((enum compared_what)what, i); i++)
            for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
                if (rows[r].what == (enum compared_what)what)
                    print_row(all, columns, i, &rows[r]);
}

static bool are_beside(const struct plan *plan, uint32_t a, uint32_t b)
{
    const struct plan_group *one = &plan->group[a], *other = &plan->group[b];
    int octets = shared_octets(plan, one);
    return octets == shared_octets(plan, other) &&
           (octets == 0 || strncmp(one->point, other->point, (size_t)octets) == 0);
}

static bool is_variant(const struct plan *plan, uint32_t group, uint32_t of)
{
    return strcmp(plan->group[group].variant, plan->group[of].variant) == 0;
}

// Takes the groups of one shared point: of each variant those that follow each other from its place
// in `next` on. A variant's groups follow each other, too.
static uint32_t take_columns(const struct plan *plan, uint32_t *next, uint32_t variants,
                             uint32_t *group)
{
    uint32_t first = next[0], n = 0;
    for (uint32_t v = 0; v < variants; v++)
        for (uint32_t begin = next[v]; next[v] < plan->groups && is_variant(plan, next[v], begin) &&
                                       are_beside(plan, next[v], first);
             next[v]++)
            group[n++] = next[v];
    return n;
}

static void print_points(const struct gather_all *all, uint32_t *next, uint32_t variants,
                         uint32_t *group)
{
    uint32_t end = variants > 1 ? next[1] : 0;
    while (next[0] < end) {
        uint32_t n = take_columns(all->plan, next, variants, group);
        for (uint32_t i = 0; i < n; i += COLUMNS) {
            struct columns columns = {group + i, n - i < COLUMNS ? n - i : COLUMNS};
            print_columns(all, &columns);
        }
    }
}

static void print_side_by_side(const struct gather_all *all)
{
    const struct plan *plan = all->plan;
    uint32_t *next = calloc(plan->groups, sizeof *next);   // by variant: its next group
    uint32_t *group = calloc(plan->groups, sizeof *group); // of one point
    uint32_t variants = 0;
    if (!next || !group)
        abort();
    for (uint32_t g = 0; g < plan->groups && plan->group[g].variant; g++)
        if (g == 0 || !is_variant(plan, g, g - 1))
            next[variants++] = g;
    print_points(all, next, variants, group);
    free(next);
    free(group);
}

// Of results.csv.
static void print_without(const struct gather_all *all)
{
    bool any = false;
    for (int i = 0; i < TIDY_TABLES; i++) {
        if (all->without[i])
            printf("%s%s", any ? ", " : "  left out        of results.csv: ", tidy_file(i));
        any |= all->without[i];
    }
    if (any)
        printf("; all runs have %" PRIu64 " values, it %d at most\n", all->values,
               TIDY_VALUES_MOST);
}

static void print_too_short(const struct gather_all *all, struct gather_place at)
{
    const struct plan_group *g = &all->plan->group[at.group];
    struct statistics s = gather_statistics(all, at);
    if (s.too_short)
        printf("  BATCHES TOO SHORT for %s%s%s%s%s, %s: lag-1 autocorrelation %.2f\n",
               g->variant ? g->variant : "", g->variant ? " " : "", g->point ? g->point : "",
               g->point ? " " : "", gather_subject(at.what, at.subject),
               compared_sets[at.what].figure[at.figure].name, s.lag1);
}

static void print_failures(const struct plan *plan)
{
    char folder[PATH_MAX];
    uint32_t failed = 0;
    for (uint32_t i = 0; i < plan_runs(plan); i++) {
        if (!plan->failure[i] || failed++ >= FAILURES_PRINTED)
            continue;
        plan_folder(plan, i, folder);
        printf("  FAILED          %s: %s\n", folder, plan->failure[i]);
    }
    if (failed > FAILURES_PRINTED)
        printf("  and %u more\n", failed - FAILURES_PRINTED);
    if (failed)
        printf("  --resume does what is missing\n");
}

// Calls for each figure of each group, in order.
static void each_figure(const struct gather_all *all,
                        void (*take)(const struct gather_all *all, struct gather_place at))
{
    for (uint32_t g = 0; g < all->plan->groups; g++)
        for (int what = 0; what < COMPARED_WHATS; what++)
            for (int i = 0; gather_subject((enum compared_what)what, i); i++)
                for (int f = 0; f < compared_sets[what].figures; f++)
                    take(all, (struct gather_place){g, (enum compared_what)what, i, f});
}

void gather_print(const struct gather_all *all, const char *dir, bool written, bool tidy)
{
    uint32_t runs = plan_runs(all->plan);
    printf("%s: %u of %u runs complete; %s\n\n", all->name, gather_complete(all, 0, runs), runs,
           all->plan->seeds > 1 ? "the mean +- its 95 % confidence interval over seeds"
           : plan_is_of_batches(all->plan)
               ? "one seed; the mean +- its 95 % confidence interval over its batches"
               : "one seed, which gives no interval");
    printf("  %-15s  %-17s  %-17s  %-17s  %-17s  %s\n", "class", "goodput kbit/s", "delay p50 ms",
           "delay p95 ms", "dropped in SGSN", "marked packets");
    for (uint32_t g = 0; g < all->plan->groups; g++) {
        print_group(all, g);
        print_lab(all, g);
    }
    print_side_by_side(all);
    each_figure(all, print_too_short);
    if (written)
        printf("\n  results         %s/summary.json, runs.csv%s\n", dir,
               tidy ? ", results.csv" : "");
    if (tidy)
        print_without(all);
    print_failures(all->plan);
}
