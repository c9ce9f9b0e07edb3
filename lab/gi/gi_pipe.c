// See gi_pipe.h. Batches go round in a ring: the reader waits for an empty one, the taker for a
// filled one. A batch without frames is the end. What the reader counts is added when it has ended.
// Each tells the other of several at once: to wake a thread takes as long as hundreds of frames.
#include "lab/gi/gi_pipe.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdalign.h>
#include <stdlib.h>

#include "lab/gi/gi_parts.h"

#define BATCHES 16
#define TOLD    4  // at once
#define TRIES   50 // before a thread sleeps

struct pipe {
    struct gi *gi;
    struct capture_file *capture;
    gi_go_on_fn *go_on;
    void *self;
    uint64_t frames;
    struct gi_counts counts; // the reader's
    sem_t empty, filled;
    struct gi_batch *batch; // so many
};

// A batch as full as can be: libpcap gives one frame at a time.
static void fill(struct pipe *pipe, struct gi_batch *batch)
{
    struct capture_packet packets[GI_FRAMES_MOST];
    uint64_t *counts = pipe->counts.capture;
    gi_batch_clear(batch);
    if (!pipe->go_on(pipe->self, pipe->frames))
        return;
    for (uint32_t n, room; (room = GI_FRAMES_MOST - batch->frames) &&
                           (n = capture_file_read(pipe->capture, packets, room, counts));)
        gi_batch_add(batch, packets, n, &pipe->gi->rules, &pipe->counts);
    pipe->frames += batch->frames;
}

static void read_alone(struct pipe *pipe)
{
    struct gi_batch *batch = pipe->gi->batch;
    for (fill(pipe, batch); batch->frames; fill(pipe, batch))
        gi_batch_take(pipe->gi, batch);
}

// ---- Two threads ----

static void wait_for(sem_t *sem)
{
    for (int i = 0; i < TRIES; i++) {
        if (sem_trywait(sem) == 0)
            return;
        __builtin_ia32_pause();
    }
    while (sem_wait(sem) != 0) // a signal has come
        continue;
}

// One more is ready; at the end, or when there are enough, the other thread is told.
static void tell(sem_t *sem, uint32_t *ready, bool end)
{
    if (++*ready < TOLD && !end)
        return;
    for (; *ready; --*ready)
        sem_post(sem);
}

static void *read_ahead(void *self)
{
    struct pipe *pipe = self;
    uint32_t ready = 0;
    bool more = true;
    for (uint32_t i = 0; more; i = (i + 1) % BATCHES) {
        wait_for(&pipe->empty);
        fill(pipe, &pipe->batch[i]);
        more = pipe->batch[i].frames > 0;
        tell(&pipe->filled, &ready, !more);
    }
    return NULL;
}

static void take_behind(struct pipe *pipe)
{
    uint32_t ready = 0;
    for (uint32_t i = 0;; i = (i + 1) % BATCHES) {
        wait_for(&pipe->filled);
        if (pipe->batch[i].frames == 0)
            return;
        gi_batch_take(pipe->gi, &pipe->batch[i]);
        tell(&pipe->empty, &ready, false);
    }
}

// Signals are for the thread that reads meanwhile: they wake it where the file is a pipe in which
// nothing comes.
static bool read_and_take(struct pipe *pipe)
{
    pthread_t thread;
    sigset_t all, before;
    if (pthread_create(&thread, NULL, read_ahead, pipe) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    take_behind(pipe);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return true;
}

// False: there is no second thread to be had.
static bool read_with_two(struct pipe *pipe)
{
    pipe->batch = aligned_alloc(alignof(struct gi_batch), BATCHES * sizeof *pipe->batch);
    if (!pipe->batch)
        abort();
    sem_init(&pipe->empty, 0, BATCHES);
    sem_init(&pipe->filled, 0, 0);
    bool begun = read_and_take(pipe);
    sem_destroy(&pipe->filled);
    sem_destroy(&pipe->empty);
    free(pipe->batch);
    return begun;
}

uint64_t gi_pipe_read(struct gi *gi, struct capture_file *capture, int threads, gi_go_on_fn *go_on,
                      void *self)
{
    struct pipe pipe = {.gi = gi, .capture = capture, .go_on = go_on, .self = self};
    if (threads == 1 || !read_with_two(&pipe))
        read_alone(&pipe);
    gi_counts_add(&gi->counts, &pipe.counts);
    return pipe.frames;
}
