// The man page and the shell's completion, from the same rows as --help.
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
}

static void man_command(FILE *out, const struct cli *cli)
{
    fprintf(out, ".SS \\fBsluice %s\\fR%s %s\n", cli->name,
            cli->count ? " [\\fIOPTION\\fR]..." : "", cli->words);
    put_roff(out, cli->about);
    for (size_t i = 0; i < cli->count; i++)
        man_option(out, &cli->options[i]);
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

static bool is_file(const char *words)
{
    return strncmp(words, "FILE", 4) == 0;
}

void cli_completion(FILE *out)
{
    fputs("_sluice() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} words\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        words='help",
          out);
    for (const struct cli_command *c = cli_commands; c->cli; c++)
        fprintf(out, " %s", c->cli->name);
    fputs("'\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (const struct cli_command *c = cli_commands; c->cli; c++) {
        fprintf(out, "    %s) words='--help", c->cli->name);
        for (size_t i = 0; i < c->cli->count; i++)
            fprintf(out, " --%s", c->cli->options[i].name);
        fprintf(out, "' %s;;\n",
                is_file(c->cli->words) ? "; COMPREPLY=($(compgen -f -- \"$word\")) " : "");
    }
    fputs("    *) words= ;;\n    esac\n"
          "    COMPREPLY+=($(compgen -W \"$words\" -- \"$word\"))\n"
          "}\n"
          "complete -o filenames -F _sluice sluice\n",
          out);
}
