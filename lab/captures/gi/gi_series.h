// What passed in each interval of the capture's clock. An interval without a frame has no row.
#ifndef SLUICE_GI_SERIES_H
#define SLUICE_GI_SERIES_H

#include "lab/base/table.h"
#include "lab/captures/gi/gi_flow.h"

struct gi_moment {
    uint64_t begin_ns, interval_ns;
    uint64_t frames;           // of all kinds
    uint64_t octets[GI_SIDES]; // of TCP segments, with their IP headers
    uint64_t segments[GI_SIDES];
    uint64_t again[GI_SIDES];     // segments judged meanwhile: sent again, or late
    uint64_t begun, ended, alive; // flows; alive: at the end
    uint64_t setups, setups_ns;   // completed, of one SYN and one SYN-ACK; the sum of their delays
};

typedef void gi_moment_fn(void *self, const struct gi_moment *moment);

struct gi_series {
    gi_moment_fn *take; // NULL: there is no series
    void *self;
    struct gi_moment now;
};

extern const struct table gi_list_series; // a row is a struct gi_moment

void gi_series_begin(struct gi_series *series, uint64_t interval_ns, gi_moment_fn *take,
                     void *self);
// With `take`: the capture's clock goes to this time, at which so many flows live.
void gi_series_time(struct gi_series *series, uint64_t now_ns, uint64_t alive);
// A segment of a flow is taken: how it was before, and is now.
struct gi_series_before {
    uint32_t judged[GI_SIDES];
    bool acked;
};
struct gi_series_before gi_series_before(const struct gi_flow *flow);
void gi_series_segment(struct gi_series *series, const struct gi_flow *flow, enum gi_side side,
                       uint32_t octets, const struct gi_series_before *before);
void gi_series_end(struct gi_series *series);

// Rows for a page: as they come, and whenever there are too many, each two become one.
#define GI_HISTORY_ROWS 600
struct gi_history {
    uint64_t interval_ns;
    uint32_t count;
    uint64_t left_out; // rows of a clock that had gone back
    struct gi_moment row[GI_HISTORY_ROWS];
};
void gi_history_begin(struct gi_history *history, uint64_t interval_ns);
void gi_history_take(struct gi_history *history, const struct gi_moment *moment);
void gi_history_put(const struct gi_history *history, struct json *json); // the key "series"

#endif
