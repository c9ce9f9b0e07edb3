// See gi_figures.h. Numbers are checked as they are read: a report may be anybody's.
#include "control/captures/gi_figures_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/client/value.h"

// ---- Memory ----

void *gi_keep(struct gi_figures *f, size_t octets)
{
    void *memory = f->kepts < GI_KEPT_MOST ? calloc(1, octets) : NULL;
    if (!memory)
        abort();
    return f->kept[f->kepts++] = memory;
}

void gi_figures_release(struct gi_figures *f)
{
    while (f->kepts > 0)
        free(f->kept[--f->kepts]);
}

struct figure *gi_begin(struct gi_figures *f, const char *title, const char *x_title,
                        const char *y_title)
{
    if (f->count == GI_FIGURES_MOST)
        abort();
    struct figure *figure = &f->figure[f->count];
    *figure = (struct figure){.name = gi_keep(f, GI_SERIES_MOST * sizeof *figure->name),
                              .plot = {.x_title = x_title, .y_title = y_title, .row_bars = 1}};
    gi_sides_in(&f->sides, title, figure->title, sizeof figure->title);
    return figure;
}

void gi_end_figure(struct gi_figures *f, const struct figure *figure, bool drawn)
{
    size_t n = strlen(f->empty);
    f->count += drawn;
    if (!drawn)
        snprintf(f->empty + n, sizeof f->empty - n, "%s%.*s", n ? ", " : "",
                 (int)strcspn(figure->title, ":"), figure->title);
}

void gi_add_name(struct gi_figures *f, struct figure *figure, const char *name, double flows,
                 uint32_t colour)
{
    char *text = gi_keep(f, GI_TEXT_ROOM), side[GI_TEXT_ROOM];
    snprintf(text, GI_TEXT_ROOM, flows < 0 ? "%s" : "%s (%.0f)",
             gi_sides_in(&f->sides, name, side, sizeof side), flows);
    figure->name[figure->names++] = (struct figures_name){text, colour};
}

// ---- Reading ----

const struct json_object *gi_labelled(const struct json_object *rows, const char *label)
{
    char text[GI_TEXT_ROOM];
    for (size_t i = 0; i < value_count(rows); i++)
        if (strcmp(value_text(value_at(rows, i), "row", text, sizeof text), label) == 0)
            return value_at(rows, i);
    return NULL;
}

const struct json_object *gi_figures_row(const struct json_object *report, const char *table,
                                         const char *label)
{
    return gi_labelled(value_in(value_in(report, "tables"), table), label);
}

// 0: there is none.
double gi_number(const struct json_object *row, const char *key)
{
    double value = value_as_real(value_in(row, key));
    return fabs(value) < GI_VALUE_MOST ? value : 0;
}

struct gi_sides gi_sides_of(const struct json_object *report)
{
    struct gi_sides sides = gi_sides_of_paper, read;
    char text[2 * GI_SIDE_OCTETS], user[GI_SIDE_OCTETS], host[GI_SIDE_OCTETS];
    const struct json_object *named = value_in(report, "sides");
    snprintf(text, sizeof text, "%s,%s", value_text(named, "user", user, sizeof user),
             value_text(named, "host", host, sizeof host));
    return gi_sides_read(&read, text) ? read : sides;
}

// ---- Histograms ----

static const struct gi_histogram
    setups = {"Fig. 3: set-up delay",
              "set-up delay, s",
              "s",
              "setups",
              1,
              {"1 SYN, 1 SYN-ACK, no background", "1 SYN, 1 SYN-ACK, background",
               "1+ SYN or SYN-ACK, no background", "1+ SYN or SYN-ACK, background"}},
    rtt_gprs =
        {"Fig. 4: round trip on the GPRS side", "round trip, s", "s", "rtt_gprs", 1, {"all"}},
    rtt_internet = {"Fig. 4: round trip on the Internet side",
                    "round trip, s",
                    "s",
                    "rtt_internet",
                    1,
                    {"all"}},
    rates = {"Fig. 7: rate of the channel, down", "rate, kbit/s", "kbit/s", "rates", 1e-3, {"all"}},
    single = {"Fig. 9: throughput of single flows above 100 kB",
              "throughput, kbit/s",
              "kbit/s",
              "single",
              1e-3,
              {"all"}},
    shares = {"Fig. 11: a flow above 100 kB in the traffic of its user",
              "Btcp / (Btcp + Bother)",
              "",
              "shares",
              1,
              {"all"}},
    parallel = {"Fig. 13: throughput of users during flows above 100 kB",
                "throughput, kbit/s",
                "kbit/s",
                "parallel",
                1e-3,
                {"less than 1/3 background", "1/3 to 2/3 background", "at least 2/3 background"}};

// ---- One report ----

void gi_figures_of(struct gi_figures *f, const struct json_object *report)
{
    *f = (struct gi_figures){.sides = gi_sides_of(report)};
    gi_add_stack(f, report, &setups);
    gi_add_round_trips(f, report);
    gi_add_stack(f, report, &rates);
    gi_add_bottlenecks(f, report);
    gi_add_stack(f, report, &single);
    gi_add_losses(f, report);
    gi_add_stack(f, report, &shares);
    gi_add_stairs(f, report, &parallel);
    gi_add_effects(f, report);
    gi_add_over_time(f, report);
    gi_add_sequence(f, report);
}

// ---- Two reports ----

void gi_figures_beside(struct gi_figures *f, const struct json_object *const reports[2])
{
    static const struct gi_histogram *const list[] = {&setups, &rtt_gprs, &rtt_internet, &rates,
                                                      &single, &shares,   &parallel};
    *f = (struct gi_figures){.sides = gi_sides_of(reports[0])};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        gi_add_both(f, reports, list[i]);
    gi_add_goodputs(f, reports);
}
