// See gi_series.h.
#include "lab/captures/gi/gi_series.h"

#include "dataplane/base/units.h"

#define TABLE_FILE  "lab/captures/gi/gi_series.def"
#define TABLE_OWNER const void *nothing
#include "lab/base/table_make.h"

void gi_series_begin(struct gi_series *series, uint64_t interval_ns, gi_moment_fn *take, void *self)
{
    series->take = take;
    series->self = self;
    series->now.interval_ns = interval_ns;
}

static void end_moment(struct gi_series *series, uint64_t alive)
{
    uint64_t interval_ns = series->now.interval_ns;
    series->now.alive = alive;
    if (series->now.frames)
        series->take(series->self, &series->now);
    series->now = (struct gi_moment){.interval_ns = interval_ns};
}

void gi_series_time(struct gi_series *series, uint64_t now_ns, uint64_t alive)
{
    if (!series->take)
        return;
    uint64_t begin_ns = now_ns - now_ns % series->now.interval_ns;
    if (begin_ns != series->now.begin_ns)
        end_moment(series, alive);
    series->now.begin_ns = begin_ns;
    series->now.frames++;
}

static uint32_t judged(const struct gi_half *half)
{
    uint32_t sum = 0;
    for (int i = 0; i < GI_VERDICTS; i++)
        sum += half->judged[i];
    return sum;
}

struct gi_series_before gi_series_before(const struct gi_flow *flow)
{
    return (struct gi_series_before){{judged(&flow->half[GI_UP]), judged(&flow->half[GI_DOWN])},
                                     flow->setup.acked};
}

void gi_series_segment(struct gi_series *series, const struct gi_flow *flow, enum gi_side side,
                       uint32_t octets, const struct gi_series_before *before)
{
    struct gi_moment *now = &series->now;
    const struct gi_setup *setup = &flow->setup;
    now->octets[side] += octets;
    now->segments[side]++;
    for (int i = 0; i < GI_SIDES; i++)
        now->again[i] += judged(&flow->half[i]) - before->judged[i];
    if (setup->acked && !before->acked && setup->syns == 1 && setup->syn_acks == 1) {
        now->setups++;
        now->setups_ns += setup->ack_ns - setup->syn_ns;
    }
}

void gi_series_end(struct gi_series *series)
{
    if (series->take)
        end_moment(series, 0);
}
