// See plot.h: the child. What it draws is made fit for the page in svg.c.
#include "control/report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control/report/script.h"
#include "control/report/svg.h"

#define CHILD_S_MAX 60
#define POLL_NS     2000000

// ---- The script ----

static FILE *script_of(const struct plot *plots, uint32_t count)
{
    FILE *out = tmpfile();
    for (uint32_t i = 0; out && i < count; i++)
        script_put(&plots[i], out);
    if (out && (fflush(out) != 0 || fseek(out, 0, SEEK_SET) != 0)) {
        fclose(out);
        out = NULL;
    }
    return out;
}

// ---- The child ----

// Its exit status, or -ETIMEDOUT.
static int wait_for(pid_t child)
{
    struct timespec pause = {0, POLL_NS};
    for (uint64_t waited_ns = 0; waited_ns < CHILD_S_MAX * 1000000000ULL; waited_ns += POLL_NS) {
        int status;
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
        nanosleep(&pause, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return -ETIMEDOUT;
}

// No file of the user's and no terminal changes what it draws.
static int run_gnuplot(FILE *script, FILE *drawn, FILE *said)
{
    char *arguments[] = {"gnuplot", "-d", "-", NULL}, *environment[] = {"LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(drawn), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    int fault = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return fault ? -fault : wait_for(child);
}

// All of a file from its beginning, with a NUL behind it.
static char *text_of(FILE *file)
{
    long octets = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = octets < 0 ? NULL : malloc((size_t)octets + 1);
    rewind(file);
    if (text)
        text[fread(text, 1, (size_t)octets, file)] = '\0';
    return text;
}

static void explain(int status, FILE *said, char error[256])
{
    char line[160] = "";
    rewind(said);
    while (fgets(line, sizeof line, said) && line[strspn(line, " \n^")] == '\0')
        ;
    line[strcspn(line, "\n")] = '\0';
    if (status == -ENOENT)
        snprintf(error, 256, "gnuplot was not found (Debian's package gnuplot-nox)");
    else
        snprintf(error, 256, "gnuplot failed: %s",
                 status < 0 ? strerror(-status) : (line[0] ? line : "it drew too little"));
}

char **plot_draw(const struct plot *plots, uint32_t count, char error[256])
{
    FILE *script = script_of(plots, count), *drawn = tmpfile(), *said = tmpfile();
    char **svg = NULL;
    if (script && drawn && said) {
        int status = run_gnuplot(script, drawn, said);
        char *text = status == 0 ? text_of(drawn) : NULL;
        svg = text ? svg_split(text, plots, count) : NULL;
        if (!svg)
            explain(status, said, error);
        free(text);
    } else {
        snprintf(error, 256, "temporary files: %s", strerror(errno));
    }
    FILE *const files[] = {script, drawn, said};
    for (int i = 0; i < 3; i++)
        if (files[i])
            fclose(files[i]);
    return svg;
}
