// See recorder.h.
#include "control/run/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control/process/version.h"
#include "dataplane/base/units.h"

#define NAME         "user.pcapng"
#define NAP_NS       1000000
#define PIECE_OCTETS (1u << 20) // of a write, after which the worker has their room again
#define TEXT_OCTETS  CONTROL_USER_CAPTURE_OCTETS

static uint64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * S_IN_NS + (uint64_t)t.tv_nsec;
}

// ---- The thread ----

// Writes whole blocks. Of a write that fails, those blocks stay that are in the file: so many
// octets.
static uint32_t put(struct recorder *r, const uint8_t *blocks, uint32_t octets)
{
    uint32_t done = 0;
    int fd = fileno(r->out);
    while (done < octets) {
        ssize_t n = write(fd, blocks + done, octets - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (uint32_t)n;
    }
    if (done < octets) {
        r->fault = errno;
        done = mirror_whole_blocks(blocks, octets, done);
        if (ftruncate(fd, (off_t)(r->octets + done)) != 0 || lseek(fd, 0, SEEK_END) < 0)
            r->fault = errno;
    }
    __atomic_store_n(&r->octets, r->octets + done, __ATOMIC_RELAXED);
    return done;
}

// Whole blocks of frames that will not be in the file.
static void lose(struct recorder *r, const uint8_t *at, uint32_t octets)
{
    uint32_t word[3]; // type, octets, interface
    for (const uint8_t *end = at + octets; at < end; at += word[1]) {
        memcpy(word, at, sizeof word);
        uint64_t *lost = &r->lost[word[2]];
        __atomic_store_n(lost, *lost + 1, __ATOMIC_RELAXED);
    }
}

static void lose_what_waits(struct recorder *r)
{
    for (uint32_t i = 0; i < r->workers; i++) {
        uint32_t waiting;
        const uint8_t *at = mirror_waiting(dp_mirror(r->dp, i), &waiting);
        lose(r, at, waiting);
        mirror_done(dp_mirror(r->dp, i), waiting);
    }
}

// Room is kept for the blocks at the end.
static uint64_t room(const struct recorder *r)
{
    uint64_t taken = r->octets + MIRROR_ENDS_OCTETS;
    return r->most_octets > taken ? r->most_octets - taken : 0;
}

// A piece of what waits; returns its octets.
static uint32_t put_piece(struct recorder *r, struct mirror *mirror)
{
    uint32_t waiting;
    const uint8_t *at = mirror_waiting(mirror, &waiting);
    uint32_t octets = mirror_whole_blocks(at, waiting, PIECE_OCTETS);
    uint32_t fit = mirror_whole_blocks(at, octets, room(r));
    r->full = fit < octets;
    uint32_t done = put(r, at, fit);
    lose(r, at + done, octets - done);
    mirror_done(mirror, octets);
    return octets;
}

static uint32_t put_pieces(struct recorder *r)
{
    uint32_t octets = 0;
    for (uint32_t i = 0; i < r->workers && !r->fault && !r->full; i++)
        octets += put_piece(r, dp_mirror(r->dp, i));
    return octets;
}

static void add_counts(const struct recorder *r, struct mirror_count sums[MIRROR_INTERFACES])
{
    for (uint32_t i = 0; i < r->workers; i++)
        for (int j = 0; j < MIRROR_INTERFACES; j++) {
            const struct mirror_count *count = &dp_mirror(r->dp, i)->count[j];
            sums[j].copied += __atomic_load_n(&count->copied, __ATOMIC_RELAXED);
            sums[j].missed += __atomic_load_n(&count->missed, __ATOMIC_RELAXED);
        }
    for (int j = 0; j < MIRROR_INTERFACES; j++) {
        uint64_t lost = __atomic_load_n(&r->lost[j], __ATOMIC_RELAXED);
        sums[j].copied -= lost;
        sums[j].missed += lost;
    }
}

static void put_end(struct recorder *r)
{
    struct mirror_count sums[MIRROR_INTERFACES] = {0};
    uint8_t blocks[MIRROR_ENDS_OCTETS];
    int fault = r->fault;
    add_counts(r, sums);
    put(r, blocks, mirror_file_end(blocks, wall_ns(), sums));
    if (fclose(r->out) != 0 && !r->fault)
        r->fault = errno;
    r->fault = fault ? fault : r->fault;
}

static bool nothing_comes(const struct recorder *r)
{
    return __atomic_load_n(&r->stop, __ATOMIC_ACQUIRE) &&
           (__atomic_load_n(&r->workers_ended, __ATOMIC_RELAXED) || dp_mirrors_rest(r->dp));
}

static void *record(void *self)
{
    struct recorder *r = self;
    bool last = false;
    while (!r->fault && !r->full) {
        uint32_t octets = put_pieces(r);
        if (last && octets == 0)
            break;
        last = nothing_comes(r); // and what has come is taken once more
        if (!last && octets == 0)
            nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    }
    dp_mirrors_off(r->dp);
    lose_what_waits(r); // nothing, but behind a full file or a failed write
    put_end(r);
    __atomic_store_n(&r->ended, true, __ATOMIC_RELEASE);
    return NULL;
}

// ---- Control's thread ----

static struct mirror_count sum_of(const struct recorder *r)
{
    struct mirror_count sums[MIRROR_INTERFACES] = {0}, sum = r->sum;
    if (!r->runs)
        return sum;
    add_counts(r, sums);
    for (int i = 0; i < MIRROR_INTERFACES; i++) {
        sum.copied += sums[i].copied;
        sum.missed += sums[i].missed;
    }
    return sum;
}

static bool tell(void *self, char text[TEXT_OCTETS])
{
    const struct recorder *r = self;
    struct mirror_count sum = sum_of(r);
    text[0] = '\0';
    if (r->path[0])
        snprintf(text, TEXT_OCTETS,
                 "%" PRIu64 " frames copied, %" PRIu64 " missed, %" PRIu64 " octets in %.300s",
                 sum.copied, sum.missed, __atomic_load_n(&r->octets, __ATOMIC_RELAXED), r->path);
    return r->runs;
}

static int open_file(struct recorder *r)
{
    r->out = results_file(r->results, NAME);
    return r->out ? 0 : errno;
}

static int start(struct recorder *r, uint32_t snap_octets)
{
    uint8_t blocks[MIRROR_ENDS_OCTETS];
    char application[64];
    snprintf(application, sizeof application, "Sluice %s", sluice_version);
    uint32_t octets = mirror_file_begin(blocks, snap_octets, application);
    uint64_t epoch_ns = wall_ns() - clock_ns(r->clock);
    int fault = put(r, blocks, octets) == octets ? -dp_mirrors_open(r->dp, snap_octets, epoch_ns)
                                                 : r->fault;
    if (fault)
        return fault;
    fault =
        pthread_create(&r->thread, NULL, record, r); // beside control, not on a worker's processor
    if (fault) {
        dp_mirrors_close(r->dp);
        return fault;
    }
    r->runs = true;
    dp_mirrors_on(r->dp);
    return 0;
}

static bool switch_on(void *self, uint32_t snap_octets, uint64_t most_octets,
                      char text[TEXT_OCTETS])
{
    struct recorder *r = self;
    snprintf(text, TEXT_OCTETS, "the capture of user traffic runs already: %.400s", r->path);
    if (r->runs)
        return true;
    *r = (struct recorder){.dp = r->dp,
                           .workers = r->workers,
                           .results = r->results,
                           .clock = r->clock,
                           .most_octets = most_octets};
    int fault = open_file(r);
    results_whole_path(r->results, NAME, r->path);
    if (!fault && (fault = start(r, snap_octets)) != 0)
        fclose(r->out);
    snprintf(text, TEXT_OCTETS, "%.400s%s%s", r->path, fault ? ": " : "",
             fault ? strerror(fault) : "");
    if (fault)
        r->path[0] = '\0';
    return !fault;
}

static void switch_off(void *self)
{
    struct recorder *r = self;
    dp_mirrors_off(r->dp);
    __atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
}

static void log_end(const struct recorder *r, struct control *control)
{
    char state[TEXT_OCTETS], text[TEXT_OCTETS + 80];
    tell((void *)r, state);
    snprintf(text, sizeof text, "the capture of user traffic has ended%s%s: %s",
             r->fault  ? ", "
             : r->full ? ", the file is full"
                       : "",
             r->fault ? strerror(r->fault) : "", state);
    log_put(&control->log, r->fault || r->full ? LOG_ERROR : LOG_INFO, control->now_ns, text);
}

static void complete(struct recorder *r, struct control *control)
{
    pthread_join(r->thread, NULL);
    lose_what_waits(r); // what workers copied until they saw the end
    r->sum = sum_of(r);
    r->runs = false;
    dp_mirrors_close(r->dp);
    log_end(r, control);
}

void recorder_begin(struct recorder *recorder, struct control *control, struct dp *dp,
                    uint32_t workers, const struct results *results, const struct clock *clock)
{
    *recorder = (struct recorder){.dp = dp, .workers = workers, .results = results, .clock = clock};
    control->user_capture = (struct control_user_capture){recorder, switch_on, switch_off, tell};
}

void recorder_look(struct recorder *recorder, struct control *control)
{
    if (recorder->runs && __atomic_load_n(&recorder->ended, __ATOMIC_ACQUIRE) &&
        dp_mirrors_rest(recorder->dp))
        complete(recorder, control);
}

void recorder_end(struct recorder *recorder, struct control *control)
{
    if (!recorder->runs)
        return;
    __atomic_store_n(&recorder->workers_ended, true, __ATOMIC_RELAXED);
    switch_off(recorder);
    complete(recorder, control);
}
