// See capture_file.h.
#include "lab/capture/capture_file.h"

#include <assert.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/base/units.h"
#include "lab/capture/capture_plain.h"

#define SECONDS_MAX   9223372035LL // the year 2262; ns since 1970 fit 63 bits until then
#define BUFFER_OCTETS (1 << 20)

#define CAPTURE_COUNT(name, help) #name,
const char *const capture_count_names[] = {
#include "lab/capture/capture_counts.def"
};
#undef CAPTURE_COUNT
#define CAPTURE_COUNT(name, help) help,
const char *const capture_count_helps[] = {
#include "lab/capture/capture_counts.def"
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
    struct capture_records records; // of what capture_file_read gives
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

// Bounds of a record of a plain file that is usual.
struct usual {
    uint32_t captured, parts; // at most; less than
};

// It has a stamp and lengths that can be. room: what is there behind its head.
static inline bool is_usual(const struct usual *usual, const uint32_t *head, size_t room)
{
    uint32_t seconds = head[0], parts = head[1], captured = head[2], length = head[3];
    return captured <= room && captured <= usual->captured && captured <= length &&
           length <= CAPTURE_OCTETS_MAX && seconds <= INT32_MAX && parts < usual->parts;
}

// Over packets as nearly all are, of which `judge` would change nothing, until another comes.
static uint32_t step_usual(struct capture_file *file, struct capture_records *records,
                           uint32_t most, uint64_t *counts)
{
    struct capture_plain *plain = &file->plain;
    const struct usual usual = {plain->snap, (uint32_t)(S_IN_NS / plain->part_ns)};
    const uint8_t *at = plain->room + plain->at, *end = plain->room + plain->end;
    uint64_t cut = 0;
    uint32_t n = records->n, head[CAPTURE_HEAD_WORDS];
    for (; n < most && end - at >= CAPTURE_PLAIN_HEAD; n++) {
        memcpy(head, at, sizeof head);
        if (!is_usual(&usual, head, (size_t)(end - at) - CAPTURE_PLAIN_HEAD))
            break;
        at += CAPTURE_PLAIN_HEAD;
        records->at[n] = (uint32_t)(at - plain->room);
        cut += head[2] < head[3];
        at += head[2];
    }
    plain->at = (uint32_t)(at - plain->room);
    counts[CAPTURE_cut] += cut;
    return n;
}

// The packet's head says what was made of it.
static void put_head(const struct capture_plain *plain, uint32_t at,
                     const struct capture_packet *packet)
{
    uint32_t head[CAPTURE_HEAD_WORDS] = {(uint32_t)(packet->time_ns / S_IN_NS),
                                         (uint32_t)(packet->time_ns % S_IN_NS / plain->part_ns),
                                         packet->captured, packet->length};
    memcpy(plain->room + at - sizeof head, head, sizeof head);
}

// more: pieces are read until there is one packet at least.
static void step(struct capture_file *file, struct capture_records *records, uint32_t most,
                 bool more, uint64_t *counts)
{
    struct capture_plain *plain = &file->plain;
    struct capture_packet packet;
    struct capture_raw raw;
    records->number = file->packets + 1;
    records->part_ns = plain->part_ns;
    records->link = file->link;
    records->n = 0;
    while (records->n < most && capture_plain_next(plain, &raw, more && records->n == 0,
                                                   file->damage) == CAPTURE_PLAIN_PACKET) {
        uint32_t at = (uint32_t)(raw.octets - plain->room);
        judge(file, &packet, &raw, counts);
        put_head(plain, at, &packet);
        records->at[records->n++] = at;
        records->n = step_usual(file, records, most, counts);
        records->room = plain->room;
        file->time_ns = capture_record(records, records->n - 1).time_ns;
    }
    file->packets = records->number + records->n - 1;
}

static uint32_t read_plain(struct capture_file *file, struct capture_packet *packets, uint32_t most,
                           uint64_t *counts)
{
    struct capture_records *records = &file->records;
    step(file, records, most < CAPTURE_PIECE_PACKETS ? most : CAPTURE_PIECE_PACKETS, true, counts);
    for (uint32_t i = 0; i < records->n; i++)
        packets[i] = capture_record(records, i);
    return records->n;
}

uint32_t capture_file_read(struct capture_file *file, struct capture_packet *packets, uint32_t most,
                           uint64_t counts[CAPTURE_COUNTS])
{
    struct capture_raw raw;
    uint32_t n = 0;
    if (file->damage[0]) // what is behind it are no packets
        return 0;
    if (file->pcap) { // whose packets lie in one place
        n = next_of_pcap(file, &raw);
        if (n)
            judge(file, packets, &raw, counts);
        return n;
    }
    return read_plain(file, packets, most, counts);
}

// ---- By pieces ----

static_assert(CAPTURE_PIECE_PACKETS == CAPTURE_PLAIN_FRAMES, "a piece has room for its packets");
static_assert(CAPTURE_PLAIN_HEAD == CAPTURE_HEAD_WORDS * sizeof(uint32_t), "a record's head");

bool capture_file_has_pieces(const struct capture_file *file)
{
    return !file->pcap;
}

void capture_file_fetch(const struct capture_file *file, uint64_t number, uint32_t room,
                        struct capture_piece *piece)
{
    capture_plain_fetch(&file->plain, number, room, piece);
}

bool capture_file_step(struct capture_file *file, const struct capture_piece *piece,
                       struct capture_records *records, uint64_t counts[CAPTURE_COUNTS])
{
    capture_plain_join(&file->plain, piece);
    step(file, records, CAPTURE_PIECE_PACKETS, false, counts);
    return !file->damage[0] && capture_plain_leave(&file->plain, piece, file->damage);
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
