// The report for a terminal: packets in, out, marked and dropped by reason, and the balance.
#include "lab/summary/report.h"

#include <inttypes.h>

// "p50 / p95 / p99 ms", or a dash if nothing was received.
static void put_delays(const struct delays *h, FILE *out)
{
    if (h->samples == 0) {
        fprintf(out, "-");
        return;
    }
    fprintf(out, "%.0f / %.0f / %.0f ms", (double)delays_quantile_ns(h, 500) / 1e6,
            (double)delays_quantile_ns(h, 950) / 1e6, (double)delays_quantile_ns(h, 990) / 1e6);
}

static uint64_t packets_of(const struct stats_drop drop[DROP_COUNT])
{
    uint64_t packets = 0;
    for (int d = 0; d < DROP_COUNT; d++)
        packets += drop[d].packets;
    return packets;
}

static void class_row(const struct report *r, int c, FILE *out)
{
    const struct stats_class *s = &r->since.of_class[c];
    struct ledger_count received = report_received(r, c);
    fprintf(out,
            "  %-15s %9" PRIu64 " %11" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64
            " %7.1f kbit/s   ",
            class_names[c], s->in_packets, s->in_octets, received.packets, packets_of(s->drop),
            s->marks, (double)received.octets * 8e6 / (double)report_measured_ns(r));
    if (r->lab)
        put_delays(&report_tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_DOWN)->delay, out);
    fputc('\n', out);
}

static void class_rows(const struct report *r, FILE *out)
{
    fprintf(out, "  %-15s %9s %11s %9s %8s %7s %14s   %s\n", "class", "in", "octets",
            r->lab ? "received" : "out", "dropped", "marked", "goodput",
            r->lab ? "delay p50 / p95 / p99" : "");
    for (int c = 0; c < CLASS_COUNT; c++)
        if (report_has_class(r, c))
            class_row(r, c, out);
}

static void up_row(const struct report *r, FILE *out)
{
    const struct stats_up *up = &r->since.up;
    if (up->in_packets)
        fprintf(out,
                "\n  uplink          %" PRIu64 " segments, %" PRIu64 " octets; %" PRIu64
                " N-PDUs out, %.1f kbit/s\n",
                up->in_packets, up->in_octets, up->npdus,
                (double)up->out_octets * 8e6 / (double)report_measured_ns(r));
}

static void drop_row(const char *where, const struct stats_drop *drop, int d, FILE *out)
{
    if (drop->packets)
        fprintf(out, "  %-15s %9" PRIu64 " packets %11" PRIu64 " octets   %s: %s\n",
                stats_drop_names[d], drop->packets, drop->octets, where, stats_drop_helps[d]);
}

static void drop_rows(const struct report *r, FILE *out)
{
    static const char *const of_side[] = {[STATS_GN] = "Gn", [STATS_GB] = "Gb"};
    uint64_t any = packets_of(r->since.up.drop);
    fprintf(out, "\n  drops by reason\n");
    for (int d = 0; d < DROP_COUNT; d++) {
        struct stats_drop npdus = {0};
        for (int c = 0; c < CLASS_COUNT; c++) {
            npdus.packets += r->since.of_class[c].drop[d].packets;
            npdus.octets += r->since.of_class[c].drop[d].octets;
        }
        for (int side = 0; side < STATS_SIDES; side++) {
            any += r->since.of_port[side].drop[d].packets;
            drop_row(of_side[side], &r->since.of_port[side].drop[d], d, out);
        }
        any += npdus.packets;
        drop_row("downlink", &npdus, d, out);
        drop_row("uplink", &r->since.up.drop[d], d, out);
    }
    if (!any)
        fprintf(out, "  none\n");
}

// l->aside: packets for the port itself, control or another worker, and fragments joined to others.
static void ledger_row(const char *what, const struct stats_ledger *l, uint64_t held, FILE *out)
{
    fprintf(out, "  %-15s %" PRIu64 " in = ", what, l->in);
    if (l->headers)
        fprintf(out, "%" PRIu64 " outer headers + ", l->headers);
    if (l->aside)
        fprintf(out, "%" PRIu64 " set aside + ", l->aside);
    fprintf(out, "%" PRIu64 " out + %" PRIu64 " dropped + %" PRIu64 " queued\n", l->out, l->dropped,
            held);
}

static void balance_rows(const struct report *r, FILE *out)
{
    struct stats_balance b = stats_balance(&r->stats), up = stats_balance_up(&r->stats);
    const struct dp_held *gn = &r->held[STATS_GN], *gb = &r->held[STATS_GB];
    fprintf(out, "\n  balance%s\n", r->warmup_ns ? " of the whole run" : "");
    ledger_row("packets", &b.packets, gn->inner.packets + gn->fragments.packets, out);
    ledger_row("octets", &b.octets, gn->inner.octets + gn->fragments.octets, out);
    if (up.packets.in) {
        ledger_row("uplink packets", &up.packets, gb->inner.packets + gb->fragments.packets, out);
        ledger_row("uplink octets", &up.octets, gb->inner.octets + gb->fragments.octets, out);
    }
    fprintf(out, "  %s\n",
            r->balanced ? "balanced: every packet is accounted for"
                        : "NOT BALANCED: packets were lost without a reason, or counted twice");
}

static void port_row(const struct report *r, int side, const char *name, FILE *out)
{
    const struct stats_port *s = &r->stats.of_port[side];
    fprintf(out,
            "  %-15s %" PRIu64 " frames, %" PRIu64 " octets in; %" PRIu64 " frames, %" PRIu64
            " octets out\n",
            name, s->rx_packets, s->rx_octets, s->tx_packets, s->tx_octets);
}

static void gn_row(const struct line *gn, FILE *out)
{
    fprintf(out, "\n  Gn              %" PRIu64 " frames sent", gn->sent_packets);
    if (gn->lost_packets)
        fprintf(out, ", %" PRIu64 " of them LOST AT THE PORT (ring or buffers full)",
                gn->lost_packets);
    fputc('\n', out);
}

static void gb_row(const struct report *r, FILE *out)
{
    const struct stats_port *s = &r->stats.of_port[STATS_GB];
    const struct line *gb = lab_line(r->lab, STATS_GB);
    struct lab_faults faults = lab_faults(r->lab);
    fprintf(out,
            "  Gb              %" PRIu64 " LLC PDUs, %" PRIu64 " octets on the wire; %" PRIu64
            " frames delivered, %" PRIu32 " still on the line\n",
            s->tx_packets, s->tx_octets, gb->delivered_packets, line_under_way(gb));
    if (gb->rate_bit_per_s)
        fprintf(out,
                "                  the line (simulated) carries %.1f kbit/s and was busy %.1f %%\n",
                (double)gb->rate_bit_per_s / 1e3,
                (double)gb->delivered_octets * 8e11 / (double)gb->rate_bit_per_s /
                    (double)r->elapsed_ns);
    if (faults.count)
        fprintf(out, "  FAULTS in the lab: %" PRIu64 "; first: %s\n", faults.count, faults.first);
}

void report_print(const struct report *r, FILE *out)
{
    fprintf(out, "%s: %.3f s of %s time, seed %" PRIu64 "%s\n", r->name,
            (double)r->elapsed_ns / 1e9, r->lab ? "virtual" : "real", r->seed,
            r->complete ? "" : ", NOT COMPLETE");
    if (r->warmup_ns)
        fprintf(out, "  warm-up         %.3f s; %s\n", (double)r->warmup_ns / 1e9,
                r->warmup_ns < r->elapsed_ns
                    ? "packets, drops, rates and delays are of what came after"
                    : "the run ended in it, so NOTHING WAS MEASURED");
    fputc('\n', out);
    class_rows(r, out);
    up_row(r, out);
    if (r->lab)
        lab_print_phones(r->lab, out);
    drop_rows(r, out);
    balance_rows(r, out);
    if (r->lab) {
        gn_row(lab_line(r->lab, STATS_GN), out);
        gb_row(r, out);
    } else {
        fputc('\n', out);
        port_row(r, STATS_GN, "Gn", out);
        port_row(r, STATS_GB, "Gb", out);
    }
}
