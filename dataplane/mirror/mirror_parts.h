// Shared by the files of this folder alone: how a block of pcapng is written. Numbers are in the
// machine's order, which a file's first block tells its reader.
#ifndef SLUICE_MIRROR_MIRROR_PARTS_H
#define SLUICE_MIRROR_MIRROR_PARTS_H

#include <string.h>

#include "dataplane/mirror/mirror.h"

// Block types (4.1 to 4.6), and the options' codes.
#define MIRROR_SECTION    0x0a0d0d0au
#define MIRROR_INTERFACE  1u
#define MIRROR_STATISTICS 5u
#define MIRROR_PACKET     6u

#define MIRROR_COMMENT 1u // in any block
#define MIRROR_FLAGS   2u // of a packet

static inline uint32_t mirror_padded(uint32_t octets)
{
    return (octets + 3u) & ~3u;
}

static inline uint8_t *mirror_put_32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

static inline uint8_t *mirror_put_16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

// The zeros behind so many octets.
static inline uint8_t *mirror_put_padding(uint8_t *at, uint32_t octets)
{
    memset(at, 0, mirror_padded(octets) - octets);
    return at + (mirror_padded(octets) - octets);
}

static inline uint8_t *mirror_put_option(uint8_t *at, uint16_t code, const void *value,
                                         uint16_t octets)
{
    at = mirror_put_16(mirror_put_16(at, code), octets);
    memcpy(at, value, octets);
    return mirror_put_padding(at + octets, octets);
}

#endif
