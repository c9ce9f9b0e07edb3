// The run for a reader at a terminal: what came, what went, what was marked, what was dropped and
// why, the balance.
#include "lab/report/report.h"

#include <inttypes.h>

// "p50 / p95 / p99 ms", or a dash where nothing was received.
static void put_delays(const struct histogram *h, FILE *out)
{
    if (h->samples == 0) {
        fprintf(out, "-\n");
        return;
    }
    fprintf(out, "%.0f / %.0f / %.0f ms\n", (double)histogram_quantile(h, 500) / 1e6,
            (double)histogram_quantile(h, 950) / 1e6, (double)histogram_quantile(h, 990) / 1e6);
}

static void class_rows(const struct report *r, FILE *out)
{
    double seconds = (double)r->lab->config.duration_ns / 1e9;
    fprintf(out, "  %-15s %9s %11s %9s %8s %7s %14s   %s\n", "class", "in", "octets", "received",
            "dropped", "marked", "goodput", "delay p50 / p95 / p99");
    for (int c = 0; c < CLASS_COUNT; c++) {
        const struct stats_class *s = &dp_stats(r->worker)->of_class[c];
        const struct receiver_class *received = &r->lab->receiver.of_class[c];
        uint64_t dropped = 0;
        for (int d = 0; d < DROP_COUNT; d++)
            dropped += s->drop[d].packets;
        if (s->in_packets == 0)
            continue;
        fprintf(out,
                "  %-15s %9" PRIu64 " %11" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64
                " %7.1f kbit/s   ",
                class_names[c], s->in_packets, s->in_octets, received->npdus, dropped, s->marks,
                (double)received->octets * 8 / seconds / 1e3);
        put_delays(&received->delay_ns, out);
    }
}

static void drop_rows(const struct report *r, FILE *out)
{
    fprintf(out, "\n  drops by reason\n");
    bool any = false;
    for (int d = 0; d < DROP_COUNT; d++) {
        struct stats_drop sum = {0};
        for (int c = 0; c <= CLASS_COUNT; c++) {
            sum.packets += dp_stats(r->worker)->of_class[c].drop[d].packets;
            sum.octets += dp_stats(r->worker)->of_class[c].drop[d].octets;
        }
        if (sum.packets == 0)
            continue;
        any = true;
        fprintf(out, "  %-15s %9" PRIu64 " packets %11" PRIu64 " octets   %s\n", drop_names[d],
                sum.packets, sum.octets, drop_helps[d]);
    }
    if (!any)
        fprintf(out, "  none\n");
}

static void balance_rows(const struct report *r, FILE *out)
{
    struct stats_balance b = stats_balance(dp_stats(r->worker));
    struct dp_queued q = dp_queued(r->worker);
    fprintf(out, "\n  balance\n");
    fprintf(out,
            "  packets         %" PRIu64 " in = %" PRIu64 " out + %" PRIu64 " dropped + %" PRIu64
            " queued\n",
            b.packets.in, b.packets.out, b.packets.dropped, q.packets);
    fprintf(out,
            "  octets          %" PRIu64 " in = %" PRIu64 " outer headers + %" PRIu64
            " out + %" PRIu64 " dropped + %" PRIu64 " queued\n",
            b.octets.in, b.octets.headers, b.octets.out, b.octets.dropped, q.octets);
    fprintf(out, "  %s\n",
            dp_balanced(r->worker) ? "balanced: every packet is accounted for"
                                   : "NOT BALANCED: packets were lost without a reason");
}

static void gn_row(const struct report *r, FILE *out)
{
    const struct line *gn = &r->lab->gn;
    fprintf(out, "\n  Gn              %" PRIu64 " frames sent", gn->sent_packets);
    if (gn->lost_packets)
        fprintf(out, ", %" PRIu64 " of them LOST AT THE PORT, whose ring or buffers were full",
                gn->lost_packets);
    fputc('\n', out);
}

static void gb_row(const struct report *r, FILE *out)
{
    const struct stats_worker *s = dp_stats(r->worker);
    const struct line *gb = &r->lab->gb;
    fprintf(out,
            "  Gb              %" PRIu64 " LLC PDUs, %" PRIu64 " octets on the wire; %" PRIu64
            " delivered, %" PRIu64 " still on the line\n",
            s->gb_tx_packets, s->gb_tx_octets, gb->delivered_packets,
            s->gb_tx_packets - gb->delivered_packets);
    if (gb->rate_bit_per_s)
        fprintf(out,
                "                  the line (simulated) carries %.1f kbit/s and was busy %.1f %%\n",
                (double)gb->rate_bit_per_s / 1e3,
                (double)gb->delivered_octets * 8e11 / (double)gb->rate_bit_per_s /
                    (double)r->lab->config.duration_ns);
    if (r->lab->receiver.faults)
        fprintf(out, "  FAULTS at the receiver: %" PRIu64 "; first: %s\n", r->lab->receiver.faults,
                r->lab->receiver.first_fault);
}

void report_text(const struct report *r, FILE *out)
{
    const struct lab_config *config = &r->lab->config;
    fprintf(out, "%.*s: %.3f s of virtual time, seed %" PRIu64 "%s\n\n", (int)config->name.n,
            (const char *)config->name.at, (double)config->duration_ns / 1e9, config->seed,
            r->complete ? "" : ", NOT COMPLETE");
    class_rows(r, out);
    drop_rows(r, out);
    balance_rows(r, out);
    gn_row(r, out);
    gb_row(r, out);
}
