// sluice report: one page of the results of one run or of several.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/value.h"
#include "control/report/below.h"
#include "control/report/page.h"

struct report_options {
    const char *out;
    bool targets, knobs;
};

static const struct cli_option report_options[] = {
    {"out", "FILE", "the page (default: report.html in the current folder)",
     .at = offsetof(struct report_options, out)},
    {"targets", NULL,
     "only the tables of targets; each DIR has several runs;\n"
     "prints how many rows of each kind are met",
     .at = offsetof(struct report_options, targets)},
    {"knobs", NULL, "only which settings the conclusions depend on; each DIR is one of run --knobs",
     .at = offsetof(struct report_options, knobs)}};

const struct cli cli_of_report = {
    .name = "report",
    .words = "DIR...",
    .about = "make one page, report.html, with the results of several runs side by side",
    .more = "DIR is the folder of one run, or of several runs, also in folders of variants.\n"
            "gnuplot draws the figures; without it the page has only the tables.",
    .options = report_options,
    .count = sizeof report_options / sizeof report_options[0]};

// Names of folders and files may be anybody's, and a terminal takes orders from control characters.
static void print(FILE *out, const char *before, const char *text)
{
    char printable[PAGE_ERROR_OCTETS + 4096];
    fprintf(out, "%s%s\n", before, value_printable(text, printable, sizeof printable));
}

static int failed(const char *what, const char *why)
{
    char text[4096 + PAGE_ERROR_OCTETS];
    snprintf(text, sizeof text, "%.4000s: %s", what, why);
    print(stderr, "sluice report: ", text);
    return EXIT_RUN_FAILED;
}

static int put_page(const struct report_options *options, FILE *out, const char *const *dirs,
                    uint32_t count, char *error)
{
    if (options->knobs)
        return page_knobs(out, dirs, count, error);
    if (options->targets)
        return page_targets(out, stdout, dirs, count, error);
    return page_write(out, dirs, count, error);
}

// Else root would put a page in the place of a device such as /dev/null, or of the link
// /dev/stdout. A link to a file is replaced, and not the file.
static bool may_replace(const char *name)
{
    struct stat is;
    return stat(name, &is) != 0 || S_ISREG(is.st_mode);
}

// A page gets its name only when it is complete. Its part is never an existing file or link, which
// the giver of the folder may have put there.
static int write_page(const struct report_options *options, const char *const *dirs, uint32_t count)
{
    const char *name = options->out;
    char part[4096], error[PAGE_ERROR_OCTETS] = "";
    if (snprintf(part, sizeof part, "%s.part", name) >= (int)sizeof part)
        return failed(name, strerror(ENAMETOOLONG));
    if (!may_replace(name))
        return failed(name, "no regular file, so it is not replaced");
    FILE *out = below_replace(part);
    if (!out)
        return failed(part, strerror(errno));
    int fault = put_page(options, out, dirs, count, error);
    int written = ferror(out) ? EIO : 0;
    written = fclose(out) == 0 ? written : errno;
    if (!fault && !written && rename(part, name) != 0)
        written = errno;
    if (fault || written)
        remove(part);
    if (fault) {
        print(stderr, "sluice report: ", error);
        return EXIT_RUN_FAILED;
    }
    if (written)
        return failed(name, strerror(written));
    if (error[0])
        print(stderr, "sluice report: no figures: ", error);
    print(stdout, "", name);
    return EXIT_DONE;
}

int command_report(int argc, char **argv)
{
    struct report_options options = {.out = "report.html"};
    int first;
    enum cli_end end = cli_parse(&cli_of_report, argc, argv, &options, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (first == argc) {
        fprintf(stderr, "sluice report: no folder given; needed: one or more folders of runs\n");
        return EXIT_USAGE;
    }
    return write_page(&options, (const char *const *)(argv + first), (uint32_t)(argc - first));
}
