// See gi_paper.h. A deviation is from the nearer end of what is published: in points where that is
// a share, else in per cent of it; none of a number of flows. The effect of the MSS is published of
// clusters that differ in nothing else, those of SACK, timestamps and windows of all flows.
#include "lab/captures/gi/gi_paper.h"

#include <math.h>

#define NONE NAN

enum unit { SHARE, SECONDS, RATE, FLOWS };

struct published {
    const char *where, *what;
    enum unit unit;
    double least, most, dial_up_least, dial_up_most;
    const char *sheet, *row, *figure;
    bool (*worked)(const struct gi_sheets *sheets, double *value);
};

// ---- What is worked out of several figures ----

static bool peak_over_off_peak(const struct gi_sheets *sheets, double *value)
{
    double peak, off_peak;
    if (!gi_sheets_figure(sheets, "rtt_gprs", "peak, 10 to 12 h", "p50_rtt_gprs_setup_s", &peak) ||
        !gi_sheets_figure(sheets, "rtt_gprs", "off-peak, 3 to 7 h", "p50_rtt_gprs_setup_s",
                          &off_peak))
        return false;
    *value = peak - off_peak;
    return true;
}

// The two highest bins with no higher one within 2 kbit/s on either side, at least 5 kbit/s apart;
// the middle of each.
#define PEAK_NEAR  2u
#define PEAK_APART 5u

static bool is_peak(const uint64_t *bin, uint32_t count, uint32_t i)
{
    for (uint32_t k = i > PEAK_NEAR ? i - PEAK_NEAR : 0; k <= i + PEAK_NEAR && k < count; k++)
        if (bin[k] > bin[i])
            return false;
    return bin[i] > 0;
}

static uint32_t highest(const uint64_t *bin, uint32_t count, uint32_t apart_from)
{
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        bool far =
            apart_from == count || i >= apart_from + PEAK_APART || i + PEAK_APART <= apart_from;
        if (far && is_peak(bin, count, i) && (best == count || bin[i] > bin[best]))
            best = i;
    }
    return best;
}

static bool peak_of(const struct gi_sheets *sheets, bool upper, double *value)
{
    uint32_t count;
    const uint64_t *bin = gi_sheets_bins(sheets, "rates", &count);
    uint32_t one = highest(bin, count, count), other = highest(bin, count, one);
    if (one == count || other == count)
        return false;
    *value = 1000 * ((upper == (one > other) ? one : other) + 0.5);
    return true;
}

// The middle of the highest bin, of 0.1 s.
static bool setup_peak(const struct gi_sheets *sheets, double *value)
{
    uint32_t count;
    const uint64_t *bin = gi_sheets_bins(sheets, "setups", &count);
    uint32_t i = highest(bin, count, count);
    *value = 0.1 * (i + 0.5);
    return i < count;
}

static bool lower_peak(const struct gi_sheets *sheets, double *value)
{
    return peak_of(sheets, false, value);
}

static bool upper_peak(const struct gi_sheets *sheets, double *value)
{
    return peak_of(sheets, true, value);
}

// ---- Effects ----

struct group {
    double flows, goodput;
};

static struct group group_of(const struct gi_sheets *sheets, const char *row)
{
    struct group group;
    if (!gi_sheets_figure(sheets, "clusters", row, "mean_goodput_bit_per_s", &group.goodput) ||
        !gi_sheets_figure(sheets, "clusters", row, "flows", &group.flows))
        return (struct group){0, 0};
    return group;
}

static bool put_effect(struct group more, struct group less, double *value)
{
    if (!(more.flows > 0 && less.flows > 0 && less.goodput > 0))
        return false;
    *value = more.goodput / less.goodput - 1;
    return true;
}

static bool sack_over_none(const struct gi_sheets *sheets, double *value)
{
    return put_effect(group_of(sheets, "SACK"), group_of(sheets, "no SACK"), value);
}

static bool timestamps_over_none(const struct gi_sheets *sheets, double *value)
{
    return put_effect(group_of(sheets, "timestamps"), group_of(sheets, "no timestamps"), value);
}

static bool window_over_others(const struct gi_sheets *sheets, double *value)
{
    struct group low = group_of(sheets, "window low"), high = group_of(sheets, "window high");
    struct group others = {.flows = low.flows + high.flows};
    if (others.flows > 0)
        others.goodput = (low.flows * low.goodput + high.flows * high.goodput) / others.flows;
    return put_effect(group_of(sheets, "window medium"), others, value);
}

// The mean effect, each cluster weighted by n m / (n + m): a cluster with few flows on a side says
// little.
static bool mss_in_clusters(const struct gi_sheets *sheets, double *value)
{
    static const char *const windows[] = {"low", "medium", "high"}, *const sacks[] = {"", "no "},
                             *const stamps[] = {"", ", timestamps"};
    double sum = 0, weights = 0, effect;
    for (int i = 0; i < 12; i++) {
        struct group group[2];
        for (int high = 0; high < 2; high++) {
            char row[64];
            snprintf(row, sizeof row, "window %s, %sSACK, MSS %s%s", windows[i / 4],
                     sacks[i / 2 % 2], high ? "high" : "low", stamps[i % 2]);
            group[high] = group_of(sheets, row);
        }
        if (!put_effect(group[1], group[0], &effect))
            continue;
        double weight = group[0].flows * group[1].flows / (group[0].flows + group[1].flows);
        sum += weight * effect;
        weights += weight;
    }
    *value = weights > 0 ? sum / weights : 0;
    return weights > 0;
}

// ---- The list ----

#define FIGURE(sheet, row, figure) sheet, row, figure, NULL
#define WORKED(function)           NULL, NULL, NULL, function
#define PUBLISHED(where, what, unit, least, most, dial_up_least, dial_up_most, how) \
    {where, what, unit, least, most, dial_up_least, dial_up_most, how},
#define CLUSTER(row, goodput, flows)                                            \
    PUBLISHED("Table III", row ": goodput", RATE, goodput, goodput, NONE, NONE, \
              FIGURE("clusters", row, "mean_goodput_bit_per_s"))                \
    PUBLISHED("Table III", row ": samples", FLOWS, flows, flows, NONE, NONE,    \
              FIGURE("clusters", row, "flows"))
static const struct published list[] = {
#include "lab/captures/gi/gi_paper.def"
};
#define COUNT (sizeof list / sizeof list[0])

// NAN: there is none.
static double ours_of(const struct published *p, const struct gi_sheets *sheets)
{
    double value;
    bool there = p->worked ? p->worked(sheets, &value)
                           : gi_sheets_figure(sheets, p->sheet, p->row, p->figure, &value);
    return there ? value : NAN;
}

static double deviation_of(const struct published *p, double ours)
{
    if (p->unit == FLOWS || isnan(ours) || isnan(p->least))
        return NAN;
    double nearest = fmin(fmax(ours, p->least), p->most);
    return 100 * (p->unit == SHARE ? ours - nearest : (ours - nearest) / nearest);
}

// ---- Text ----

static void put_number(enum unit unit, double value, char *text, size_t room)
{
    if (unit == SHARE)
        snprintf(text, room, "%.2f %%", 100 * value);
    else
        snprintf(text, room,
                 unit == SECONDS ? "%.3f s"
                 : unit == RATE  ? "%.0f bit/s"
                                 : "%.0f",
                 value);
}

static const char *range_text(enum unit unit, double least, double most, char text[96])
{
    char lower[32], upper[32];
    put_number(unit, least, lower, sizeof lower);
    put_number(unit, most, upper, sizeof upper);
    if (isnan(least))
        return "-";
    if (isnan(most))
        snprintf(text, 96, "%s and more", lower);
    else
        snprintf(text, 96, most > least ? "%s to %s" : "%s", lower, upper);
    return text;
}

static void print_row(const struct published *p, double ours, FILE *out)
{
    char published[96], dial_up[96], text[32] = "-", deviation[32] = "";
    double by = deviation_of(p, ours);
    if (!isnan(ours))
        put_number(p->unit, ours, text, sizeof text);
    if (!isnan(by))
        snprintf(deviation, sizeof deviation, "%+.2f %s", by, p->unit == SHARE ? "points" : "%");
    fprintf(out, "%-9s  %-48s  %26s  %26s  %13s  %14s\n", p->where, p->what,
            range_text(p->unit, p->least, p->most, published),
            range_text(p->unit, p->dial_up_least, p->dial_up_most, dial_up), text, deviation);
}

void gi_paper_print(const struct gi_sheets *sheets, FILE *out)
{
    fprintf(
        out,
        "\nBeside the paper (GPRS, seven networks; dial-up, one)\n%-59s  %26s  %26s  %13s  %14s\n",
        "", "published, GPRS", "published, dial-up", "ours", "deviation");
    for (size_t i = 0; i < COUNT; i++)
        print_row(&list[i], ours_of(&list[i], sheets), out);
}

// ---- JSON ----

static const char *const units[] = {"share", "s", "bit/s", "flows"};

#define TABLE_FILE  "lab/captures/gi/gi_paper_list.def"
#define TABLE_OWNER const struct gi_sheets *sheets
#include "lab/base/table_make.h"
