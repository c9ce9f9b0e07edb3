// The client's side of a running instance's telemetry socket: finding it, asking, paging. What
// comes is taken for hostile: a datagram of bounded length, parsed whole or refused, pages that
// come to an end; see value.h for what is in them.
#ifndef SLUICE_CONTROL_CLIENT_SESSION_H
#define SLUICE_CONTROL_CLIENT_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SESSION_NAME_OCTETS 64

struct json_object;

struct session {
    int fd; // -1: none
    char name[SESSION_NAME_OCTETS];
    char why[256]; // of what failed last
};

// The option of all who talk to one; it is the first member of the command's struct.
#define CLI_RUN                                                                               \
    {                                                                                         \
        "run", "NAME", "which instance, by name, NAME-PID or PID, where several run", .at = 0 \
    }

// Connects to the one instance that runs, or to that of `run`: its name, NAME-PID or PID. False,
// with the reason, or the list of those that there are, on `errors`.
bool session_open(struct session *session, const char *run, FILE *errors);
void session_close(struct session *session);

// NSEI-BVCI, or with a blank between them, as a command's parameters; false: it is not that.
#define SESSION_CELL_OCTETS 32
bool session_cell(const char *cell, char words[SESSION_CELL_OCTETS]);

// The answer to a command with its parameters; the caller gives it back (value_free). NULL: `why`.
struct json_object *session_ask(struct session *session, const char *command, uint32_t timeout_ms);
#define SESSION_ASK_MS 5000u

// All rows of all pages of `command,BEFORE FIRST BEHIND`, as an array; at most `most`. NULL: `why`.
struct json_object *session_rows(struct session *session, const char *command, const char *before,
                                 const char *behind, uint32_t most);

// The answers to several commands, each under its name; NULL: `why`.
struct session_part {
    const char *name, *command;
    uint32_t rows_most; // 0: its answer is no pages
    const char *behind; // as session_rows has it; NULL: nothing
};
struct json_object *session_parts(struct session *session, const struct session_part *parts,
                                  size_t n);

#endif
