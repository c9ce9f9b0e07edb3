// The octets of a file, in pieces of any size and with parts left out, are those that were written:
// plain, or compressed by zlib and zstd themselves, whole, cut anywhere, changed, and from a pipe.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "dataplane/base/rng.h"
#include "lab/captures/read/capture_source.h"

#define FILE_MOST (2 << 20)

static uint8_t file[FILE_MOST], packed[FILE_MOST];
static struct rng rng;

static uint32_t any(uint32_t below)
{
    return (uint32_t)rng_below(&rng, below);
}

// Half of it can be compressed.
static void compose(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        file[i] = i / 64 % 2 ? 7 : (uint8_t)any(256);
}

static int new_file(const uint8_t *at, uint32_t n)
{
    int fd = memfd_create("capture", MFD_CLOEXEC);
    assert_true(fd >= 0 && write(fd, at, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

// All of it in pieces of at most so many octets, some left out. Returns how far it went.
static uint32_t read_all(int fd, uint32_t most, char damage[CAPTURE_TEXT])
{
    struct capture_source source;
    uint32_t at = 0, n = 0;
    damage[0] = '\0';
    assert_true(capture_source_open(&source, fd, damage));
    for (;;) {
        n = 1 + any(most);
        enum capture_got got = capture_source_has(&source, n, true, "a piece", damage);
        if (got != CAPTURE_GOT_IT) {
            assert_int_equal(got == CAPTURE_GOT_DAMAGE, damage[0] != '\0');
            break;
        }
        assert_memory_equal(capture_source_at(&source), file + at, n);
        // What is in the room may be used without more, and nothing else.
        uint32_t here = source.end - source.at;
        assert_int_equal(capture_source_has(&source, here, false, "", damage), CAPTURE_GOT_IT);
        assert_int_equal(capture_source_has(&source, here + 1, false, "", damage),
                         CAPTURE_GOT_LATER);
        if (any(10) == 0)
            n += any(3) ? any(100) : any(600000);
        capture_source_skip(&source, n);
        at += n;
    }
    uint32_t left = source.end - source.at;
    capture_source_close(&source);
    close(fd);
    return at + left;
}

static void test_plain(void **state)
{
    char damage[CAPTURE_TEXT];
    (void)state;
    rng_seed(&rng, 1, 0);
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t n = i % 2 ? FILE_MOST : any(3000), most = i % 3 ? 3000 : CAPTURE_SOURCE_MOST;
        compose(n);
        uint32_t got = read_all(new_file(file, n), most, damage);
        if (strstr(damage, "octets are missing of a piece")) // what was left out is behind the end
            assert_true(got > n);
        else
            assert_int_equal(got, n);
        assert_int_equal(damage[0] == '\0' || strncmp(damage, "truncated: ", 11) == 0, 1);
    }
}

// ---- Compressed ----

static uint32_t pack_gzip(uint32_t from, uint32_t n, uint32_t at)
{
    z_stream z = {.next_in = file + from,
                  .avail_in = n,
                  .next_out = packed + at,
                  .avail_out = FILE_MOST - at};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    uint32_t made = FILE_MOST - at - z.avail_out;
    deflateEnd(&z);
    return made;
}

static uint32_t pack_zstd(uint32_t from, uint32_t n, uint32_t at)
{
    size_t made = ZSTD_compress(packed + at, FILE_MOST - at, file + from, n, 1);
    assert_false(ZSTD_isError(made));
    return (uint32_t)made;
}

typedef uint32_t pack_fn(uint32_t from, uint32_t n, uint32_t at);
static pack_fn *const packs[] = {pack_gzip, pack_zstd};
static const char *const names[] = {"gzip", "zstd"};

// Single octets: nothing is left out, so the end is where the octets are.
static void expect_whole(int fd, uint32_t n)
{
    char damage[CAPTURE_TEXT];
    struct capture_source source;
    damage[0] = '\0';
    assert_true(capture_source_open(&source, fd, damage));
    uint32_t at = 0, piece = 4096;
    while (capture_source_has(&source, piece, true, "a piece", damage) == CAPTURE_GOT_IT) {
        assert_memory_equal(capture_source_at(&source), file + at, piece);
        capture_source_skip(&source, piece);
        at += piece;
        piece = n - at < piece && n > at ? n - at : piece;
    }
    assert_string_equal(damage, "");
    assert_int_equal(at, n);
    capture_source_close(&source);
    close(fd);
}

static void test_compressed(void **state)
{
    const uint32_t all = 1500000;
    (void)state;
    rng_seed(&rng, 2, 0);
    compose(all);
    for (uint32_t i = 0; i < 2; i++) {
        expect_whole(new_file(packed, packs[i](0, all, 0)), all);
        uint32_t n = packs[i](0, 1000, 0); // one file behind the other
        n += packs[i](1000, 400000, n);
        n += packs[i](401000, 0, n);
        n += packs[i](401000, all - 401000, n);
        expect_whole(new_file(packed, n), all);
    }
    memset(file, 0, all);
    for (uint32_t i = 0; i < 40; i++) { // the last block's octets come, and only a part fits
        uint32_t first = 500 + any(2000), n = packs[i % 2](0, first, 0);
        uint32_t rest = CAPTURE_SOURCE_PIECE - first + 1 + any(first - 1);
        expect_whole(new_file(packed, n + packs[i % 2](first, rest, n)), first + rest);
    }
    uint32_t n = pack_gzip(0, all, 0);
    memset(packed + n, 0, 3000); // as from a tape
    expect_whole(new_file(packed, n + 3000), all);
}

static void test_compressed_and_cut(void **state)
{
    char damage[CAPTURE_TEXT], end[CAPTURE_TEXT];
    uint32_t ends = 0;
    (void)state;
    rng_seed(&rng, 3, 0);
    compose(20000);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t n = packs[i](0, 20000, 0);
        snprintf(end, sizeof end, "truncated: the end of the %s stream is missing", names[i]);
        for (uint32_t cut = 5; cut < n; cut += 7) {
            uint32_t got = read_all(new_file(packed, cut), 50, damage);
            assert_string_equal(damage, end);
            ends += got > 0;
        }
    }
    assert_true(ends > 1000);
}

static void test_compressed_and_changed(void **state)
{
    char damage[CAPTURE_TEXT];
    uint32_t damages = 0;
    (void)state;
    rng_seed(&rng, 4, 0);
    for (uint32_t k = 0; k < 600; k++) {
        struct capture_source source;
        compose(30000);
        uint32_t n = packs[k % 2](0, 30000, 0), got = 0;
        packed[10 + any(n - 10)] ^= (uint8_t)(1 + any(255));
        damage[0] = '\0';
        int fd = new_file(packed, n);
        assert_true(capture_source_open(&source, fd, damage));
        for (; capture_source_has(&source, 100, true, "a piece", damage) == CAPTURE_GOT_IT; got++)
            capture_source_skip(&source, 100);
        damages += damage[0] != 0;
        capture_source_close(&source);
        close(fd);
    }
    assert_true(damages > 300);
}

// ---- Other ends ----

// A pipe gives as little as it likes: here a socket, of which each read gives one message.
static void test_a_pipe(void **state)
{
    (void)state;
    rng_seed(&rng, 5, 0);
    for (uint32_t i = 0; i < 3; i++) {
        int ends[2];
        compose(40000);
        uint32_t n = i < 2 ? packs[i](0, 40000, 0) : 40000;
        const uint8_t *from = i < 2 ? packed : file;
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
        for (uint32_t at = 0, some; at < n; at += some) {
            some = at < 8 ? 1 : 1 + any(1000);
            some = some < n - at ? some : n - at;
            assert_int_equal(send(ends[1], from + at, some, 0), some);
        }
        close(ends[1]);
        expect_whole(ends[0], 40000);
    }
}

// It is there, and cannot be read: what came before is good.
static void test_a_file_that_cannot_be_read(void **state)
{
    char path[] = "/tmp/capture_source_XXXXXX", damage[CAPTURE_TEXT] = "";
    struct capture_source source;
    int fd = mkstemp(path), other = open(path, O_WRONLY);
    (void)state;
    rng_seed(&rng, 6, 0);
    compose(4);
    assert_true(fd >= 0 && other >= 0 && write(fd, file, 4) == 4 && lseek(fd, 0, SEEK_SET) == 0);
    unlink(path);
    assert_true(capture_source_open(&source, fd, damage));
    assert_int_equal(dup2(other, fd), fd);
    assert_int_equal(capture_source_has(&source, 4, true, "a piece", damage), CAPTURE_GOT_IT);
    assert_memory_equal(capture_source_at(&source), file, 4);
    assert_int_equal(capture_source_has(&source, 5, true, "a piece", damage), CAPTURE_GOT_DAMAGE);
    assert_string_equal(damage, strerror(EBADF));
    capture_source_close(&source);
    assert_false(capture_source_open(&source, fd, damage));
    assert_string_equal(damage, strerror(EBADF));
    close(fd);
    close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_compressed_and_cut),
        cmocka_unit_test(test_compressed_and_changed),
        cmocka_unit_test(test_a_pipe),
        cmocka_unit_test(test_a_file_that_cannot_be_read),
    };
    return cmocka_run_group_tests_name("lab/captures/read/capture_source", tests, NULL, NULL);
}
