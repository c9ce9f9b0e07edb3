// Integers in network byte order, at any alignment. Callers have checked the bounds.
#ifndef SLUICE_WIRE_BYTES_H
#define SLUICE_WIRE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t get_be16(const uint8_t *b)
{
    uint16_t v;
    memcpy(&v, b, sizeof v);
    return __builtin_bswap16(v);
}

static inline uint32_t get_be32(const uint8_t *b)
{
    uint32_t v;
    memcpy(&v, b, sizeof v);
    return __builtin_bswap32(v);
}

static inline void put_be16(uint8_t *b, uint16_t v)
{
    v = __builtin_bswap16(v);
    memcpy(b, &v, sizeof v);
}

static inline void put_be32(uint8_t *b, uint32_t v)
{
    v = __builtin_bswap32(v);
    memcpy(b, &v, sizeof v);
}

#endif
