// What `sluice gi --scenario` and `sluice audit --scenario` share: a configuration with the values
// of a capture put in, and files beside it.
#ifndef SLUICE_CAPTURES_SCENARIO_H
#define SLUICE_CAPTURES_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SCENARIO_NAME_OCTETS 200 // as a path in a configuration may have

struct scenario {
    const char *command, *path; // path: ends in .lua
    char *const *inputs;        // which it does not overwrite
    int inputs_count;
};

// NULL, or why this cannot be a scenario's name.
const char *scenario_fault(const char *path);

// The file with another end in place of .lua. What is wrong is said on stderr: NULL and false then.
struct scenario_file {
    FILE *out;
    char name[SCENARIO_NAME_OCTETS + 32];
};
bool scenario_open(const struct scenario *scenario, const char *end, struct scenario_file *file);
bool scenario_close(const struct scenario *scenario, struct scenario_file *file);

// What a @name@ of a configuration stands for. The last one may be no other's name.
struct scenario_value {
    const char *name, *text; // text: NULL: the number
    uint64_t number;
};
void scenario_put(FILE *out, const char *text, const struct scenario_value *values);

// A text of several lines, to be written to; it is whole when the file is closed.
FILE *scenario_text(char **text);

// The name without folder and .lua.
void scenario_stem(const char *path, char stem[SCENARIO_NAME_OCTETS + 1]);

#endif
