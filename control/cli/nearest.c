// The name nearest to a misspelt word.
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "control/cli/cli.h"

#define WORD_MAX 40u // a longer word is near to no name

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Capitals count as small letters. The number of letters inserted, left out or changed.
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t changed =
                corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            corner = row[j];
            row[j] = least(least(row[j], row[j - 1]) + 1, changed);
        }
    }
    return row[n];
}

void cli_take_nearer(const char *word, const char *name, const char **best, size_t *wrong)
{
    size_t of_name = strlen(word) <= WORD_MAX ? distance(name, word) : SIZE_MAX;
    if (of_name < *wrong) {
        *wrong = of_name;
        *best = name;
    }
}

// The beginning of a name is none, because getopt takes it, or lists all names that begin so.
const char *cli_nearest_option(const struct cli *cli, const char *word)
{
    char name[WORD_MAX + 1];
    const char *best = NULL;
    size_t n = strcspn(word, "="), half = (n + 1) / 2; // else --out would be near to --set
    size_t wrong = half < CLI_WRONG_MOST + 1 ? half : CLI_WRONG_MOST + 1;
    if (n > WORD_MAX)
        return NULL;
    memcpy(name, word, n);
    name[n] = '\0';
    for (size_t i = 0; i < cli->count; i++) {
        if (strncmp(cli->options[i].name, name, n) == 0)
            return NULL;
        cli_take_nearer(name, cli->options[i].name, &best, &wrong);
    }
    return best;
}
