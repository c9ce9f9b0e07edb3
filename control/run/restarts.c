// See restarts.h.
#include "control/run/restarts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char NAME[] = "restarts";

// Of the run before; -1: there is none, or no number.
static int last(const struct results *results)
{
    char text[8] = "", *end = text;
    int fd = openat(results->folder, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    unsigned long number = n > 0 && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return end > text && strcmp(end, "\n") == 0 && number < RESTARTS_NUMBERS ? (int)number : -1;
}

int restarts_next(const struct results *results, uint64_t unix_s)
{
    int before = last(results);
    int number = (int)((before < 0 ? unix_s : (uint64_t)before + 1) % RESTARTS_NUMBERS);
    FILE *out = results_begin(results, NAME);
    if (!out)
        return -errno;
    fprintf(out, "%d\n", number);
    if (fflush(out) != 0 || fsync(fileno(out)) != 0) { // a number that gets lost would come again
        int fault = -errno;
        results_drop(results, NAME, out);
        return fault;
    }
    int fault = results_end(results, NAME, out);
    if (!fault && fsync(results->folder) != 0)
        fault = -errno;
    return fault ? fault : number;
}
