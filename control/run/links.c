// See links.h.
#include "control/run/links.h"

#include <inttypes.h>
#include <string.h>

#include "control/run/run.h"

#define LOSSES_EACH_NS 60000000000
#define COMES_UP_NS    5000000000 // a link that is down for so long from the beginning stays down

static void look(struct run *run, enum stats_side side, const char *port, uint64_t now_ns)
{
    struct links *links = &run->links;
    const char *told = links->told[side] ? links->told[side] : "up";
    const char *link = dp_link_look(run->dp, side);
    bool up = strcmp(link, "up") == 0, gone = strcmp(link, "gone") == 0;
    char text[100];
    links->was_up[side] |= up;
    bool comes_up = !links->was_up[side] && !gone;
    if (strcmp(link, told) == 0 || (comes_up && now_ns - links->since_ns < COMES_UP_NS))
        return;
    links->told[side] = link;
    snprintf(text, sizeof text,
             gone ? "%s: its device is gone; start Sluice again when there is one"
                  : "%s: its link is %s",
             port, link);
    log_put(&run->control.log, up ? LOG_INFO : comes_up ? LOG_WARN : LOG_ERROR, now_ns, text);
}

// What never came to a worker, so that no drop of Sluice counts it.
static void look_for_losses(struct run *run, enum stats_side side, const char *port,
                            uint64_t now_ns)
{
    struct links *links = &run->links;
    uint32_t mbit_per_s;
    const struct stats_nic *nic = dp_nic(run->dp, side, &mbit_per_s);
    uint64_t lost = nic ? nic->rx_missed + nic->rx_no_buffer : 0, more = lost - links->lost[side];
    char text[200];
    if (lost <= links->lost[side] ||
        (links->lost_ns[side] && now_ns - links->lost_ns[side] < LOSSES_EACH_NS))
        return;
    links->lost[side] = lost;
    links->lost_ns[side] = now_ns;
    snprintf(text, sizeof text,
             "%s: its device lost %" PRIu64 " frames%s (rx_missed %" PRIu64
             ", rx_no_buffer %" PRIu64 "): a worker was too slow, or %s.rx_frames is too small",
             port, more, more < lost ? " more" : "", nic->rx_missed, nic->rx_no_buffer, port);
    log_put(&run->control.log, LOG_WARN, now_ns, text);
}

void links_look(struct run *run, uint64_t now_ns)
{
    if (!run->links.since_ns)
        run->links.since_ns = now_ns;
    look(run, STATS_GN, "gn", now_ns);
    look(run, STATS_GB, "gb", now_ns);
    look_for_losses(run, STATS_GN, "gn", now_ns);
    look_for_losses(run, STATS_GB, "gb", now_ns);
}
