// See runs.h.
#include "control/report/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/client/value.h"
#include "control/report/below.h"
#include "control/report/loose.h"
#include "control/report/outcomes.h"
#include "control/report/reader.h"

#define ELAPSED_S_MAX      1e9
#define SUMMARY_OCTETS_MAX (64 << 20)

static bool fail(char error[512], const char *path, const char *why)
{
    snprintf(error, 512, "%.300s: %.200s", path, why);
    return false;
}

// ---- summary.json, targets.json and figures.json ----

static char *read_file(FILE *file, size_t *octets)
{
    struct stat is;
    if (fstat(fileno(file), &is) != 0 || is.st_size >= SUMMARY_OCTETS_MAX)
        return NULL;
    char *text = malloc((size_t)is.st_size + 1);
    *octets = text ? fread(text, 1, (size_t)is.st_size, file) : 0;
    if (!text || ferror(file)) {
        free(text);
        return NULL;
    }
    return text;
}

struct json_object *runs_json(const char *dir, size_t root_octets, const char *what,
                              char error[512])
{
    char path[PATH_MAX], why[80];
    if (snprintf(path, sizeof path, "%s/%s.json", dir, what) >= (int)sizeof path) {
        fail(error, dir, strerror(ENAMETOOLONG));
        return NULL;
    }
    FILE *file = reader_file(path, root_octets);
    if (!file) {
        if (errno != ENOENT && errno != ENOTDIR)
            fail(error, path, below_fault(errno));
        return NULL;
    }
    size_t octets;
    char *text = read_file(file, &octets);
    fclose(file);
    struct json_object *found = text ? value_parse(text, octets) : NULL;
    free(text);
    if (!value_is_object(found)) {
        value_free(found);
        found = NULL;
        snprintf(why, sizeof why, "not the %s of a run: no JSON object, or too long", what);
        fail(error, path, why);
    }
    return found;
}

// ---- Folders ----

void runs_note(struct runs *runs, const char *folder, const char *file, const char *why)
{
    char line[RUNS_LABEL_OCTETS + 512];
    size_t n = strlen(runs->notes);
    snprintf(line, sizeof line, "%.300s/%s: %s. ", folder, file, why);
    value_printable(line, runs->notes + n, sizeof runs->notes - n);
}

static int by_version(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static uint32_t number_of(char (*names)[RUNS_LABEL_OCTETS], uint32_t *count, const char *name)
{
    char text[RUNS_LABEL_OCTETS];
    value_printable(name, text, sizeof text);
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    memcpy(names[*count], text, sizeof text);
    return (*count)++;
}

// The group's number; RUNS_GROUPS_MAX: there is no room for another.
static uint32_t group_of(struct runs *runs, const char *variant, const char *point)
{
    if (runs->groups == RUNS_GROUPS_MAX)
        return RUNS_GROUPS_MAX;
    uint32_t v = number_of(runs->variant, &runs->variants, variant);
    uint32_t p = number_of(runs->point, &runs->points, point);
    for (uint32_t i = 0; i < runs->groups; i++)
        if (runs->group[i].variant == v && runs->group[i].point == p)
            return i;
    runs->group[runs->groups] = (struct runs_group){.variant = v, .point = p};
    return runs->groups++;
}

static bool is_there(const struct runs *runs, const struct stat *folder)
{
    for (uint32_t i = 0; i < runs->count; i++)
        if (runs->run[i].device == folder->st_dev && runs->run[i].inode == folder->st_ino)
            return true;
    return false;
}

// Takes the summary.
static bool add(struct runs *runs, const char *dir, uint32_t group, struct json_object *summary,
                char error[512])
{
    if (runs->count == RUNS_MAX || group == RUNS_GROUPS_MAX) {
        char why[80];
        value_free(summary);
        snprintf(why, sizeof why, "more than the %d runs or %d folders of runs of a page", RUNS_MAX,
                 RUNS_GROUPS_MAX);
        return fail(error, dir, why);
    }
    struct stat folder = {0};
    if (stat(dir, &folder) == 0 && is_there(runs, &folder)) { // a sample would count twice
        value_free(summary);
        return fail(error, dir, "this run has been given already");
    }
    struct runs_run *run = &runs->run[runs->count++];
    run->device = folder.st_dev;
    run->inode = folder.st_ino;
    snprintf(run->dir, sizeof run->dir, "%s", dir);
    run->root_octets = runs->root_octets;
    value_printable(dir, run->label, sizeof run->label);
    run->summary = summary;
    double s = value_real(summary, value_in(summary, "virtual_s") ? "virtual_s" : "real_s");
    run->elapsed_s = s < ELAPSED_S_MAX ? s : 0;
    s = value_real(summary, "warmup_s");
    run->warmup_s = s < run->elapsed_s ? s : 0;
    run->group = group;
    runs->group[group].runs++;
    return true;
}

static bool find(struct runs *runs, const char *dir, const char *variant, int below,
                 char error[512]);

// A folder of another user, beside those of runs.
static bool is_closed(const char *path, size_t root_octets)
{
    int fd = below_open(path, root_octets, O_DIRECTORY);
    bool closed = fd < 0 && errno == EACCES;
    if (fd >= 0)
        close(fd);
    return closed;
}

static bool find_below(struct runs *runs, const char *dir, int below, char error[512])
{
    struct dirent **entry;
    int fd = below_open(dir, runs->root_octets, O_DIRECTORY);
    int n = fd < 0 ? -1 : scandirat(fd, ".", &entry, is_visible, by_version);
    bool gone = errno == ENOENT && strlen(dir) > runs->root_octets; // since it was listed
    bool good = n >= 0 || gone || errno == ENOTDIR || fail(error, dir, below_fault(errno));
    if (fd >= 0)
        close(fd);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        bool fits = snprintf(path, sizeof path, "%s/%s", dir, entry[i]->d_name) < PATH_MAX;
        // Runs further down, such as DIR/VARIANT/SEED, share the name of the folder above them.
        const char *variant = below == RUNS_FOLDERS_BELOW ? path : dir;
        if (entry[i]->d_type == DT_LNK)
            runs_note(runs, dir, entry[i]->d_name, "a symbolic link, which is not followed");
        else if (is_closed(path, runs->root_octets))
            runs_note(runs, dir, entry[i]->d_name, strerror(EACCES));
        else
            good = good && fits && find(runs, path, variant, below - 1, error);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return good;
}

// ---- Seeds of one variant ----

static bool have_same_settings(const struct json_object *a, const struct json_object *b)
{
    static const char *const settings[] = {"scenario", "version", "config_sha256", "files",
                                           "variant",  "point",   "overrides"};
    bool same = true;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        same = same && value_equal(value_in(a, settings[i]), value_in(b, settings[i]));
    return same;
}

static bool have_own_seeds(const struct runs *runs, uint32_t first)
{
    for (uint32_t i = first; i < runs->count; i++)
        for (uint32_t k = first; k < i; k++)
            if (value_number(runs->run[i].summary, "seed") ==
                value_number(runs->run[k].summary, "seed"))
                return false;
    return true;
}

// Makes the runs from `first` on, each a variant alone, the seeds of one variant, which is called
// as their folder, if their seeds are all that they differ in.
static void join_seeds(struct runs *runs, const char *dir, uint32_t first)
{
    uint32_t n = runs->count - first, group = n ? runs->run[first].group : 0;
    if (n < 2 || runs->groups - group != n) // some are deeper, or lay here before
        return;
    for (uint32_t i = first + 1; i < runs->count; i++)
        if (!have_same_settings(runs->run[i].summary, runs->run[first].summary))
            return;
    if (!have_own_seeds(runs, first))
        return;
    for (uint32_t i = first; i < runs->count; i++)
        runs->run[i].group = group;
    runs->group[group].runs = n;
    runs->groups = group + 1;
    runs->variants = runs->group[group].variant + 1;
    value_printable(dir, runs->variant[runs->group[group].variant], RUNS_LABEL_OCTETS);
}

// ---- Several runs of one command, gathered in one summary ----

// The runs as their summary lists them; those that are missing have no summary of their own.
static bool find_gathered(struct runs *runs, const char *dir, const struct json_object *list,
                          char error[512])
{
    for (size_t i = 0; i < value_count(list) && runs->count < RUNS_MAX; i++) {
        char folder[PATH_MAX / 2], path[PATH_MAX], name[OUTCOMES_LABEL_OCTETS];
        char point[OUTCOMES_LABEL_OCTETS], variant[PATH_MAX + OUTCOMES_LABEL_OCTETS];
        value_text(value_at(list, i), "folder", folder, sizeof folder);
        if (snprintf(path, sizeof path, "%s/%s", dir, folder) >= (int)sizeof path)
            return fail(error, dir, strerror(ENAMETOOLONG));
        if (!*folder || *folder == '/' || below_leads_out(path, runs->root_octets))
            return fail(error, dir, "summary.json: a run's folder is not below it");
        outcomes_label(value_at(list, i), name, point);
        snprintf(variant, sizeof variant, "%s%s%s", dir, *name ? "/" : "", name);
        // One without results, too, so that colours are in the order of the summary.
        uint32_t group = group_of(runs, variant, point);
        struct json_object *summary = runs_json(path, runs->root_octets, "summary", error);
        if (error[0])
            return false;
        if (!value_is_object(value_in(summary, "classes")))
            value_free(summary);
        else if (group == RUNS_GROUPS_MAX)
            value_free(summary); // section_means says that there are more
        else if (!add(runs, path, group, summary, error))
            return false;
    }
    return true;
}

static bool gather(struct runs *runs, const char *dir, struct json_object *summary, char error[512])
{
    uint32_t first = runs->variants;
    bool good = find_gathered(runs, dir, value_in(summary, "runs"), error);
    if (!good || runs->gathers == RUNS_GATHERED_MAX) {
        value_free(summary);
        return good;
    }
    runs->targets[runs->gathers] = runs_json(dir, runs->root_octets, "targets", error);
    if (!error[0])
        runs->figures[runs->gathers] = runs_json(dir, runs->root_octets, "figures", error);
    runs->gathered_first[runs->gathers] = first;
    value_printable(dir, runs->gathered_label[runs->gathers], RUNS_LABEL_OCTETS);
    runs->gathered[runs->gathers++] = summary;
    return !error[0];
}

static bool find(struct runs *runs, const char *dir, const char *variant, int below,
                 char error[512])
{
    struct json_object *summary = runs_json(dir, runs->root_octets, "summary", error);
    if (error[0])
        return false;
    if (value_is_object(value_in(summary, "classes")))
        return add(runs, dir, group_of(runs, variant, ""), summary, error);
    if (below > 0 && value_count(value_in(summary, "runs")) > 0)
        return gather(runs, dir, summary, error);
    value_free(summary);
    uint32_t first = runs->count, gathers = runs->gathers;
    if (below > 0 && !find_below(runs, dir, below, error))
        return false;
    if (below == RUNS_FOLDERS_BELOW && runs->gathers == gathers)
        join_seeds(runs, dir, first);
    return true;
}

// ---- All of them ----

static void cut(char text[RUNS_LABEL_OCTETS], size_t prefix)
{
    if (strlen(text) > prefix)
        memmove(text, text + prefix, RUNS_LABEL_OCTETS - prefix);
}

static bool find_in(struct runs *runs, const char *dir, char error[512])
{
    char path[PATH_MAX];
    uint32_t before = runs->count;
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    if (n >= RUNS_DIR_OCTETS)
        return fail(error, dir, strerror(ENAMETOOLONG));
    snprintf(path, sizeof path, "%.*s", (int)n, dir);
    runs->root_octets = n;
    if (!find(runs, path, path, RUNS_FOLDERS_BELOW, error))
        return false;
    return runs->count > before ||
           fail(error, path, "no run: no summary.json here or in the folders below");
}

bool runs_find(struct runs *runs, const char *const *dirs, uint32_t count, char error[512])
{
    *runs = (struct runs){.run = calloc(RUNS_MAX, sizeof *runs->run)};
    error[0] = '\0';
    if (!runs->run)
        return fail(error, "memory", strerror(ENOMEM));
    for (uint32_t i = 0; i < count; i++)
        if (!find_in(runs, dirs[i], error))
            return false;
    // With one folder, names need not repeat it.
    size_t length = strlen(dirs[0]);
    size_t prefix = length + (length && dirs[0][length - 1] != '/');
    for (uint32_t i = 0; count == 1 && i < runs->count; i++)
        cut(runs->run[i].label, prefix);
    for (uint32_t i = 0; count == 1 && i < runs->variants; i++)
        cut(runs->variant[i], prefix);
    if (count == 1 && runs->count > 1 && runs->variants == 1)
        snprintf(runs->variant[0], sizeof runs->variant[0], "all runs");
    if (runs->gathers == 0 && runs->count > 1)
        runs->gathered[0] = loose_gather(runs);
    runs->loose = runs->gathers == 0;
    runs->gathers += runs->gathered[0] && runs->loose;
    return true;
}

void runs_release(struct runs *runs)
{
    for (uint32_t i = 0; runs->run && i < runs->count; i++)
        value_free(runs->run[i].summary);
    for (uint32_t i = 0; i < runs->gathers; i++) {
        value_free(runs->gathered[i]);
        value_free(runs->targets[i]);
        value_free(runs->figures[i]);
    }
    free(runs->run);
    *runs = (struct runs){0};
}

// ---- Files of a run ----

bool runs_open(struct runs *runs, uint32_t run, const char *file, struct reader *reader)
{
    char path[PATH_MAX + 32];
    bool absent;
    snprintf(path, sizeof path, "%s/%s", runs->run[run].dir, file);
    if (reader_open(reader, path, runs->run[run].root_octets, &absent))
        return true;
    if (absent)
        reader->error[0] = '\0';
    else
        runs_note(runs, runs->run[run].label, file, reader->error);
    return false;
}

void runs_close(struct runs *runs, uint32_t run, const char *file, struct reader *reader)
{
    reader_close(reader);
    if (reader->error[0])
        runs_note(runs, runs->run[run].label, file, reader->error);
}
