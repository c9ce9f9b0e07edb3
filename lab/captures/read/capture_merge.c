// See capture_merge.h. A part is opened when the packets of the others have come to its first one,
// so a ring of files has one or two open.
#include "lab/captures/read/capture_merge.h"

#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"

#define PACKETS 64 // that are looked at beforehand

// A part that is open. Its packets are valid until it is read again.
struct active {
    struct capture_part *part;
    struct capture_packet packet[PACKETS];
    uint32_t next, n;
    bool lent; // some of them are in the caller's hands
};

struct capture_merge {
    struct capture_part *parts;
    uint32_t n, next; // next: to be opened
    struct capture_filter *filter;
    struct active *active[CAPTURE_MERGE_AT_ONCE]; // in the order of the parts
    uint32_t actives;
    uint64_t time_ns; // of the last packet that was given out
};

// ---- Their order ----

static void look_at(struct capture_part *part, bool alone)
{
    struct capture_file *file =
        part->file ? part->file : capture_file_open(part->path, part->fault);
    part->file = NULL;
    part->opened = file != NULL;
    if (!file)
        return;
    part->link = capture_file_link(file);
    part->is_behind = !alone && !capture_file_first_ns(file, &part->first_ns);
    if (alone || capture_file_progress(file) < 0)
        part->file = file;
    else
        capture_file_close(file);
}

static int compare(const void *a, const void *b)
{
    const struct capture_part *one = a, *other = b;
    if (one->first_ns != other->first_ns)
        return one->first_ns < other->first_ns ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

bool capture_parts_sort(struct capture_part *parts, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        parts[i].place = i;
        parts[i].first_ns = i ? parts[i - 1].first_ns : 0;
        look_at(&parts[i], n == 1);
        any |= parts[i].opened;
    }
    qsort(parts, n, sizeof *parts, compare);
    return any;
}

void capture_parts_close(struct capture_part *parts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (parts[i].file) {
            capture_file_close(parts[i].file);
            parts[i].file = NULL;
        }
}

struct capture_merge *capture_merge_create(struct capture_part *parts, uint32_t n,
                                           struct capture_filter *filter)
{
    struct capture_merge *merge = need(calloc(1, sizeof *merge));
    merge->parts = parts;
    merge->n = n;
    merge->filter = filter;
    for (uint32_t i = 0; i < n; i++)
        if (parts[i].opened) {
            parts[i].ended = false;
            parts[i].packets = 0;
            parts[i].fault[0] = '\0';
        }
    return merge;
}

// ---- Parts begin and end ----

static void open_next(struct capture_merge *merge)
{
    struct capture_part *part = &merge->parts[merge->next++];
    if (part->opened && !part->file)
        part->file = capture_file_open(part->path, part->fault);
    part->opened = part->file != NULL;
    part->ended = !part->opened;
    if (part->ended)
        return;
    capture_file_begin_at(part->file, merge->time_ns);
    capture_file_filter(part->file, merge->filter);
    struct active *active = need(calloc(1, sizeof *active));
    active->part = part;
    merge->active[merge->actives++] = active;
}

static void end(struct capture_merge *merge, uint32_t i)
{
    struct capture_part *part = merge->active[i]->part;
    const char *damage = capture_file_damage(part->file);
    if (damage)
        memcpy(part->fault, damage, strlen(damage) + 1);
    part->ended = true;
    capture_file_close(part->file);
    part->file = NULL;
    free(merge->active[i]);
    merge->actives--;
    for (; i < merge->actives; i++)
        merge->active[i] = merge->active[i + 1];
}

// ---- Packets ----

static uint64_t next_ns(const struct active *active)
{
    return active->packet[active->next].time_ns;
}

// That part has a packet to give, or has ended. False: only once the caller has let go of those
// that it has.
static bool refill(struct capture_merge *merge, uint32_t i, uint64_t *counts)
{
    struct active *active = merge->active[i];
    if (active->lent)
        return false;
    active->next = 0;
    active->n = capture_file_read(active->part->file, active->packet, PACKETS, counts);
    if (active->n == 0)
        end(merge, i);
    return true;
}

// The part whose next packet is the first; NULL: there is none, or not now.
static struct active *first_of(struct capture_merge *merge, uint64_t *counts)
{
    struct active *first = NULL;
    for (uint32_t i = 0; i < merge->actives;) {
        struct active *active = merge->active[i];
        if (active->next == active->n) {
            if (!refill(merge, i, counts))
                return NULL;
            continue;
        }
        if (!first || next_ns(active) < next_ns(first))
            first = active;
        i++;
    }
    return first;
}

static bool must_open(const struct capture_merge *merge, const struct active *first)
{
    const struct capture_part *next = &merge->parts[merge->next];
    if (merge->next == merge->n || merge->actives == CAPTURE_MERGE_AT_ONCE)
        return false;
    return merge->actives == 0 || (first && !next->is_behind && next->first_ns <= next_ns(first));
}

static void let_go(struct capture_merge *merge)
{
    for (uint32_t i = 0; i < merge->actives; i++)
        merge->active[i]->lent = false;
}

// The last part alone needs no comparison, and no copies.
static uint32_t read_last(struct capture_merge *merge, struct capture_packet *packets,
                          uint32_t most, uint64_t *counts)
{
    struct active *active = merge->active[0];
    uint32_t n = capture_file_read(active->part->file, packets, most, counts);
    active->part->packets += n;
    if (n == 0)
        end(merge, 0);
    return n;
}

uint32_t capture_merge_read(struct capture_merge *merge, struct capture_packet *packets,
                            uint32_t most, uint64_t counts[CAPTURE_COUNTS])
{
    uint32_t n = 0;
    let_go(merge);
    while (n < most) {
        bool is_last = merge->next == merge->n && merge->actives == 1;
        if (n == 0 && is_last && merge->active[0]->next == merge->active[0]->n)
            return read_last(merge, packets, most, counts);
        struct active *first = first_of(merge, counts);
        if (must_open(merge, first)) {
            open_next(merge);
            continue;
        }
        if (!first)
            break;
        packets[n] = first->packet[first->next++];
        merge->time_ns = packets[n++].time_ns;
        first->part->packets++;
        first->lent = true;
    }
    return n;
}

double capture_merge_progress(const struct capture_merge *merge)
{
    double sum = 0;
    for (uint32_t i = 0; i < merge->n; i++) {
        const struct capture_part *part = &merge->parts[i];
        double progress = part->ended ? 1 : part->file ? capture_file_progress(part->file) : 0;
        if (progress < 0)
            return -1;
        sum += progress;
    }
    return merge->n ? sum / merge->n : 1;
}

const struct capture_part *capture_merge_part(const struct capture_merge *merge)
{
    return merge->next ? &merge->parts[merge->next - 1] : NULL;
}

// A part that was not read to its end stays open, and the caller's.
void capture_merge_destroy(struct capture_merge *merge)
{
    for (uint32_t i = 0; i < merge->actives; i++)
        free(merge->active[i]);
    free(merge);
}
