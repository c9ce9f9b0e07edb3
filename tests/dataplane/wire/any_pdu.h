// PDUs by their field descriptors alone: what a test and a fuzz target do with every PDU alike.
#ifndef TESTS_DATAPLANE_WIRE_ANY_PDU_H
#define TESTS_DATAPLANE_WIRE_ANY_PDU_H

#include <string.h>

#include "dataplane/wire/pdus.h"

// Where a struct holds a field; NULL for an optional one that is not there.
static inline const void *any_pdu_at(const struct field *field, const void *pdu)
{
    if (field->has_offset != FIELD_ALWAYS && !*((const bool *)pdu + field->has_offset))
        return NULL;
    return (const char *)pdu + field->offset;
}

static inline bool any_pdu_field_equal(const struct field *field, const void *a, const void *b)
{
    const void *x = any_pdu_at(field, a), *y = any_pdu_at(field, b);
    if (!x || !y)
        return x == y;
    if (field->kind == FIELD_MAC)
        return memcmp(x, y, sizeof(struct mac)) == 0;
    if (field->kind != FIELD_OCTETS)
        return field_get(field, a) == field_get(field, b);
    const struct octets *p = x, *q = y;
    return p->n == q->n && (p->n == 0 || memcmp(p->at, q->at, p->n) == 0);
}

// NULL if two structs hold the same, else the name of the first field that differs.
static inline const char *any_pdu_difference(const struct wire_pdu *pdu, const void *a,
                                             const void *b)
{
    for (uint32_t i = 0; i < pdu->field_count; i++)
        if (!any_pdu_field_equal(&pdu->fields[i], a, b))
            return pdu->fields[i].name;
    return NULL;
}

// NULL if every payload lies within the n octets at b, else the name of one that does not.
static inline const char *any_pdu_outside(const struct wire_pdu *pdu, const void *any,
                                          const uint8_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < pdu->field_count; i++) {
        const struct octets *o = any_pdu_at(&pdu->fields[i], any);
        if (pdu->fields[i].kind == FIELD_OCTETS && o &&
            (o->at < b || o->n > n || o->at - b > (ptrdiff_t)(n - o->n)))
            return pdu->fields[i].name;
    }
    return NULL;
}

#endif
