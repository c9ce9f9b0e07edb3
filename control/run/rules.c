// See rules.h.
#include "control/run/rules.h"

#include <stdio.h>

#include "control/run/run.h"

void rules_tell_steering(const struct run *run)
{
    for (int side = 0; side < STATS_SIDES; side++) {
        const char *lacks, *steering = dp_steering(run->dp, (enum stats_side)side, &lacks);
        if (steering)
            fprintf(stderr, "%s: steering \"%s\"%s%s%s\n", stats_side_names[side], steering,
                    *lacks ? " (" : "", lacks, *lacks ? ")" : "");
    }
}

void rules_tell(struct run *run, uint64_t now_ns)
{
    uint32_t made, refused;
    const char *why;
    char text[256];
    if (!dp_rules(run->dp, &made, &refused, &why) || run->rules_refused == (refused > 0))
        return;
    run->rules_refused = refused > 0;
    if (refused)
        snprintf(text, sizeof text,
                 "gb: its device refused a rule for %u of %u NS-VCs (%.80s): workers hand on "
                 "their frames",
                 refused, made + refused, why);
    else
        snprintf(text, sizeof text, "gb: its device has a rule for each NS-VC again");
    log_put(&run->control.log, refused ? LOG_WARN : LOG_INFO, now_ns, text);
}
