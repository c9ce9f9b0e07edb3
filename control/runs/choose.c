// See choose.h. Without --resume and --force nobody's results are touched. --resume takes over
// those of the same configuration and version, and of no more runs than the plan has: a summary
// that counts less than the folder has would look whole.
#include "control/runs/choose.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "control/client/value.h"
#include "control/report/below.h"
#include "control/run/origin.h"
#include "control/runs/gather.h"

// ---- Runs of the plan ----

static bool refuse_other(const struct run *run, const char *path, const char *differs)
{
    fprintf(stderr, "sluice run: %s: has the results of another run (%s); give another --out%s\n",
            path, differs, run->options.commands ? "" : ", or --force to do it again");
    return false;
}

static bool refuse_any(const char *path)
{
    fprintf(stderr,
            "sluice run: %s: has results; --resume does what is missing, --force does all again, "
            "or give another --out\n",
            path);
    return false;
}

// A folder may have come from elsewhere, with links in the places of runs: nothing is written or
// read where these lead.
static bool is_within(const struct plan *plan, const char *path)
{
    bool leads_out = below_leads_out(path, strlen(plan->dir));
    if (leads_out)
        fprintf(stderr, "sluice run: %s: %s; give another --out\n", path, below_fault(ELOOP));
    return !leads_out;
}

// first: the path of the first run that has results; "": none has.
static bool choose(const struct run *run, const struct plan *plan, bool *wanted,
                   char first[PATH_MAX])
{
    for (uint32_t i = 0; i < plan_runs(plan); i++) {
        char path[PATH_MAX];
        plan_path(plan, i, path);
        if (!is_within(plan, path))
            return false;
        struct gather_found found = gather_look(plan, i);
        wanted[i] = !run->options.resume || found.state != GATHER_COMPLETE;
        if (found.state == GATHER_OTHER && !run->options.force)
            return refuse_other(run, path, found.differs);
        if (found.state != GATHER_ABSENT && !first[0])
            memcpy(first, path, sizeof path);
        if (run->options.resume && found.lacks[0])
            fprintf(stderr, "sluice run: %s: %s is missing or not whole: the run is done again\n",
                    path, found.lacks);
    }
    return true;
}

// ---- Runs of an earlier command, which its summary lists ----

// Of all groups, for a variant may name files of its own. NULL: one of them is of the same files.
static const char *differs_from_all(const struct plan *plan, const struct json_object *summary)
{
    const char *differs = NULL;
    for (uint32_t g = 0; g < plan->groups; g++) {
        differs = origin_differs_shared(plan->group[g].origin, summary);
        if (!differs)
            break;
    }
    return differs;
}

// A member for each of the plan's folders.
static struct json_object *folders_of(const struct plan *plan)
{
    struct json_object *folders = value_new();
    for (uint32_t i = 0; i < plan_runs(plan); i++) {
        char folder[PATH_MAX];
        plan_folder(plan, i, folder);
        value_set_number(folders, folder, i);
    }
    return folders;
}

static bool has_results(const struct plan *plan, const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/%.1000s/summary.json", PATH_MAX - 1024, plan->dir, folder);
    int fd = *folder ? below_open(path, strlen(plan->dir), 0) : -1;
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

// The listed runs that the plan does not have and the folder has; `first` is one of them.
static uint32_t beyond(const struct plan *plan, const struct json_object *summary,
                       char first[PATH_MAX])
{
    struct json_object *folders = folders_of(plan), *runs = value_in(summary, "runs");
    uint32_t count = 0;
    for (size_t i = 0; i < value_count(runs); i++) {
        const char *folder = value_string(value_in(value_at(runs, i), "folder"));
        if (folder && !value_has(folders, folder) && has_results(plan, folder) && count++ == 0)
            value_printable(folder, first, PATH_MAX);
    }
    value_free(folders);
    return count;
}

static bool refuse_fewer(const struct run *run, uint32_t count, const char *first)
{
    fprintf(
        stderr,
        "sluice run: %s: has the results of %u more runs than this command, such as %s; give "
        "--variant, --point and --seeds of all of them, another --out, or --force to leave them "
        "out of the summary\n",
        run->results.dir, count, first);
    return false;
}

// has: a run of the plan has results.
static bool may_replace(const struct run *run, const struct plan *plan,
                        const struct json_object *summary, bool has)
{
    const char *dir = run->results.dir, *differs = differs_from_all(plan, summary);
    char first[PATH_MAX];
    if (!value_in(summary, "runs")) {
        fprintf(stderr,
                "sluice run: %s: has the results of a single run; give another --out, or --force "
                "to replace its summary\n",
                dir);
        return false;
    }
    uint32_t count = beyond(plan, summary, first);
    if (differs && (run->options.resume || has || count))
        return refuse_other(run, dir, differs);
    return count == 0 || refuse_fewer(run, count, first);
}

static bool may_take(const struct run *run, const struct plan *plan, bool has)
{
    struct json_object *summary = value_read_object(run->results.folder, "summary.json");
    bool may = !summary || run->options.force || may_replace(run, plan, summary, has);
    value_free(summary);
    return may;
}

bool choose_runs(const struct run *run, const struct plan *plan, bool *wanted)
{
    const struct options *o = &run->options;
    char first[PATH_MAX] = "";
    if (!choose(run, plan, wanted, first) || !may_take(run, plan, first[0]))
        return false;
    return o->force || o->resume || !first[0] || refuse_any(first); // --resume would be accepted
}
