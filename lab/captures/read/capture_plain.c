// See capture_plain.h. Bounds are libpcap's: a packet is at most 262144 octets long, and is cut to
// the snap length that the file's header says. Left out, and for libpcap to read: the other order
// of octets, other versions, a link type with flags.
#include "lab/captures/read/capture_plain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC_US    0xa1b2c3d4
#define MAGIC_NS    0xa1b23c4d
#define HEAD_OCTETS 24
#define PAGE        4096u
#define RECORD      16 // octets in front of each packet
// What is left of a piece stands in front of the next one, which begins at FRONT.
#define FRONT (CAPTURE_OCTETS_MAX + PAGE)
#define ROOM  (FRONT + CAPTURE_OCTETS_MAX + 2 * PAGE + CAPTURE_PLAIN_PIECE)

struct head {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t zone, figures, snap, link;
};

bool capture_plain_open(struct capture_plain *plain, int fd)
{
    struct head head;
    if (pread(fd, &head, HEAD_OCTETS, 0) != HEAD_OCTETS)
        return false;
    bool is_plain = (head.magic == MAGIC_US || head.magic == MAGIC_NS) && head.major == 2 &&
                    head.minor == 4 && head.link <= UINT16_MAX;
    uint8_t *room = is_plain ? aligned_alloc(PAGE, ROOM) : NULL;
    if (!room)
        return false;
    bool any_snap = head.snap == 0 || head.snap > INT32_MAX;
    *plain = (struct capture_plain){.fd = fd,
                                    .link = (int)head.link,
                                    .part_ns = head.magic == MAGIC_US ? 1000 : 1,
                                    .snap = any_snap ? CAPTURE_OCTETS_MAX : head.snap,
                                    .read_octets = HEAD_OCTETS,
                                    .room = room};
    return true;
}

// What was not given out moves to the front. Each octet is put where it stands in a page of the
// file: to copy it elsewhere takes the kernel twice as long.
static void move(struct capture_plain *plain)
{
    uint32_t left = plain->end - plain->at, from = FRONT + plain->read_octets % PAGE;
    memmove(plain->room + from - left, plain->room + plain->at, left);
    plain->at = from - left;
    plain->end = from;
}

// Makes `octets` of them stand in the room, if the file has so many. -1: it cannot be read.
static int fill(struct capture_plain *plain, uint32_t octets)
{
    move(plain);
    while (plain->end - plain->at < octets) {
        ssize_t n = pread(plain->fd, plain->room + plain->end,
                          CAPTURE_PLAIN_PIECE - plain->read_octets % CAPTURE_PLAIN_PIECE,
                          (off_t)plain->read_octets);
        if (n < 0)
            return -1;
        if (n == 0)
            return 0;
        plain->end += (uint32_t)n;
        plain->read_octets += (uint64_t)n;
    }
    return 0;
}

static void say_truncated(const struct capture_plain *plain, uint32_t octets, char *damage)
{
    snprintf(damage, CAPTURE_TEXT, "truncated: %u octets are left of a packet's %u",
             plain->end - plain->at, octets);
}

// True: so many are there, or `got` says why not.
static bool has(struct capture_plain *plain, uint32_t octets, bool more,
                enum capture_plain_got *got, char *damage)
{
    *got = CAPTURE_PLAIN_LATER;
    if (plain->end - plain->at >= octets)
        return true;
    if (!more)
        return false;
    if (fill(plain, octets) != 0)
        snprintf(damage, CAPTURE_TEXT, "%s", strerror(errno));
    else if (plain->end - plain->at >= octets)
        return true;
    else if (plain->end > plain->at)
        say_truncated(plain, octets, damage);
    *got = damage[0] ? CAPTURE_PLAIN_DAMAGED : CAPTURE_PLAIN_END;
    return false;
}

enum capture_plain_got capture_plain_next(struct capture_plain *plain, struct capture_raw *raw,
                                          bool more, char damage[CAPTURE_TEXT])
{
    enum capture_plain_got got;
    uint32_t record[4];
    if (!has(plain, RECORD, more, &got, damage))
        return got;
    memcpy(record, plain->room + plain->at, RECORD);
    if (record[2] > CAPTURE_OCTETS_MAX) {
        snprintf(damage, CAPTURE_TEXT, "a packet of %u octets, more than there can be: damaged",
                 record[2]);
        return CAPTURE_PLAIN_DAMAGED;
    }
    if (!has(plain, RECORD + record[2], more, &got, damage))
        return got;
    *raw = (struct capture_raw){.seconds = (int32_t)record[0],
                                .part_ns = (int64_t)(int32_t)record[1] * plain->part_ns,
                                .octets = plain->room + plain->at + RECORD,
                                .captured = record[2] < plain->snap ? record[2] : plain->snap,
                                .length = record[3]};
    plain->at += RECORD + record[2];
    return CAPTURE_PLAIN_PACKET;
}

void capture_plain_close(struct capture_plain *plain)
{
    free(plain->room);
}
