// See field.h.
#include "dataplane/wire/field.h"

#include <errno.h>
#include <string.h>

#include "dataplane/wire/bytes.h"

bool field_is_integer(const struct field *field)
{
    return field->kind <= FIELD_U64;
}

uint64_t field_get(const struct field *field, const void *owner)
{
    const char *at = (const char *)owner + field->offset;
    switch (field->kind) {
    case FIELD_BOOL:
        return *(const bool *)at;
    case FIELD_U8:
        return *(const uint8_t *)at;
    case FIELD_U16:
        return *(const uint16_t *)at;
    case FIELD_U32:
        return *(const uint32_t *)at;
    case FIELD_U64:
        return *(const uint64_t *)at;
    default:
        return 0;
    }
}

void field_set(const struct field *field, void *owner, uint64_t value)
{
    char *at = (char *)owner + field->offset;
    switch (field->kind) {
    case FIELD_BOOL:
        *(bool *)at = value != 0;
        break;
    case FIELD_U8:
        *(uint8_t *)at = (uint8_t)value;
        break;
    case FIELD_U16:
        *(uint16_t *)at = (uint16_t)value;
        break;
    case FIELD_U32:
        *(uint32_t *)at = (uint32_t)value;
        break;
    case FIELD_U64:
        *(uint64_t *)at = value;
        break;
    default:
        break;
    }
}

#define CHANGE_OCTETS 12

int field_change(const struct field *fields, uint32_t count, void *owner, struct octets changes)
{
    for (uint32_t at = 0; at + CHANGE_OCTETS <= changes.n; at += CHANGE_OCTETS) {
        const uint8_t *change = changes.at + at;
        uint32_t field = get_be32(change);
        if (field >= count)
            return -ERANGE;
        field_set(&fields[field], owner,
                  (uint64_t)get_be32(change + 4) << 32 | get_be32(change + 8));
    }
    return 0;
}
