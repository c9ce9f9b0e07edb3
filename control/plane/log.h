// What happens, a line each on stderr: when, how grave, what. Control's thread alone writes it, and
// nothing that packets bring about does. Of lines that begin alike LOG_A_SECOND are written in a
// second, of all but errors LOG_ALL_A_SECOND; what is left out is counted, and said with the next
// line of a later second. Kinds that share a place forget each other, so that each may write more;
// all of them together may not. A reader that does not read, or has gone, costs lines and nothing
// else.
#ifndef SLUICE_CONTROL_PLANE_LOG_H
#define SLUICE_CONTROL_PLANE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_LEVELS };
extern const char *const log_level_names[LOG_LEVELS + 1]; // the last is NULL

#define LOG_BEGINNING    24u // octets by which lines are taken to be alike
#define LOG_A_SECOND     10u
#define LOG_ALL_A_SECOND 1000u
#define LOG_OCTETS_MAX   3000u // of a text; a line fits PIPE_BUF
#define LOG_KINDS        64u   // of which that many are told apart

struct log_kind {
    char beginning[LOG_BEGINNING];
    uint64_t second;
    uint32_t lines, left_out;
};

struct log {
    FILE *out; // NULL: nowhere
    enum log_level level;
    uint64_t left_out;
    struct log_kind all; // written and left out of all kinds; its beginning is empty
    struct log_kind kind[LOG_KINDS];
};

// Whether something may be written there now without waiting for who reads it.
bool log_may_write(FILE *out);

void log_put(struct log *log, enum log_level level, uint64_t now_ns, const char *text);

#endif
