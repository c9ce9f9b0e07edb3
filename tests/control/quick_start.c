// Half of what a start of DPDK costs, which gb_world does thousands of times in the suite, and
// which no test of it sees: the libraries of all drivers, loaded one by one; five thousand
// questions to the kernel about the place of each of a thousand processors; and a sleep of a tenth
// of a second. The functions of the C library that DPDK calls for them are here.
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

// DPDK asks whether its library is loaded already. If not, it is linked into the program, and so
// are the drivers.
#define ASKED      "librte_eal.so"
#define PROCESSORS "/sys/devices/system/cpu/cpu"
#define NODES      "/sys/devices/system/node/node"

void *dlopen(const char *file, int mode)
{
    static void *(*next)(const char *, int);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    if (file && mode & RTLD_NOLOAD && strncmp(file, ASKED, strlen(ASKED)) == 0)
        return NULL;
    return next(file, mode);
}

// The number in PROCESSORS "7/topology/core_id" and NODES "0/cpu7"; -1: another file.
static long processor_of(const char *path)
{
    if (strncmp(path, PROCESSORS, strlen(PROCESSORS)) == 0)
        return atol(path + strlen(PROCESSORS));
    const char *file = strncmp(path, NODES, strlen(NODES)) == 0 ? strstr(path, "/cpu") : NULL;
    return file ? atol(file + strlen("/cpu")) : -1;
}

// DPDK sees how far the processor's clock comes within this, and reads the time before and after:
// less of it will do.
#define TICKS_NS 100000000
#define LESS_NS  1000000

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    bool of_dpdk = wanted->tv_sec == 0 && wanted->tv_nsec == TICKS_NS;
    struct timespec less = {.tv_nsec = LESS_NS};
    int fault = clock_nanosleep(CLOCK_REALTIME, 0, of_dpdk ? &less : wanted, left);
    if (fault)
        errno = fault;
    return fault ? -1 : 0;
}

// Of a processor that the machine has not got there is no file.
int access(const char *path, int mode)
{
    static int (*next)(const char *, int);
    static int processors;
    if (!next) {
        *(void **)&next = dlsym(RTLD_NEXT, "access");
        processors = get_nprocs_conf();
    }
    if (processor_of(path) < processors)
        return next(path, mode);
    errno = ENOENT;
    return -1;
}
