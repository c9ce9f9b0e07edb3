// The reader of app_replay.h. The file is hostile: lab/captures/read bounds its frames, and an IP
// packet's length is its header's only as far as the frame goes on the line.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "lab/base/rows.h"
#include "lab/captures/read/capture_peel.h"
#include "lab/engine/need.h"
#include "lab/hosts/app_replay.h"

static void append(struct replay_file *file, uint32_t *room, struct replay_packet packet)
{
    if (file->packets == *room) {
        *room = *room ? 2 * *room : 1024;
        file->packet = need(realloc(file->packet, *room * sizeof *file->packet));
    }
    file->packet[file->packets++] = packet;
}

static void add_packet(struct replay_file *file, uint32_t *room, uint64_t at_ns, uint32_t octets)
{
    uint32_t size = octets < FLOW_DATAGRAM_LEAST ? FLOW_DATAGRAM_LEAST : octets;
    size = size > APP_OCTETS_MOST ? APP_OCTETS_MOST : size;
    file->resized += size != octets;
    if (file->packets && at_ns < file->packet[file->packets - 1].at_ns) {
        at_ns = file->packet[file->packets - 1].at_ns;
        file->early++;
    }
    append(file, room, (struct replay_packet){at_ns, size});
}

// ---- Captures ----

// The length of the frame's IP packet; 0: it has none, or fewer octets on the line than in the
// file.
static uint32_t ip_octets(const struct capture_packet *frame, uint64_t *counts)
{
    struct capture_view ip;
    bool fewer = counts[CAPTURE_length_impossible] && frame->length < CAPTURE_OCTETS_MAX;
    if (fewer || !capture_peel_to_ip(frame, &ip, counts) || ip.captured < IPV4_OCTETS)
        return 0;
    uint8_t version = ip.octets[0] >> 4;
    if (version != 4 && version != 6)
        return 0;
    uint32_t octets = get_be16(ip.octets + (version == 4 ? 2 : 4)); // 0: segmented by the device
    octets += version == 6 && octets ? IPV6_OCTETS : 0;
    return octets >= IPV4_OCTETS && octets <= ip.length ? octets : ip.length;
}

// Returns NULL, or what is wrong with the file, and in which frame; 0: in none.
static const char *read_frames(struct replay_file *file, struct capture_file *capture,
                               uint64_t *number)
{
    struct capture_packet frame;
    uint64_t counts[CAPTURE_COUNTS] = {0}, first_ns = 0;
    uint32_t room = 0;
    if (capture_file_link(capture) >= 0 && !capture_peel_knows(capture_file_link(capture)))
        return "its link type is not read";
    for (*number = 1; capture_file_read(capture, &frame, 1, counts); ++*number) {
        uint32_t n = ip_octets(&frame, counts);
        if (n && counts[CAPTURE_stamp_impossible])
            return "its time is missing or out of range";
        memset(counts, 0, sizeof counts);
        file->left_out += n == 0;
        if (n == 0)
            continue;
        if (file->packets == APP_REPLAY_PACKETS_MOST)
            return "more than 10000000 packets";
        first_ns = file->packets ? first_ns : frame.time_ns;
        add_packet(file, &room, frame.time_ns > first_ns ? frame.time_ns - first_ns : 0, n);
    }
    if (capture_file_damage(capture))
        return capture_file_damage(capture);
    *number = 0;
    if (!file->packets)
        return "no IP packets";
    return file->packet[file->packets - 1].at_ns > APP_TIME_MOST ? "longer than 1000000 s" : NULL;
}

static struct capture_file *open_capture(const char *name, char why[CAPTURE_TEXT])
{
    struct stat about;
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait for its writer
    if (fd < 0 || (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)))
        return capture_file_of(fd, why);
    close(fd);
    snprintf(why, CAPTURE_TEXT, "not a regular file");
    return NULL;
}

static void say(char *error, const char *name, uint64_t number, const char *why)
{
    char where[32] = "";
    if (number)
        snprintf(where, sizeof where, ", frame %llu", (unsigned long long)number);
    snprintf(error, APP_ERROR_ROOM, "replay: %.120s%s: %.90s", name, where, why);
}

struct replay_file *app_replay_read(const char *name, char error[APP_ERROR_ROOM])
{
    char why[CAPTURE_TEXT];
    uint64_t number = 0;
    struct capture_file *capture = open_capture(name, why);
    if (!capture) {
        say(error, name, 0, why);
        return NULL;
    }
    struct replay_file *file = need(calloc(1, sizeof *file));
    file->name = need(strdup(name));
    const char *fault = read_frames(file, capture, &number);
    if (fault) {
        say(error, name, number, fault);
        app_replay_free(file);
        file = NULL;
    }
    capture_file_close(capture);
    return file;
}

// ---- Files of packets ----

struct flows_reader {
    struct replay_file *file;
    uint32_t room;
};

// NULL, or what is wrong with it, and with it behind those before.
static const char *read_row(const struct replay_file *file, char *rest, uint64_t *flow,
                            struct replay_packet *packet)
{
    uint64_t at_ns, octets;
    const struct replay_packet *last = file->packets ? &file->packet[file->packets - 1] : NULL;
    if (!rows_number(&rest, 1, APP_REPLAY_FLOWS_MOST, flow) || *flow < file->flows ||
        *flow > file->flows + 1)
        return "flow: a number from 1 on, each flow behind the one before";
    if (!rows_number(&rest, 0, APP_TIME_MOST, &at_ns) ||
        (last && *flow == file->flows && at_ns < last->at_ns))
        return "time_ns: a number up to 1000000000000000, not before the flow's last one";
    if (!rows_number(&rest, FLOW_DATAGRAM_LEAST, APP_OCTETS_MOST, &octets))
        return "octets: a number from 32 to 1500";
    *packet = (struct replay_packet){at_ns, (uint32_t)octets};
    return rest ? "more columns than the head has" : NULL;
}

static const char *take_row(void *self, char *text)
{
    struct flows_reader *reader = self;
    struct replay_file *file = reader->file;
    struct replay_packet packet;
    uint64_t flow;
    const char *fault = read_row(file, text, &flow, &packet);
    if (fault)
        return fault;
    if (file->packets == APP_REPLAY_PACKETS_MOST)
        return "more than 10000000 packets";
    if (flow > file->flows) {
        file->begin = need(realloc(file->begin, (flow + 2) * sizeof *file->begin));
        file->begin[flow] = file->packets;
        file->flows++;
    }
    append(file, &reader->room, packet);
    return NULL;
}

struct replay_file *app_replay_read_flows(const char *name, char error[APP_ERROR_ROOM])
{
    struct flows_reader reader = {.file = need(calloc(1, sizeof *reader.file))};
    struct replay_file *file = reader.file;
    uint32_t line;
    file->name = need(strdup(name));
    const char *fault = rows_read(name, REPLAY_HEAD, take_row, &reader, &line);
    fault = !fault && !file->packets ? "no packets" : fault;
    if (!fault) {
        file->begin[file->flows + 1] = file->packets;
        return file;
    }
    rows_fault("replay", name, line, fault, error, APP_ERROR_ROOM);
    app_replay_free(file);
    return NULL;
}

void app_replay_free(struct replay_file *first)
{
    while (first) {
        struct replay_file *next = first->next;
        free(first->begin);
        free(first->packet);
        free(first->name);
        free(first);
        first = next;
    }
}
