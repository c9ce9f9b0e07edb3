// What all codecs share: how a fault is returned, and how a PDU is listed for those who handle
// every PDU alike (Lua, fuzzers, tests).
//
// A decoder reads `n` octets and returns how many it consumed, its encoder returns how many it
// wrote; below zero is a fault: one number that holds the cause and the offset of the octet at
// fault. The payload (the last field of octets) may lie in the buffer that is written, so that
// layers wrap in place; octets of other fields may not. No codec allocates, keeps state or looks
// past its bounds; payloads stay where they are and are handed on as struct octets.
#ifndef SLUICE_WIRE_WIRE_H
#define SLUICE_WIRE_WIRE_H

#include <stdint.h>

enum wire_err {
    WIRE_OK,
#define WIRE_ERR(name, text) WIRE_##name,
#include "dataplane/wire/wire_err.def"
#undef WIRE_ERR
    WIRE_ERR_COUNT
};

struct octets {
    const uint8_t *at;
    uint32_t n;
};

#define WIRE_FAULT_OFFSET_MAX 0x7fffffu // what is left beside the cause; no PDU is that long

static inline int wire_fault(enum wire_err err, uint32_t offset)
{
    if (offset > WIRE_FAULT_OFFSET_MAX)
        offset = WIRE_FAULT_OFFSET_MAX;
    return -(int)(offset << 8 | (uint32_t)err);
}

static inline enum wire_err wire_fault_err(int fault)
{
    return (enum wire_err)((uint32_t)-fault & 0xff);
}

static inline uint32_t wire_fault_offset(int fault)
{
    return (uint32_t)-fault >> 8;
}

const char *wire_err_text(enum wire_err err);

// What a fault is called (`TRUNCATED`), for counters and messages.
const char *wire_err_name(enum wire_err err);

struct field;

// A PDU for those who treat all alike. The struct behind `pdu` has the layout that `fields` says.
struct wire_pdu {
    const char *name;
    const char *group; // of PDUs that a type octet tells apart, "bssgp"; else NULL
    uint8_t type;
    const char *help;
    const struct field *fields;
    uint32_t field_count;
    uint32_t struct_octets;
    int (*decode)(void *pdu, const uint8_t *b, uint32_t n);
    int (*encode)(const void *pdu, uint8_t *b, uint32_t room);
};

extern const struct wire_pdu wire_pdus[];
extern const uint32_t wire_pdu_count;

// The PDU of a group ("bssgp", "ns") by its type octet; NULL if it is not known.
const struct wire_pdu *wire_pdu_of(const char *group, uint8_t type);

#endif
