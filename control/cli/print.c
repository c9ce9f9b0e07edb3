// The man page and the shell's completion, from the same rows as --help.
#include <ctype.h>
#include <string.h>

#include "control/cli/cli.h"

// ---- roff ----

// Escapes a dot or a quote at the start of a line, which would be a roff request, and hyphens.
static void put_roff(FILE *out, const char *text)
{
    bool starts = true;
    for (; *text; text++) {
        if (starts && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '-' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
        starts = *text == '\n';
    }
    fputc('\n', out);
}

static void man_option(FILE *out, const struct cli_option *option)
{
    fprintf(out, ".TP\n\\fB\\-\\-%s\\fR", option->name);
    if (option->argument)
        fprintf(out, " \\fI%s\\fR", option->argument);
    fputc('\n', out);
    put_roff(out, option->help);
    if (!option->value)
        return;
    fprintf(out, ".br\n%s: ", option->argument);
    cli_put_values(out, option, ", ");
    fputc('\n', out);
}

static void man_command(FILE *out, const struct cli *cli)
{
    fprintf(out, ".SS \\fBsluice %s\\fR%s %s\n", cli->name,
            cli->count ? " [\\fIOPTION\\fR]..." : "", cli->words);
    put_roff(out, cli->about);
    for (size_t i = 0; i < cli->count; i++)
        man_option(out, &cli->options[i]);
    for (size_t i = 0; i < cli->request_count; i++) {
        fputs(".TP\n.B ", out);
        put_roff(out, cli->requests[i].usage);
        put_roff(out, cli->requests[i].help);
    }
    if (!cli->more)
        return;
    fputs(".PP\n", out);
    put_roff(out, cli->more);
}

void cli_man(FILE *out, const char *version)
{
    fprintf(out,
            ".TH SLUICE 1 \"\" \"Sluice %s\" \"User Commands\"\n"
            ".SH NAME\nsluice \\- the downlink dataplane of a 2G SGSN, and its lab\n"
            ".SH SYNOPSIS\n.B sluice\n\\fICOMMAND\\fR ...\n"
            ".SH COMMANDS\n",
            version);
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        man_command(out, c->cli);
    fputs(".SH EXIT STATUS\n0 success, 1 the run failed, 2 wrong usage or configuration.\n", out);
}

// ---- bash ----

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// What compgen offers for an argument or a command's words of that name; NULL: nothing.
static const char *path_kind(const char *name)
{
    name += *name == '[';
    if (begins(name, "DIR"))
        return "-d";
    return begins(name, "FILE") || begins(name, "PATH") || begins(name, "CONTEXTS") ? "-f" : NULL;
}

// What comes behind an option with an argument: its values, files, folders, or nothing that the
// completion knows.
static void bash_option(FILE *out, const struct cli *cli, const struct cli_option *option)
{
    const char *kind = option->argument ? path_kind(option->argument) : NULL;
    if (!option->argument || strcmp(option->name, "run") == 0)
        return;
    fprintf(out, "    '%s --%s') ", cli->name, option->name);
    if (option->value) {
        fputs("words='", out);
        cli_put_values(out, option, " ");
        fputs("' ", out);
    } else if (kind) {
        fprintf(out, "paths=%s ", kind);
    }
    fputs(";;\n", out);
}

// A pattern for the n words before each word of the usage, and what that may be; `before` is the
// pattern of those that are taken already.
static void bash_request(FILE *out, const struct cli *cli, const char *usage, const char *before,
                         unsigned n)
{
    char next[256];
    usage += strspn(usage, " ");
    const char *end = *usage == '[' ? strchr(usage, ']') : NULL;
    int word = (int)strcspn(usage, " ");
    if (end) { // with what is in the brackets, and without
        snprintf(next, sizeof next, "%.*s%s", (int)(end - usage - 1), usage + 1, end + 1);
        bash_request(out, cli, next, before, n);
        bash_request(out, cli, end + 1, before, n);
    } else if (word) {
        bool is_value = isupper((unsigned char)*usage),
             is_choice = memchr(usage, '|', (size_t)word);
        if (!is_value)
            fprintf(out, "        %u%s) words+=' %.*s' ;;&\n", n, before, word, usage);
        for (size_t i = 0; i < cli->request_count && strncmp(usage, "REQUEST", 7) == 0; i++)
            fprintf(out, "        %u%s) words+=' %.*s' ;;&\n", n, before,
                    (int)strcspn(cli->requests[i].usage, " "), cli->requests[i].usage);
        snprintf(next, sizeof next, "%s\\ %.*s", before, is_value || is_choice ? 1 : word,
                 is_value || is_choice ? "*" : usage);
        bash_request(out, cli, usage + word, next, n + 1);
    }
}

// The words behind the command, but for --run NAME.
static void bash_requests(FILE *out, const struct cli *cli)
{
    fputs("        for ((i = 1; i < ${#typed[@]}; i++)); do\n"
          "            if [ \"${typed[i]}\" = --run ]; then ((++i)); continue; fi\n"
          "            request+=\" ${typed[i]}\" && ((++count))\n"
          "        done\n"
          "        case $count$request in\n",
          out);
    for (size_t i = 0; i < cli->request_count; i++)
        bash_request(out, cli, cli->requests[i].usage, "", 0);
    fputs("        esac\n"
          "        words=${words//|/ }\n",
          out);
}

static void bash_command(FILE *out, const struct cli *cli)
{
    const char *kind = path_kind(cli->words);
    fprintf(out, "    %s) options='--help", cli->name);
    for (size_t i = 0; i < cli->count; i++)
        fprintf(out, " --%s", cli->options[i].name);
    fputs("'\n", out);
    if (kind)
        fprintf(out, "        paths=%s\n", kind);
    if (cli->requests)
        bash_requests(out, cli);
    fputs("        ;;\n", out);
}

// The rule of control/process/runtime.h. A name goes to the command line as it is, so nothing in it
// may mean anything to the shell.
static const char bash_instances[] =
    "_sluice_instances() {\n"
    "    local folder=${RUNTIME_DIRECTORY:-/var/run} socket name\n"
    "    if [ -z \"${RUNTIME_DIRECTORY-}\" ] && [ \"$UID\" != 0 ]; then\n"
    "        folder=${XDG_RUNTIME_DIR:-/tmp/dpdk-$UID}\n"
    "    fi\n"
    "    for socket in \"$folder\"/dpdk/sluice-*/dpdk_telemetry.v2; do\n"
    "        name=${socket%/*} name=${name##*/sluice-}\n"
    "        [[ -S $socket && -d /proc/${name##*-} && $name != *[^A-Za-z0-9._-]* ]] && "
    "echo \"$name\"\n"
    "    done\n"
    "}\n";

static const char bash_begin[] =
    "_sluice() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} command before words= options= paths= request= "
    "count=0 i\n"
    "    local -a typed=()\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do # bash parts --seed=7 at the =\n"
    "        [ \"${COMP_WORDS[i]}\" = = ] || typed+=(\"${COMP_WORDS[i]}\")\n"
    "    done\n"
    "    [ \"$word\" = = ] && word=\n"
    "    command=${typed[0]-} before=${typed[*]: -1}\n"
    "    case \"$command $before\" in\n"
    "    *' --run') words=$(_sluice_instances) ;;\n";

static const char bash_end[] =
    "    esac ;;\n"
    "    esac\n"
    "    [[ $word == -* ]] && words+=\" $options\" paths=\n"
    "    if [ -n \"$paths\" ]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen $paths -- \"$word\")\n"
    "    else\n"
    "        [ -n \"$words$request\" ] || words=$options\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\" | sort -u)\n"
    "    fi\n"
    "}\n"
    "complete -F _sluice sluice\n";

void cli_completion(FILE *out)
{
    fprintf(out, "%s%s    ' ') words='help", bash_instances, bash_begin);
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        fprintf(out, " %s", c->cli->name);
    fputs("' ;;\n    'help help') words='", out);
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        fprintf(out, "%s ", c->cli->name);
    for (const struct cli_topic *t = cli_topics; t->name; t++)
        fprintf(out, "%s ", t->name);
    fputs("' ;;\n", out);
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        for (size_t i = 0; i < c->cli->count; i++)
            bash_option(out, c->cli, &c->cli->options[i]);
    fputs("    *) case $command in\n", out);
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        bash_command(out, c->cli);
    fputs(bash_end, out);
}
