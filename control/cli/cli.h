// The command line of each of the program's commands. Parsing, --help, the man page and the shell's
// completion use the same rows.
#ifndef SLUICE_CONTROL_CLI_CLI_H
#define SLUICE_CONTROL_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_OPTIONS_MAX 32
#define CLI_HELP_COLUMN 26 // where the help texts begin

// Checks and stores an option's argument. False: the reason is on stderr.
typedef bool cli_take_fn(void *target, const char *value);

// The allowed arguments of an option that takes one of a fixed set; NULL behind the last.
typedef const char *cli_value_fn(size_t i);

struct cli_option {
    // argument NULL: a switch. The completion offers folders for DIR, files for FILE... and PATH.
    const char *name, *argument;
    const char *help; // lines separated by \n
    // The member of the command's own struct that the option fills: a bool for a switch, a uint32_t
    // for a number (most is not 0) or one of a set (its place there), else a const char *. Or the
    // function that takes the argument.
    size_t at;
    uint32_t least, most;
    cli_take_fn *take;
    cli_value_fn *value; // NULL: no fixed set
};

// What a command's words may be, such as "log [error|warn|info|debug]"; a word in capitals is a
// value, and what may be left out stands at the end.
struct cli_request {
    const char *usage, *help;
};

struct cli {
    const char *name;  // of the command
    const char *words; // after the options; "": none
    const char *about; // one line
    const char *more;  // lines below the options; NULL
    // Options end at the first word: later options belong to another program or to a request.
    bool words_follow;
    const struct cli_option *options;
    size_t count;
    const struct cli_request *requests; // NULL: its words are no requests
    size_t request_count;
};

// The commands that the program has, in the order of the usage; the last has no name.
struct cli_command {
    const struct cli *cli;
    int (*run)(int argc, char **argv);
};
extern const struct cli_command cli_commands[];

// What `sluice help` knows besides the commands; the last has no name.
struct cli_topic {
    const char *name;
    int (*print)(void); // returns the exit status
};
extern const struct cli_topic cli_topics[];

enum cli_end {
    CLI_GO,
    CLI_HELPED, // help is printed on stdout
    CLI_WRONG   // the reason is on stderr
};
// argv[0] becomes "sluice NAME". Options are stored in the target, the command's own struct. *first
// is the index of the first word that is not an option.
enum cli_end cli_parse(const struct cli *cli, int argc, char **argv, void *target, int *first);
// Parses a whole number in that range. False: the reason is on stderr.
bool cli_number(const char *command, const char *option, const char *text, uint32_t least,
                uint32_t most, uint32_t *value);
// Reports on stderr that the option does not allow the argument; returns false.
bool cli_refuse(const char *command, const char *option, const char *found, const char *allowed);
// The exit status of a result other than CLI_GO.
int cli_status(enum cli_end end);
// For a command without words. False: there are words; the reason is on stderr.
bool cli_no_words(const struct cli *cli, int argc, char **argv, int first);

void cli_help(const struct cli *cli, FILE *out);
// The allowed arguments of an option that has a set of them.
void cli_put_values(FILE *out, const struct cli_option *option, const char *between);
// The requests that begin with that word, or all; returns their number.
size_t cli_put_requests(const struct cli *cli, const char *word, FILE *out);

// start.c
// Without this, the next opened file would get the number of a closed standard stream.
void cli_begin(void);
// A command has failed if its output could not be written.
int cli_finish(int status);

// commands.c
void cli_usage(FILE *out);
const struct cli_command *cli_find(const char *name); // NULL: not found
// The command name nearest to the word; NULL: no name is near.
const char *cli_nearest(const char *word);

// nearest.c
#define CLI_WRONG_MOST 2 // letters inserted, left out or changed in a word that is near to a name
// Takes the name if it is nearer to the word than *best, which is *wrong letters from it.
void cli_take_nearer(const char *word, const char *name, const char **best, size_t *wrong);
// The option of the command nearest to a word behind --, also with =VALUE; NULL: none is near.
const char *cli_nearest_option(const struct cli *cli, const char *word);

// print.c
void cli_man(FILE *out, const char *version); // roff
void cli_completion(FILE *out);               // for bash

#endif
