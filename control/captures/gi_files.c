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

const char *gi_files_name(const struct capture_part *part, char text[GI_FILES_NAME_OCTETS])
{
    return value_printable(part->path, text, GI_FILES_NAME_OCTETS);
}

static void say_fault(const struct capture_part *part)
{
    char name[GI_FILES_NAME_OCTETS];
    fprintf(stderr, "sluice gi: %s: %s\n", gi_files_name(part, name), part->fault);
}

// ---- Progress ----

struct progress {
    const struct capture_merge *merge;
    const struct gi_files *files;
    uint64_t next_frame;
    struct timespec begin;
    bool shown;
};

// Of a live capture it is the way to end.
static bool is_cut_short(const struct gi_files *files)
{
    return signals_ended && !files->live;
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
    double part = capture_merge_progress(progress->merge);
    fprintf(stderr, "\r%s: %" PRIu64 " frames",
            gi_files_name(capture_merge_part(progress->merge), name), frames);
    if (part >= 0)
        fprintf(stderr, ", %.0f %%", 100 * part);
    if (s > 0)
        fprintf(stderr, ", %.2f million a second", (double)frames / s / 1e6);
    fprintf(stderr, "\033[K");
    progress->shown = true;
}

static struct progress begin_progress(const struct capture_merge *merge,
                                      const struct gi_files *files)
{
    struct progress progress = {.merge = merge, .files = files, .next_frame = UINT64_MAX};
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
    return !is_cut_short(progress->files);
}

// ---- Opening and closing ----

// A pcap file says in its head which link it is of.
static void check_link(struct capture_part *part)
{
    if (!part->opened || part->link < 0 || capture_peel_knows(part->link))
        return;
    snprintf(part->fault, sizeof part->fault, "link type %d is not read", part->link);
    capture_parts_close(part, 1);
    part->opened = false;
}

bool gi_files_open(struct gi_files *files)
{
    bool any = false;
    if (files->live)
        files->part[0].file = capture_file_of(capture_live_take(files->live), files->part[0].fault);
    if (!files->live || files->part[0].file)
        capture_parts_sort(files->part, files->n);
    for (uint32_t i = 0; i < files->n; i++) {
        check_link(&files->part[i]);
        any |= files->part[i].opened;
    }
    for (uint32_t i = 0; i < files->n && !any; i++)
        say_fault(&files->part[i]);
    return any;
}

static void close_live(struct gi_files *files)
{
    char why[CAPTURE_TEXT];
    if (!files->live)
        return;
    capture_live_close(files->live, why);
    files->live = NULL;
    if (!files->part[0].fault[0])
        memcpy(files->part[0].fault, why, sizeof files->part[0].fault);
}

void gi_files_close(struct gi_files *files)
{
    capture_parts_close(files->part, files->n);
    close_live(files);
}

// ---- Reading ----

// Those that were being read, of which there may be no packet yet; a read that the signal ends is
// no other fault.
static void interrupt(struct gi_files *files, const struct capture_part *last)
{
    for (uint32_t i = 0; i < files->n; i++) {
        struct capture_part *part = &files->part[i];
        if (part->opened && (part->file || part == last))
            snprintf(part->fault, sizeof part->fault, "interrupted");
    }
}

bool gi_files_read(struct gi *gi, struct gi_files *files, struct capture_filter *filter)
{
    struct capture_merge *merge = capture_merge_create(files->part, files->n, filter);
    struct progress progress = begin_progress(merge, files);
    bool good = true;
    gi_read(gi, merge, go_on, &progress);
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
    if (is_cut_short(files))
        interrupt(files, capture_merge_part(merge));
    capture_merge_destroy(merge);
    capture_parts_close(files->part, files->n);
    close_live(files);
    for (uint32_t i = 0; i < files->n; i++) {
        const struct capture_part *part = &files->part[i];
        if (part->fault[0])
            say_fault(part);
        good = good && part->opened && !(part->fault[0] && part->packets == 0);
    }
    return good;
}
