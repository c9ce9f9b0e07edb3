// See capture_file.h.
#include "lab/captures/read/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/base/units.h"
#include "lab/captures/read/capture_filter.h"
#include "lab/captures/read/capture_records.h"

#define SECONDS_MAX 9223372035LL // the year 2262; ns since 1970 fit 63 bits until then

#define CAPTURE_COUNT(name, help) #name,
const char *const capture_count_names[] = {
#include "lab/captures/read/capture_counts.def"
};
#undef CAPTURE_COUNT
#define CAPTURE_COUNT(name, help) help,
const char *const capture_count_helps[] = {
#include "lab/captures/read/capture_counts.def"
};
#undef CAPTURE_COUNT

struct capture_file {
    int fd;
    struct capture_source source;
    struct capture_records records;
    uint64_t size_octets; // 0: no file
    uint64_t packets, time_ns;
    struct capture_raw first; // that was looked at, and is the next one to be read
    bool has_first;
    char damage[CAPTURE_TEXT];
    struct capture_filter *filter; // NULL: all packets
};

// ---- Opening ----

static bool open_all(struct capture_file *file, char *error)
{
    struct stat stat;
    if (file->fd < 0) {
        snprintf(error, CAPTURE_TEXT, "%s", strerror(errno));
        return false;
    }
    if (file->fd != STDIN_FILENO && fstat(file->fd, &stat) == 0 && S_ISREG(stat.st_mode))
        file->size_octets = (uint64_t)stat.st_size;
    if (!capture_source_open(&file->source, file->fd, error))
        return false;
    if (capture_records_open(&file->records, &file->source, error))
        return true;
    capture_source_close(&file->source);
    return false;
}

static void close_fd(struct capture_file *file)
{
    if (file->fd > STDIN_FILENO)
        close(file->fd);
}

struct capture_file *capture_file_open(const char *path, char error[CAPTURE_TEXT])
{
    return capture_file_of(strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
                           error);
}

struct capture_file *capture_file_of(int fd, char error[CAPTURE_TEXT])
{
    struct capture_file *file = calloc(1, sizeof *file);
    if (!file)
        abort();
    file->fd = fd;
    if (open_all(file, error))
        return file;
    close_fd(file);
    free(file);
    return NULL;
}

// ---- Packets ----

// False: its stamp is none.
static bool take_stamp(const struct capture_raw *raw, uint64_t *time_ns)
{
    if (raw->seconds < 0 || raw->seconds > SECONDS_MAX || raw->part_ns < 0 ||
        raw->part_ns >= (int64_t)S_IN_NS)
        return false;
    *time_ns = (uint64_t)raw->seconds * S_IN_NS + (uint64_t)raw->part_ns;
    return true;
}

static void judge(struct capture_file *file, struct capture_packet *packet,
                  const struct capture_raw *raw, uint64_t *counts)
{
    uint32_t captured = raw->captured, length = raw->length;
    if (captured > length || length > CAPTURE_OCTETS_MAX) {
        counts[CAPTURE_length_impossible]++;
        length = length > CAPTURE_OCTETS_MAX ? CAPTURE_OCTETS_MAX : length;
        captured = captured > length ? length : captured;
    }
    counts[CAPTURE_cut] += captured < length;
    counts[CAPTURE_stamp_impossible] += !take_stamp(raw, &file->time_ns);
    *packet = (struct capture_packet){.number = ++file->packets,
                                      .time_ns = file->time_ns,
                                      .link = raw->link,
                                      .octets = raw->octets,
                                      .captured = captured,
                                      .length = length};
}

void capture_file_filter(struct capture_file *file, struct capture_filter *filter)
{
    file->filter = filter;
}

// False also if the filter cannot be used, which ends the file.
static bool passes(struct capture_file *file, const struct capture_packet *packet, uint64_t *counts)
{
    int takes = file->filter ? capture_filter_takes(file->filter, packet, file->damage) : 1;
    counts[CAPTURE_filtered] += takes == 0;
    return takes > 0;
}

uint32_t capture_file_read(struct capture_file *file, struct capture_packet *packets, uint32_t most,
                           uint64_t counts[CAPTURE_COUNTS])
{
    struct capture_raw raw;
    uint32_t n = 0;
    if (file->has_first && most) {
        file->has_first = false;
        judge(file, &packets[0], &file->first, counts);
        n += passes(file, &packets[0], counts);
    }
    // What is behind damage are no packets.
    while (n < most && !file->damage[0] &&
           capture_records_next(&file->records, &file->source, &raw, n == 0, file->damage) ==
               CAPTURE_GOT_IT) {
        judge(file, &packets[n], &raw, counts);
        n += passes(file, &packets[n], counts);
    }
    return n;
}

bool capture_file_first_ns(struct capture_file *file, uint64_t *time_ns)
{
    if (!file->has_first)
        file->has_first = capture_records_next(&file->records, &file->source, &file->first, true,
                                               file->damage) == CAPTURE_GOT_IT;
    return file->has_first && take_stamp(&file->first, time_ns);
}

void capture_file_begin_at(struct capture_file *file, uint64_t time_ns)
{
    file->time_ns = time_ns;
}

const char *capture_file_damage(const struct capture_file *file)
{
    return file->damage[0] ? file->damage : NULL;
}

int capture_file_link(const struct capture_file *file)
{
    return file->records.is_pcapng ? -1 : file->records.pcap.link;
}

double capture_file_progress(const struct capture_file *file)
{
    return file->size_octets ? (double)file->source.read_octets / (double)file->size_octets : -1;
}

void capture_file_close(struct capture_file *file)
{
    capture_records_close(&file->records);
    capture_source_close(&file->source);
    close_fd(file);
    free(file);
}
