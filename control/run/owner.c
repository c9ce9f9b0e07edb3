// The user of a run in real time: chosen before anything is opened; the process becomes that user
// once the ports are open. In between the process checks that the user can read the files of a
// reload, and gives the user the folders and the socket.
#include <string.h>

#include "control/cli/commands.h"
#include "control/process/privileges.h"
#include "control/process/runtime.h"
#include "control/run/run.h"

// A reload reads the configuration and the policy.
static bool can_reload(const struct run *run)
{
    const struct octets *policy = &run->load.run.policy;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)policy->n, (const char *)policy->at);
    return user_may_read(&run->user, run->options.file, stderr) &&
           (policy->n == 0 || user_may_read(&run->user, path, stderr));
}

int run_owner_choose(struct run *run)
{
    const struct octets *wanted = &run->load.run.user;
    char name[USER_NAME_OCTETS];
    snprintf(name, sizeof name, "%.*s", (int)wanted->n, (const char *)wanted->at);
    if (!user_choose(&run->user, name, stderr) || !can_reload(run))
        return EXIT_USAGE;
    return EXIT_DONE;
}

int run_owner_become(struct run *run)
{
    const char *gn = dp_driver(run->dp, STATS_GN), *gb = dp_driver(run->dp, STATS_GB);
    uint64_t keep = privileges_of_driver(gn) | privileges_of_driver(gb);
    char why[128], text[128];
    int fault = runtime_hold(run->plan.instance, &run->user);
    if (fault)
        fprintf(stderr, "the control socket keeps its owner and mode: %s\n", strerror(-fault));
    if (privileges_drop(&run->user, keep, why) != 0)
        return run_failed("cannot give up privileges (run.user = \"root\" would keep them)", why);
    if (!user_is_other(&run->user))
        return EXIT_DONE;
    privileges_text(keep, text);
    bool alike = strcmp(gn, gb) == 0;
    fprintf(stderr, "user: %s from now on; capabilities kept for %s%s%s: %s\n", run->user.name, gn,
            alike ? "" : " and ", alike ? "" : gb, text);
    return EXIT_DONE;
}
