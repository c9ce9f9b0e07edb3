// All commands: the usage, and the nearest to a misspelt one.
#include <string.h>

#include "control/cli/cli.h"

void cli_usage(FILE *out)
{
    fprintf(out, "usage: sluice COMMAND ...\n\n");
    for (const struct cli_command *c = cli_commands; c->cli; c++) {
        int n = fprintf(out, "  sluice %s%s%s", c->cli->name, c->cli->words[0] ? " " : "",
                        c->cli->words);
        bool fits = n < CLI_HELP_COLUMN;
        fprintf(out, "%s%*s%s\n", fits ? "" : "\n", fits ? CLI_HELP_COLUMN - n : CLI_HELP_COLUMN,
                "", c->cli->about);
    }
    fprintf(out, "\nOptions of a command: sluice help COMMAND. The columns of CSV files: "
                 "sluice help csv;\nkeys of JSON: sluice help json; a man page: sluice help man; "
                 "completion for bash:\nsource <(sluice help bash).\n"
                 "Exit status: 0 success, 1 the run failed, 2 wrong usage or configuration.\n");
}

const struct cli_command *cli_find(const char *name)
{
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        if (strcmp(name, c->cli->name) == 0)
            return c;
    return NULL;
}

const char *cli_nearest(const char *word)
{
    const char *best = NULL;
    size_t wrong = CLI_WRONG_MOST + 1;
    cli_take_nearer(word, "help", &best, &wrong);
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        cli_take_nearer(word, c->cli->name, &best, &wrong);
    return best;
}
