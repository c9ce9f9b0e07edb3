// See stats.h.
#include "dataplane/stats/stats.h"

#include <stddef.h>
#include <string.h>

#define OFFSET_worker(name) STATS_SCOPE_WORKER, offsetof(struct stats_worker, name)
#define OFFSET_port(name)   STATS_SCOPE_PORT, offsetof(struct stats_port, name)
#define OFFSET_nic(name)    STATS_SCOPE_NIC, offsetof(struct stats_nic, name)
#define OFFSET_class(name)  STATS_SCOPE_CLASS, offsetof(struct stats_class, name)
#define OFFSET_up(name)     STATS_SCOPE_UP, offsetof(struct stats_up, name)
const struct stats_counter stats_counters[] = {
#define COUNTER(scope, name, unit, help) {#name, unit, help, OFFSET_##scope(name)},
#include "dataplane/stats/counters.def"
#undef COUNTER
};
const uint32_t stats_counter_count = sizeof stats_counters / sizeof stats_counters[0];

const char *const stats_side_names[STATS_SIDES] = {[STATS_GN] = "gn", [STATS_GB] = "gb"};

const char *const stats_drop_names[DROP_COUNT] = {
#define DROP(scope, name, help) #name,
#include "dataplane/stats/drops.def"
#undef DROP
};

const char *const stats_drop_helps[DROP_COUNT] = {
#define DROP(scope, name, help) help,
#include "dataplane/stats/drops.def"
#undef DROP
};

const char *const stats_npdu_names[STATS_NPDU_DROPS] = {
#define DROP(scope, name, help) STATS_IF_NPDU_##scope(, #name, )
#include "dataplane/stats/drops.def"
#undef DROP
};

const uint8_t stats_npdu_of[DROP_COUNT] = {
#define DROP(scope, name, help) STATS_IF_NPDU_##scope(STATS_NPDU_DROPS, STATS_NPDU_##name),
#include "dataplane/stats/drops.def"
#undef DROP
};

static void add_drops(struct stats_drop *sum, const struct stats_drop drop[DROP_COUNT])
{
    for (int r = 0; r < DROP_COUNT; r++) {
        sum->packets += drop[r].packets;
        sum->octets += drop[r].octets;
    }
}

// The balance of a direction's own port, in frames.
static struct stats_balance balance_of_port(const struct stats_port *p)
{
    struct stats_balance b = {
        .packets = {.in = p->rx_packets + p->strays_in_packets,
                    .aside = p->host_packets + p->control_packets + p->joined_packets +
                             p->strays_out_packets},
        .octets = {.in = p->rx_octets + p->strays_in_octets,
                   .headers = p->header_octets,
                   .aside = p->host_octets + p->control_octets + p->strays_out_octets}};
    add_drops(&b.dropped_frames, p->drop);
    return b;
}

static struct stats_balance with_dropped(struct stats_balance b)
{
    b.packets.dropped = b.dropped_frames.packets + b.dropped_inner.packets;
    b.octets.dropped = b.dropped_frames.octets + b.dropped_inner.octets;
    return b;
}

struct stats_balance stats_balance(const struct stats_worker *stats)
{
    struct stats_balance b = balance_of_port(&stats->of_port[STATS_GN]);
    for (int c = 0; c < CLASS_COUNT; c++) {
        const struct stats_class *class = &stats->of_class[c];
        b.inner_packets += class->in_packets;
        b.inner_octets += class->in_octets;
        b.packets.out += class->out_packets;
        b.octets.out += class->out_octets;
        b.moved.packets += class->moved_in_packets - class->moved_out_packets;
        b.moved.octets += class->moved_in_octets - class->moved_out_octets;
        add_drops(&b.dropped_inner, class->drop);
    }
    return with_dropped(b);
}

struct stats_balance stats_balance_up(const struct stats_worker *stats)
{
    struct stats_balance b = balance_of_port(&stats->of_port[STATS_GB]);
    b.inner_packets = stats->up.in_packets;
    b.inner_octets = stats->up.in_octets;
    b.packets.out = stats->up.out_packets;
    b.octets.out = stats->up.out_octets;
    add_drops(&b.dropped_inner, stats->up.drop);
    return with_dropped(b);
}

void stats_delays_shown(const struct stats_delays *delays, uint64_t shown[STATS_DELAYS])
{
    memcpy(shown, delays->npdus, STATS_DELAYS * sizeof *shown);
    for (uint32_t i = STATS_DELAYS; i < STATS_DELAY_PLACES; i++)
        shown[STATS_DELAYS - 1] += delays->npdus[i];
}
