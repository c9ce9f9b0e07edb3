// See links.h.
#include "control/run/links.h"

#include <string.h>

#include "control/run/run.h"

static void look(struct run *run, enum stats_side side, const char *port, uint64_t now_ns)
{
    const char *before = dp_link(run->dp, side), *link = dp_link_look(run->dp, side);
    bool gone = strcmp(link, "gone") == 0;
    char text[64];
    if (link == before)
        return;
    snprintf(text, sizeof text, "%s: its %s is %s", port, gone ? "device" : "link", link);
    log_put(&run->control.log, strcmp(link, "up") == 0 ? LOG_INFO : LOG_ERROR, now_ns, text);
}

void links_look(struct run *run, uint64_t now_ns)
{
    look(run, STATS_GN, "gn", now_ns);
    look(run, STATS_GB, "gb", now_ns);
}
