// See elsewhere.h. A command first goes to the folder of this process, so a path of its options
// means the same file, and summary.json records the same text, as in a child of this process.
#include "control/runs/elsewhere.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/cli/commands.h"
#include "control/client/value.h"
#include "control/run/run.h"

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:=@%+"

// As a word of sh, behind `before`. Returns false, with the reason on stderr, if that is no line.
static bool put_word(const char *before, const char *word, FILE *out)
{
    char printable[PATH_MAX];
    if (strchr(word, '\n')) {
        fprintf(stderr,
                "sluice run: --commands: found the end of a line in '%s', allowed names and values "
                "without, as each command is a line\n",
                value_printable(word, printable, sizeof printable));
        return false;
    }
    bool plain = *word && !word[strspn(word, PLAIN)];
    fprintf(out, "%s%s", before, plain ? "" : "'");
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputs(plain ? "" : "'", out);
    return true;
}

static bool put_run(const struct plan *plan, uint32_t run, const char *here, const char *program,
                    FILE *out)
{
    char **words = plan_words(plan, run);
    bool good = put_word("cd ", here, out) && put_word(" && ", program, out);
    for (size_t i = 1; good && words[i]; i++)
        good = put_word(" ", words[i], out);
    fputc('\n', out);
    plan_words_free(words);
    return good;
}

static bool put_runs(const struct plan *plan, const bool *wanted, FILE *out)
{
    char here[PATH_MAX], program[PATH_MAX];
    uint32_t count = 0;
    if (!getcwd(here, sizeof here))
        return run_failed("the current folder", strerror(errno)) == EXIT_DONE;
    if (!realpath("/proc/self/exe", program))
        return run_failed("/proc/self/exe", strerror(errno)) == EXIT_DONE;
    for (uint32_t turn = 0; turn < plan_runs(plan); turn++) {
        uint32_t run = plan_in_turn(plan, turn);
        count += wanted[run];
        if (wanted[run] && !put_run(plan, run, here, program, out))
            return false;
    }
    fprintf(stderr,
            "%u of %u runs are missing; memory: %u MiB each, in 4 KiB pages. To gather them, type "
            "the same with --resume instead of --commands\n",
            count, plan_runs(plan), (uint32_t)(plan->need_octets >> 20) + 1);
    return true;
}

bool elsewhere_print(const struct plan *plan, const bool *wanted)
{
    char *text = NULL; // all lines or none: a part would look like all
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    if (!out)
        abort();
    bool good = put_runs(plan, wanted, out);
    if (fclose(out) != 0)
        abort();
    if (good)
        fputs(text, stdout);
    free(text);
    return good;
}
