// See children.h.
#include "control/runs/children.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/client/value.h"
#include "control/run/results.h"
#include "control/run/run.h"

#define LINE_OCTETS 500
#define LAST_LINES  3
#define LOG         "run.log"
#define MESSAGE     "sluice run: "
#define LOOK_NS     200000000 // between two lines of progress

struct child {
    pid_t pid;
    uint32_t run;
};

struct crew {
    const struct plan *plan;
    const bool *wanted;
    struct child *child;
    uint32_t jobs, at_work;
    uint32_t turn, left; // the next turn to look at; runs to start
    uint32_t total, done, failed;
    int folder; // its lock is held as long as a child lives
    bool ending, told;
    double started_s;
};

// ---- How many at the same time ----

static uint64_t available_octets(void)
{
    char line[128];
    uint64_t kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib * 1024;
}

uint32_t children_jobs(uint64_t need_octets)
{
    cpu_set_t allowed;
    uint64_t jobs = 1, fit = available_octets() / (need_octets ? need_octets : 1);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        jobs = (uint64_t)CPU_COUNT(&allowed);
    jobs = jobs < fit ? jobs : fit;
    return jobs ? (uint32_t)jobs : 1;
}

// ---- A child ----

// In the child: only the end of the parent and of the program itself end it. A run ends at once,
// for nobody gathers it any more; until then it holds the lock of all results.
static void become(char *const *words, int log, int folder, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) // it ended before
        _exit(EXIT_FAILURE);
    fcntl(folder, F_SETFD, 0);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv("/proc/self/exe", words);
    fprintf(stderr, "sluice run: /proc/self/exe: %s\n", strerror(errno));
    _exit(127);
}

// Returns the process's id, or -1.
static pid_t spawn(char *const *words, int log, int folder)
{
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become(words, log, folder, parent);
    return pid;
}

// Returns a descriptor, or a negative errno.
static int open_log(const struct plan *plan, uint32_t run, int how)
{
    char path[PATH_MAX], log[PATH_MAX + 16];
    plan_path(plan, run, path);
    int fault = results_make(path, NULL);
    snprintf(log, sizeof log, "%s/" LOG, path);
    int fd = fault ? -1 : open(log, how | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
    return fd < 0 ? fault ? fault : -errno : fd;
}

// ---- What is told of them ----

static void clear_line(struct crew *crew)
{
    if (crew->told)
        fprintf(stderr, "\r\033[K");
    crew->told = false;
}

// Also keeps it for the list at the end. cause: ": " and what is known of it, or "".
static void tell(const struct plan *plan, uint32_t run, const char *how, const char *cause)
{
    char path[PATH_MAX], text[LINE_OCTETS + 64], printable[LINE_OCTETS + 64];
    plan_path(plan, run, path);
    snprintf(text, sizeof text, "%.60s%.*s", how, LINE_OCTETS, cause);
    value_printable(text, printable, sizeof printable);
    fprintf(stderr, "sluice run: %s: %s\n", path, printable);
    free(plan->failure[run]);
    plan->failure[run] = strdup(printable);
}

static void tell_of(const struct plan *plan, uint32_t run, const char *how, const char *what,
                    int fault)
{
    char cause[LINE_OCTETS];
    snprintf(cause, sizeof cause, ": %s: %s", what, strerror(fault));
    tell(plan, run, how, cause);
}

// The last lines of a log, the newest last.
struct last {
    char line[LAST_LINES][LINE_OCTETS];
    uint32_t lines;
};

static void take_line(struct last *last, const char *line)
{
    if (last->lines == LAST_LINES)
        memmove(last->line[0], last->line[1], sizeof last->line - LINE_OCTETS);
    else
        last->lines++;
    snprintf(last->line[last->lines - 1], LINE_OCTETS, "%.*s", (int)strcspn(line, "\n"), line);
}

// The end of a log, and its last message of a fault with the lines before it. What goes to stdout,
// such as the report, is written when the program ends, so it is behind the message.
static void read_log(FILE *log, struct last *end, struct last *fault)
{
    char line[LINE_OCTETS];
    while (fgets(line, sizeof line, log)) {
        take_line(end, line);
        if (strncmp(line, MESSAGE, strlen(MESSAGE)) == 0 && strchr(line, '\n'))
            *fault = *end;
    }
}

static void put_lines(const struct last *last, uint32_t lines)
{
    char printable[LINE_OCTETS];
    for (uint32_t i = 0; i < lines; i++)
        fprintf(stderr, "    %s\n", value_printable(last->line[i], printable, sizeof printable));
}

// The log says how the run ended, too. Where it has no room for that, the child's own message had
// none. Returns 0 or an errno.
static int end_log(int log, const char *how)
{
    char line[128];
    int n = snprintf(line, sizeof line, "this run: %.60s\n", how);
    ssize_t written = write(log, line, (size_t)n);
    return written < 0 ? errno : written < n ? ENOSPC : 0;
}

static void tell_from(const struct plan *plan, uint32_t run, const char *how, FILE *log)
{
    char path[PATH_MAX], cause[LINE_OCTETS + 2];
    struct last end = {.lines = 0}, fault = {.lines = 0};
    plan_path(plan, run, path);
    read_log(log, &end, &fault);
    int unwritten = end_log(fileno(log), how);
    if (fault.lines) {
        const char *message = fault.line[fault.lines - 1] + strlen(MESSAGE);
        size_t n = strlen(path); // is named anyway
        bool in_it = strncmp(message, path, n) == 0 && message[n] == '/';
        snprintf(cause, sizeof cause, ": %s", in_it ? message + n + 1 : message);
        tell(plan, run, how, cause);
        if (strstr(message, "above"))
            put_lines(&fault, fault.lines - 1);
    } else if (unwritten) {
        tell_of(plan, run, how, LOG, unwritten);
    } else {
        tell(plan, run, how, "; the last lines of run.log:");
        put_lines(&end, end.lines);
    }
}

// Tells on stderr how the run ended and why: the last message of a fault in its run.log, or the
// last lines there. Keeps it as the plan's failure of the run, and adds to run.log how the run
// ended.
static void tell_end(const struct plan *plan, uint32_t run, const char *how)
{
    int fd = open_log(plan, run, O_RDWR | O_APPEND);
    FILE *log = fd < 0 ? NULL : fdopen(fd, "r");
    if (!log) {
        tell_of(plan, run, how, LOG, fd < 0 ? -fd : errno);
        return;
    }
    tell_from(plan, run, how, log);
    fclose(log);
}

static void tell_failure(struct crew *crew, uint32_t run, int status)
{
    char how[64];
    clear_line(crew);
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "ended by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? " (out of memory? try --jobs 1)" : "");
    else
        snprintf(how, sizeof how, "failed with exit status %d", WEXITSTATUS(status));
    tell_end(crew->plan, run, how);
}

static bool start(struct crew *crew, uint32_t run)
{
    int log = open_log(crew->plan, run, O_WRONLY | O_CREAT | O_TRUNC);
    if (log < 0) {
        clear_line(crew);
        tell_of(crew->plan, run, "not started", LOG, -log);
        return false;
    }
    char **words = plan_words(crew->plan, run);
    pid_t pid = spawn(words, log, crew->folder);
    plan_words_free(words);
    close(log);
    if (pid < 0) {
        clear_line(crew);
        tell_of(crew->plan, run, "not started", "a child process", errno);
        return false;
    }
    crew->child[crew->at_work++] = (struct child){pid, run};
    return true;
}

static void put_time(double s)
{
    if (s < 100)
        fprintf(stderr, "%.0f s", s);
    else if (s < 6000)
        fprintf(stderr, "%.0f min", s / 60);
    else
        fprintf(stderr, "%.1f h", s / 3600);
}

static void progress(struct crew *crew)
{
    double took_s = run_wall_s() - crew->started_s;
    if (!isatty(STDERR_FILENO) || took_s < 1)
        return;
    crew->told = true;
    fprintf(stderr, "\r\033[K%u of %u runs done", crew->done, crew->total);
    if (crew->failed)
        fprintf(stderr, ", %u failed", crew->failed);
    fprintf(stderr, ", %u at work", crew->at_work);
    if (crew->ending) {
        fprintf(stderr, ", ending");
    } else if (crew->done) {
        fprintf(stderr, ", about ");
        put_time(took_s / crew->done * (crew->total - crew->done));
        fprintf(stderr, " left");
    }
}

// ---- The crew ----

static void end_all(struct crew *crew)
{
    for (uint32_t i = 0; i < crew->at_work; i++)
        kill(crew->child[i].pid, crew->ending ? SIGKILL : SIGTERM);
    crew->ending = true;
}

static void take_end(struct crew *crew, pid_t pid, int status)
{
    uint32_t i = 0;
    while (i < crew->at_work && crew->child[i].pid != pid)
        i++;
    if (i == crew->at_work)
        return;
    uint32_t run = crew->child[i].run;
    crew->child[i] = crew->child[--crew->at_work];
    crew->done++;
    if (status == 0)
        return;
    crew->failed++;
    if (!crew->ending)
        tell_failure(crew, run, status);
}

static void start_more(struct crew *crew)
{
    while (!crew->ending && crew->left && crew->at_work < crew->jobs) {
        uint32_t run;
        do
            run = plan_in_turn(crew->plan, crew->turn++);
        while (!crew->wanted[run]);
        crew->left--;
        if (!start(crew, run)) {
            crew->done++;
            crew->failed++;
        }
    }
}

// A signal is waited for, never caught, so none is missed.
static void block_signals(sigset_t *awaited, sigset_t *before)
{
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(awaited);
    sigaddset(awaited, SIGCHLD);
    sigaddset(awaited, SIGINT);
    sigaddset(awaited, SIGTERM);
    sigprocmask(SIG_BLOCK, awaited, before);
}

static void work(struct crew *crew, const sigset_t *awaited)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    int status;
    while (start_more(crew), crew->at_work) {
        int number = sigtimedwait(awaited, NULL, &look);
        if (number == SIGINT || number == SIGTERM)
            end_all(crew);
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
            take_end(crew, pid, status);
        progress(crew);
    }
}

bool children_run(const struct plan *plan, const bool *wanted, uint32_t jobs, int folder)
{
    struct crew crew = {
        .plan = plan, .wanted = wanted, .jobs = jobs, .folder = folder, .started_s = run_wall_s()};
    sigset_t awaited, before;
    crew.child = calloc(jobs, sizeof *crew.child);
    if (!crew.child)
        abort();
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        crew.total += wanted[i];
    crew.left = crew.total;
    block_signals(&awaited, &before);
    work(&crew, &awaited);
    sigprocmask(SIG_SETMASK, &before, NULL);
    clear_line(&crew);
    free(crew.child);
    if (crew.ending)
        fprintf(stderr, "sluice run: interrupted; with --resume the same command goes on\n");
    return !crew.ending && crew.failed == 0;
}
