// See field.h.
#include "dataplane/wire/field.h"

#include <string.h>

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
