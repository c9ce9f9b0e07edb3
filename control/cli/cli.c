// See cli.h.
#include "control/cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "control/cli/commands.h"

// ---- Parsing ----

// The options in getopt_long's form; --help follows the command's own.
static void fill(const struct cli *cli, struct option known[CLI_OPTIONS_MAX + 2])
{
    for (size_t i = 0; i < cli->count; i++)
        known[i] = (struct option){cli->options[i].name,
                                   cli->options[i].argument ? required_argument : no_argument, NULL,
                                   256 + (int)i};
    known[cli->count] = (struct option){"help", no_argument, NULL, 'h'};
    known[cli->count + 1] = (struct option){NULL, 0, NULL, 0};
}

bool cli_refuse(const char *command, const char *option, const char *found, const char *allowed)
{
    fprintf(stderr, "sluice %s: --%s: found %s, allowed %s\n", command, option,
            *found ? found : "nothing", allowed);
    return false;
}

bool cli_number(const char *command, const char *option, const char *text, uint32_t least,
                uint32_t most, uint32_t *value)
{
    char *end, allowed[64];
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    *value = (uint32_t)n;
    if (text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && n >= least && n <= most)
        return true;
    snprintf(allowed, sizeof allowed, "a whole number, %u to %u", least, most);
    return cli_refuse(command, option, text, allowed);
}

// An option of whose name these are the first letters.
static bool begins(const struct cli *cli, const char *letters, size_t n)
{
    bool found = false;
    for (size_t i = 0; i < cli->count && !found; i++)
        found = strncmp(cli->options[i].name, letters, n) == 0;
    return found;
}

static bool has(const struct cli *cli, const char *name)
{
    return begins(cli, name, strlen(name) + 1);
}

// An option whose argument is missing takes the next option for it.
static bool is_option(const struct cli *cli, const char *value)
{
    return value && strncmp(value, "--", 2) == 0 &&
           (has(cli, value + 2) || strcmp(value + 2, "help") == 0);
}

// The argument's place among the option's values, or their number: the reason is on stderr.
static uint32_t place_of(const struct cli *cli, const struct cli_option *o, const char *text)
{
    char allowed[256] = "";
    uint32_t i = 0;
    for (const char *value; (value = o->value(i)) && strcmp(value, text) != 0; i++) {
        size_t n = strlen(allowed);
        const char *between = o->value(i + 1) ? ", " : " or ";
        snprintf(allowed + n, sizeof allowed - n, "%s%s", i ? between : "", value);
    }
    if (!o->value(i))
        cli_refuse(cli->name, o->name, text, allowed);
    return i;
}

static bool take(const struct cli *cli, const struct cli_option *o, void *target, const char *value)
{
    void *at = (char *)target + o->at;
    if (o->argument && is_option(cli, value)) {
        fprintf(stderr, "sluice %s: --%s: found the option %s, allowed %s\n", cli->name, o->name,
                value, o->argument);
        return false;
    }
    uint32_t place = o->value ? place_of(cli, o, value) : 0;
    if (o->value && !o->value(place))
        return false;
    if (o->value && !o->take) {
        *(uint32_t *)at = place;
        return true;
    }
    if (o->take)
        return o->take(target, value);
    if (o->most)
        return cli_number(cli->name, o->name, value, o->least, o->most, at);
    if (o->argument && !*value)
        return cli_refuse(cli->name, o->name, value, o->argument);
    if (o->argument)
        *(const char **)at = value;
    else
        *(bool *)at = true;
    return true;
}

// Of a program without commands, such as a test's.
__attribute__((weak)) const struct cli_command cli_commands[] = {{0}};

// Says which command has the option, the first if several have it. Returns whether one has.
static bool tell_owner(const struct cli *cli, const char *word)
{
    char name[32];
    const struct cli_command *c = cli_commands;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    while (c->cli && !has(c->cli, name))
        c++;
    if (c->cli)
        fprintf(stderr, "sluice %s: --%s is an option of sluice %s\n", cli->name, name,
                c->cli->name);
    return c->cli;
}

// Behind what getopt says. word: the one that it does not take.
static enum cli_end suggest(const struct cli *cli, const char *word)
{
    bool unknown = optopt == 0 && strncmp(word, "--", 2) == 0;
    const char *nearest = unknown ? cli_nearest_option(cli, word + 2) : NULL;
    if (unknown && tell_owner(cli, word + 2))
        return CLI_WRONG;
    if (nearest)
        fprintf(stderr, "sluice %s: did you mean --%s?\n", cli->name, nearest);
    else if (optopt < 256 && !(unknown && begins(cli, word + 2, strcspn(word + 2, "="))))
        fprintf(stderr, "sluice %s: see sluice help %s\n", cli->name, cli->name);
    return CLI_WRONG;
}

enum cli_end cli_parse(const struct cli *cli, int argc, char **argv, void *target, int *first)
{
    struct option known[CLI_OPTIONS_MAX + 2];
    static char name[32]; // for getopt's messages
    snprintf(name, sizeof name, "sluice %s", cli->name);
    argv[0] = name;
    fill(cli, known);
    optind = 0; // from the beginning, also after another command line
    for (int option;
         (option = getopt_long(argc, argv, cli->words_follow ? "+h" : "h", known, NULL)) != -1;) {
        if (option == 'h') {
            cli_help(cli, stdout);
            return CLI_HELPED;
        }
        if (option == '?')
            return suggest(cli, argv[optind - 1]);
        if (!take(cli, &cli->options[option - 256], target, optarg))
            return CLI_WRONG;
    }
    *first = optind;
    for (int i = optind; i < argc && !cli->words_follow; i++)
        if (!*argv[i]) {
            fprintf(stderr, "sluice %s: found an empty word, allowed %s; see sluice help %s\n",
                    cli->name, *cli->words ? cli->words : "options only", cli->name);
            return CLI_WRONG;
        }
    return CLI_GO;
}

int cli_status(enum cli_end end)
{
    return end == CLI_WRONG ? EXIT_USAGE : EXIT_DONE;
}

bool cli_no_words(const struct cli *cli, int argc, char **argv, int first)
{
    if (first == argc)
        return true;
    fprintf(stderr, "sluice %s: found '%s', allowed options only; see sluice help %s\n", cli->name,
            argv[first], cli->name);
    return false;
}

// ---- Help ----

static void put_lines(FILE *out, const char *text, int column)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        fprintf(out, "%.*s\n%*s", (int)(end - text), text, column, "");
    fprintf(out, "%s\n", text);
}

// Behind n characters of the line.
static void put_help(FILE *out, int n, const char *help)
{
    if (n < CLI_HELP_COLUMN)
        fprintf(out, "%*s", CLI_HELP_COLUMN - n, "");
    else
        fprintf(out, "\n%*s", CLI_HELP_COLUMN, "");
    put_lines(out, help, CLI_HELP_COLUMN);
}

static void put_option(FILE *out, const struct cli_option *o)
{
    int n =
        fprintf(out, "  --%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    put_help(out, n, o->help);
    if (!o->value)
        return;
    fprintf(out, "%*s%s: ", CLI_HELP_COLUMN, "", o->argument);
    cli_put_values(out, o, ", ");
    fputc('\n', out);
}

void cli_put_values(FILE *out, const struct cli_option *option, const char *between)
{
    for (size_t i = 0; option->value(i); i++)
        fprintf(out, "%s%s", i ? between : "", option->value(i));
}

size_t cli_put_requests(const struct cli *cli, const char *word, FILE *out)
{
    size_t n = word ? strlen(word) : 0, found = 0;
    for (const struct cli_request *r = cli->requests; r < cli->requests + cli->request_count; r++) {
        if (word && (strncmp(r->usage, word, n) != 0 || (r->usage[n] && r->usage[n] != ' ')))
            continue;
        put_help(out, fprintf(out, "  %s", r->usage), r->help);
        found++;
    }
    return found;
}

void cli_help(const struct cli *cli, FILE *out)
{
    fprintf(out, "usage: sluice %s%s%s%s\n\n%s\n\n", cli->name, cli->count ? " [OPTION]..." : "",
            cli->words[0] ? " " : "", cli->words, cli->about);
    for (size_t i = 0; i < cli->count; i++)
        put_option(out, &cli->options[i]);
    put_option(out, &(struct cli_option){"help", NULL, "print this help", .at = 0});
    if (cli->requests)
        fprintf(out, "\nRequests:\n");
    cli_put_requests(cli, NULL, out);
    if (cli->more)
        fprintf(out, "\n%s\n", cli->more);
}
