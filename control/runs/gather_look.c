// See gather.h: what a run's folder has. A run writes run.json last, with the octets of each file
// before it, so what was deleted or cut off afterwards is seen without reading it.
#include "control/runs/gather.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "control/client/value.h"
#include "control/run/origin.h"
#include "control/run/outputs.h"
#include "control/runs/gather_parts.h"

// The path of a file in the run's folder; returns the octets of the folder's.
static size_t path_of(const struct plan *plan, uint32_t run, const char *name, char path[PATH_MAX])
{
    plan_path(plan, run, path);
    size_t n = strlen(path);
    snprintf(path + n, PATH_MAX - n, "/%.100s", name);
    return n;
}

static struct json_object *read_object(const struct plan *plan, uint32_t run, const char *name)
{
    char path[PATH_MAX];
    path_of(plan, run, name, path);
    return value_read_object(AT_FDCWD, path);
}

struct json_object *gather_summary(const struct plan *plan, uint32_t run)
{
    return read_object(plan, run, "summary.json");
}

// ---- Its files ----

struct look {
    const struct plan *plan;
    uint32_t run;
    const struct json_object *files; // of run.json
    char *lacks;                     // of struct gather_found
};

static void lacks(struct look *look, const char *name)
{
    if (!look->lacks[0])
        snprintf(look->lacks, sizeof((struct gather_found *)NULL)->lacks, "%s", name);
}

static void look_for(void *self, const char *name, uint64_t octets)
{
    struct look *look = self;
    char path[PATH_MAX];
    struct stat is;
    path_of(look->plan, look->run, name, path);
    if (strchr(name, '/') || lstat(path, &is) != 0 || !S_ISREG(is.st_mode) ||
        (uint64_t)is.st_size != octets)
        lacks(look, name);
}

static void look_in_list(void *self, const char *name)
{
    struct look *look = self;
    if (!value_has(look->files, name))
        lacks(look, name);
}

// What run.json lists must be there, and it must list what such a run writes: a list that somebody
// cut short, or emptied, is of no whole run.
static void look_for_all(struct look *look)
{
    const struct plan_group *group = plan_group_of(look->plan, look->run);
    const struct options *options = look->plan->options;
    bool captured = look->run == PLAN_CAPTURED;
    struct outputs_asked asked = {.pcap = captured && options->pcap,
                                  .packets = captured && options->packets,
                                  .series = group->series,
                                  .batches = group->batches > 0,
                                  .passive = group->passive};
    struct json_object *info = read_object(look->plan, look->run, "run.json");
    look->files = value_in(info, "files");
    if (!look->files)
        lacks(look, "run.json");
    value_numbers(look->files, look_for, look);
    outputs_each(&asked, look_in_list, look);
    value_free(info);
}

// ---- Its state ----

struct gather_found gather_look_at(const struct plan *plan, uint32_t run,
                                   const struct json_object *summary)
{
    struct gather_found found = {.state = GATHER_ABSENT};
    struct look look = {plan, run, NULL, found.lacks};
    if (!summary)
        return found;
    found.differs = origin_differs(plan_group_of(plan, run)->origin, plan_seed(plan, run), summary);
    if (!value_is_true(value_in(summary, "complete"))) {
        found.state = found.differs ? GATHER_ABSENT : GATHER_INCOMPLETE;
        return found;
    }
    if (found.differs || !value_is_true(value_in(summary, "sound"))) {
        found.state = found.differs ? GATHER_OTHER : GATHER_UNSOUND;
        return found;
    }
    look_for_all(&look);
    found.state = found.lacks[0] ? GATHER_INCOMPLETE : GATHER_COMPLETE;
    return found;
}

struct gather_found gather_look(const struct plan *plan, uint32_t run)
{
    struct json_object *summary = gather_summary(plan, run);
    struct gather_found found = gather_look_at(plan, run, summary);
    value_free(summary);
    return found;
}
