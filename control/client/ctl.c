// sluice ctl WORDS...: a request to the control plane of a running instance. Exit status: 0 done, 1
// refused or not answered, 2 there is no such instance, or usage.
#include <string.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/session.h"
#include "control/client/trace.h"
#include "control/client/value.h"

#define COMMAND      "/sluice/ctl,"
#define WORDS_OCTETS 256    // with the command before them
#define ANSWER_MS    65000u // the server gives up before

// Writes the command and the words as one line. False: they are too long.
static bool join(int argc, char **argv, char line[WORDS_OCTETS])
{
    size_t n = (size_t)snprintf(line, WORDS_OCTETS, COMMAND);
    for (int i = 0; i < argc && n < WORDS_OCTETS; i++)
        n += (size_t)snprintf(line + n, WORDS_OCTETS - n, "%s%s", i ? " " : "", argv[i]);
    return n < WORDS_OCTETS;
}

// Prints a text, with its line ends.
static void print_answer(const struct json_object *pieces, FILE *out)
{
    char last = '\n';
    for (size_t i = 0; i < value_count(pieces); i++) {
        const char *piece = value_text_at(pieces, i);
        value_put_text(piece, out);
        last = *piece ? piece[strlen(piece) - 1] : last;
    }
    if (last != '\n')
        fputc('\n', out);
}

static int ask(struct session *session, const char *line)
{
    struct json_object *answer = session_ask(session, line, ANSWER_MS);
    if (!answer) {
        fprintf(stderr, "sluice ctl: %s: %s\n", session->name, session->why);
        return EXIT_RUN_FAILED;
    }
    int status = value_number(answer, "status") ? EXIT_RUN_FAILED : EXIT_DONE;
    print_answer(value_in(answer, "text"), status ? stderr : stdout);
    value_free(answer);
    return status;
}

static const struct cli_option ctl_options[] = {CLI_RUN};
static const struct cli_request ctl_requests[] = {
#define REQUEST(usage, help) {usage, help},
#include "control/plane/requests.def"
#undef REQUEST
};
const struct cli cli_of_ctl = {
    .name = "ctl",
    .words = "REQUEST",
    .about = "send a request to a running instance",
    .more = "A request may need what the configuration does not have: those about phones\n"
            "need attach { }, which the instance says.",
    .words_follow = true,
    .options = ctl_options,
    .count = sizeof ctl_options / sizeof ctl_options[0],
    .requests = ctl_requests,
    .request_count = sizeof ctl_requests / sizeof ctl_requests[0]};

// `help`, `help REQUEST`; needs no instance.
static int help(const char *request)
{
    if (!request)
        cli_help(&cli_of_ctl, stdout);
    else if (!cli_put_requests(&cli_of_ctl, request, stdout))
        fprintf(stderr, "sluice ctl: no request '%s'; see: sluice ctl help\n", request);
    else
        return EXIT_DONE;
    return request ? EXIT_USAGE : EXIT_DONE;
}

// --run may stand behind the words, as behind those of the other commands.
static const char *run_behind(int *argc, char **argv, int first, const char *run)
{
    if (run || *argc - first < 3 || strcmp(argv[*argc - 2], "--run") != 0)
        return run;
    *argc -= 2;
    return argv[*argc + 1];
}

int command_ctl(int argc, char **argv)
{
    struct session session;
    char line[WORDS_OCTETS];
    const char *run = NULL;
    int first;
    enum cli_end end = cli_parse(&cli_of_ctl, argc, argv, &run, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (first == argc) {
        fprintf(stderr, "sluice ctl: no request given; see: sluice ctl help\n");
        return EXIT_USAGE;
    }
    if (strcmp(argv[first], "help") == 0)
        return help(first + 1 < argc ? argv[first + 1] : NULL);
    if (strcmp(argv[first], "trace") == 0)
        return trace_command(argc - first, argv + first, run);
    if (strcmp(argv[argc - 1], "--help") == 0)
        return help(argv[first]);
    run = run_behind(&argc, argv, first, run);
    if (!join(argc - first, argv + first, line)) {
        fprintf(stderr, "sluice ctl: the request is too long; allowed: %d characters\n",
                WORDS_OCTETS - (int)sizeof COMMAND);
        return EXIT_USAGE;
    }
    if (!session_open(&session, run, stderr))
        return EXIT_USAGE;
    int status = ask(&session, line);
    session_close(&session);
    return status;
}
