// sluice metrics: the metrics of a running instance for Prometheus, at /metrics; with
// /metrics?cell=NSEI-BVCI those of the MSs of that cell. Each request looks for the instance anew,
// so one that was started again is found.
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/client/http.h"
#include "control/client/openmetrics.h"
#include "control/commands.h"

#define LISTEN     "127.0.0.1:9464"
#define CELL_QUERY "/metrics?cell="

static volatile int ended;

static void on_end(int number)
{
    ended = number;
}

static int put(const char *run, const char *cell, FILE *body, const char **type)
{
    struct session session;
    char *text = NULL;
    size_t octets = 0;
    if (!session_open(&session, run, body))
        return 503;
    FILE *out = open_memstream(&text, &octets);
    bool good = out && openmetrics_put(&session, cell, out);
    if (out && fclose(out) != 0)
        good = false;
    if (good) {
        *type = OPENMETRICS_TYPE;
        fwrite(text, 1, octets, body);
    } else {
        fprintf(body, "%s: %s\n", session.name, session.why);
    }
    free(text);
    session_close(&session);
    return good ? 200 : 503;
}

static int answer(void *self, const char *path, FILE *body, const char **type)
{
    char cell[SESSION_CELL_OCTETS];
    if (strcmp(path, "/metrics") == 0)
        return put(self, NULL, body, type);
    if (strncmp(path, CELL_QUERY, strlen(CELL_QUERY)) == 0 &&
        session_cell(path + strlen(CELL_QUERY), cell))
        return put(self, cell, body, type);
    fprintf(body, "found nothing here; allowed /metrics, /metrics?cell=NSEI-BVCI\n");
    return 404;
}

int command_metrics(int argc, char **argv)
{
    static const struct option known[] = {{"run", required_argument, NULL, 'r'},
                                          {"listen", required_argument, NULL, 'l'},
                                          {NULL, 0, NULL, 0}};
    const char *run = NULL, *at = LISTEN, *why;
    struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESTART}; // poll ends anyway
    argv[0] = "sluice metrics"; // for getopt's messages
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == '?')
            return EXIT_USAGE;
        *(option == 'r' ? &run : &at) = optarg;
    }
    if (optind < argc) {
        fprintf(stderr, "sluice metrics: found '%s', allowed --run NAME, --listen ADDRESS:PORT\n",
                argv[optind]);
        return EXIT_USAGE;
    }
    int listener = http_listen(at, &why);
    if (listener < 0) {
        fprintf(stderr, "sluice metrics: --listen: found %s: %s\n", at, why);
        return EXIT_USAGE;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    fprintf(stderr, "metrics at http://%s/metrics\n", at);
    http_serve(listener, answer, (void *)run, &ended);
    close(listener);
    return EXIT_DONE;
}
