// Fields described once. A list macro names each field with its kind, range and meaning:
//
//     #define UDP_FIELDS(MUST, MAY, T) MUST(T, U16, source_port, 0, 0xffff, "source port") ...
//
// FIELD_STRUCT makes the C struct of it and FIELD_TABLE the descriptor that Lua tables, error
// messages, random test structures and documentation read; so they cannot disagree. A MAY field
// has a `bool has_NAME` before it. T is the struct's tag, which the table needs.
#ifndef SLUICE_WIRE_FIELD_H
#define SLUICE_WIRE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/wire/wire.h"

enum field_kind { FIELD_BOOL, FIELD_U8, FIELD_U16, FIELD_U32, FIELD_U64, FIELD_MAC, FIELD_OCTETS };

struct mac {
    uint8_t octet[6];
};

#define FIELD_ALWAYS UINT16_MAX

// For FIELD_OCTETS the range is that of the length.
struct field {
    const char *name;
    const char *help;
    enum field_kind kind;
    uint16_t offset;
    uint16_t has_offset; // of `has_NAME`; FIELD_ALWAYS for a mandatory field
    uint64_t least, most;
};

#define FIELD_TYPE_BOOL   bool
#define FIELD_TYPE_U8     uint8_t
#define FIELD_TYPE_U16    uint16_t
#define FIELD_TYPE_U32    uint32_t
#define FIELD_TYPE_U64    uint64_t
#define FIELD_TYPE_MAC    struct mac
#define FIELD_TYPE_OCTETS struct octets

#define FIELD_MEMBER_MUST(owner, kind, name, least, most, help) FIELD_TYPE_##kind name;
#define FIELD_MEMBER_MAY(owner, kind, name, least, most, help) \
    bool has_##name;                                           \
    FIELD_TYPE_##kind name;
#define FIELD_STRUCT(tag, LIST)                        \
    struct tag {                                       \
        LIST(FIELD_MEMBER_MUST, FIELD_MEMBER_MAY, tag) \
    }

#define FIELD_ROW_MUST(owner, kind, name, least, most, help) \
    {#name, help, FIELD_##kind, offsetof(struct owner, name), FIELD_ALWAYS, least, most},
#define FIELD_ROW_MAY(owner, kind, name, least, most, help)                                       \
    {#name, help, FIELD_##kind, offsetof(struct owner, name), offsetof(struct owner, has_##name), \
     least, most},
#define FIELD_TABLE(tag, LIST)                   \
    {                                            \
        LIST(FIELD_ROW_MUST, FIELD_ROW_MAY, tag) \
    }

// A function whose argument is a described struct: how Lua reaches C without a binding each. Below
// zero is a negative errno; -EAGAIN means "not now", and the caller tries again.
struct field_call {
    const char *name;
    const char *help;
    const struct field *fields;
    uint32_t field_count;
    uint32_t struct_octets;
    int64_t (*call)(void *target, const void *argument);
};

// Integer fields (and BOOL) by descriptor, for generic code.
uint64_t field_get(const struct field *field, const void *owner);
void field_set(const struct field *field, void *owner, uint64_t value);
bool field_is_integer(const struct field *field);

#endif
