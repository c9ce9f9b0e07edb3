// See session.h.
#include "control/client/session.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/client/now.h"
#include "control/client/value.h"
#include "control/process/runtime.h"

#define ANSWER_OCTETS  (64u << 10) // DPDK's are 16 KiB at most
#define COMMAND_OCTETS 512u
#define INSTANCES_MAX  64u
#define PAGES_MAX      100000u

// ---- Finding ----

struct instance {
    char name[256]; // without the prefix: NAME-PID
};

static bool is_wanted(const char *instance, const char *run)
{
    const char *pid = strrchr(instance, '-');
    if (!run || strcmp(instance, run) == 0)
        return true;
    return pid &&
           (strcmp(pid + 1, run) == 0 || (strlen(run) == (size_t)(pid - instance) &&
                                          strncmp(instance, run, (size_t)(pid - instance)) == 0));
}

// Finds the instances of that name or PID, or all; returns their number.
static uint32_t find(const char *folder, const char *run, struct instance *found)
{
    uint32_t n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && n < INSTANCES_MAX && (entry = readdir(dir)) != NULL;) {
        const char *name = entry->d_name + strlen(RUNTIME_PREFIX);
        if (strncmp(entry->d_name, RUNTIME_PREFIX, strlen(RUNTIME_PREFIX)) != 0 ||
            !is_wanted(name, run))
            continue;
        int fd = runtime_connect(entry->d_name);
        if (fd >= 0)
            close(fd);
        else if (errno != EAGAIN) // the socket of a killed instance
            continue;
        snprintf(found[n++].name, sizeof found->name, "%s", name);
    }
    if (dir)
        closedir(dir);
    return n;
}

static void list(const struct instance *found, uint32_t n, FILE *errors)
{
    char name[sizeof found->name];
    for (uint32_t i = 0; i < n; i++)
        fprintf(errors, "  %s\n", value_printable(found[i].name, name, sizeof name));
}

// run: the name that none of the n has; NULL: nothing runs.
static void say_none(const char *folder, const char *run, const struct instance *found, uint32_t n,
                     FILE *errors)
{
    if (run && n)
        fprintf(errors, "sluice: no running instance is called '%s'; these are running:\n", run);
    else if (run)
        fprintf(errors, "sluice: no running instance is called '%s' (in %s)\n", run, folder);
    else
        fprintf(errors, "sluice: no instance is running that this user may access (in %s)\n",
                folder);
    list(found, n, errors);
}

static void say_several(const char *run, const struct instance *found, uint32_t n, FILE *errors)
{
    if (run)
        fprintf(errors, "sluice: %u instances are called '%s'; choose one with --run:\n", n, run);
    else
        fprintf(errors, "sluice: %u instances are running; choose one with --run:\n", n);
    list(found, n, errors);
}

static int connect_to(const char *name)
{
    char instance[sizeof RUNTIME_PREFIX + sizeof((struct instance *)0)->name];
    snprintf(instance, sizeof instance, RUNTIME_PREFIX "%s", name);
    return runtime_connect(instance);
}

// Waits until the socket is readable. Signals, such as that of a new size of the terminal, do not
// end the wait.
static bool wait_for(const struct session *session, uint32_t timeout_ms)
{
    struct pollfd ready = {session->fd, POLLIN, 0};
    uint64_t at_ms = now_ms(), end_ms = at_ms + timeout_ms;
    int n;
    do {
        n = poll(&ready, 1, (int)(end_ms - at_ms));
        at_ms = now_ms();
    } while (n < 0 && errno == EINTR && at_ms < end_ms);
    return n == 1;
}

// DPDK sends a greeting on each new connection.
static bool greeted(const struct session *session)
{
    char greeting[1024];
    return wait_for(session, SESSION_ASK_MS) && recv(session->fd, greeting, sizeof greeting, 0) > 0;
}

bool session_open(struct session *session, const char *run, FILE *errors)
{
    static struct instance found[INSTANCES_MAX];
    char folder[PATH_MAX];
    *session = (struct session){.fd = -1};
    runtime_folder(folder);
    uint32_t n = find(folder, run, found);
    if (n == 0)
        say_none(folder, run, found, run ? find(folder, NULL, found) : 0, errors);
    if (n > 1)
        say_several(run, found, n, errors);
    if (n != 1)
        return false;
    session->fd = connect_to(found[0].name);
    value_printable(found[0].name, session->name, sizeof session->name);
    if (session->fd >= 0 && greeted(session))
        return true;
    fprintf(errors, "sluice: %s does not answer\n", session->name);
    session_close(session);
    return false;
}

void session_close(struct session *session)
{
    if (session->fd >= 0)
        close(session->fd);
    session->fd = -1;
}

// ---- Asking ----

static struct json_object *failed(struct session *session, const char *what)
{
    snprintf(session->why, sizeof session->why, "%s", what);
    return NULL;
}

// An answer is an object with one member, named after the command. The member may be an error, or
// null: DPDK does not know the command.
static struct json_object *unwrap(struct session *session, struct json_object *whole)
{
    bool unknown = value_is_object(whole) && value_size(whole) == 1 && !value_item(whole, 0);
    struct json_object *members = value_list_of(whole);
    struct json_object *answer =
        value_count(members) == 1 ? value_hold(value_at(members, 0)) : NULL;
    char error[128];
    value_text(answer, "error", error, sizeof error);
    value_free(members);
    value_free(whole);
    if (answer && !error[0])
        return answer;
    value_free(answer);
    if (unknown)
        return failed(session,
                      "it does not know this command; it is still starting, or another version");
    return failed(session, error[0] ? error : "the answer is not in Sluice's form");
}

struct json_object *session_ask(struct session *session, const char *command, uint32_t timeout_ms)
{
    static char answer[ANSWER_OCTETS];
    size_t n = strlen(command);
    if (send(session->fd, command, n, MSG_NOSIGNAL) != (ssize_t)n)
        return failed(session, "the instance has ended");
    if (!wait_for(session, timeout_ms))
        return failed(session, "the instance does not answer");
    ssize_t got = recv(session->fd, answer, sizeof answer, MSG_TRUNC);
    if (got <= 0)
        return failed(session, "the instance has ended");
    if ((size_t)got > sizeof answer)
        return failed(session, "the answer is too long");
    return unwrap(session, value_parse(answer, (size_t)got));
}

bool session_cell(const char *cell, char words[SESSION_CELL_OCTETS])
{
    unsigned nsei, bvci;
    char between;
    int n = 0;
    if (sscanf(cell, "%5u%c%5u%n", &nsei, &between, &bvci, &n) != 3 || cell[n] != '\0' ||
        (between != '-' && between != ' '))
        return false;
    snprintf(words, SESSION_CELL_OCTETS, "%u,%u", nsei, bvci);
    return true;
}

// Appends rows 0, 1, ... of a page. False: the page announces more rows than it has.
static bool add_rows(struct json_object *all, const struct json_object *page, uint32_t most)
{
    uint64_t count = value_number(page, "count");
    const struct json_object *rows = value_in(page, "rows");
    for (uint64_t i = 0; i < count && value_count(all) < most; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRIu64, i);
        struct json_object *row = value_in(rows, number);
        if (!value_is_object(row))
            return false;
        value_add(all, row);
    }
    return true;
}

struct json_object *session_rows(struct session *session, const char *command, const char *before,
                                 const char *behind, uint32_t most)
{
    struct json_object *all = value_list();
    uint64_t first = 0;
    for (uint32_t pages = 0; all && pages < PAGES_MAX; pages++) {
        char text[COMMAND_OCTETS];
        snprintf(text, sizeof text, "%s,%s%" PRIu64 "%s", command, before, first, behind);
        struct json_object *page = session_ask(session, text, SESSION_ASK_MS);
        bool good = page && add_rows(all, page, most);
        uint64_t next = value_has(page, "next") ? value_number(page, "next") : UINT64_MAX;
        bool ends = next == UINT64_MAX || value_count(all) >= most;
        if (page && (!good || next <= first))
            failed(session, "a page of the answer is malformed");
        value_free(page);
        if (good && ends)
            return all;
        if (!good || next <= first)
            break;
        first = next;
        if (pages + 1 == PAGES_MAX)
            failed(session, "the answer has too many pages");
    }
    value_free(all);
    return NULL;
}

static struct json_object *read_part(struct session *session, const struct session_part *p)
{
    if (!p->rows_most)
        return session_ask(session, p->command, SESSION_ASK_MS);
    return session_rows(session, p->command, "", p->behind ? p->behind : "", p->rows_most);
}

struct json_object *session_parts(struct session *session, const struct session_part *parts,
                                  size_t n)
{
    struct json_object *all = value_new();
    for (const struct session_part *p = parts; p < parts + n; p++) {
        struct json_object *part = read_part(session, p);
        if (!part) {
            value_free(all);
            return NULL;
        }
        value_set(all, p->name, part);
    }
    return all;
}
