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

// ---- History ----

void gi_history_begin(struct gi_history *history, uint64_t interval_ns)
{
    history->interval_ns = interval_ns;
    history->count = 0;
    history->left_out = 0;
}

static void add(struct gi_moment *to, const struct gi_moment *from)
{
    to->frames += from->frames;
    for (int i = 0; i < GI_SIDES; i++) {
        to->octets[i] += from->octets[i];
        to->segments[i] += from->segments[i];
        to->again[i] += from->again[i];
    }
    to->begun += from->begun;
    to->ended += from->ended;
    to->alive = from->alive;
    to->setups += from->setups;
    to->setups_ns += from->setups_ns;
}

// Into the last row, if it is of the same interval, else as another one.
static void append(struct gi_history *history, const struct gi_moment *moment)
{
    uint64_t begin_ns = moment->begin_ns - moment->begin_ns % history->interval_ns;
    if (history->count && history->row[history->count - 1].begin_ns == begin_ns) {
        add(&history->row[history->count - 1], moment);
        return;
    }
    struct gi_moment *row = &history->row[history->count++];
    *row = *moment;
    row->begin_ns = begin_ns;
    row->interval_ns = history->interval_ns;
}

static void halve(struct gi_history *history)
{
    uint32_t count = history->count;
    history->interval_ns *= 2;
    history->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct gi_moment row = history->row[i];
        append(history, &row);
    }
}

void gi_history_take(struct gi_history *history, const struct gi_moment *moment)
{
    if (history->count && moment->begin_ns < history->row[history->count - 1].begin_ns) {
        history->left_out++;
        return;
    }
    while (history->count == GI_HISTORY_ROWS)
        halve(history);
    append(history, moment);
}

void gi_history_put(const struct gi_history *history, struct json *json)
{
    json_put_object(json, "series");
    json_key(json, "interval_s");
    json_real(json, (double)history->interval_ns / S_IN_NS);
    json_put(json, "left_out", history->left_out);
    json_put_array(json, "rows");
    for (uint32_t i = 0; i < history->count; i++)
        table_json_row(&gi_list_series, NULL, &history->row[i], json);
    json_close(json);
    json_close(json);
}
