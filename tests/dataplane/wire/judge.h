// What the tests of the codecs share: plain models of the checksums, written from the standards
// with nothing of the code under test (that of the FCS is the oracles'), integers in octets, memory
// that ends where reading on is a crash, and how to expect a fault.
#ifndef TESTS_DATAPLANE_WIRE_JUDGE_H
#define TESTS_DATAPLANE_WIRE_JUDGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "dataplane/wire/wire.h"
#include "tests/oracle/fcs.h"

#define TYPED(...)   ((const uint8_t[]){__VA_ARGS__})
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// RFC 1071: the ones' complement of the ones' complement sum of the 16-bit words. `sum` continues.
static inline uint16_t plain_sum(uint16_t sum, const uint8_t *b, uint32_t n)
{
    uint32_t total = sum;
    for (uint32_t i = 0; i < n; i++) {
        total += i % 2 ? b[i] : b[i] * 256u;
        if (total > 0xffff)
            total -= 0xffff;
    }
    return (uint16_t)total;
}

static inline uint16_t plain_checksum(const uint8_t *b, uint32_t n)
{
    return (uint16_t)~plain_sum(0, b, n);
}

static inline void put16(uint8_t *b, uint32_t value)
{
    b[0] = (uint8_t)(value >> 8);
    b[1] = (uint8_t)value;
}

static inline void put32(uint8_t *b, uint32_t value)
{
    put16(b, value >> 16);
    put16(b + 2, value);
}

// n octets, at most 128 Ki, behind which a page begins that can be neither read nor written. Always
// the same memory; its first octet stands behind such a page when n is a multiple of 4096.
static inline uint8_t *page_end(uint32_t n)
{
    enum { PAGE = 4096, ROOM = 128 * 1024 };
    static uint8_t *map;
    if (!map) {
        map = mmap(NULL, PAGE + ROOM + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED || mprotect(map + PAGE, ROOM, PROT_READ | PROT_WRITE) != 0)
            abort();
    }
    return map + PAGE + ROOM - n;
}

static inline uint8_t *page_end_copy(const void *octets, uint32_t n)
{
    uint8_t *at = page_end(n);
    memcpy(at, octets, n);
    return at;
}

static inline void expect_fault(int result, enum wire_err err, uint32_t offset)
{
    if (result >= 0)
        fail_msg("%d octets, expected %s at octet %u", result, wire_err_name(err), offset);
    if (wire_fault_err(result) != err || wire_fault_offset(result) != offset)
        fail_msg("%s at octet %u, expected %s at octet %u", wire_err_name(wire_fault_err(result)),
                 wire_fault_offset(result), wire_err_name(err), offset);
}

#define EXPECT_FAULT(result, err, offset) expect_fault(result, WIRE_##err, offset)

static inline void expect_octets(struct octets got, const void *octets, uint32_t n)
{
    assert_int_equal(got.n, n);
    if (n)
        assert_memory_equal(got.at, octets, n);
}

#endif
