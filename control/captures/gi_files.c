// See gi_files.h.
#include "control/captures/gi_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control/client/value.h"
#include "control/process/signals.h"
#include "dataplane/base/units.h"
#include "lab/captures/read/capture_live.h"
#include "lab/captures/read/capture_peel.h"

#define PROGRESS_FRAMES 65536

const char *gi_files_name(const struct gi_file *file, char text[GI_FILES_NAME_OCTETS])
{
    return value_printable(file->path, text, GI_FILES_NAME_OCTETS);
}

struct progress {
    const struct capture_file *capture;
    const struct gi_file *file;
    uint64_t next_frame;
    struct timespec begin;
    bool shown;
};

// Of a live capture it is the way to end.
static bool is_cut_short(const struct gi_file *file)
{
    return signals_ended && !file->live;
}

// Asked each few thousand frames, on a terminal alone.
static void show(struct progress *progress, uint64_t frames)
{
    struct timespec now;
    char name[GI_FILES_NAME_OCTETS];
    progress->next_frame = frames + PROGRESS_FRAMES;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double s = (double)(now.tv_sec - progress->begin.tv_sec) +
               (double)(now.tv_nsec - progress->begin.tv_nsec) / S_IN_NS;
    double part = capture_file_progress(progress->capture);
    fprintf(stderr, "\r%s: %" PRIu64 " frames", gi_files_name(progress->file, name), frames);
    if (part >= 0)
        fprintf(stderr, ", %.0f %%", 100 * part);
    if (s > 0)
        fprintf(stderr, ", %.2f million a second", (double)frames / s / 1e6);
    fprintf(stderr, "\033[K");
    progress->shown = true;
}

static struct progress begin_progress(const struct capture_file *capture,
                                      const struct gi_file *file)
{
    struct progress progress = {.capture = capture, .file = file, .next_frame = UINT64_MAX};
    if (!isatty(STDERR_FILENO))
        return progress;
    clock_gettime(CLOCK_MONOTONIC, &progress.begin);
    progress.next_frame = PROGRESS_FRAMES;
    return progress;
}

static bool go_on(void *self, uint64_t frames)
{
    struct progress *progress = self;
    if (frames >= progress->next_frame)
        show(progress, frames);
    return !is_cut_short(progress->file);
}

static void take_all(struct gi *gi, struct capture_file *capture, struct gi_file *file)
{
    struct progress progress = begin_progress(capture, file);
    file->frames = gi_read(gi, capture, go_on, &progress);
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
    const char *damage = is_cut_short(file) ? "interrupted" : capture_file_damage(capture);
    if (damage)
        snprintf(file->fault, sizeof file->fault, "%s", damage);
}

static void say_fault(const struct gi_file *file)
{
    char name[GI_FILES_NAME_OCTETS];
    fprintf(stderr, "sluice gi: %s: %s\n", gi_files_name(file, name), file->fault);
}

// ---- Their order ----

// What can be read only once stays open, as one file alone does.
static void look_at(struct gi_file *file, bool alone)
{
    struct capture_file *capture = file->live
                                       ? capture_file_of(capture_live_take(file->live), file->fault)
                                       : capture_file_open(file->path, file->fault);
    int link = capture ? capture_file_link(capture) : 0;
    file->opened = capture && (link < 0 || capture_peel_knows(link));
    if (capture && !file->opened)
        snprintf(file->fault, sizeof file->fault, "link type %d is not read", link);
    if (file->opened && !alone)
        capture_file_first_ns(capture, &file->first_ns);
    if (file->opened && (alone || capture_file_progress(capture) < 0))
        file->capture = capture;
    else if (capture)
        capture_file_close(capture);
}

static int compare_files(const void *a, const void *b)
{
    const struct gi_file *one = a, *other = b;
    if (one->first_ns != other->first_ns)
        return one->first_ns < other->first_ns ? -1 : 1;
    return one->place - other->place;
}

bool gi_files_sort(struct gi_file *files, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        files[i].place = i;
        files[i].first_ns = i ? files[i - 1].first_ns : 0;
        look_at(&files[i], n == 1);
        any |= files[i].opened;
    }
    for (int i = 0; i < n && !any; i++)
        say_fault(&files[i]);
    qsort(files, (size_t)n, sizeof *files, compare_files);
    return any;
}

static void close_live(struct gi_file *file)
{
    char why[CAPTURE_TEXT];
    capture_live_close(file->live, why);
    file->live = NULL;
    if (!file->fault[0])
        memcpy(file->fault, why, sizeof file->fault);
}

void gi_files_close(struct gi_file *files, int n)
{
    for (int i = 0; i < n; i++)
        if (files[i].capture)
            capture_file_close(files[i].capture);
    for (int i = 0; i < n; i++)
        if (files[i].live)
            close_live(&files[i]);
}

// ---- Reading ----

void gi_files_read(struct gi *gi, struct gi_file *file, struct capture_filter *filter,
                   uint64_t *time_ns)
{
    struct capture_file *capture = file->capture;
    file->capture = NULL;
    if (file->opened && !capture)
        capture = capture_file_open(file->path, file->fault);
    file->opened = capture != NULL;
    if (capture) {
        capture_file_begin_at(capture, *time_ns);
        capture_file_filter(capture, filter);
        take_all(gi, capture, file);
        *time_ns = capture_file_time_ns(capture);
        capture_file_close(capture);
    }
    if (file->live)
        close_live(file);
    if (file->fault[0])
        say_fault(file);
}
