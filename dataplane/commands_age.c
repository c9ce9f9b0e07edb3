// See commands_parts.h: how old control's word about an MS is, beside a worker's.
#include "dataplane/commands_parts.h"

// An MS's counts of commands are of its worker and modulo 2^32. How many have gone since is never
// more than AGE_MOST, for a record is looked at once in as many commands as there are MSs.
#define AGE_MOST (1u << 31)

static uint32_t aged(uint64_t sent, uint32_t count)
{
    return (uint32_t)sent - count > AGE_MOST ? (uint32_t)sent - AGE_MOST : count;
}

void commands_age(struct commands *k)
{
    struct made_ms *ms = &k->ms[k->aging];
    uint64_t sent = ms->made ? k->worker[dp_at_worker(ms->at)].sent : 0;
    k->aging = k->aging + 1 < k->limits.mss ? k->aging + 1 : 0;
    if (!ms->made)
        return;
    ms->since = aged(sent, ms->since);
    ms->said = aged(sent, ms->said);
    ms->heard = aged(sent, ms->heard);
}

bool commands_had_come_to(const struct commands *k, const struct event *e, uint32_t count)
{
    uint64_t sent = k->worker[e->worker].sent;
    return (uint32_t)sent - count >= sent - e->commands;
}
