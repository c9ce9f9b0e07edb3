// See log.h.
#include "control/log.h"

#include <inttypes.h>
#include <string.h>
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

static void write_line(const struct log *log, enum log_level level, uint64_t now_ns,
                       const char *text)
{
    const char *clear = isatty(fileno(log->out)) ? "\r\033[K" : ""; // the line of progress
    fprintf(log->out, "%s%llu.%06llu %-5s %s\n", clear, now_ns / S_IN_NS, now_ns % S_IN_NS / 1000,
            log_level_names[level], text);
}

static void tell_left_out(const struct log *log, struct log_kind *kind, uint64_t now_ns)
{
    char text[96];
    snprintf(text, sizeof text, "%" PRIu32 " more lines like \"%.*s...\" left out", kind->left_out,
             (int)LOG_BEGINNING, kind->beginning);
    if (kind->left_out)
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
    if (kind->lines++ < LOG_A_SECOND) {
        write_line(log, level, now_ns, text);
        return;
    }
    kind->left_out++;
    log->left_out++;
}
