// All commands: the usage, and the nearest name to a misspelt one.
#include <string.h>

#include "control/cli/cli.h"

#define WORD_MAX 40u // a longer word is near to no name

void cli_usage(FILE *out)
{
    fprintf(out, "usage: sluice COMMAND ...\n\n");
    for (const struct cli_command *c = cli_commands; c->cli; c++) {
        int n = fprintf(out, "  sluice %s%s%s", c->cli->name, c->cli->words[0] ? " " : "",
                        c->cli->words);
        fprintf(out, "%*s%s\n", n < CLI_HELP_COLUMN ? CLI_HELP_COLUMN - n : 1, "", c->cli->about);
    }
    fprintf(out, "\nOptions of a command: sluice help COMMAND. The columns of CSV files: "
                 "sluice help csv.\n"
                 "Exit status: 0 success, 1 the run failed, 2 wrong usage or configuration.\n");
}

const struct cli_command *cli_find(const char *name)
{
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        if (strcmp(name, c->cli->name) == 0)
            return c;
    return NULL;
}

// ---- The nearest name ----

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The number of letters inserted, left out or changed.
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t changed = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            row[j] = least(least(row[j], row[j - 1]) + 1, changed);
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word)
{
    const char *best = NULL;
    size_t nearest = 3; // at most two wrong letters
    if (strlen(word) > WORD_MAX)
        return NULL;
    for (const struct cli_command *c = cli_commands; c->cli; c++) {
        size_t wrong = distance(word, c->cli->name);
        if (wrong < nearest) {
            nearest = wrong;
            best = c->cli->name;
        }
    }
    return best;
}
