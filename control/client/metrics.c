// sluice metrics: the metrics of a running instance for Prometheus, at /metrics; with
// /metrics?cell=NSEI-BVCI the metrics of the MSs of that cell. A client that accepts OpenMetrics by
// name gets it, each other Prometheus's text format. Each request looks for the instance again, so
// a restarted instance is found.
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/http.h"
#include "control/client/openmetrics.h"

#define LISTEN     "127.0.0.1:9464"
#define CELL_QUERY "/metrics?cell="
#define NO_CELL    "there is no such cell" // what an instance answers

static volatile int ended;

static void on_end(int number)
{
    ended = number;
}

// In the order of enum exposition. The text format comes first, for a client that names no type.
static const char *const types[] = {"text/plain", "application/openmetrics-text", NULL};

static int put(const char *run, const char *cell, enum exposition form, FILE *body,
               const char **type)
{
    struct session session;
    if (!session_open(&session, run, body))
        return 503;
    bool good = openmetrics_put(&session, cell, form, body);
    if (good)
        *type = form == EXPOSITION_TEXT ? EXPOSITION_TEXT_TYPE : OPENMETRICS_TYPE;
    else
        fprintf(body, "%s: %s\n", session.name, session.why);
    bool absent = !good && strcmp(session.why, NO_CELL) == 0;
    session_close(&session);
    return good ? 200 : absent ? 404 : 503;
}

static int answer(void *self, const char *path, int want, FILE *body, const char **type)
{
    enum exposition form = (enum exposition)want;
    char cell[SESSION_CELL_OCTETS];
    if (strcmp(path, "/metrics") == 0)
        return put(self, NULL, form, body, type);
    if (strncmp(path, CELL_QUERY, strlen(CELL_QUERY)) == 0 &&
        session_cell(path + strlen(CELL_QUERY), cell))
        return put(self, cell, form, body, type);
    fprintf(body, "no such path; allowed: /metrics, /metrics?cell=NSEI-BVCI\n");
    return 404;
}

struct options {
    const char *run, *at;
};
static const struct cli_option metrics_options[] = {CLI_RUN,
                                                    {"listen", "ADDRESS:PORT",
                                                     "the address to serve at (" LISTEN ")",
                                                     .at = offsetof(struct options, at)}};
const struct cli cli_of_metrics = {.name = "metrics",
                                   .words = "",
                                   .about = "serve a running instance's metrics for Prometheus",
                                   .options = metrics_options,
                                   .count = sizeof metrics_options / sizeof metrics_options[0]};

int command_metrics(int argc, char **argv)
{
    struct options options = {.at = LISTEN};
    const char *why;
    struct sigaction action = {.sa_handler = on_end,
                               .sa_flags = SA_RESTART}; // poll returns in any case
    int first;
    enum cli_end end = cli_parse(&cli_of_metrics, argc, argv, &options, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (!cli_no_words(&cli_of_metrics, argc, argv, first))
        return EXIT_USAGE;
    int listener = http_listen(options.at, &why);
    if (listener < 0) {
        fprintf(stderr, "sluice metrics: --listen: found %s: %s\n", options.at, why);
        return EXIT_USAGE;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    fprintf(stderr, "metrics at http://%s/metrics\n", options.at);
    const struct http_site site = {answer, (void *)options.run, types};
    http_serve(listener, &site, &ended);
    close(listener);
    return EXIT_DONE;
}
