// See measure.h: the capture of user traffic while the worker is timed. A thread of its own takes
// what the worker's mirror has, as the recorder of a run does, and writes it nowhere: so no disk is
// measured, and what the thread does not take in time is missed and counted.
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "bench/throughput/measure.h"

static struct {
    struct mirror *mirror;
    struct dp *dp;
    int worker_processor;
    bool stop;
    uint64_t octets;
    pthread_t thread;
} reader;

// Away from the worker's processor, as the recorder is.
static void move_away(int processor)
{
    cpu_set_t others;
    memset(&others, 0xff, sizeof others);
    CPU_CLR(processor, &others);
    sched_setaffinity(0, sizeof others, &others);
}

static void *take_all(void *unused)
{
    uint32_t waiting;
    move_away(reader.worker_processor);
    while (!__atomic_load_n(&reader.stop, __ATOMIC_ACQUIRE)) {
        mirror_waiting(reader.mirror, &waiting);
        mirror_done(reader.mirror, waiting);
        reader.octets += waiting;
        if (!waiting)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return unused;
}

bool mirrored_begin(struct generator *g)
{
    reader.dp = g->population->dp;
    reader.worker_processor = sched_getcpu();
    if (dp_mirrors_open(reader.dp, MIRROR_SNAP_MOST, 0) != 0)
        return false;
    reader.mirror = dp_mirror(reader.dp, 0);
    if (pthread_create(&reader.thread, NULL, take_all, NULL) != 0)
        return false;
    dp_mirrors_on(reader.dp);
    return true;
}

struct mirrored mirrored_end(void)
{
    struct mirrored all = {0};
    dp_mirrors_off(reader.dp); // the worker lets go at its next poll; the dataplane closes them
    __atomic_store_n(&reader.stop, true, __ATOMIC_RELEASE);
    pthread_join(reader.thread, NULL);
    for (int i = 0; i < MIRROR_INTERFACES; i++) {
        all.copied += reader.mirror->count[i].copied;
        all.missed += reader.mirror->count[i].missed;
    }
    all.octets = reader.octets;
    return all;
}
