// A drop is counted where the scope of its reason says, and nowhere else.
#ifndef TESTS_DATAPLANE_DROP_SCOPES_H
#define TESTS_DATAPLANE_DROP_SCOPES_H

#include <string.h>

#include "dataplane/stats/stats.h"

// Whether that reason may stand with a "port", a "class" or "up".
static inline bool drop_may_be(enum drop_reason reason, const char *where)
{
    static const char *const scopes[] = {
#define DROP(scope, name, help) #scope,
#include "dataplane/stats/drops.def"
#undef DROP
    };
    const char *scope = scopes[reason];
    return strcmp(scope, where) == 0 || strcmp(scope, "any") == 0 ||
           (strcmp(scope, "both") == 0 && strcmp(where, "port") != 0);
}

static inline void expect_drops_in(const struct stats_drop drop[DROP_COUNT], const char *where)
{
    for (int r = 0; r < DROP_COUNT; r++)
        if (drop[r].packets && !drop_may_be(r, where))
            fail_msg("%s is counted with a %s", stats_drop_names[r], where);
}

static inline void expect_drop_scopes(const struct stats_worker *stats)
{
    for (int side = 0; side < STATS_SIDES; side++)
        expect_drops_in(stats->of_port[side].drop, "port");
    for (int c = 0; c < CLASS_COUNT; c++)
        expect_drops_in(stats->of_class[c].drop, "class");
    expect_drops_in(stats->up.drop, "up");
}

#endif
