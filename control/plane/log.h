// Log lines on stderr: time, level, text. The time is the run's, in seconds; in real time the date
// and time of day come before it, UTC (RFC 3339). Only control's thread logs, never a packet's
// path. Lines with the same beginning are limited to LOG_A_SECOND a second, all lines but errors to
// LOG_ALL_A_SECOND; the number of lines left out is logged before the next line of a later second.
// Two kinds of lines with the same hash reset each other's count, so each may write more lines, but
// not more than the total limit. A reader of stderr that stops reading loses lines, and nothing
// waits for it.
#ifndef SLUICE_CONTROL_PLANE_LOG_H
#define SLUICE_CONTROL_PLANE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_LEVELS };
extern const char *const log_level_names[LOG_LEVELS + 1]; // the last is NULL

#define LOG_BEGINNING    24u // octets that tell kinds of lines apart
#define LOG_A_SECOND     10u
#define LOG_ALL_A_SECOND 1000u
#define LOG_OCTETS_MAX   3000u // of a text; a line fits PIPE_BUF
#define LOG_KINDS        64u   // kinds counted at a time

struct log_kind {
    char beginning[LOG_BEGINNING];
    uint64_t second;
    uint32_t lines, left_out;
};

struct log {
    FILE *out; // NULL: no log
    enum log_level level;
    bool dated; // the run's clock is real: lines begin with the date and time of day
    uint64_t left_out;
    struct log_kind all; // the sum of all kinds; its beginning is empty
    struct log_kind kind[LOG_KINDS];
};

// Returns whether a write would not block.
bool log_may_write(FILE *out);

void log_put(struct log *log, enum log_level level, uint64_t now_ns, const char *text);

#endif
