// See log.h.
#include "control/plane/log.h"

#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/units.h"

const char *const log_level_names[LOG_LEVELS + 1] = {"error", "warn", "info", "debug", NULL};

static uint32_t place_of(const char beginning[LOG_BEGINNING])
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (uint32_t i = 0; i < LOG_BEGINNING; i++)
        hash = (hash ^ (uint8_t)beginning[i]) * 16777619u;
    return hash % LOG_KINDS;
}

bool log_may_write(FILE *out)
{
    struct pollfd at = {.fd = fileno(out), .events = POLLOUT};
    return at.fd < 0 || (poll(&at, 1, 0) == 1 && at.revents == POLLOUT);
}

#define DATE_OCTETS sizeof "2026-01-01T00:00:00.000000Z "

// The present date and time of day; "": the log has none.
static const char *date_of(const struct log *log, char date[DATE_OCTETS])
{
    struct timespec now;
    struct tm utc;
    date[0] = '\0';
    if (!log->dated || clock_gettime(CLOCK_REALTIME, &now) != 0 || !gmtime_r(&now.tv_sec, &utc))
        return date;
    size_t octets = strftime(date, DATE_OCTETS, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(date + octets, DATE_OCTETS - octets, ".%06ldZ ", now.tv_nsec / 1000);
    return date;
}

// Writes the line in one piece, so that a pipe takes it whole.
static bool write_line(const struct log *log, enum log_level level, uint64_t now_ns,
                       const char *text)
{
    const char *clear = isatty(fileno(log->out)) ? "\r\033[K" : ""; // clears the line of progress
    char line[LOG_OCTETS_MAX + 128], more[40] = "", date[DATE_OCTETS];
    size_t octets = strlen(text);
    if (!log_may_write(log->out))
        return false;
    if (octets > LOG_OCTETS_MAX)
        snprintf(more, sizeof more, "... (%zu octets)", octets);
    snprintf(line, sizeof line, "%s%s%llu.%06llu %-5s %.*s%s\n", clear, date_of(log, date),
             now_ns / S_IN_NS, now_ns % S_IN_NS / 1000, log_level_names[level], (int)LOG_OCTETS_MAX,
             text, more);
    fputs(line, log->out);
    return true;
}

static void tell_all_left_out(const struct log *log, uint64_t now_ns)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu32 " more lines of all kinds left out", log->all.left_out);
    if (log->all.left_out)
        write_line(log, LOG_WARN, now_ns, text);
}

// Returns whether the total limit allows one more line now; else counts `lines` as left out.
static bool has_room(struct log *log, uint64_t now_ns, uint32_t lines)
{
    uint64_t second = now_ns / S_IN_NS;
    if (log->all.second != second) {
        tell_all_left_out(log, now_ns);
        log->all = (struct log_kind){.second = second};
    }
    if (log->all.lines++ < LOG_ALL_A_SECOND)
        return true;
    log->all.left_out += lines;
    return false;
}

static void tell_left_out(struct log *log, const struct log_kind *kind, uint64_t now_ns)
{
    char text[96];
    snprintf(text, sizeof text, "%" PRIu32 " more lines like \"%.*s...\" left out", kind->left_out,
             (int)LOG_BEGINNING, kind->beginning);
    if (kind->left_out && has_room(log, now_ns, kind->left_out))
        write_line(log, LOG_WARN, now_ns, text);
}

void log_put(struct log *log, enum log_level level, uint64_t now_ns, const char *text)
{
    char beginning[LOG_BEGINNING] = {0};
    uint64_t second = now_ns / S_IN_NS;
    if (!log->out || level > log->level)
        return;
    memcpy(beginning, text, strnlen(text, sizeof beginning));
    struct log_kind *kind = &log->kind[place_of(beginning)];
    if (kind->second != second || memcmp(kind->beginning, beginning, sizeof beginning) != 0) {
        tell_left_out(log, kind, now_ns);
        *kind = (struct log_kind){.second = second};
        memcpy(kind->beginning, beginning, sizeof beginning);
    }
    if (kind->lines++ >= LOG_A_SECOND)
        kind->left_out++;
    else if ((level == LOG_ERROR || has_room(log, now_ns, 1)) &&
             write_line(log, level, now_ns, text))
        return;
    log->left_out++;
}
