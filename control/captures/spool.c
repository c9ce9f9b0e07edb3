// See spool.h. The copy is in TMPDIR, or in /var/tmp, which is on a disk where /tmp may be memory.
#include "control/captures/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_OCTETS (1 << 16)

static bool is_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

// What cannot be opened is for the reader to name.
static bool can_be_read_again(const char *path)
{
    struct stat stat_of;
    int fault = is_input(path) ? fstat(STDIN_FILENO, &stat_of) : stat(path, &stat_of);
    return !is_input(path) && (fault != 0 || S_ISREG(stat_of.st_mode));
}

static int make_file(const char *folder)
{
    char name[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || snprintf(name, sizeof name, "%s/sluice-XXXXXX", folder) >= (int)sizeof name)
        return fd;
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool put(int fd, const char *octets, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, octets, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        octets += done;
        n -= (size_t)done;
    }
    return true;
}

enum copied { COPIED, UNREAD, UNWRITTEN };

static enum copied copy(int from, int to)
{
    static char piece[PIECE_OCTETS];
    for (;;) {
        ssize_t n = read(from, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0 ? COPIED : UNREAD;
        if (!put(to, piece, (size_t)n))
            return UNWRITTEN;
    }
}

static bool keep(struct spool *spool, int from, char *error)
{
    const char *folder = getenv("TMPDIR");
    folder = folder && *folder ? folder : "/var/tmp";
    spool->fd = make_file(folder);
    enum copied copied = spool->fd < 0 ? UNWRITTEN : copy(from, spool->fd);
    snprintf(spool->path, sizeof spool->path, "/proc/self/fd/%d", spool->fd);
    if (copied == COPIED)
        return true;
    const char *why = strerror(errno);
    if (copied == UNREAD)
        snprintf(error, SPOOL_TEXT, "%s", why);
    else
        snprintf(error, SPOOL_TEXT,
                 "it is read twice, and a copy in %.80s cannot be made: %s; write it to a file "
                 "first, or set TMPDIR to a folder with room",
                 folder, why);
    spool_close(spool);
    return false;
}

bool spool_open(struct spool *spool, const char *path, char error[SPOOL_TEXT])
{
    spool->fd = -1;
    if (can_be_read_again(path))
        return true;
    int from = is_input(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        snprintf(error, SPOOL_TEXT, "%s", strerror(errno));
        return false;
    }
    bool kept = keep(spool, from, error);
    if (from != STDIN_FILENO)
        close(from);
    return kept;
}

const char *spool_path(const struct spool *spool, const char *path)
{
    return spool->fd < 0 ? path : spool->path;
}

void spool_close(struct spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}
