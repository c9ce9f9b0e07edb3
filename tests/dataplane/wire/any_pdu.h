// PDUs by their field descriptors alone: what a test and a fuzz target do with every PDU alike.
#ifndef TESTS_DATAPLANE_WIRE_ANY_PDU_H
#define TESTS_DATAPLANE_WIRE_ANY_PDU_H

#include <string.h>

#include "dataplane/wire/pdus.h"

// Where a struct holds a field; NULL for an optional one that is not there.
static inline const void *any_field_at(const struct field *field, const void *owner)
{
    if (field->has_offset != FIELD_ALWAYS && !*((const bool *)owner + field->has_offset))
        return NULL;
    return (const char *)owner + field->offset;
}

// A record is a list of one. How many structs there are, and where the first is.
static inline uint64_t any_field_items(const struct field *field, const void *at, const char **item)
{
    bool list = field->kind == FIELD_LIST;
    *item = (const char *)at + (list ? FIELD_LIST_ITEMS_AT : 0);
    return list ? *(const uint64_t *)at : 1;
}

static inline const char *any_fields_difference(const struct field *fields, uint32_t count,
                                                const void *a, const void *b);

static inline bool any_items_equal(const struct field *field, const void *x, const void *y)
{
    const char *p, *q;
    uint64_t n = any_field_items(field, x, &p);
    if (any_field_items(field, y, &q) != n)
        return false;
    for (uint64_t i = 0; i < n; i++, p += field->record->octets, q += field->record->octets)
        if (any_fields_difference(field->record->fields, field->record->count, p, q))
            return false;
    return true;
}

static inline bool any_field_equal(const struct field *field, const void *a, const void *b)
{
    const void *x = any_field_at(field, a), *y = any_field_at(field, b);
    const struct octets *p = x, *q = y;
    if (!x || !y)
        return x == y;
    switch (field->kind) {
    case FIELD_MAC:
        return memcmp(x, y, sizeof(struct mac)) == 0;
    case FIELD_IPV6:
        return memcmp(x, y, sizeof(struct ipv6_address)) == 0;
    case FIELD_DIGITS:
        return strcmp(x, y) == 0;
    case FIELD_OCTETS:
        return p->n == q->n && (p->n == 0 || memcmp(p->at, q->at, p->n) == 0);
    case FIELD_RECORD:
    case FIELD_LIST:
        return any_items_equal(field, x, y);
    default:
        return field_get(field, a) == field_get(field, b);
    }
}

static inline const char *any_fields_difference(const struct field *fields, uint32_t count,
                                                const void *a, const void *b)
{
    for (uint32_t i = 0; i < count; i++)
        if (!any_field_equal(&fields[i], a, b))
            return fields[i].name;
    return NULL;
}

// NULL if two structs hold the same, else the name of the first field that differs.
static inline const char *any_pdu_difference(const struct wire_pdu *pdu, const void *a,
                                             const void *b)
{
    return any_fields_difference(pdu->fields, pdu->field_count, a, b);
}

static inline bool any_octets_inside(const struct octets *o, const uint8_t *b, uint32_t n)
{
    return o->at >= b && o->n <= n && o->at - b <= (ptrdiff_t)(n - o->n);
}

static inline const char *any_fields_outside(const struct field *fields, uint32_t count,
                                             const void *owner, const uint8_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        const void *at = any_field_at(f, owner);
        const char *item = NULL;
        if (at && f->kind == FIELD_OCTETS && !any_octets_inside(at, b, n))
            return f->name;
        uint64_t items = at && f->record ? any_field_items(f, at, &item) : 0;
        for (uint64_t k = 0; k < items; k++, item += f->record->octets)
            if (any_fields_outside(f->record->fields, f->record->count, item, b, n))
                return f->name;
    }
    return NULL;
}

// NULL if every payload lies within the n octets at b, else the name of one that does not.
static inline const char *any_pdu_outside(const struct wire_pdu *pdu, const void *any,
                                          const uint8_t *b, uint32_t n)
{
    return any_fields_outside(pdu->fields, pdu->field_count, any, b, n);
}

#endif
