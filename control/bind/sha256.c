// `require "sha256"`: a function, the digest of a text as 64 hexadecimal digits. FIPS 180-4,
// section 6.2. `require "sha256_file"`: that of a file by its path, of any size; or nil and why
// not.
#include "control/bind/internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_OCTETS 64u

// The constants: the first 32 bits of the fractions of the cube roots of the first 64 primes.
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void take_block(uint32_t h[8], const uint8_t block[BLOCK_OCTETS])
{
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[t - 7] +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    memcpy(v, h, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t t1 = v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) +
                      ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[t] + w[t];
        uint32_t t2 = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

// What follows the last whole block: its octets, 0x80, zeros, and the length in bits.
static void take_end(uint32_t h[8], const uint8_t *rest, size_t n, uint64_t bits)
{
    uint8_t end[2 * BLOCK_OCTETS] = {0};
    size_t octets = n + 9 <= BLOCK_OCTETS ? BLOCK_OCTETS : sizeof end;
    memcpy(end, rest, n);
    end[n] = 0x80;
    for (int i = 0; i < 8; i++)
        end[octets - 1 - (size_t)i] = (uint8_t)(bits >> 8 * i);
    for (size_t at = 0; at < octets; at += BLOCK_OCTETS)
        take_block(h, end + at);
}

static const uint32_t begin[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// Returns the octets of whole blocks that it has taken.
static size_t take_blocks(uint32_t h[8], const uint8_t *text, size_t n)
{
    size_t at = 0;
    for (; n - at >= BLOCK_OCTETS; at += BLOCK_OCTETS)
        take_block(h, text + at);
    return at;
}

static int push_digest(lua_State *L, const uint32_t h[8])
{
    char hex[65];
    for (int i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", h[i]);
    lua_pushstring(L, hex);
    return 1;
}

static int digest(lua_State *L)
{
    size_t n;
    const uint8_t *text = (const uint8_t *)luaL_checklstring(L, 1, &n);
    uint32_t h[8];
    memcpy(h, begin, sizeof h);
    size_t at = take_blocks(h, text, n);
    take_end(h, text + at, n - at, (uint64_t)n * 8);
    return push_digest(L, h);
}

// Fills the buffer, or reads what is left; -1 after a fault.
static ssize_t read_full(int fd, uint8_t *b, size_t room)
{
    size_t n = 0;
    ssize_t more = 1;
    while (n < room && more > 0) {
        more = read(fd, b + n, room - n);
        n += more > 0 ? (size_t)more : 0;
    }
    return more < 0 ? -1 : (ssize_t)n;
}

static bool take_file(int fd, uint32_t h[8])
{
    uint8_t b[64 * 1024];
    uint64_t octets = 0;
    ssize_t n;
    memcpy(h, begin, sizeof begin);
    do {
        n = read_full(fd, b, sizeof b);
        if (n < 0)
            return false;
        octets += (uint64_t)n;
        take_blocks(h, b, (size_t)n);
    } while (n == sizeof b);
    size_t rest = (size_t)n % BLOCK_OCTETS;
    take_end(h, b + ((size_t)n - rest), rest, octets * 8);
    return true;
}

static int digest_file(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    int fd = config_open_file(path);
    uint32_t h[8];
    bool good = fd >= 0 && take_file(fd, h);
    int fault = errno;
    if (fd >= 0)
        close(fd);
    if (good)
        return push_digest(L, h);
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, strerror(fault));
    return 2;
}

int sha256_open(lua_State *L)
{
    lua_pushcfunction(L, digest);
    return 1;
}

int sha256_file_open(lua_State *L)
{
    lua_pushcfunction(L, digest_file);
    return 1;
}
