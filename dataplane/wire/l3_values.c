// Elements of layer 3 with values other than integers and octets. See l3.h.
#include <string.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/l3.h"

#define IDENTITY_NONE   0
#define IDENTITY_IMSI   1
#define IDENTITY_IMEI   2
#define IDENTITY_IMEISV 3
#define IDENTITY_TMSI   4

static const struct field identity_table[] = FIELD_TABLE(l3_identity, L3_IDENTITY_FIELDS);
const struct field_record l3_identity_record = FIELD_RECORD_OF(l3_identity, identity_table);

#define TMSI_OCTETS 5
#define TMSI_HEAD   0xf0 // spare bits, in the place of a digit

static int put_tmsi(uint32_t tmsi, uint8_t *b)
{
    b[0] = TMSI_HEAD | IDENTITY_TMSI;
    put_be32(b + 1, tmsi);
    return TMSI_OCTETS;
}

static int get_tmsi(uint32_t *tmsi, const uint8_t *b, uint32_t n)
{
    if ((b[0] & IDENTITY_TYPE) != IDENTITY_TMSI)
        return wire_fault(WIRE_TYPE, 0);
    if (n != TMSI_OCTETS)
        return wire_fault(WIRE_LENGTH, 0);
    *tmsi = get_be32(b + 1);
    return 0;
}

// Where an identity of digits is, of the type that stands for its row in the table too.
static struct digits *digits_of(struct l3_identity *identity, uint8_t type)
{
    return (struct digits *)((char *)identity + identity_table[type - 1].offset);
}

static int identity_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                        uint32_t unit)
{
    struct l3_identity *identity = (struct l3_identity *)((char *)owner + field->offset);
    uint8_t type = b[0] & IDENTITY_TYPE;
    (void)unit;
    identity->has_imsi = type == IDENTITY_IMSI;
    identity->has_imei = type == IDENTITY_IMEI;
    identity->has_imeisv = type == IDENTITY_IMEISV;
    identity->has_tmsi = type == IDENTITY_TMSI;
    if (type == IDENTITY_NONE)
        return 0;
    if (type == IDENTITY_TMSI)
        return get_tmsi(&identity->tmsi, b, n);
    if (type > IDENTITY_TMSI)
        return wire_fault(WIRE_TYPE, 0);
    const struct field *digits = &identity_table[type - 1];
    return ie_get_digits(digits_of(identity, type), digits->least, digits->most, b, n);
}

static int identity_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                        uint32_t unit)
{
    struct l3_identity identity =
        *(const struct l3_identity *)((const char *)owner + field->offset);
    uint8_t type = IDENTITY_NONE;
    (void)octets, (void)unit;
    for (uint8_t row = 0; row < IDENTITY_TMSI; row++) {
        if (!tlv_is_present(&identity_table[row], &identity))
            continue;
        if (type)
            return wire_fault(WIRE_UNEXPECTED_IE, 0);
        type = row + 1;
    }
    if (type == IDENTITY_TMSI)
        return put_tmsi(identity.tmsi, b);
    b[0] = TMSI_HEAD;
    if (type == IDENTITY_NONE)
        return 1;
    const struct field *digits = &identity_table[type - 1];
    return ie_put_digits(digits_of(&identity, type), digits->least, digits->most, type, b);
}

const struct ie_coding l3_identity_coding = {identity_get, identity_put};

static int tmsi_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                    uint32_t unit)
{
    (void)unit;
    return get_tmsi((uint32_t *)((char *)owner + field->offset), b, n);
}

static int tmsi_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                    uint32_t unit)
{
    (void)octets, (void)unit;
    return put_tmsi((uint32_t)field_get(field, owner), b);
}

const struct ie_coding l3_tmsi = {tmsi_get, tmsi_put};

static int imeisv_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                      uint32_t unit)
{
    struct digits *digits = (struct digits *)((char *)owner + field->offset);
    (void)unit;
    if ((b[0] & IDENTITY_TYPE) != IDENTITY_IMEISV)
        return wire_fault(WIRE_TYPE, 0);
    return ie_get_digits(digits, field->least, field->most, b, n);
}

static int imeisv_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                      uint32_t unit)
{
    const struct digits *digits = (const struct digits *)((const char *)owner + field->offset);
    (void)octets, (void)unit;
    return ie_put_digits(digits, field->least, field->most, IDENTITY_IMEISV, b);
}

const struct ie_coding l3_imeisv = {imeisv_get, imeisv_put};

#define LAC_DELETED 0xfffe

static int old_area_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                        uint32_t unit)
{
    struct bssgp_area *area = (struct bssgp_area *)((char *)owner + field->offset);
    if (bssgp_area_coding.get(field, owner, b, n, unit) != 0)
        *area = (struct bssgp_area){.mnc_digits = 2, .lac = LAC_DELETED, .rac = area->rac};
    return 0;
}

static int old_area_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                        uint32_t unit)
{
    return bssgp_area_coding.put(field, owner, b, octets, unit);
}

const struct ie_coding l3_old_area = {old_area_get, old_area_put};

static int pdp_status_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                          uint32_t unit)
{
    (void)n, (void)unit;
    field_set(field, owner, b[0] | b[1] << 8);
    return 0;
}

static int pdp_status_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                          uint32_t unit)
{
    uint64_t nsapis = field_get(field, owner);
    (void)octets, (void)unit;
    b[0] = (uint8_t)nsapis;
    b[1] = (uint8_t)(nsapis >> 8);
    return 2;
}

const struct ie_coding l3_pdp_status = {pdp_status_get, pdp_status_put};

#define TI_EXTENDED 7 // the TI is in the next octet

static int ti_get(const struct field *field, void *owner, const uint8_t *b, uint32_t n,
                  uint32_t unit)
{
    (void)n, (void)unit;
    field_set(field, owner, b[0] >> 4);
    return (b[0] >> 4 & TI_EXTENDED) == TI_EXTENDED ? wire_fault(WIRE_RESERVED, 0) : 0;
}

// The type octet is the encoder's.
static int ti_put(const struct field *field, const void *owner, uint8_t *b, uint32_t octets,
                  uint32_t unit)
{
    uint64_t ti = field_get(field, owner);
    (void)unit;
    if (ti > field->most || (ti & TI_EXTENDED) == TI_EXTENDED)
        return wire_fault(WIRE_RANGE, 0);
    b[0] = (uint8_t)(ti << 4 | L3_SM);
    return (int)octets;
}

const struct ie_coding l3_ti = {ti_get, ti_put};
