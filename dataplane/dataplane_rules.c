// See dataplane.h: rules by peer of Gb's device, one for each NS-VC, which take its frames to the
// worker of its NSE. NS-VCs come and go by commands, as fast as a BSS likes, and a rule may take
// its driver a millisecond; so control makes one between two turns. All NS-VCs are looked at after
// a change, first for rules that have to end: then those that the device had no room for are tried
// again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/dataplane_parts.h"

#define LOOKED_MOST 1024u // NS-VCs at a time

bool dp_rules_setup(struct dp *dp)
{
    const struct port_device *gb = &dp->device[STATS_GB];
    if (dp->workers == 1 || gb->steering != PORT_STEERING_PEER)
        return true;
    dp->rules.of = calloc(dp->registry.limits.nsvcs, sizeof *dp->rules.of);
    dp->rules.at = 2 * dp->registry.limits.nsvcs; // there is none yet
    return dp->rules.of != NULL;
}

static void count(uint32_t *counter, uint32_t more)
{
    __atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

static bool is_of(const struct peer_rule *rule, const struct registry *r, uint32_t id)
{
    const struct registry_nsvc *nsvc = &r->nsvc[id];
    return nsvc->made && r->nse[nsvc->nse].worker == rule->worker &&
           memcmp(&nsvc->endpoint, &rule->endpoint, sizeof rule->endpoint) == 0;
}

// True: the device had work.
static bool end_one(struct dp *dp, uint32_t id)
{
    struct peer_rules *rules = &dp->rules;
    struct peer_rule was = rules->of[id];
    if ((!was.flow && !was.refused) || is_of(&was, &dp->registry, id))
        return false;
    rules->of[id] = (struct peer_rule){0};
    count(was.flow ? &rules->made : &rules->refused, -1u);
    if (!was.flow)
        return false;
    port_rule_end(&dp->device[STATS_GB], was.flow); // one that stays has frames handed on
    rules->again = true;
    return true;
}

static bool make_one(struct dp *dp, uint32_t id)
{
    struct peer_rules *rules = &dp->rules;
    struct peer_rule *rule = &rules->of[id];
    const struct registry_nsvc *nsvc = &dp->registry.nsvc[id];
    if (!nsvc->made || rule->flow || (rule->refused && !rules->again))
        return false;
    const struct port_endpoint peer = {nsvc->endpoint.address, (uint16_t)nsvc->endpoint.udp_port};
    uint8_t worker = dp->registry.nse[nsvc->nse].worker;
    bool refused = rule->refused;
    *rule = (struct peer_rule){.worker = worker, .endpoint = nsvc->endpoint};
    const char *why;
    rule->flow = port_peer_rule(&dp->device[STATS_GB], &peer, worker, &why);
    rule->refused = !rule->flow;
    if (rule->refused)
        snprintf(rules->why, sizeof rules->why, "%s", why);
    count(&rules->refused, rule->refused - (uint32_t)refused);
    count(&rules->made, rule->flow != NULL);
    return true;
}

bool dp_rules_follow(struct dp *dp)
{
    struct peer_rules *rules = &dp->rules;
    uint32_t nsvcs = dp->registry.limits.nsvcs;
    bool worked = false;
    if (!rules->of || (rules->at == 2 * nsvcs && rules->changes == dp->registry.nsvc_changes))
        return false;
    if (rules->at == 2 * nsvcs) {
        rules->changes = dp->registry.nsvc_changes;
        rules->again = false;
        rules->at = 0;
    }
    for (uint32_t n = 0; n < LOOKED_MOST && rules->at < 2 * nsvcs && !worked; n++, rules->at++)
        worked = rules->at < nsvcs ? end_one(dp, rules->at) : make_one(dp, rules->at - nsvcs);
    return true;
}

bool dp_rules(const struct dp *dp, uint32_t *made, uint32_t *refused, const char **why)
{
    const struct peer_rules *rules = &dp->rules;
    *made = __atomic_load_n(&rules->made, __ATOMIC_RELAXED);
    *refused = __atomic_load_n(&rules->refused, __ATOMIC_RELAXED);
    if (why)
        *why = rules->why;
    return rules->of != NULL;
}
