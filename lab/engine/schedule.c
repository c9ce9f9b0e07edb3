// See schedule.h.
#include "lab/engine/schedule.h"

#include "dataplane/base/units.h"

void schedule_start(struct schedule *s, uint64_t now_ns)
{
    s->begun = 0;
    s->lasts = false;
    s->next_ns = s->at_ns;
    if (s->every_ns && s->next_ns < now_ns)
        s->next_ns += (now_ns - s->next_ns + s->every_ns - 1) / s->every_ns * s->every_ns;
}

bool schedule_step(struct schedule *s)
{
    bool begins = !s->lasts;
    uint64_t start_ns = begins ? s->next_ns : s->next_ns - s->lasts_ns;
    s->begun += begins;
    s->lasts = begins && s->lasts_ns > 0;
    if (s->lasts)
        s->next_ns = start_ns + s->lasts_ns;
    else if (s->every_ns && (s->times == 0 || s->begun < s->times))
        s->next_ns = start_ns + s->every_ns;
    else
        s->next_ns = TIME_NEVER;
    return begins;
}
