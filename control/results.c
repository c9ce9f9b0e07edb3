// See results.h.
#include "control/results.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"summary.json", "run.json", "contexts.json",
                                    "gn.pcap",      "gb.pcap",  "signalling.pcap"};

// DIR and what is above it.
static int make_directories(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = part + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(part, 0777) == 0 || errno == EEXIST ? 0 : -errno;
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

int results_open(struct results *results, const char *dir)
{
    snprintf(results->dir, sizeof results->dir, "%s", dir);
    snprintf(results->at, sizeof results->at, "%s", dir);
    results->lock = -1;
    int fault = make_directories(dir);
    int fd = fault ? fault : lock_directory(dir);
    if (fd < 0)
        return fd;
    results->lock = fd;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        results_path(results, names[i], results->at);
        if (unlink(results->at) != 0 && errno != ENOENT)
            return -errno;
    }
    return 0;
}

void results_close(struct results *results)
{
    if (results->lock >= 0)
        close(results->lock);
    results->lock = -1;
}

static void part_path(const struct results *results, const char *name, char path[PATH_MAX])
{
    char part[32];
    snprintf(part, sizeof part, ".%s.part", name);
    results_path(results, part, path);
}

FILE *results_begin(const struct results *results, const char *name)
{
    char part[PATH_MAX];
    part_path(results, name, part);
    return fopen(part, "w");
}

int results_end(const struct results *results, const char *name, FILE *out)
{
    char path[PATH_MAX], part[PATH_MAX];
    results_path(results, name, path);
    part_path(results, name, part);
    int fault = ferror(out) ? EIO : 0;
    if (fclose(out) != 0)
        fault = errno;
    if (!fault && rename(part, path) != 0)
        fault = errno;
    if (fault)
        unlink(part);
    return -fault;
}

void results_drop(const struct results *results, const char *name, FILE *out)
{
    char part[PATH_MAX];
    part_path(results, name, part);
    fclose(out);
    unlink(part);
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
