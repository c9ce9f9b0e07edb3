// See report.h: the sums. The JSON is in summary.c, the text in text.c.
#include "lab/summary/report.h"

_Static_assert(sizeof(struct stats_worker) % sizeof(uint64_t) == 0, "counters and nothing else");

static void add_stats(struct stats_worker *sum, const struct stats_worker *stats)
{
    for (size_t i = 0; i < sizeof *sum / sizeof(uint64_t); i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)stats)[i];
}

static void add_queued(struct dp_queued *sum, const struct dp_queued *queued)
{
    sum->packets += queued->packets;
    sum->octets += queued->octets;
}

static void subtract_stats(struct stats_worker *from, const struct stats_worker *less)
{
    for (size_t i = 0; i < sizeof *from / sizeof(uint64_t); i++)
        ((uint64_t *)from)[i] -= ((const uint64_t *)less)[i];
}

void report_add(struct report *r, struct dp *dp)
{
    for (uint32_t w = 0; w < r->workers; w++)
        add_stats(&r->stats, dp_stats(dp_worker(dp, w)));
}

static void set_since(struct report *r)
{
    r->since = r->stats;
    if (r->before)
        subtract_stats(&r->since, r->before);
}

void report_collect(struct report *r, struct dp *dp)
{
    r->balanced = true;
    report_add(r, dp);
    for (int side = 0; side < STATS_SIDES; side++) {
        uint32_t mbit_per_s;
        dp_link_look(dp, (enum stats_side)side);
        const struct stats_nic *nic = dp_nic(dp, (enum stats_side)side, &mbit_per_s);
        r->has_nic[side] = nic != NULL;
        if (nic)
            r->nic[side] = *nic;
    }
    for (uint32_t w = 0; w < r->workers; w++) {
        const struct dp_worker *worker = dp_worker(dp, w);
        for (int side = 0; side < STATS_SIDES; side++) {
            struct dp_held held = dp_held(worker, side);
            add_queued(&r->held[side].inner, &held.inner);
            add_queued(&r->held[side].fragments, &held.fragments);
        }
        r->balanced &= dp_balanced(worker);
        r->in_pieces += dp_in_pieces(worker, STATS_GB);
    }
    set_since(r);
}

void report_look(struct report *r, struct dp *dp)
{
    r->stats = (struct stats_worker){0};
    report_add(r, dp);
    set_since(r);
}

uint64_t report_measured_ns(const struct report *r)
{
    return r->elapsed_ns > r->warmup_ns ? r->elapsed_ns - r->warmup_ns : 1;
}

// Frames that the Gb port has counted as sent and the line has not delivered: those on the line and
// in the port's rings, and for each worker one frame of which fragments still wait in the port.
static uint64_t under_way(const struct report *r)
{
    return line_under_way(lab_line(r->lab, STATS_GB)) + r->in_pieces;
}

// The frames that the Gb port has sent and that have not completely arrived; a frame in fragments
// counts as one.
static uint64_t frames_missing(const struct report *r)
{
    struct lab_received received = lab_received(r->lab);
    return r->stats.of_port[STATS_GB].tx_packets - (received.frames - received.fragments);
}

// Each frame that the lab sent to the port has come in, or is counted as lost there.
static bool all_came_in(const struct report *r, enum stats_side side)
{
    const struct line *line = lab_line(r->lab, side);
    return r->stats.of_port[side].rx_packets + line->lost_packets == line->sent_packets;
}

static bool lab_sound(const struct report *r)
{
    return lab_faults(r->lab).count == 0 && !lab_wrong(r->lab) && all_came_in(r, STATS_GN) &&
           all_came_in(r, STATS_GB) && frames_missing(r) <= under_way(r);
}

bool report_sound(const struct report *r)
{
    return r->balanced && r->stats.commands_refused == 0 && (!r->lab || lab_sound(r));
}

const struct ledger_tally *report_tally(const struct report *r, enum ledger_kind kind, uint32_t i,
                                        enum ledger_way way)
{
    const struct ledger_group *group = &lab_ledger(r->lab)->groups[kind].group[i];
    return r->batch ? &group->batch[way] : &group->of[way];
}

bool report_has_class(const struct report *r, int c)
{
    return r->since.of_class[c].in_packets > 0 ||
           (r->lab &&
            (ledger_has(report_tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_UP)) ||
             ledger_begun(report_tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_DOWN)).packets > 0));
}

struct ledger_count report_received(const struct report *r, int c)
{
    const struct stats_class *of_class = &r->since.of_class[c];
    return r->lab ? report_tally(r, LEDGER_CLASS, (uint32_t)c, LEDGER_DOWN)->delivered
                  : (struct ledger_count){of_class->out_packets, of_class->out_octets};
}
