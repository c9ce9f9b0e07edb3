// See capture_live.h.
#include "lab/captures/read/capture_live.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_OCTETS (16 << 20)
#define KERNEL_MS     20  // how long the kernel keeps packets to hand over more at once
#define LOOK_MS       100 // how late the end is
#define LAST_LOOK_MS  300
#define LAST_LOOKS    64 // at the end, while more packets come

struct capture_live {
    pcap_t *pcap;
    pcap_dumper_t *dumper;
    int read_fd; // -1: taken
    const volatile sig_atomic_t *ended;
    bool over;                // atomic: closed, whether there was an end or not
    char fault[CAPTURE_TEXT]; // the thread's
    pthread_t thread;
    sigset_t mask; // of the caller's thread, before
};

static bool is_over(const struct capture_live *live)
{
    return *live->ended || __atomic_load_n(&live->over, __ATOMIC_RELAXED);
}

// Returns how many packets were written; -1: nobody reads any more, or nothing comes any more.
static int write_some(struct capture_live *live)
{
    int n = pcap_dispatch(live->pcap, -1, pcap_dump, (u_char *)live->dumper);
    if (n < 0) // such as an interface that has gone
        snprintf(live->fault, sizeof live->fault, "%s", pcap_geterr(live->pcap));
    return n < 0 || pcap_dump_flush(live->dumper) != 0 ? -1 : n;
}

// libpcap itself may wait for a packet for ever. Signals come here alone, for one would break a
// write off.
static int wait_for_packets(struct capture_live *live, long ms)
{
    struct pollfd socket = {.fd = pcap_get_selectable_fd(live->pcap), .events = POLLIN};
    return ppoll(&socket, 1, &(struct timespec){.tv_nsec = ms * 1000000}, &live->mask);
}

static void *work(void *self)
{
    struct capture_live *live = self;
    int n = 0;
    while (n >= 0 && !is_over(live)) {
        wait_for_packets(live, LOOK_MS);
        n = write_some(live);
    }
    for (uint32_t i = 0; i < LAST_LOOKS && n >= 0; i++) // what the kernel has kept
        n = wait_for_packets(live, LAST_LOOK_MS) == 1 ? write_some(live) : -1;
    pcap_dump_close(live->dumper);
    return NULL;
}

static bool activate(pcap_t *pcap, char *error)
{
    pcap_set_snaplen(pcap, CAPTURE_OCTETS_MAX);
    pcap_set_promisc(pcap, 1);
    pcap_set_timeout(pcap, KERNEL_MS);
    pcap_set_buffer_size(pcap, BUFFER_OCTETS);
    pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    int status = pcap_activate(pcap);
    const char *more = pcap_geterr(pcap);
    if (status < 0)
        snprintf(error, CAPTURE_TEXT, "%s%s%.150s", pcap_statustostr(status), *more ? ": " : "",
                 more);
    return status >= 0;
}

static bool open_pipe(struct capture_live *live)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    FILE *out = fdopen(ends[1], "w");
    live->read_fd = ends[0];
    if (out)
        live->dumper = pcap_dump_fopen(live->pcap, out);
    if (!live->dumper) {
        out ? (void)fclose(out) : (void)close(ends[1]);
        close(ends[0]);
    }
    return live->dumper;
}

static bool begin(struct capture_live *live, const char *interface, char *error)
{
    char text[PCAP_ERRBUF_SIZE];
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    live->pcap = pcap_create(interface, text);
    if (!live->pcap) {
        snprintf(error, CAPTURE_TEXT, "%.250s", text);
        return false;
    }
    bool good = activate(live->pcap, error) && pcap_setnonblock(live->pcap, 1, text) == 0;
    error[0] = good ? '\0' : error[0];
    good = good && open_pipe(live);
    pthread_sigmask(SIG_BLOCK, &ends, &live->mask);
    int fault = good ? pthread_create(&live->thread, NULL, work, live) : errno;
    if (good && fault) {
        pcap_dump_close(live->dumper);
        close(live->read_fd);
    }
    if (!good || fault)
        pthread_sigmask(SIG_SETMASK, &live->mask, NULL);
    if (!error[0] && fault)
        snprintf(error, CAPTURE_TEXT, "%s", strerror(fault));
    if (!good || fault)
        pcap_close(live->pcap);
    return good && !fault;
}

struct capture_live *capture_live_open(const char *interface, const volatile sig_atomic_t *ended,
                                       char error[CAPTURE_TEXT])
{
    struct capture_live *live = calloc(1, sizeof *live);
    if (!live)
        abort();
    live->ended = ended;
    if (begin(live, interface, error))
        return live;
    free(live);
    return NULL;
}

int capture_live_take(struct capture_live *live)
{
    int fd = live->read_fd;
    live->read_fd = -1;
    return fd;
}

void capture_live_close(struct capture_live *live, char why[CAPTURE_TEXT])
{
    struct pcap_stat stat = {0};
    __atomic_store_n(&live->over, true, __ATOMIC_RELAXED);
    if (live->read_fd >= 0)
        close(live->read_fd);
    pthread_join(live->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &live->mask, NULL);
    memcpy(why, live->fault, sizeof live->fault);
    if (!why[0] && pcap_stats(live->pcap, &stat) == 0 && stat.ps_drop > 0)
        snprintf(why, CAPTURE_TEXT,
                 "the kernel lost %u packets, for which the program was too slow", stat.ps_drop);
    pcap_close(live->pcap);
    free(live);
}
