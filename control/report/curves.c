// See curves.h.
#include "control/report/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"
#include "control/report/reader.h"

#define PARTS_MAX          400
#define POINTS_OF_A_FIGURE 6400 // over all variants
#define DELAY_LEAST_MS     1e-3 // a delay's axis is logarithmic
#define DELAY_STEP         0.01
#define DELAY_STEPS        3500 // up to 10^12 ms
#define GAP_SHARE          0.05
#define DASH_SHARE         0.005
#define WAYS               2

#define SERIES(file, of, y, scale, title, y_title)                                         \
    {                                                                                      \
        "series_" file ".csv", "time_s", y, of, scale, title, "virtual time in s", y_title \
    }

const struct curves_kind curves_kinds[CURVES_KINDS] = {
    {"delays.csv", "delay_ms", "packets", CURVES_CLASS, 1, "Distribution of the delay",
     "delay in ms", "share of the packets in %"},
    SERIES("classes", CURVES_CLASS, "delay_p95_ms", 1, "Delay over time",
           "delay in ms (p95 of a step)"),
    SERIES("classes", CURVES_CLASS, "goodput_bit_per_s", 1e-3, "Goodput over time", "kbit/s"),
    SERIES("classes", CURVES_CLASS, "under_way_octets", 1e-3, "Under way between the two ends",
           "kB"),
    SERIES("cells", CURVES_CELL, "sgsn_queue_octets", 1e-3, "Queue of a cell in the SGSN", "kB"),
    SERIES("cells", CURVES_CELL, "bucket_level_octets", 1e-3, "Bucket level of a cell", "kB"),
    SERIES("cells", CURVES_CELL, "bsc_buffer_octets", 1e-3, "Buffers of a cell in the BSC", "kB"),
    SERIES("flows", CURVES_FLOW, "cwnd_octets", 1e-3, "Congestion window of a flow", "kB"),
    SERIES("flows", CURVES_FLOW, "srtt_ms", 1, "Round-trip time of a flow", "srtt in ms"),
};

static const char *const group_columns[CURVES_OF] = {"class", "cell", "flow"};

struct curve *curves_at(const struct curves *c, int kind, uint32_t group, int way,
                        uint32_t runs_group)
{
    size_t row = ((size_t)kind * CURVES_GROUPS_MAX + group) * WAYS + (size_t)way;
    return &c->curve[row * c->groups + runs_group];
}

// ---- One file ----

struct source {
    struct curves *curves;
    struct runs *runs;
    uint32_t run, runs_group, parts;
    double elapsed_s; // the longest of the group
    struct reader reader;
    enum curves_of of;
    int x, way, group, application;
    int y[CURVES_KINDS]; // -1: not of this file
};

// The number of a name; -1: it is beyond those shown.
static int number_of(struct curves *c, enum curves_of of, const char *name)
{
    for (uint32_t i = 0; i < c->names[of]; i++)
        if (strcmp(c->name[of][i], name) == 0)
            return (int)i;
    if (c->names[of] == CURVES_GROUPS_MAX) {
        c->more[of] = true;
        return -1;
    }
    snprintf(c->name[of][c->names[of]], CURVES_NAME_OCTETS, "%s", name);
    return (int)c->names[of]++;
}

static int group_of(struct source *s)
{
    char text[2 * CURVES_NAME_OCTETS], name[CURVES_NAME_OCTETS];
    snprintf(text, sizeof text, "%.40s%s%.40s", s->reader.cell[s->group],
             s->application >= 0 ? " " : "",
             s->application >= 0 ? s->reader.cell[s->application] : "");
    return number_of(s->curves, s->of, value_printable(text, name, sizeof name));
}

static bool add_point(struct curve *curve, double x, double y)
{
    if ((curve->points & (curve->points - 1)) == 0) { // a power of two: no room for another
        size_t room = curve->points ? 2 * (size_t)curve->points : 1;
        struct plot_point *point = realloc(curve->point, room * sizeof *point);
        if (!point)
            return false;
        curve->point = point;
    }
    curve->point[curve->points++] = (struct plot_point){x, y};
    return true;
}

static bool add_delay(struct curve *curve, double x, double packets)
{
    x = fmax(x, DELAY_LEAST_MS);
    double step = log(x / DELAY_LEAST_MS) / log1p(DELAY_STEP);
    struct curves_part *part;
    if (!curve->part)
        curve->part = calloc(DELAY_STEPS, sizeof *curve->part);
    if (!curve->part)
        return false;
    part = &curve->part[step < DELAY_STEPS ? (uint32_t)step : DELAY_STEPS - 1];
    part->x = fmax(part->x, x);
    part->y += packets;
    part->n = 1;
    return true;
}

static bool add_to_part(struct source *s, struct curve *curve, double x, double y)
{
    double share = s->elapsed_s > 0 ? x / s->elapsed_s : 0;
    uint32_t i = share < 1 ? (uint32_t)(share * s->parts) : s->parts - 1;
    if (!curve->part)
        curve->part = calloc(s->parts, sizeof *curve->part);
    if (!curve->part)
        return false;
    curve->part[i].x += x;
    curve->part[i].y += y;
    curve->part[i].n++;
    return true;
}

// A group without any value, as TCP's of a ping, takes no place among the first.
static bool has_value(const struct source *s)
{
    for (int kind = 0; kind < CURVES_KINDS; kind++)
        if (s->y[kind] >= 0 && s->reader.cell[s->y[kind]][0])
            return true;
    return false;
}

static bool take_row(struct source *s)
{
    struct reader *r = &s->reader;
    int group = has_value(s) ? group_of(s) : -1, way = strcmp(r->cell[s->way], "up") == 0;
    double x, y;
    if (group < 0 || !reader_number(r, s->x, &x))
        return !r->error[0];
    for (int kind = 0; kind < CURVES_KINDS; kind++) {
        if (s->y[kind] < 0 || !reader_number(r, s->y[kind], &y))
            continue;
        struct curve *curve = curves_at(s->curves, kind, (uint32_t)group, way, s->runs_group);
        y *= curves_kinds[kind].scale;
        if (!(strcmp(curves_kinds[kind].x, "time_s") == 0 ? add_to_part(s, curve, x, y)
                                                          : add_delay(curve, x, y)))
            snprintf(r->error, sizeof r->error, "no memory");
    }
    return !r->error[0];
}

static bool find_columns(struct source *s, const struct curves_kind *of_file)
{
    struct reader *r = &s->reader;
    const char *const names[] = {group_columns[of_file->of], "direction", of_file->x};
    int column[3];
    if (!reader_columns(r, names, column, 3))
        return false;
    s->of = of_file->of;
    s->group = column[0];
    s->way = column[1];
    s->x = column[2];
    s->application = s->of == CURVES_FLOW ? reader_column(r, "application") : -1;
    for (int kind = 0; kind < CURVES_KINDS; kind++)
        s->y[kind] = strcmp(curves_kinds[kind].file, of_file->file) == 0
                         ? reader_column(r, curves_kinds[kind].y)
                         : -1;
    return true;
}

// A file that is not there has no curves.
static void read_file(struct source *s, const struct curves_kind *of_file)
{
    if (!runs_open(s->runs, s->run, of_file->file, &s->reader))
        return;
    bool good = find_columns(s, of_file);
    while (good && reader_next(&s->reader))
        good = take_row(s);
    runs_close(s->runs, s->run, of_file->file, &s->reader);
}

// ---- Parts to points ----

// The least time between neighbours: a step, or a part of the run if that is longer.
static double step_of(const struct curve *curve, const struct source *s)
{
    double least = s->elapsed_s, before = -1, part_s = s->elapsed_s / s->parts;
    for (uint32_t i = 0; i < s->parts; i++) {
        if (curve->part[i].n == 0)
            continue;
        double x = curve->part[i].x / curve->part[i].n;
        if (before >= 0 && x - before < least)
            least = x - before;
        before = x;
    }
    return least > part_s ? least : part_s;
}

// A line has a gap where nothing is known for some steps and a part of the run that one can see. A
// point after a gap begins with a short line, so that one of its own is seen, too.
static void join_parts(struct curve *curve, const struct source *s)
{
    double step = step_of(curve, s), before = -INFINITY;
    double gap = fmax(2.5 * step, GAP_SHARE * s->elapsed_s);
    double dash = fmax(0.5 * step, DASH_SHARE * s->elapsed_s);
    for (uint32_t i = 0; i < s->parts; i++) {
        const struct curves_part *p = &curve->part[i];
        if (p->n == 0)
            continue;
        double x = p->x / p->n, y = p->y / p->n;
        if (x - before > gap) {
            add_point(curve, x, NAN);
            add_point(curve, fmax(x - dash, 0), y);
        }
        add_point(curve, x, y);
        before = x;
    }
    free(curve->part);
    curve->part = NULL;
}

// The share of the packets over the delay. Leaves out points that nobody could tell from those
// before.
static void add_up(struct curve *curve)
{
    double all = 0, packets = 0;
    for (uint32_t i = 0; i < DELAY_STEPS; i++)
        all += curve->part[i].y;
    for (uint32_t i = 0; i < DELAY_STEPS && all > 0; i++) {
        const struct curves_part *part = &curve->part[i];
        const struct plot_point *last = curve->points ? &curve->point[curve->points - 1] : NULL;
        packets += part->y;
        double y = packets < all ? 100 * packets / all : 100;
        if (part->n == 0 || (last && y < 100 && y - last->y < 0.1 && part->x < last->x * 1.05))
            continue;
        if (!last)
            add_point(curve, part->x, 0);
        add_point(curve, part->x, y);
    }
    free(curve->part);
    curve->part = NULL;
}

static void join_all(struct source *s)
{
    for (int kind = 0; kind < CURVES_KINDS; kind++)
        for (uint32_t group = 0; group < CURVES_GROUPS_MAX; group++)
            for (int way = 0; way < WAYS; way++) {
                struct curve *curve = curves_at(s->curves, kind, group, way, s->runs_group);
                if (curve->part && strcmp(curves_kinds[kind].x, "time_s") == 0)
                    join_parts(curve, s);
                else if (curve->part)
                    add_up(curve);
            }
}

static void take_class(void *self, const char *name, struct json_object *of_class)
{
    (void)of_class;
    number_of(self, CURVES_CLASS, name);
}

static void read_run(struct source *s)
{
    for (int kind = 0; kind < CURVES_KINDS; kind++)
        if (kind == 0 || strcmp(curves_kinds[kind].file, curves_kinds[kind - 1].file) != 0)
            read_file(s, &curves_kinds[kind]);
}

bool curves_read(struct curves *c, struct runs *runs)
{
    size_t rows = (size_t)CURVES_KINDS * CURVES_GROUPS_MAX * WAYS;
    *c = (struct curves){.groups = runs->groups,
                         .curve = calloc(rows * runs->groups, sizeof *c->curve)};
    if (!c->curve)
        return false;
    uint32_t parts = POINTS_OF_A_FIGURE / runs->variants;
    for (uint32_t i = 0; i < runs->count; i++)
        value_members(value_in(runs->run[i].summary, "classes"), take_class, c);
    for (uint32_t group = 0; group < runs->groups; group++) {
        struct source s = {.curves = c,
                           .runs = runs,
                           .runs_group = group,
                           .parts = parts < PARTS_MAX ? parts : PARTS_MAX};
        for (uint32_t i = 0; i < runs->count; i++)
            if (runs->run[i].group == group)
                s.elapsed_s = fmax(s.elapsed_s, runs->run[i].elapsed_s);
        for (s.run = 0; s.run < runs->count; s.run++)
            if (runs->run[s.run].group == group)
                read_run(&s);
        join_all(&s);
    }
    return true;
}

void curves_release(struct curves *c)
{
    size_t count = (size_t)CURVES_KINDS * CURVES_GROUPS_MAX * WAYS * c->groups;
    for (size_t i = 0; c->curve && i < count; i++) {
        free(c->curve[i].point);
        free(c->curve[i].part);
    }
    free(c->curve);
    *c = (struct curves){0};
}
