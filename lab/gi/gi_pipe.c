// See gi_pipe.h. With two threads the file is read in pieces, each of which is a batch. Pieces are
// stepped through in their order, for one begins where the one before ends; all else of them is
// done by both threads at once, each for the pieces that it has claimed. The taker takes the
// batches in their order, and reads a piece itself where the next one is not there yet. A file
// without pieces is read by the reader alone.
#include "lab/gi/gi_pipe.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lab/gi/gi_hints.h"
#include "lab/gi/gi_parts.h"

// How far the taker may fall behind, as it does where flows begin and end by the thousand: so many
// batches, as long as these have so many frames, for those take memory.
#define BATCHES       64
#define FRAMES_BEHIND 32768
#define ALONE         1024 // frames of a batch that is no piece
// To wake a thread takes as long as hundreds of frames, so one that sleeps does so until there are
// several batches for it, or so many places, of which one may do where they are long; and it tries
// for some tens of microseconds before.
#define SEVERAL 4
#define TRIES   2000

enum { READER, TAKER, THREADS };

struct place {
    struct gi_batch *batch;
    bool last;
    alignas(64) atomic_uint_fast64_t filled; // 1 + the number of the batch
};

enum awaited { NOTHING, TURN, ROOM, BATCH };

struct sleeper { // of each thread
    atomic_int awaits;
    atomic_uint_fast64_t number; // of a batch
};

struct pipe {
    struct gi *gi;
    struct capture_file *capture;
    gi_go_on_fn *go_on;
    void *self;
    struct place *place; // so many, in a ring
    struct gi_batch *batches;
    struct capture_records *records[THREADS]; // of the piece that each has
    bool shared;                              // the file has pieces
    alignas(64) atomic_uint_fast64_t frames;  // stepped through
    bool ended; // there is no piece behind those that were stepped through
    alignas(64) atomic_uint_fast64_t claimed;
    // Which piece is to be stepped through: who has claimed that one has the file.
    alignas(64) atomic_uint_fast64_t turn;
    alignas(64) atomic_uint_fast64_t taken;
    atomic_uint_fast64_t frames_taken;
    atomic_bool all_read;
    struct sleeper sleeper[THREADS];
    pthread_mutex_t lock; // of the sleepers
    pthread_cond_t woken;
    // Batches that nobody has, a bit each. The first of them is given out: mostly few are in use,
    // and these stay in the caches; and long ones are few, and take memory for no others.
    alignas(64) atomic_uint_fast64_t spare;
};

// A batch as full as can be: libpcap gives one frame at a time.
static void fill(struct pipe *pipe, struct gi_batch *batch)
{
    struct capture_packet packets[ALONE];
    struct gi_reader *reader = pipe->gi->reader[READER];
    gi_batch_begin(batch, reader);
    if (!pipe->go_on(pipe->self, pipe->frames))
        return;
    for (uint32_t n, room;
         (room = ALONE - batch->frames) &&
         (n = capture_file_read(pipe->capture, packets, room, reader->counts.capture));)
        gi_batch_add(batch, packets, n, reader);
    pipe->frames += batch->frames;
}

static void read_alone(struct pipe *pipe)
{
    struct gi_batch *batch = pipe->gi->batch;
    for (fill(pipe, batch); batch->frames; fill(pipe, batch))
        gi_batch_take(pipe->gi, batch);
}

// ---- Between two threads ----

static_assert(ALONE <= GI_FRAMES_MOST, "a batch has room for its frames");
static_assert(BATCHES == 64, "a bit of `spare` each");
static_assert(FRAMES_BEHIND >= SEVERAL * ALONE, "who sleeps until there are several gets them");
static_assert(THREADS == GI_READERS, "each may read");

static struct place *place_of(const struct pipe *pipe, uint64_t number)
{
    return &pipe->place[number % BATCHES];
}

static void give_batch(struct pipe *pipe, struct place *place)
{
    uint_fast64_t spare = atomic_load(&pipe->spare);
    while (!atomic_compare_exchange_weak(&pipe->spare, &spare, spare & (spare - 1)))
        ;
    place->batch = &pipe->batches[__builtin_ctzll(spare)];
    gi_batch_own(place->batch);
}

static void take_back(struct pipe *pipe, const struct gi_batch *batch)
{
    atomic_fetch_or(&pipe->spare, UINT64_C(1) << (batch - pipe->batches));
}

static bool is_there(struct pipe *pipe, enum awaited awaited, uint64_t number)
{
    if (awaited == TURN)
        return atomic_load(&pipe->turn) == number;
    if (awaited == ROOM)
        return number < atomic_load(&pipe->taken) + BATCHES &&
               atomic_load(&pipe->frames) - atomic_load(&pipe->frames_taken) < FRAMES_BEHIND;
    return atomic_load(&place_of(pipe, number)->filled) == number + 1 ||
           atomic_load(&pipe->all_read);
}

static void sleep_until(struct pipe *pipe, int thread, enum awaited awaited, uint64_t number)
{
    struct sleeper *sleeper = &pipe->sleeper[thread];
    pthread_mutex_lock(&pipe->lock);
    atomic_store(&sleeper->number, number);
    atomic_store(&sleeper->awaits, awaited);
    while (!is_there(pipe, awaited, number))
        pthread_cond_wait(&pipe->woken, &pipe->lock);
    atomic_store(&sleeper->awaits, NOTHING);
    pthread_mutex_unlock(&pipe->lock);
}

// ahead: how many behind that one a sleep waits for.
static void wait_until(struct pipe *pipe, int thread, enum awaited awaited, uint64_t number,
                       uint64_t ahead)
{
    for (int i = 0; i < TRIES; i++) {
        if (is_there(pipe, awaited, number))
            return;
        __builtin_ia32_pause();
    }
    sleep_until(pipe, thread, awaited, number + ahead);
}

// The other thread's wait may be over.
static void tell(struct pipe *pipe, int thread)
{
    const struct sleeper *other = &pipe->sleeper[!thread];
    enum awaited awaited = (enum awaited)atomic_load(&other->awaits);
    if (awaited == NOTHING || !is_there(pipe, awaited, atomic_load(&other->number)))
        return;
    pthread_mutex_lock(&pipe->lock);
    pthread_cond_signal(&pipe->woken);
    pthread_mutex_unlock(&pipe->lock);
}

// ---- Pieces ----

// In the piece's turn. Behind the end there are no packets.
static bool step(struct pipe *pipe, int thread, const struct capture_piece *piece)
{
    struct capture_records *records = pipe->records[thread];
    uint64_t *counts = pipe->gi->reader[thread]->counts.capture;
    records->n = 0;
    if (!pipe->ended)
        pipe->ended = !pipe->go_on(pipe->self, pipe->frames) ||
                      !capture_file_step(pipe->capture, piece, records, counts);
    pipe->frames += records->n;
    return !pipe->ended;
}

// A piece that nobody has claimed yet, if there is room for it: who sleeps until there is has
// claimed nothing that the other would wait for.
static bool claim(struct pipe *pipe, uint64_t *number)
{
    *number = atomic_load(&pipe->claimed);
    return is_there(pipe, ROOM, *number) &&
           atomic_compare_exchange_strong(&pipe->claimed, number, *number + 1);
}

// That piece, into its place, which is empty.
static void read_piece(struct pipe *pipe, int thread, uint64_t number)
{
    struct gi_reader *reader = pipe->gi->reader[thread];
    struct capture_piece piece;
    struct place *place = place_of(pipe, number);
    give_batch(pipe, place);
    capture_file_fetch(pipe->capture, number, (uint32_t)thread, &piece);
    wait_until(pipe, thread, TURN, number, 0);
    place->last = !step(pipe, thread, &piece);
    atomic_store(&pipe->turn, number + 1);
    tell(pipe, thread);
    gi_batch_begin(place->batch, reader);
    gi_batch_add_records(place->batch, pipe->records[thread], reader);
}

// ---- The reader ----

static void read_batch(struct pipe *pipe, uint64_t number)
{
    struct place *place = place_of(pipe, number);
    if (pipe->shared) {
        read_piece(pipe, READER, number);
        return;
    }
    give_batch(pipe, place);
    fill(pipe, place->batch);
    place->last = place->batch->frames == 0;
}

static void *read_ahead(void *self)
{
    struct pipe *pipe = self;
    uint64_t number;
    for (bool more = true; more;) {
        while (!claim(pipe, &number))
            wait_until(pipe, READER, ROOM, number, SEVERAL - 1);
        read_batch(pipe, number);
        more = !place_of(pipe, number)->last;
        atomic_store(&place_of(pipe, number)->filled, number + 1);
        atomic_store(&pipe->all_read, !more);
        tell(pipe, READER);
    }
    return NULL;
}

// ---- The taker ----

// Until that batch is there, pieces are read.
static void wait_and_read(struct pipe *pipe, uint64_t number)
{
    struct place *place = place_of(pipe, number);
    uint64_t other;
    while (atomic_load(&place->filled) != number + 1) {
        if (!pipe->shared || !claim(pipe, &other)) {
            wait_until(pipe, TAKER, BATCH, number, pipe->shared ? 0 : SEVERAL - 1);
            continue;
        }
        read_piece(pipe, TAKER, other);
        atomic_store(&place_of(pipe, other)->filled, other + 1);
    }
}

static void fetch_next(struct pipe *pipe, uint64_t number)
{
    struct place *place = place_of(pipe, number);
    if (atomic_load(&place->filled) == number + 1)
        gi_batch_fetch(place->batch);
}

static void take_behind(struct pipe *pipe)
{
    bool more = true;
    for (uint64_t number = 0; more; number++) {
        const struct place *place = place_of(pipe, number);
        wait_and_read(pipe, number);
        fetch_next(pipe, number + 1);
        gi_batch_take(pipe->gi, place->batch);
        atomic_fetch_add(&pipe->frames_taken, place->batch->frames);
        take_back(pipe, place->batch);
        more = !place->last;
        atomic_store(&pipe->taken, number + 1);
        tell(pipe, TAKER);
    }
    atomic_fetch_add(&pipe->taken, BATCHES); // the reader may wait for room: it finds the end then
    tell(pipe, TAKER);
}

// ---- Both ----

// Signals are for the reader: they wake it where the file is a pipe in which nothing comes. What
// their handler sets is a word by itself, which the taker may ask for, too.
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

static void create(struct pipe *pipe)
{
    pipe->shared = capture_file_has_pieces(pipe->capture);
    pipe->place = aligned_alloc(alignof(struct place), BATCHES * sizeof *pipe->place);
    pipe->batches = aligned_alloc(GI_LINE_OCTETS, BATCHES * sizeof *pipe->batches);
    for (int i = 0; i < THREADS; i++)
        pipe->records[i] = malloc(sizeof *pipe->records[i]);
    if (!pipe->place || !pipe->batches || !pipe->records[READER] || !pipe->records[TAKER])
        abort();
    for (uint32_t i = 0; i < BATCHES; i++)
        atomic_init(&pipe->place[i].filled, 0);
    atomic_init(&pipe->spare, UINT64_MAX);
    pthread_mutex_init(&pipe->lock, NULL);
    pthread_cond_init(&pipe->woken, NULL);
}

static void destroy(struct pipe *pipe)
{
    pthread_cond_destroy(&pipe->woken);
    pthread_mutex_destroy(&pipe->lock);
    for (int i = 0; i < THREADS; i++)
        free(pipe->records[i]);
    free(pipe->batches);
    free(pipe->place);
}

// False: there is no second thread to be had.
static bool read_with_two(struct pipe *pipe)
{
    create(pipe);
    bool begun = read_and_take(pipe);
    destroy(pipe);
    return begun;
}

uint64_t gi_pipe_read(struct gi *gi, struct capture_file *capture, int threads, gi_go_on_fn *go_on,
                      void *self)
{
    struct pipe pipe = {.gi = gi, .capture = capture, .go_on = go_on, .self = self};
    if (threads == 1 || !read_with_two(&pipe))
        read_alone(&pipe);
    gi_take_counts(gi);
    return pipe.frames;
}
