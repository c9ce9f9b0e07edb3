// The command line of each of the program's commands, said once: what is parsed, --help, the man
// page and the shell's completion come from the same rows.
#ifndef SLUICE_CONTROL_CLI_CLI_H
#define SLUICE_CONTROL_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_OPTIONS_MAX 32
#define CLI_HELP_COLUMN 26 // where the texts begin

// Judges and keeps what an option is given. False: said on stderr why not.
typedef bool cli_take_fn(void *target, const char *value);

struct cli_option {
    const char *name, *argument; // argument NULL: a switch
    const char *help;            // lines by \n
    // Where it goes in the command's own struct: a switch to a bool, a number (most is not 0) to a
    // uint32_t, all else to a const char *. Or who takes it.
    size_t at;
    uint32_t least, most;
    cli_take_fn *take;
};

struct cli {
    const char *name;  // of the command
    const char *words; // that stand behind its options; "": none
    const char *about; // one line
    const char *more;  // lines below the options; NULL
    // Options end at the first word that is none: what follows is somebody else's.
    bool words_follow;
    const struct cli_option *options;
    size_t count;
};

// Every command, in the order of the usage; the last has no name.
struct cli_command {
    const struct cli *cli;
    int (*run)(int argc, char **argv);
};
extern const struct cli_command cli_commands[];

enum cli_end {
    CLI_GO,
    CLI_HELPED, // the help was wanted, and stands on stdout
    CLI_WRONG   // said on stderr
};
// argv[0] becomes "sluice NAME". The options go into the target, whose struct their rows name;
// *first is the place of the first word that is no option.
enum cli_end cli_parse(const struct cli *cli, int argc, char **argv, void *target, int *first);
// A whole number; false, said on stderr, if it is none of those.
bool cli_number(const char *command, const char *option, const char *text, uint32_t least,
                uint32_t most, uint32_t *value);
// Says on stderr that this is not what the option allows; false.
bool cli_refuse(const char *command, const char *option, const char *found, const char *allowed);
// The exit status where it is not CLI_GO.
int cli_status(enum cli_end end);
// For a command that takes no words: false, said on stderr, if there are some.
bool cli_no_words(const struct cli *cli, int argc, char **argv, int first);

void cli_help(const struct cli *cli, FILE *out);

// commands.c
void cli_usage(FILE *out);
const struct cli_command *cli_find(const char *name); // NULL: there is none
// The name nearest to that word; NULL: none is near.
const char *cli_nearest(const char *word);

// print.c
void cli_man(FILE *out, const char *version); // roff
void cli_completion(FILE *out);               // for bash

#endif
