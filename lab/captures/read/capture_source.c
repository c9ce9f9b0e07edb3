// See capture_source.h. What is compressed is read piece by piece as well, so a small file that
// expands to a huge one takes time and no memory.
#include "lab/captures/read/capture_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define PAGE CAPTURE_SOURCE_PAGE
// What is left of a piece stands in front of the next one, which begins at FRONT.
#define FRONT (CAPTURE_SOURCE_MOST / PAGE * PAGE + PAGE)
#define ROOM  (FRONT + CAPTURE_SOURCE_MOST + 2 * PAGE + CAPTURE_SOURCE_PIECE)

#define GZIP_ONLY    (MAX_WBITS + 16) // no zlib streams
#define GZIP_FIRST   0x1f
#define SNIFF_OCTETS 4u

struct capture_unpack {
    z_stream gzip;
    ZSTD_DStream *zstd;
    uint32_t at, end;
    bool is_whole;   // here the stream may end
    bool is_garbage; // what is behind the end of a gzip stream and no part of it
    uint8_t in[CAPTURE_SOURCE_PIECE];
};

// ---- What is in the file ----

// Of the file; 0: its end; -1: errno says why.
static ssize_t read_file(struct capture_source *source, void *to, size_t most)
{
    ssize_t n = read(source->fd, to, most);
    if (n > 0)
        source->read_octets += (uint64_t)n;
    return n;
}

static int unpack_gzip(struct capture_unpack *u, uint8_t *to, size_t most, size_t *made)
{
    u->is_garbage |= u->is_whole && u->in[u->at] != GZIP_FIRST;
    if (u->is_garbage) {
        u->at = u->end;
        return 0;
    }
    u->gzip.next_in = u->in + u->at;
    u->gzip.avail_in = u->end - u->at;
    u->gzip.next_out = to;
    u->gzip.avail_out = (uInt)most;
    int result = inflate(&u->gzip, Z_NO_FLUSH);
    u->at = u->end - u->gzip.avail_in;
    *made = most - u->gzip.avail_out;
    u->is_whole = result == Z_STREAM_END;
    if (u->is_whole)
        inflateReset(&u->gzip); // another may follow
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ? 0 : -1;
}

static int unpack_zstd(struct capture_unpack *u, uint8_t *to, size_t most, size_t *made)
{
    ZSTD_inBuffer in = {u->in, u->end, u->at};
    ZSTD_outBuffer out = {to, most, 0};
    size_t result = ZSTD_decompressStream(u->zstd, &out, &in);
    u->at = (uint32_t)in.pos;
    *made = out.pos;
    u->is_whole = result == 0;
    return ZSTD_isError(result) ? -1 : 0;
}

// As read_file, or the damage says why.
static ssize_t read_packed(struct capture_source *source, uint8_t *to, size_t most, char *damage)
{
    struct capture_unpack *u = source->unpack;
    bool is_gzip = source->packing == CAPTURE_GZIP;
    size_t made = 0;
    while (made == 0) {
        if (u->at == u->end) { // neither library takes its last octet before all is given out
            ssize_t n = read_file(source, u->in, sizeof u->in);
            if (n == 0 && !u->is_whole && !u->is_garbage) {
                snprintf(damage, CAPTURE_TEXT, "truncated: the end of the %s stream is missing",
                         is_gzip ? "gzip" : "zstd");
                return -1;
            }
            if (n <= 0)
                return n;
            u->at = 0;
            u->end = (uint32_t)n;
        }
        int fault = is_gzip ? unpack_gzip(u, to, most, &made) : unpack_zstd(u, to, most, &made);
        if (fault && made == 0) {
            snprintf(damage, CAPTURE_TEXT, "the %s stream is damaged", is_gzip ? "gzip" : "zstd");
            return -1;
        }
    }
    return (ssize_t)made;
}

static ssize_t read_some(struct capture_source *source, uint8_t *to, size_t most, char *damage)
{
    ssize_t n =
        source->unpack ? read_packed(source, to, most, damage) : read_file(source, to, most);
    if (n < 0 && !damage[0])
        snprintf(damage, CAPTURE_TEXT, "%s", strerror(errno));
    if (n > 0)
        source->came_octets += (uint64_t)n;
    return n;
}

// ---- Opening ----

static enum capture_packing packing_of(const uint8_t *octets, size_t n)
{
    static const uint8_t gzip[] = {GZIP_FIRST, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (n >= sizeof gzip && memcmp(octets, gzip, sizeof gzip) == 0)
        return CAPTURE_GZIP;
    return n >= sizeof zstd && memcmp(octets, zstd, sizeof zstd) == 0 ? CAPTURE_ZSTD
                                                                      : CAPTURE_PLAIN;
}

// The first octets were compressed ones.
static bool begin_unpacking(struct capture_source *source, const uint8_t *octets, uint32_t n)
{
    struct capture_unpack *u = source->unpack = calloc(1, sizeof *u);
    if (!u)
        return false;
    memcpy(u->in, octets, n);
    u->end = n;
    if (source->packing == CAPTURE_GZIP)
        return inflateInit2(&u->gzip, GZIP_ONLY) == Z_OK;
    return (u->zstd = ZSTD_createDStream()) != NULL;
}

bool capture_source_open(struct capture_source *source, int fd, char error[CAPTURE_TEXT])
{
    *source = (struct capture_source){.fd = fd, .room = aligned_alloc(PAGE, ROOM)};
    source->at = source->end = FRONT;
    ssize_t n = 1;
    while (source->room && n > 0 && source->end - FRONT < SNIFF_OCTETS) { // a pipe gives little
        n = read_file(source, source->room + source->end, SNIFF_OCTETS - (source->end - FRONT));
        source->end += n > 0 ? (uint32_t)n : 0;
    }
    uint32_t first = source->end - FRONT;
    source->came_octets = first;
    source->packing = packing_of(source->room + FRONT, source->room ? first : 0);
    if (source->packing != CAPTURE_PLAIN) {
        source->end = FRONT;
        source->came_octets = 0;
    }
    bool good = source->room && (source->packing == CAPTURE_PLAIN ||
                                 begin_unpacking(source, source->room + FRONT, first));
    if (!good || n < 0) {
        snprintf(error, CAPTURE_TEXT, "%s", good ? strerror(errno) : "not enough memory");
        capture_source_close(source);
    }
    return good && n >= 0;
}

void capture_source_close(struct capture_source *source)
{
    if (source->unpack && source->packing == CAPTURE_GZIP)
        inflateEnd(&source->unpack->gzip);
    if (source->unpack)
        ZSTD_freeDStream(source->unpack->zstd);
    free(source->unpack);
    free(source->room);
    source->unpack = NULL;
    source->room = NULL;
}

// ---- In the room ----

// What is not used yet moves to the front. Each octet is put where it stands in a page of the file:
// to copy it elsewhere takes the kernel twice as long.
static void move(struct capture_source *source)
{
    uint32_t left = source->end - source->at, from = FRONT + source->came_octets % PAGE;
    memmove(source->room + from - left, source->room + source->at, left);
    source->at = from - left;
    source->end = from;
}

// False: the file has no more, or the damage says why it cannot be read.
static bool fill(struct capture_source *source, uint32_t octets, char *damage)
{
    while (source->skip_octets || source->end - source->at < octets) {
        move(source);
        ssize_t n =
            read_some(source, source->room + source->end,
                      CAPTURE_SOURCE_PIECE - source->came_octets % CAPTURE_SOURCE_PIECE, damage);
        if (n <= 0)
            return false;
        source->end += (uint32_t)n;
        uint64_t unwanted = source->skip_octets;
        source->skip_octets = 0;
        capture_source_skip(source, unwanted);
    }
    return true;
}

enum capture_got capture_source_get(struct capture_source *source, uint32_t octets, bool more,
                                    const char *what, char damage[CAPTURE_TEXT])
{
    if (!more)
        return CAPTURE_GOT_LATER;
    if (fill(source, octets, damage))
        return CAPTURE_GOT_IT;
    if (damage[0])
        return CAPTURE_GOT_DAMAGE;
    if (source->skip_octets)
        snprintf(damage, CAPTURE_TEXT, "truncated: %llu octets are missing of %s",
                 (unsigned long long)source->skip_octets, what);
    else if (source->end > source->at)
        snprintf(damage, CAPTURE_TEXT, "truncated: %u octets are left of %s's %u",
                 source->end - source->at, what, octets);
    return damage[0] ? CAPTURE_GOT_DAMAGE : CAPTURE_GOT_END;
}
