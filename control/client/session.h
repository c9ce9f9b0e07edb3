// The client's side of a running instance's telemetry socket: finding the socket, asking, paging.
// Answers are treated as hostile: a datagram has bounded length and is parsed whole or refused, and
// the number of pages is bounded; value.h reads their content.
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
    char why[256]; // the reason of the last failure
};

// The option of all commands that ask an instance; the first member of the command's struct.
#define CLI_RUN                                                                          \
    {                                                                                    \
        "run", "NAME", "the instance, by name, NAME-PID or PID, if several run", .at = 0 \
    }

// Connects to the only running instance, or to instance `run`: a name, NAME-PID or PID. False: the
// reason, or the list of running instances, is on `errors`.
bool session_open(struct session *session, const char *run, FILE *errors);
void session_close(struct session *session);

// Turns "NSEI-BVCI" or "NSEI BVCI" into a command's parameters. False: the text has another form.
#define SESSION_CELL_OCTETS 32
bool session_cell(const char *cell, char words[SESSION_CELL_OCTETS]);

// The answer to a command with parameters; the caller frees the answer (value_free). NULL: see
// `why`.
struct json_object *session_ask(struct session *session, const char *command, uint32_t timeout_ms);
#define SESSION_ASK_MS 5000u

// All rows of all pages of `command,BEFORE FIRST BEHIND`, as an array; at most `most`. NULL: see
// `why`.
struct json_object *session_rows(struct session *session, const char *command, const char *before,
                                 const char *behind, uint32_t most);

// The answers to several commands, each under its name. NULL: see `why`.
struct session_part {
    const char *name, *command;
    uint32_t rows_most; // 0: the answer has no pages
    const char *behind; // as in session_rows; NULL: nothing
};
struct json_object *session_parts(struct session *session, const struct session_part *parts,
                                  size_t n);

#endif
