// See report.h: the text.
#include <inttypes.h>

#include "bench/throughput/report.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

static void text_head(const struct bench_result *r, FILE *out)
{
    const struct bench_options *o = r->options;
    fprintf(out, "%u MSs%s, ", o->mss, o->both ? ", both ways" : o->up ? ", uplink" : "");
    if (o->size_octets == OPTIONS_IMIX)
        fprintf(out, "IMIX of %.0f octets on average", r->mean_octets);
    else
        fprintf(out, "%u octets", o->size_octets);
    fprintf(out, ", N201-U %u, cipher %s, AQM %s, ports %s", o->n201_u, o->cipher,
            aqm_list[o->aqm]->name, o->ports);
    if (o->flows)
        fprintf(out, ", %u flow%s an MS", o->flows, o->flows == 1 ? "" : "s");
    if (o->backlogged)
        fprintf(out, ", %u backlogged%s", o->backlogged, o->defaults ? " on defaults" : "");
    if (o->rate_bit_per_s)
        fprintf(out, " at %u bit/s", o->rate_bit_per_s);
    if (r->vlan)
        fprintf(out, ", VLAN %u", r->vlan);
    if (r->steering[0])
        fprintf(out, "\n%u workers, Gn steering %s%s%s%s", o->workers, r->steering,
                r->steering_lacks[0] ? " (" : "", r->steering_lacks,
                r->steering_lacks[0] ? ")" : "");
    fprintf(out, "\nFCS %s, %s%s%s pages, TSC %.4f GHz\n\n", fcs_choose()->name,
            o->gea ? cipher_choose()->name : "", o->gea ? ", " : "",
            r->huge_pages ? "huge" : "4 KiB", r->tsc_hz / 1e9);
}

static void text_note(const char *before, const char *note, FILE *out)
{
    if (note)
        fprintf(out, "%s%s\n", before, note);
}

static void text_cycles(const struct bench_result *r, FILE *out)
{
    const struct spread *c = &r->saturated.cycles;
    double goal = report_goal(r->options);
    fprintf(out, "  cycles a packet, the worker alone    %8.1f   median %.1f, most %.1f\n",
            c->least, c->median, c->most);
    text_note("    ", report_cycles_note(r), out);
    if (goal > 0)
        fprintf(out, "    goal                               %8.0f   ratio %.2f\n", goal,
                c->least / goal);
}

static void text_found(const struct bench_rate *r, FILE *out)
{
    char what[64];
    snprintf(what, sizeof what,
             r->loss > 0 ? "Mpps that lose %.4g %% at most" : "Mpps without loss", 100 * r->loss);
    fprintf(out, "  %-36s %8.4g   least %.4g, most %.4g; %" PRIu64 " of %" PRIu64 " lost\n", what,
            r->rate.pps.median / 1e6, r->rate.pps.least / 1e6, r->rate.pps.most / 1e6, r->rate.lost,
            r->rate.offered);
    text_note("    ", report_limit_note(r), out);
}

static void text_latency(const struct latency *l, FILE *out)
{
    static const struct {
        const char *name;
        uint32_t per_mille;
    } quantiles[] = {{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}};
    char load[40];
    if (l->of.samples == 0)
        return;
    snprintf(load, sizeof load, "latency at %u %%, us", l->load_percent);
    fprintf(out, "  %-36s", load);
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        if (latency_quantile(l, quantiles[i].per_mille))
            fprintf(out, " %s %.1f,", quantiles[i].name,
                    (double)latency_quantile(l, quantiles[i].per_mille) / 1e3);
    fprintf(out, " max %.1f; %" PRIu64 " samples\n", (double)l->of.most / 1e3, l->of.samples);
}

static void text_rate(const struct bench_result *r, FILE *out)
{
    if (!r->searched) {
        fprintf(out, "  Mpps that this makes                 %8.3f\n", report_mpps(r));
        return;
    }
    fprintf(out, "  Mpps of the generator alone          %8.3f   least %.3f, most %.3f\n",
            r->generator.median / 1e6, r->generator.least / 1e6, r->generator.most / 1e6);
    for (uint32_t i = 0; i < r->options->losses; i++)
        text_found(&r->rates[i], out);
    fprintf(out, "    %u trials, %u of them disturbed by the machine\n", r->search.trials,
            r->search.disturbed);
    text_note("    ", report_rates_note(r), out);
    if (!r->threads)
        fprintf(out,
                "    generator and workers took turns on one processor: all are in the rate\n");
    for (uint32_t i = 0; i < LATENCY_LOAD_COUNT; i++)
        text_latency(&r->latency[i].of, out);
}

static void text_workers(const struct bench_result *r, FILE *out)
{
    double alone = report_mpps_alone(r);
    if (r->options->workers == 1 || r->of_worker[0].packets == 0)
        return;
    fprintf(out, "  %u workers at once, Mpps              %8.3f   %.2f times one alone (%.3f)\n",
            r->options->workers, report_mpps_all(r), report_mpps_all(r) / alone, alone);
    for (uint32_t i = 0; i < r->options->workers; i++)
        fprintf(out, "    worker %u, cycles                   %8.1f   least %.1f\n", i,
                r->of_worker[i].cycles.median, r->of_worker[i].cycles.least);
}

static void text_stages(const struct bench_result *r, FILE *out)
{
    static const struct {
        const char *name, *help;
    } stages[STAGE_COUNT] = {
#define STAGE(name, help) {#name, help},
#include "dataplane/stats/stages.def"
#undef STAGE
    };
    fprintf(out, "\n  stages, cycles a packet (a run of its own)\n");
    for (uint32_t i = 0; i < STAGE_COUNT; i++)
        if (r->stages.of[i] >= 0.05)
            fprintf(out, "    %-12s %8.1f   %s\n", stages[i].name, r->stages.of[i], stages[i].help);
    fprintf(out, "    %-12s %8.1f\n", "sum", r->stages.sum);
}

static void text_baseline(const struct bench_result *r, FILE *out)
{
    const struct baseline *b = &r->baseline;
    fprintf(out,
            "\n  baselines, cycles a packet\n"
            "    mbuf         %8.1f   alloc and free\n"
            "    forward      %8.1f   ring to ring with a look at the header\n",
            b->mbuf, b->forward);
    if (b->rte_sched_pipes)
        fprintf(out,
                "    rte_sched    %8.1f   scheduling alone, %u shaped pipes; the whole path is "
                "%.2f of it\n",
                b->rte_sched, b->rte_sched_pipes, r->saturated.cycles.least / b->rte_sched);
}

void report_drops(const struct bench_result *r, FILE *out)
{
    for (int i = 0; i < DROP_COUNT; i++)
        if (r->drops[i])
            fprintf(out, "    %" PRIu64 " dropped: %s\n", r->drops[i], stats_drop_helps[i]);
}

static void text_view(const struct bench_result *r, FILE *out)
{
    const struct view_cost *v = &r->view;
    if (r->options->view)
        fprintf(out,
                "\n  queries for all MSs, %.0f pages of %.0f cycles: each second %.2f %%, each "
                "100 ms %.2f %%\n",
                v->pass_pages, v->page_cycles, view_percent(v, 1), view_percent(v, 0.1));
}

static void text_mirrored(const struct bench_result *r, FILE *out)
{
    if (r->options->capture)
        fprintf(out, "\n  captured meanwhile: %" PRIu64 " frames, and %" PRIu64 " missed\n",
                r->mirrored.copied, r->mirrored.missed);
}

void report_text(const struct bench_result *r, FILE *out)
{
    text_head(r, out);
    text_cycles(r, out);
    text_rate(r, out);
    text_workers(r, out);
    text_stages(r, out);
    text_view(r, out);
    text_mirrored(r, out);
    text_baseline(r, out);
    fprintf(out,
            "\n  packets: %" PRIu64 " sent, %" PRIu64 " received, %" PRIu64 " dropped, %" PRIu64
            " queued, %" PRIu64 " lost by devices\n",
            r->sent, r->received, r->dropped, r->queued, r->astray);
    if (r->handed_on)
        fprintf(out, "    %" PRIu64 " handed on by the worker that they came to\n", r->handed_on);
    report_drops(r, out);
}

void report_lines(const struct bench_results *results, FILE *out)
{
    char room[TABLE_ROOM];
    fprintf(out, "%9s %6s %8s %10s %10s %10s %12s\n", "MSs", "octets", "loss, %", "Mpps", "least",
            "most", "cycles");
    for (uint32_t i = 0; i < results->points; i++) {
        const struct bench_result *r = &results->point[i].result;
        if (!r->good)
            continue;
        if (!r->searched)
            fprintf(out, "%9u %6s %8s %10.3f %10s %10s %12.1f\n", r->options->mss,
                    report_size(r->options, room), "", report_mpps(r), "", "",
                    r->saturated.cycles.least);
        for (uint32_t k = 0; r->searched && k < r->options->losses; k++) {
            const struct spread *pps = &r->rates[k].rate.pps;
            fprintf(out, "%9u %6s %8.4g %10.4g %10.4g %10.4g %12.1f\n", r->options->mss,
                    report_size(r->options, room), 100 * r->rates[k].loss, pps->median / 1e6,
                    pps->least / 1e6, pps->most / 1e6, r->saturated.cycles.least);
            text_note("          ", report_limit_note(&r->rates[k]), out);
        }
        text_note("          ", report_cycles_note(r), out);
        text_note("          ", report_rates_note(r), out);
    }
}
