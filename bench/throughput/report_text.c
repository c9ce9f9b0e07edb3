// See report.h: the text.
#include <inttypes.h>

#include "bench/throughput/report.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/fcs.h"

static void text_head(const struct bench_result *r, FILE *out)
{
    const struct bench_options *o = r->options;
    fprintf(out, "%u MSs%s, ", o->mss, o->up ? ", uplink" : "");
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
    fprintf(out, "\nFCS %s, %s%s%s pages, TSC %.4f GHz\n\n", fcs_choose()->name,
            o->gea ? cipher_choose()->name : "", o->gea ? ", " : "",
            r->huge_pages ? "huge" : "4 KiB", bench_clock.hz / 1e9);
}

static void text_cycles(const struct bench_result *r, FILE *out)
{
    const struct spread *c = &r->saturated.cycles;
    double goal = report_goal(r->options);
    fprintf(out, "  cycles a packet, the worker alone    %8.1f   median %.1f, most %.1f\n",
            c->least, c->median, c->most);
    if (goal > 0)
        fprintf(out, "    goal                               %8.0f   ratio %.2f\n", goal,
                c->least / goal);
}

static void text_rate(const struct bench_result *r, FILE *out)
{
    if (!r->searched) {
        fprintf(out, "  Mpps that this makes                 %8.3f\n", report_mpps(r));
        return;
    }
    fprintf(out,
            "  Mpps without loss                    %8.3f   least %.3f, most %.3f; %" PRIu64
            " of %" PRIu64 " lost\n",
            report_mpps(r), r->search.pps.least / 1e6, r->search.pps.most / 1e6, r->search.lost,
            r->search.offered);
    if (r->search.behind)
        fprintf(out, "    the generator does no more than this\n");
    if (!r->two_threads)
        fprintf(out,
                "    generator and worker took turns on one processor: both are in the rate\n");
    for (uint32_t i = 0; i < LATENCY_LOADS; i++) {
        const struct latency *l = &r->latency[i];
        if (l->samples)
            fprintf(out,
                    "  latency at %u %% of it, us            p50 %.1f, p90 %.1f, p99 %.1f, p99.9 "
                    "%.1f, max %.1f\n",
                    l->load_percent, (double)l->p50_ns / 1e3, (double)l->p90_ns / 1e3,
                    (double)l->p99_ns / 1e3, (double)l->p999_ns / 1e3, (double)l->most_ns / 1e3);
    }
}

static void text_workers(const struct bench_result *r, FILE *out)
{
    double alone = report_mpps_alone(r);
    if (r->options->workers == 1)
        return;
    fprintf(out, "  %u workers at once, Mpps              %8.3f   %.2f times one alone (%.3f)\n",
            r->options->workers, report_mpps(r), report_mpps(r) / alone, alone);
    for (uint32_t i = 0; i < r->options->workers; i++)
        fprintf(out, "    worker %u, cycles                   %8.1f   least %.1f\n", i,
                r->of_worker[i].cycles.median, r->of_worker[i].cycles.least);
}

static void text_stages(const struct bench_result *r, FILE *out)
{
    static const char *const helps[STAGE_COUNT] = {
#define STAGE(name, help) help,
#include "dataplane/stats/stages.def"
#undef STAGE
    };
    fprintf(out, "\n  stages, cycles a packet (a run of its own)\n");
    for (uint32_t i = 0; i < STAGE_COUNT; i++)
        if (r->stages.of[i] >= 0.05)
            fprintf(out, "    %-12s %8.1f   %s\n", report_stages[i], r->stages.of[i], helps[i]);
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
    report_drops(r, out);
}
