// Fields described once. A list macro names each field with its kind, range and meaning:
//
//     #define UDP_FIELDS(MUST, MAY, T) MUST(T, U16, source_port, 0, 0xffff, "source port") ...
//
// FIELD_STRUCT makes the C struct of it and FIELD_TABLE the descriptor that Lua tables, error
// messages, random test structures and documentation read; so they cannot disagree. A MAY field
// has a `bool has_NAME` before it. T is the struct's tag, which the table needs.
//
// A struct that the configuration fills has KEY fields, out of which the configuration's keys are
// made: FIELD_KEYS_STRUCT and FIELD_KEYS_TABLE take lists of MUST and KEY.
//
//     KEY(T, TIME, hold_ns, "queue.hold", "unlimited", 1 * S_IN_NS, 10000 * S_IN_NS, 300 * S_IN_NS,
//         "how much longer ...")
//
// is called `hold` in queue { } and may be 0, or "unlimited", besides; NULL for that: it may not.
// The last number is its default; one that is out of its range is no default.
#ifndef SLUICE_WIRE_FIELD_H
#define SLUICE_WIRE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/wire/wire.h"

enum field_kind {
    FIELD_BOOL,
    FIELD_U8,
    FIELD_U16,
    FIELD_U32,
    FIELD_U64,
    FIELD_MAC,
    FIELD_IPV6,
    FIELD_OCTETS,
    FIELD_DIGITS, // decimal digits as text
    FIELD_RECORD, // a described struct inside
    FIELD_LIST    // uint64_t n, then an array of described structs
};

struct mac {
    uint8_t octet[6];
};

struct ipv6_address {
    uint8_t octet[16];
};

#define FIELD_DIGITS_MAX 16
struct digits {
    char text[FIELD_DIGITS_MAX + 1];
};

#define FIELD_ALWAYS UINT16_MAX

struct field;

// The element type of FIELD_RECORD and FIELD_LIST; `octets` is sizeof one struct.
struct field_record {
    const struct field *fields;
    uint32_t count;
    uint32_t octets;
};

// What a key of the configuration is besides its field.
struct field_key {
    const char *name; // of its block and of itself; in a port of itself
    const char *type; // as the schema of the configuration calls it: "integer", "time", "size" ...
    const char *zero; // what a 0 beside the range means; NULL: there is none; a choice's words
    uint64_t standard;
};

// The range is that of the value; of the length for octets and digits; of n for a list.
struct field {
    const char *name;
    const char *help;
    enum field_kind kind;
    const struct field_record *record;
    uint16_t offset;
    uint16_t has_offset; // of `has_NAME`; FIELD_ALWAYS for a mandatory field
    uint64_t least, most;
    const struct field_key *key; // NULL: the configuration has no key for it
};

#define FIELD_TYPE_BOOL   bool
#define FIELD_TYPE_U8     uint8_t
#define FIELD_TYPE_U16    uint16_t
#define FIELD_TYPE_U32    uint32_t
#define FIELD_TYPE_U64    uint64_t
#define FIELD_TYPE_MAC    struct mac
#define FIELD_TYPE_IPV6   struct ipv6_address
#define FIELD_TYPE_OCTETS struct octets
#define FIELD_TYPE_DIGITS struct digits

#define FIELD_KIND_BOOL   FIELD_BOOL, NULL
#define FIELD_KIND_U8     FIELD_U8, NULL
#define FIELD_KIND_U16    FIELD_U16, NULL
#define FIELD_KIND_U32    FIELD_U32, NULL
#define FIELD_KIND_U64    FIELD_U64, NULL
#define FIELD_KIND_MAC    FIELD_MAC, NULL
#define FIELD_KIND_IPV6   FIELD_IPV6, NULL
#define FIELD_KIND_OCTETS FIELD_OCTETS, NULL
#define FIELD_KIND_DIGITS FIELD_DIGITS, NULL

// The kinds of keys: a plain number, ns, octets, bit/s, parts per million, whether, and one of some
// words. A CHOICE has its words, from 0 on and with a blank between them, where the others have
// what a 0 means.
#define FIELD_TYPE_COUNT  uint32_t
#define FIELD_TYPE_TIME   uint64_t
#define FIELD_TYPE_SIZE   uint64_t
#define FIELD_TYPE_RATE   uint64_t
#define FIELD_TYPE_PPM    uint32_t
#define FIELD_TYPE_SWITCH bool
#define FIELD_KIND_COUNT  FIELD_U32, NULL
#define FIELD_KIND_TIME   FIELD_U64, NULL
#define FIELD_KIND_SIZE   FIELD_U64, NULL
#define FIELD_KIND_RATE   FIELD_U64, NULL
#define FIELD_KIND_PPM    FIELD_U32, NULL
#define FIELD_KIND_SWITCH FIELD_BOOL, NULL
#define FIELD_KEY_COUNT   "integer"
#define FIELD_KEY_TIME    "time"
#define FIELD_KEY_SIZE    "size"
#define FIELD_KEY_RATE    "rate"
#define FIELD_KEY_PPM     "probability"
#define FIELD_KEY_SWITCH  "switch"
#define FIELD_TYPE_CHOICE uint32_t
#define FIELD_KIND_CHOICE FIELD_U32, NULL
#define FIELD_KEY_CHOICE  "choice"

// A record or list kind K adds: FIELD_TYPE_K, its struct, and FIELD_KIND_K, which is
// `FIELD_RECORD, &record` or `FIELD_LIST, &record of an item`.
#define FIELD_LIST_ITEMS_AT sizeof(uint64_t)
#define FIELD_LIST_STRUCT(tag, item_tag, most) \
    struct tag {                               \
        uint64_t n;                            \
        struct item_tag item[most];            \
    }
#define FIELD_RECORD_OF(tag, table)                               \
    {                                                             \
        table, sizeof table / sizeof table[0], sizeof(struct tag) \
    }

#define FIELD_MEMBER_MUST(owner, kind, name, least, most, help) FIELD_TYPE_##kind name;
#define FIELD_MEMBER_MAY(owner, kind, name, least, most, help) \
    bool has_##name;                                           \
    FIELD_TYPE_##kind name;
#define FIELD_STRUCT(tag, LIST)                        \
    struct tag {                                       \
        LIST(FIELD_MEMBER_MUST, FIELD_MEMBER_MAY, tag) \
    }

#define FIELD_ROW_MUST(owner, kind, name, least, most, help) \
    {#name, help, FIELD_KIND_##kind, offsetof(struct owner, name), FIELD_ALWAYS, least, most, NULL},
#define FIELD_ROW_MAY(owner, kind, name, least, most, help) \
    {#name,                                                 \
     help,                                                  \
     FIELD_KIND_##kind,                                     \
     offsetof(struct owner, name),                          \
     offsetof(struct owner, has_##name),                    \
     least,                                                 \
     most,                                                  \
     NULL},
#define FIELD_TABLE(tag, LIST)                   \
    {                                            \
        LIST(FIELD_ROW_MUST, FIELD_ROW_MAY, tag) \
    }

#define FIELD_MEMBER_KEY(owner, kind, name, key, zero, least, most, standard, help) \
    FIELD_TYPE_##kind name;
#define FIELD_KEYS_STRUCT(tag, LIST)                   \
    struct tag {                                       \
        LIST(FIELD_MEMBER_MUST, FIELD_MEMBER_KEY, tag) \
    }
#define FIELD_ROW_KEY(owner, kind, name, key, zero, least, most, standard, help) \
    {#name,                                                                      \
     help,                                                                       \
     FIELD_KIND_##kind,                                                          \
     offsetof(struct owner, name),                                               \
     FIELD_ALWAYS,                                                               \
     least,                                                                      \
     most,                                                                       \
     &(const struct field_key){key, FIELD_KEY_##kind, zero, standard}},
#define FIELD_KEYS_TABLE(tag, LIST)              \
    {                                            \
        LIST(FIELD_ROW_MUST, FIELD_ROW_KEY, tag) \
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

// Each change is a field's place in `fields` (4 octets) and its value (8 octets), network order.
// Returns 0 or -ERANGE.
int field_change(const struct field *fields, uint32_t count, void *owner, struct octets changes);

#endif
