// See stats.h.
#include "dataplane/stats/stats.h"

#include <stddef.h>

#define OFFSET_worker(name) STATS_SCOPE_WORKER, offsetof(struct stats_worker, name)
#define OFFSET_class(name)  STATS_SCOPE_CLASS, offsetof(struct stats_class, name)
const struct stats_counter stats_counters[] = {
#define COUNTER(scope, name, unit, help) {#name, unit, help, OFFSET_##scope(name)},
#include "dataplane/stats/counters.def"
#undef COUNTER
};
const uint32_t stats_counter_count = sizeof stats_counters / sizeof stats_counters[0];

const char *const drop_names[DROP_COUNT] = {
#define DROP(name, help) #name,
#include "dataplane/stats/drops.def"
#undef DROP
};

const char *const drop_helps[DROP_COUNT] = {
#define DROP(name, help) help,
#include "dataplane/stats/drops.def"
#undef DROP
};

static struct stats_drop sum_of_drops(const struct stats_class *of_class)
{
    struct stats_drop sum = {0};
    for (int r = 0; r < DROP_COUNT; r++) {
        sum.packets += of_class->drop[r].packets;
        sum.octets += of_class->drop[r].octets;
    }
    return sum;
}

static void add_class(struct stats_balance *b, const struct stats_class *of_class)
{
    struct stats_drop dropped = sum_of_drops(of_class);
    b->npdu_packets += of_class->in_packets;
    b->npdu_octets += of_class->in_octets;
    b->packets.out += of_class->out_packets;
    b->octets.out += of_class->out_octets;
    b->dropped_npdus.packets += dropped.packets;
    b->dropped_npdus.octets += dropped.octets;
}

struct stats_balance stats_balance(const struct stats_worker *stats)
{
    struct stats_balance b = {
        .packets = {.in = stats->gn_rx_packets},
        .octets = {.in = stats->gn_rx_octets, .headers = stats->gn_header_octets},
        .dropped_frames = sum_of_drops(&stats->of_class[CLASS_COUNT]),
    };
    for (int c = 0; c < CLASS_COUNT; c++)
        add_class(&b, &stats->of_class[c]);
    b.packets.dropped = b.dropped_frames.packets + b.dropped_npdus.packets;
    b.octets.dropped = b.dropped_frames.octets + b.dropped_npdus.octets;
    return b;
}
