// See pdp.h.
#include "dataplane/wire/pdp.h"

#include <string.h>

static const struct field address_table[] = FIELD_TABLE(pdp_address, PDP_ADDRESS_FIELDS);
const struct field_record pdp_address_record = FIELD_RECORD_OF(pdp_address, address_table);

#define HEAD_OCTETS  2
#define ORGANISATION 0x0f
#define SPARE_ONES   0xf0

static int address_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                       uint32_t unit)
{
    struct pdp_address *address = (struct pdp_address *)((char *)owner + field->offset);
    (void)unit;
    address->organisation = b[0] & ORGANISATION;
    address->type = b[1];
    address->address = (struct octets){b + HEAD_OCTETS, n - HEAD_OCTETS};
    return 0;
}

static int address_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                       uint32_t unit)
{
    const struct pdp_address *address =
        (const struct pdp_address *)((const char *)owner + field->offset);
    (void)octets, (void)unit;
    if (address->organisation > ORGANISATION || address->address.n > PDP_ADDRESS_MAX)
        return wire_fault(WIRE_RANGE, 0);
    b[0] = address->organisation;
    b[1] = address->type;
    if (address->address.n)
        memcpy(b + HEAD_OCTETS, address->address.at, address->address.n);
    return HEAD_OCTETS + (int)address->address.n;
}

const struct ie_coding pdp_address_coding = {address_get, address_put};

static int user_address_put(const struct field *field, const void *owner, uint8_t *b,
                            uint32_t octets, uint32_t unit)
{
    int n = address_put(field, owner, b, octets, unit);
    if (n >= 0)
        b[0] |= SPARE_ONES;
    return n;
}

const struct ie_coding pdp_user_address = {address_get, user_address_put};

// Only the root's label, which ends a name, is empty.
static int apn_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                   uint32_t unit)
{
    uint32_t at = 0;
    while (at < n && (b[at] || at + 1 == n))
        at += 1u + b[at];
    return at == n ? ie_octets.get(field, owner, b, n, unit) : wire_fault(WIRE_RESERVED, 0);
}

const struct ie_coding pdp_apn = {apn_get, NULL};
