// See report.h: the page, of the parts of control/report. Figures over sizes, over loads and over
// numbers of MSs have as many lines as there are colours; the tables have all.
#include <math.h>
#include <stdlib.h>

#include "bench/throughput/report.h"
#include "control/report/cells.h"
#include "control/report/figures.h"
#include "control/report/sections.h"
#include "control/report/table_page.h"
#include "control/process/version.h"

#define FIGURES_MOST  6
#define POINTS_MOST   512 // of a line
#define NAME_OCTETS   80
#define ROOM_ABOVE    1.08
#define HISTOGRAM_TOP 0.999 // of the packets; the rest would make the picture wide

struct pictures {
    struct figure figure[FIGURES_MOST];
    struct figures_name name[FIGURES_MOST][PLOT_COLOURS];
    struct plot_line line[FIGURES_MOST][PLOT_COLOURS];
    char text[FIGURES_MOST][PLOT_COLOURS][NAME_OCTETS];
    struct plot_point point[FIGURES_MOST][PLOT_COLOURS][POINTS_MOST];
    uint32_t count;
};

// ---- Figures ----

static struct figure *begin(struct pictures *p, const char *title, const char *x_title,
                            const char *y_title)
{
    uint32_t i = p->count++;
    struct figure *figure = &p->figure[i];
    *figure = (struct figure){.name = p->name[i],
                              .plot = {.x_title = x_title, .y_title = y_title, .line = p->line[i]}};
    snprintf(figure->title, sizeof figure->title, "%s", title);
    return figure;
}

// The next line with its text in the legend; NULL: there is no colour left.
static struct plot_line *add_line(struct pictures *p, const char *text)
{
    uint32_t i = p->count - 1;
    struct figure *figure = &p->figure[i];
    uint32_t colour = figure->plot.lines;
    if (colour == PLOT_COLOURS) {
        snprintf(figure->remark, sizeof figure->remark,
                 "The first %u of more; the tables have all.", PLOT_COLOURS);
        return NULL;
    }
    snprintf(p->text[i][colour], NAME_OCTETS, "%s", text);
    figure->name[figure->names++] = (struct figures_name){p->text[i][colour], colour};
    struct plot_line *line = &figure->plot.line[figure->plot.lines++];
    *line = (struct plot_line){.point = p->point[i][colour], .colour = colour};
    return line;
}

static void add_point(struct plot_line *line, double x, double y)
{
    if (line && line->points < POINTS_MOST)
        line->point[line->points++] = (struct plot_point){x, y};
}

// A name with no point beside it would be a riddle.
static void leave_out_empty(struct figure *figure)
{
    struct plot *plot = &figure->plot;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plot->lines; i++)
        if (plot->line[i].points > 0) {
            figure->name[kept] = figure->name[i];
            plot->line[kept++] = plot->line[i];
        }
    figure->names = plot->lines = kept;
}

// The ranges of the axes; a figure without a point is none.
static void end(struct pictures *p)
{
    struct plot *plot = &p->figure[p->count - 1].plot;
    leave_out_empty(&p->figure[p->count - 1]);
    double x_least = INFINITY, x_most = 0, y_least = INFINITY, y_most = 0;
    uint32_t points = 0;
    for (struct plot_line *line = plot->line; line < plot->line + plot->lines; line++) {
        line->dots = line->points == 1;
        points += line->points;
        for (uint32_t i = 0; i < line->points; i++) {
            x_least = fmin(x_least, line->point[i].x);
            x_most = fmax(x_most, line->point[i].x);
            y_least = fmin(y_least, line->point[i].y);
            y_most = fmax(y_most, line->point[i].y);
        }
    }
    plot->x_least = plot->log_x ? x_least / ROOM_ABOVE : 0;
    plot->x_most = x_most * ROOM_ABOVE;
    plot->y_least = plot->log_y ? y_least / ROOM_ABOVE : 0;
    plot->y_most = y_most * ROOM_ABOVE;
    if (points == 0 || x_most <= 0 || y_most <= 0)
        p->count--;
}

// "1000 MSs, at most 0.1 % lost".
static void name_line(uint32_t mss, double loss, char text[NAME_OCTETS])
{
    if (loss > 0)
        snprintf(text, NAME_OCTETS, "%u MSs, at most %.4g %% lost", mss, 100 * loss);
    else
        snprintf(text, NAME_OCTETS, "%u MSs, none lost", mss);
}

static void name_point(const struct bench_result *r, char text[NAME_OCTETS])
{
    char room[TABLE_ROOM];
    bool is_mix = r->options->size_octets == OPTIONS_IMIX;
    snprintf(text, NAME_OCTETS, "%u MSs, %s%s", r->options->mss, report_size(r->options, room),
             is_mix ? "" : " octets");
}

static bool is_searched(const struct bench_result *r)
{
    return r->good && r->searched;
}

// A line for each number of MSs and share that may be lost; a mix of sizes is at its mean.
static void add_sizes(struct pictures *p, const struct bench_results *results, bool is_line_rate)
{
    const struct bench_options *o = results->options;
    char text[NAME_OCTETS];
    begin(p, is_line_rate ? "Throughput on Gn's line by size" : "Throughput by size",
          "octets of the frame", is_line_rate ? "Gbit/s" : "Mpps");
    for (uint32_t m = 0; m < o->mss_list.n; m++)
        for (uint32_t t = 0; t < o->losses; t++) {
            name_line(o->mss_list.of[m], o->loss[t], text);
            struct plot_line *line = add_line(p, text);
            for (uint32_t i = 0; i < o->size_list.n; i++) {
                const struct bench_result *r = &results->point[m * o->size_list.n + i].result;
                double frame = r->mean_octets + FRAMES_GN_OCTETS + FRAMES_GAP_OCTETS;
                if (is_searched(r) && r->options->size_octets != OPTIONS_IMIX)
                    add_point(line, r->mean_octets + OPTIONS_ETHERNET_OCTETS,
                              r->rates[t].rate.pps.median *
                                  (is_line_rate ? frame * 8 / 1e9 : 1e-6));
            }
        }
    end(p);
}

// A line for each size, at the least loss that has a rate.
static void add_mss(struct pictures *p, const struct bench_results *results)
{
    const struct bench_options *o = results->options;
    char text[NAME_OCTETS], room[TABLE_ROOM];
    begin(p, "Throughput by MSs", "MSs", "Mpps")->plot.log_x = true;
    for (uint32_t i = 0; i < o->size_list.n; i++) {
        const struct bench_options *of = &results->point[i].options;
        snprintf(text, sizeof text, "%s%s", report_size(of, room),
                 of->size_octets == OPTIONS_IMIX ? "" : " octets");
        struct plot_line *line = add_line(p, text);
        for (uint32_t m = 0; m < o->mss_list.n; m++) {
            const struct bench_result *r = &results->point[m * o->size_list.n + i].result;
            if (is_searched(r))
                add_point(line, r->options->mss, report_mpps(r));
        }
    }
    end(p);
}

// A line for each point.
static void add_loads(struct pictures *p, const struct bench_results *results, uint32_t per_mille,
                      const char *title)
{
    char text[NAME_OCTETS];
    begin(p, title, "load, % of the throughput", "latency, us")->plot.log_y = true;
    for (uint32_t i = 0; i < results->points; i++) {
        const struct bench_result *r = &results->point[i].result;
        if (!is_searched(r))
            continue;
        name_point(r, text);
        struct plot_line *line = add_line(p, text);
        for (uint32_t k = 0; k < LATENCY_LOAD_COUNT; k++) {
            uint64_t ns = latency_quantile(&r->latency[k].of, per_mille);
            if (ns > 0)
                add_point(line, r->latency[k].of.load_percent, (double)ns / 1e3);
        }
    }
    end(p);
}

static void add_distribution(struct pictures *p, const struct bench_results *results)
{
    char text[NAME_OCTETS];
    begin(p, "Latency at 90 % of the throughput", "latency, us", "% of the packets")->plot.log_x =
        true;
    for (uint32_t i = 0; i < results->points; i++) {
        const struct bench_result *r = &results->point[i].result;
        const struct histogram *h = &r->latency[LATENCY_LOAD_90].of.of;
        uint64_t seen = 0;
        if (!is_searched(r) || h->samples == 0)
            continue;
        name_point(r, text);
        struct plot_line *line = add_line(p, text);
        for (uint32_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
            seen += h->bucket[b];
            double share = (double)seen / (double)h->samples;
            if (h->bucket[b] && share <= HISTOGRAM_TOP)
                add_point(line, (double)histogram_upper_edge(b) / 1e3, 100 * share);
        }
    }
    end(p);
}

static void put_figures(const struct bench_results *results, FILE *out)
{
    struct pictures *p = calloc(1, sizeof *p);
    if (p) {
        add_sizes(p, results, false);
        add_sizes(p, results, true);
        if (results->options->mss_list.n > 1)
            add_mss(p, results);
        add_loads(p, results, 500, "Latency by load: half of the packets took no longer");
        add_loads(p, results, 990, "Latency by load: 99 % of the packets took no longer");
        add_distribution(p, results);
    }
    section_figures(p ? p->figure : NULL, p ? p->count : 0,
                    p ? "no rate was found" : "there is no memory", out);
    fputs("</section>\n", out);
    free(p);
}

// ---- Texts ----

static void put_fact(const char *name, const char *value, FILE *out)
{
    if (!*value)
        return;
    fputs("<tr>", out);
    cells_text(name, NULL, out);
    cells_text(value, "wrap", out);
    fputs("</tr>\n", out);
}

static void put_measured(const struct bench_results *results, FILE *out)
{
    const struct machine *m = results->machine;
    const struct bench_result *r = &results->point[0].result;
    char processors[16], memory[64];
    uint32_t huge = 0;
    for (uint32_t i = 0; i < results->done; i++)
        huge += results->point[i].result.huge_pages;
    snprintf(memory, sizeof memory, "%s", huge ? "huge pages" : "4 KiB pages");
    if (huge > 0 && huge < results->done) // they became free, or were not enough for all
        snprintf(memory, sizeof memory, "huge pages at %u of %u points, else 4 KiB pages", huge,
                 results->done);
    snprintf(processors, sizeof processors, "%u", m->processors);
    static const char *const heads[] = {"=what", "=it is", NULL};
    fputs("<section><h2>Measured with</h2>\n", out);
    cells_heads(heads, out);
    put_fact("command", m->command, out);
    put_fact("date, UTC", m->date, out);
    put_fact("Sluice", sluice_version, out);
    put_fact("compiler", machine_compiler, out);
    put_fact("DPDK", machine_dpdk(), out);
    put_fact("kernel", m->kernel, out);
    put_fact("processor", m->cpu, out);
    put_fact("its flags that matter", m->flags, out);
    put_fact("processors", processors, out);
    put_fact("guest of", m->hypervisor, out);
    put_fact("governor of the clock", m->governor, out);
    put_fact("isolated processors", m->isolated, out);
    put_fact("memory", memory, out);
    put_fact("ports", results->options->ports, out);
    put_fact("steering on Gn", r->steering, out);
    put_fact("driver on Gn", r->drivers[STATS_GN], out);
    put_fact("driver on Gb", r->drivers[STATS_GB], out);
    cells_end(out);
    fputs("</section>\n", out);
}

static void put_method(const struct bench_results *results, FILE *out)
{
    const struct bench_options *o = results->options;
    const char *where =
        results->point[0].result.threads
            ? "on a processor of its own, and shares caches and memory with Sluice"
            : "and takes turns with Sluice on one processor: a rate is that of both";
    fprintf(
        out,
        "<section><h2>How to read it</h2>\n<p>A trial offers packets at a steady rate for %g "
        "s. Lost is what the full port refuses, what Sluice drops for whatever reason, and "
        "what devices lose; no bucket limits the traffic, so a drop is a loss. A rate has "
        "passed if two of three trials lose no more than they may. The search halves until it "
        "is within 1 %%, and the whole is done %u time%s.</p>\n"
        "<p>Sizes are of a user's frame on Ethernet, with FCS, as RFC 2544 has them; on Gn "
        "it is %u octets longer, for GTP-U, UDP and IP.</p>\n"
        "<p>The generator runs in this process, %s. Its own limit is measured first, with a bare "
        "forwarder in Sluice's place: where the throughput is near it, it is the generator's.</p>\n"
        "<p>A trial is disturbed if the kernel or a hypervisor took a thread's processor away, and "
        "no more was lost than arrived meanwhile. It is made again; after ten at a rate they count "
        "all the same.</p>"
        "</section>\n",
        o->seconds, o->repeats, o->repeats == 1 ? "" : "s",
        FRAMES_GN_OCTETS - OPTIONS_ETHERNET_OCTETS, where);
}

// What is not in a table would else be missing without a word.
static void put_missing(const struct bench_results *results, FILE *out)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < results->done; i++)
        failed += !results->point[i].result.good;
    if (failed)
        fprintf(out, "<p>%u of %u points failed: they are missing here.</p>\n", failed,
                results->points);
    if (results->done < results->points)
        fprintf(out, "<p>%u of %u points were not measured yet.</p>\n",
                results->points - results->done, results->points);
}

// A note, and what it is of: cycles, a rate, or all rates of a point.
struct note {
    const char *text; // NULL: a free place; the texts are few, and constants
    char *names;
    size_t octets;
    FILE *list;
    uint32_t n;
};

#define NOTES 8

static void add_note(struct note notes[NOTES], const char *of, const char *text)
{
    uint32_t i = 0;
    while (text && i < NOTES && notes[i].text && notes[i].text != text)
        i++;
    if (!text || i == NOTES)
        return;
    if (!notes[i].text)
        notes[i] = (struct note){.text = text};
    if (!notes[i].list && !(notes[i].list = open_memstream(&notes[i].names, &notes[i].octets)))
        return;
    fputs(notes[i].n++ ? "<br>" : "", notes[i].list);
    section_escape(of, notes[i].list);
}

static void add_notes_of(struct note notes[NOTES], const struct bench_result *r)
{
    char point[NAME_OCTETS], text[2 * NAME_OCTETS], room[TABLE_ROOM];
    name_point(r, point);
    snprintf(text, sizeof text, "%s, cycles a packet", point);
    add_note(notes, text, report_cycles_note(r));
    add_note(notes, point, report_rates_note(r));
    for (uint32_t i = 0; i < r->options->losses && r->searched; i++) {
        snprintf(text, sizeof text, "%s, %s %% lost at most", point,
                 report_loss(&r->rates[i], room));
        add_note(notes, text, report_limit_note(&r->rates[i]));
    }
}

// On a busy machine nearly each point has one, so each text is there once.
static void put_notes(const struct bench_results *results, FILE *out)
{
    struct note notes[NOTES] = {0};
    for (uint32_t i = 0; i < results->points; i++)
        if (results->point[i].result.good)
            add_notes_of(notes, &results->point[i].result);
    fputs(notes[0].text ? "<ul>\n" : "", out);
    for (uint32_t i = 0; i < NOTES && notes[i].text; i++) {
        fputs("<li>", out);
        section_escape(notes[i].text, out);
        if (notes[i].list && fclose(notes[i].list) == 0)
            fprintf(out, "<details><summary>where (%u)</summary>%s</details>", notes[i].n,
                    notes[i].names);
        fputs("</li>\n", out);
        free(notes[i].names);
    }
    fputs(notes[0].text ? "</ul>\n" : "", out);
}

void report_page(const struct bench_results *results, FILE *out)
{
    section_begin("Throughput and latency", out);
    put_missing(results, out);
    put_notes(results, out);
    bool searched = report_is_searched(results);
    if (searched)
        put_figures(results, out);
    table_page(&bench_cycles_table, results, out);
    if (searched) {
        table_page(&bench_rates_table, results, out);
        table_page(&bench_latency_table, results, out);
        put_method(results, out);
    }
    put_measured(results, out);
    section_end(out);
}
