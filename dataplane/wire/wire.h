// Shared by all codecs: the encoding of a fault, and the list of PDUs for code that treats every
// PDU alike (Lua, fuzzers, tests).
//
// A decoder reads at most `n` octets and returns the number consumed, an encoder the number
// written; a negative result is a fault: one number with the cause and the offset of the octet at
// fault. The payload (the last field of octets) may lie in the output buffer, so that layers wrap
// in place; octets of other fields may not. No codec allocates, keeps state or reads outside its
// bounds; payloads stay in place and are passed on as struct octets.
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

#define WIRE_FAULT_OFFSET_MAX 0x7fffffu // the bits beside the cause; no PDU is that long

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

// The name of a fault (`TRUNCATED`), for counters and messages.
const char *wire_err_name(enum wire_err err);

struct field;

// The codec of a PDU. `fields` describes the struct behind `pdu`.
struct wire_pdu {
    const char *name;
    const char *group; // of PDUs distinguished by a type octet, "bssgp"; else NULL
    uint8_t type;
    uint8_t type_at; // its offset
    const char *help;
    const struct field *fields;
    uint32_t field_count;
    uint32_t struct_octets;
    int (*decode)(void *pdu, const uint8_t *b, uint32_t n);
    int (*encode)(const void *pdu, uint8_t *b, uint32_t room);
};

extern const struct wire_pdu wire_pdus[];
extern const uint32_t wire_pdu_count;

// The PDU of a group ("bssgp", "ns") by its type octet; NULL if unknown.
const struct wire_pdu *wire_pdu_of(const char *group, uint8_t type);

// The same by the octets of the PDU; NULL with a fault if they are none of the group.
const struct wire_pdu *wire_pdu_in(const char *group, const uint8_t *b, uint32_t n, int *fault);

#endif
