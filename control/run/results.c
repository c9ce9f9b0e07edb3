// See results.h.
#include "control/run/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Results in real time hold TEIDs and peers' signalling: readable for the owner and the group only.
#define MODE_REAL      0640
#define MODE_SIMULATED 0644

static const char *const names[] = {"summary.json",     "run.json",         "contexts.json",
                                    "gi.pcap",          "gn.pcap",          "gb.pcap",
                                    "signalling.pcap",  "runs.csv",         "classes.csv",
                                    "cells.csv",        "mss.csv",          "flows.csv",
                                    "drops.csv",        "delays.csv",       "series_classes.csv",
                                    "series_cells.csv", "series_flows.csv", "report.html",
                                    "applications.csv", "tcp.csv",          "bss.csv",
                                    "targets.csv",      "targets.json",     "gi_flows.csv",
                                    "gi_tables.csv",    "gi_bins.csv",      "packets.csv",
                                    "user.pcapng",      "results.csv",      "figures.csv",
                                    "figures.json",     "knobs.csv",        "knobs.json",
                                    "batches.csv"};

static int give(const char *path, const struct user *user)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int fault = fchown(fd, user->uid, user->gid) ? -errno : 0;
    close(fd);
    return fault;
}

// An existing folder keeps its owner and mode.
static int make_directory(const char *path, const struct user *user)
{
    if (mkdir(path, 0777) != 0)
        return errno == EEXIST ? 0 : -errno;
    int fault = user_is_other(user) ? give(path, user) : 0;
    if (fault)
        rmdir(path); // else the next run would find a folder of root
    return fault;
}

int results_make(const char *path, const struct user *user)
{
    char part[PATH_MAX];
    int fault = 0;
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = part + 1; !fault && (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        fault = make_directory(part, user);
        *slash = '/';
    }
    return fault ? fault : make_directory(part, user);
}

static int lock_directory(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int fault = -errno;
    close(fd);
    return fault;
}

void results_path(const struct results *results, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 64, results->dir, name);
}

void results_whole_path(const struct results *results, const char *name, char path[PATH_MAX])
{
    char given[PATH_MAX];
    results_path(results, name, given);
    if (!realpath(given, path))
        memcpy(path, given, sizeof given);
}

static void part_name(const char *name, char part[32])
{
    snprintf(part, 32, ".%s.part", name);
}

// A capture of a real network cannot be taken again: the last one stays, under another name.
static bool is_kept(const struct results *results, const char *name)
{
    struct stat is;
    return !results->simulated &&
           (strcmp(name, "signalling.pcap") == 0 || strcmp(name, "user.pcapng") == 0) &&
           fstatat(results->folder, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode);
}

static int put_away(const struct results *results, const char *name)
{
    char previous[48];
    snprintf(previous, sizeof previous, "previous-%s", name);
    int fault = is_kept(results, name) ? renameat(results->folder, name, results->folder, previous)
                                       : unlinkat(results->folder, name, 0);
    return fault != 0 && errno != ENOENT ? -errno : 0;
}

int results_clear(struct results *results)
{
    char part[32];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        results_path(results, names[i], results->at);
        part_name(names[i], part);
        int fault = put_away(results, names[i]);
        fault = fault ? fault : put_away(results, part);
        if (fault)
            return fault;
    }
    return 0;
}

void results_files(const struct results *results,
                   void (*take)(void *self, const char *name, uint64_t octets), void *self)
{
    struct stat is;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (fstatat(results->folder, names[i], &is, AT_SYMLINK_NOFOLLOW) == 0)
            take(self, names[i], (uint64_t)is.st_size);
}

static bool has_benchmark(int folder)
{
    struct stat is;
    return fstatat(folder, RESULTS_OF_BENCH, &is, AT_SYMLINK_NOFOLLOW) == 0;
}

int results_open(struct results *results, const char *dir, const struct user *user)
{
    snprintf(results->dir, sizeof results->dir, "%s", dir);
    snprintf(results->at, sizeof results->at, "%s", dir);
    results->folder = -1;
    int fault = results_make(dir, user);
    int fd = fault ? fault : lock_directory(dir);
    if (fd < 0)
        return fd;
    results->folder = fd;
    return has_benchmark(fd) ? -EEXIST : user_may_write(user, fd);
}

void results_close(struct results *results)
{
    if (results->folder >= 0)
        close(results->folder);
    results->folder = -1;
}

// Never opens an existing file or link, which another user may have made.
FILE *results_file(const struct results *results, const char *name)
{
    int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    if (put_away(results, name) != 0)
        return NULL;
    int fd = openat(results->folder, name, how, results->simulated ? MODE_SIMULATED : MODE_REAL);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !out)
        close(fd);
    return out;
}

FILE *results_begin(const struct results *results, const char *name)
{
    char part[32];
    part_name(name, part);
    return results_file(results, part);
}

int results_end(const struct results *results, const char *name, FILE *out)
{
    char part[32];
    part_name(name, part);
    int fault = ferror(out) ? EIO : 0;
    if (fclose(out) != 0)
        fault = errno;
    if (!fault && renameat(results->folder, part, results->folder, name) != 0)
        fault = errno;
    if (fault)
        unlinkat(results->folder, part, 0);
    return -fault;
}

void results_drop(const struct results *results, const char *name, FILE *out)
{
    char part[32];
    part_name(name, part);
    fclose(out);
    unlinkat(results->folder, part, 0);
}

int results_write(const struct results *results, const char *name,
                  void (*put)(const void *self, FILE *out), const void *self)
{
    FILE *out = results_begin(results, name);
    if (!out)
        return -errno;
    put(self, out);
    return results_end(results, name, out);
}
