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

struct stats_balance stats_balance(const struct stats_worker *stats)
{
    struct stats_balance b = {
        .packets = {.in = stats->gn_rx_packets},
        .octets = {.in = stats->gn_rx_octets, .headers = stats->gn_header_octets},
    };
    for (int c = 0; c <= CLASS_COUNT; c++) {
        const struct stats_class *of_class = &stats->of_class[c];
        b.packets.out += of_class->out_packets;
        b.octets.out += of_class->out_octets;
        for (int r = 0; r < DROP_COUNT; r++) {
            b.packets.dropped += of_class->drop[r].packets;
            b.octets.dropped += of_class->drop[r].octets;
        }
    }
    return b;
}
