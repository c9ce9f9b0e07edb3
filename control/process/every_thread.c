// See every_thread.h. glibc does the same for setresuid, with a signal reserved for glibc. Each
// thread in /proc/self/task gets a signal, one after the other, until the list has no new thread: a
// thread may start another before its turn. A caller that must be sure verifies afterwards.
#include "control/process/every_thread.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS      100000
#define NAPS        300000 // at least half a minute, for a thread that waits for a processor
#define THREADS_MAX 256
#define LOOKS       8 // most readings of the list; a new thread inherits from one that has acted

static int (*what)(void);
static int fault; // the result of the present thread
static int done;  // the present thread's id after act()

static void on_signal(int number)
{
    int former = errno;
    (void)number;
    fault = what();
    __atomic_store_n(&done, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
    errno = former;
}

static bool is_done(int thread)
{
    return __atomic_load_n(&done, __ATOMIC_ACQUIRE) == thread;
}

// A thread that has ended counts as done.
static int ask(int thread)
{
    done = fault = 0;
    if (syscall(SYS_tgkill, getpid(), thread, SIGRTMIN) != 0)
        return errno == ESRCH ? 0 : -errno;
    for (int i = 0; i < NAPS && !is_done(thread); i++) {
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        if (syscall(SYS_tgkill, getpid(), thread, 0) != 0)
            return 0;
    }
    return is_done(thread) ? fault : -ETIMEDOUT;
}

// ---- The list ----

struct list {
    int n, thread[THREADS_MAX];
};

static bool is_in(const struct list *list, int thread)
{
    for (int i = 0; i < list->n; i++)
        if (list->thread[i] == thread)
            return true;
    return false;
}

static int add(struct list *list, int thread)
{
    if (list->n == THREADS_MAX)
        return -E2BIG;
    list->thread[list->n++] = thread;
    return 0;
}

// Reads the whole list before any signal, since threads start meanwhile.
static int look(struct list *there)
{
    DIR *dir = opendir("/proc/self/task");
    int wrong = dir ? 0 : -errno;
    there->n = 0;
    for (struct dirent *entry; !wrong && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.')
            wrong = add(there, atoi(entry->d_name));
    if (dir)
        closedir(dir);
    return wrong;
}

static int ask_and_add(struct list *asked, int thread)
{
    int wrong = ask(thread);
    return wrong ? wrong : add(asked, thread);
}

static int ask_new(struct list *asked)
{
    struct list there;
    int wrong = look(&there);
    for (int i = 0; i < there.n && !wrong; i++)
        if (!is_in(asked, there.thread[i]))
            wrong = ask_and_add(asked, there.thread[i]);
    return wrong;
}

int every_thread(int (*act)(void))
{
    struct sigaction ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, former;
    struct list asked = {.n = 0};
    int before = -1, wrong = 0;
    what = act;
    if (sigaction(SIGRTMIN, &ours, &former) != 0)
        return -errno;
    for (int i = 0; i < LOOKS && !wrong && asked.n != before; i++) {
        before = asked.n;
        wrong = ask_new(&asked);
    }
    sigaction(SIGRTMIN, &former, NULL);
    return wrong;
}
