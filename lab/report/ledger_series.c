// See ledger_series.h.
#include "lab/report/ledger_series.h"

#include <assert.h>

#include "dataplane/base/units.h"

static const struct ledger_group *group_of(const struct ledger_series *s, uint32_t subject)
{
    return &s->ledger->groups[s->kind].group[ledger_series_group(subject)];
}

static const struct ledger_tally *step_of(void *self, uint32_t subject)
{
    return &group_of(self, subject)->step[ledger_series_way(subject)];
}

static const struct ledger_tally *all_of(void *self, uint32_t subject)
{
    return &group_of(self, subject)->of[ledger_series_way(subject)];
}

// ---- Subjects ----

static uint32_t subjects(void *self)
{
    const struct ledger_series *s = self;
    return LEDGER_WAYS * s->ledger->groups[s->kind].count;
}

// From its first packet on; a flow only while there is something to say of it.
static bool has_row(void *self, uint32_t subject)
{
    const struct ledger_series *s = self;
    const struct ledger_tally *all = all_of(self, subject);
    const struct ledger_tally *step = step_of(self, subject);
    return s->kind == LEDGER_FLOW
               ? step->delivered.packets || step->lost.packets || ledger_under_way(all).packets
               : all->before.sent.packets + all->sent.packets > 0;
}

static void put_subject(void *self, uint32_t subject, struct csv *csv)
{
    const struct ledger_series *s = self;
    if (s->kind == LEDGER_FLOW)
        csv_number(csv, ledger_series_group(subject));
    csv_text(csv, group_of(s, subject)->name);
    csv_text(csv, ledger_way_names[ledger_series_way(subject)]);
}

// ---- Columns ----

static uint64_t delay_us(const struct ledger_tally *step, uint64_t ns)
{
    return step->delay.samples ? ns / 1000 : SERIES_NONE;
}

static uint64_t bit_per_s(uint64_t octets, uint64_t step_ns)
{
    return (uint64_t)((unsigned __int128)octets * 8 * S_IN_NS / step_ns);
}

// COLUMN(name, decimals, value, help): the value out of `step`, the subject's tally of the step, of
// `all`, the one of the whole run, and of step_ns.
#define COLUMNS(COLUMN)                                                                           \
    COLUMN(sent_octets, 0, step->sent.octets, "sent in the step")                                 \
    COLUMN(delivered_octets, 0, step->delivered.octets, "arrived in the step")                    \
    COLUMN(goodput_bit_per_s, 0, bit_per_s(step->delivered.octets, step_ns),                      \
           "of the octets that arrived in the step")                                              \
    COLUMN(lost_packets, 0, step->lost.packets, "lost in the step, for any reason")               \
    COLUMN(marked_packets, 0, step->marked.packets, "of those that arrived in the step, with CE") \
    COLUMN(under_way_octets, 0, ledger_under_way(all).octets, "at the end of the step")           \
    COLUMN(delay_mean_ms, 3, delay_us(step, delays_mean_ns(&step->delay)),                        \
           "of the packets that arrived in the step: mean, exact")                                \
    COLUMN(delay_p95_ms, 3, delay_us(step, delays_quantile_ns(&step->delay, 950)),                \
           "of the same: 95 % are no more, at most 0.8 % too high")                               \
    COLUMN(delay_max_ms, 3, delay_us(step, step->delay.most_ns), "of the same: maximum, exact")

#define READ(name, decimals, value, help)                                       \
    static uint64_t read_##name(void *self, uint32_t subject, uint64_t step_ns) \
    {                                                                           \
        const struct ledger_tally *step = step_of(self, subject);               \
        const struct ledger_tally *all = all_of(self, subject);                 \
        (void)step, (void)all, (void)step_ns;                                   \
        return value;                                                           \
    }
COLUMNS(READ)

#define ROW(name, decimals, value, help) {#name, decimals, read_##name, help, NULL},
static const struct series_column columns[] = {COLUMNS(ROW)};

#define DIRECTION                             \
    {                                         \
        "direction", "down (to the MS) or up" \
    }
static const struct series_name names[LEDGER_KINDS][4] = {
    [LEDGER_CLASS] = {{"class", "the traffic class; a row from its first packet on"}, DIRECTION},
    [LEDGER_CELL] = {{"cell", "NSEI-BVCI; a row from its first packet on"}, DIRECTION},
    [LEDGER_FLOW] = {{"flow",
                      "number of the flow; a row when packets arrived, were lost or are under "
                      "way"},
                     {"application", "kind of its application"},
                     DIRECTION}};

void ledger_series_setup(struct ledger_series *self, struct ledger *ledger, enum ledger_kind kind,
                         FILE *out)
{
    const struct series_subjects of_kind = {names[kind], subjects, has_row, put_subject, self};
    assert(names[kind][0].name);
    self->ledger = ledger;
    self->kind = kind;
    series_setup(&self->series, out, &of_kind);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        struct series_column column = columns[i];
        column.self = self;
        series_column(&self->series, &column);
    }
}
