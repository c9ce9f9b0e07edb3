// See capture_file.h.
#include "lab/captures/read/capture_file.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/base/units.h"
#include "lab/captures/read/capture_plain.h"

#define SECONDS_MAX   9223372035LL // the year 2262; ns since 1970 fit 63 bits until then
#define BUFFER_OCTETS (1 << 20)

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
    FILE *stream;
    pcap_t *pcap; // NULL: `plain` reads it
    struct capture_plain plain;
    int link;
    uint64_t size_octets; // 0: no file
    uint64_t packets, time_ns;
    char damage[CAPTURE_TEXT];
};

// ---- Opening ----

static bool open_pcap(struct capture_file *file, char *error)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    setvbuf(file->stream, NULL, _IOFBF, BUFFER_OCTETS);
    file->pcap =
        pcap_fopen_offline_with_tstamp_precision(file->stream, PCAP_TSTAMP_PRECISION_NANO, why);
    snprintf(error, CAPTURE_TEXT, "%.255s", why);
    if (file->pcap)
        file->link = pcap_datalink(file->pcap);
    return file->pcap != NULL;
}

static bool open_stream(struct capture_file *file, const char *path, char *error)
{
    struct stat stat;
    bool is_input = strcmp(path, "-") == 0;
    file->stream = is_input ? stdin : fopen(path, "rbe");
    if (!file->stream) {
        snprintf(error, CAPTURE_TEXT, "%s", strerror(errno));
        return false;
    }
    if (is_input || fstat(fileno(file->stream), &stat) != 0 || !S_ISREG(stat.st_mode))
        return open_pcap(file, error);
    file->size_octets = (uint64_t)stat.st_size;
    if (!capture_plain_open(&file->plain, fileno(file->stream)))
        return open_pcap(file, error);
    file->link = file->plain.link;
    return true;
}

struct capture_file *capture_file_open(const char *path, char error[CAPTURE_TEXT])
{
    struct capture_file *file = calloc(1, sizeof *file);
    if (!file) {
        snprintf(error, CAPTURE_TEXT, "not enough memory");
        return NULL;
    }
    if (open_stream(file, path, error))
        return file;
    if (file->stream && file->stream != stdin)
        fclose(file->stream);
    free(file);
    return NULL;
}

// ---- Packets ----

static bool next_of_pcap(struct capture_file *file, struct capture_raw *raw)
{
    struct pcap_pkthdr *header;
    const u_char *octets;
    int verdict = pcap_next_ex(file->pcap, &header, &octets);
    if (verdict == PCAP_ERROR)
        snprintf(file->damage, sizeof file->damage, "%.255s", pcap_geterr(file->pcap));
    if (verdict != 1)
        return false;
    // With nanosecond precision tv_usec holds ns.
    *raw = (struct capture_raw){header->ts.tv_sec, header->ts.tv_usec, octets, header->caplen,
                                header->len};
    return true;
}

static uint64_t stamp(struct capture_file *file, const struct capture_raw *raw, uint64_t *counts)
{
    if (raw->seconds < 0 || raw->seconds > SECONDS_MAX || raw->part_ns < 0 ||
        raw->part_ns >= (int64_t)S_IN_NS)
        counts[CAPTURE_stamp_impossible]++;
    else
        file->time_ns = (uint64_t)raw->seconds * S_IN_NS + (uint64_t)raw->part_ns;
    return file->time_ns;
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
    *packet = (struct capture_packet){.number = ++file->packets,
                                      .time_ns = stamp(file, raw, counts),
                                      .link = file->link,
                                      .octets = raw->octets,
                                      .captured = captured,
                                      .length = length};
}

static bool next_of_plain(struct capture_file *file, struct capture_raw *raw, bool more)
{
    return capture_plain_next(&file->plain, raw, more, file->damage) == CAPTURE_PLAIN_PACKET;
}

uint32_t capture_file_read(struct capture_file *file, struct capture_packet *packets, uint32_t most,
                           uint64_t counts[CAPTURE_COUNTS])
{
    struct capture_raw raw;
    uint32_t n = 0;
    if (file->damage[0]) // what is behind it are no packets
        return 0;
    if (file->pcap)
        most = 1; // whose packets lie in one place
    while (n < most && (file->pcap ? next_of_pcap(file, &raw) : next_of_plain(file, &raw, n == 0)))
        judge(file, &packets[n++], &raw, counts);
    return n;
}

uint64_t capture_file_time_ns(const struct capture_file *file)
{
    return file->time_ns;
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
    return file->link;
}

double capture_file_progress(const struct capture_file *file)
{
    off_t at = file->pcap ? ftello(file->stream) : (off_t)file->plain.read_octets;
    return file->size_octets ? (double)at / (double)file->size_octets : -1;
}

void capture_file_close(struct capture_file *file)
{
    if (file->pcap) // closes the stream
        pcap_close(file->pcap);
    else
        capture_plain_close(&file->plain);
    if (!file->pcap)
        fclose(file->stream);
    free(file);
}
