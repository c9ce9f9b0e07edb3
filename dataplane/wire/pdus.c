// The table of all PDUs, from pdus.def, and the texts of the faults. For each PDU: its field table,
// and its codec with the common signature.
#include "dataplane/wire/pdus.h"

#include <string.h>

// By group: the offsets of the type octet and of the first row, the tag of the granularity, GTP-C's
// lengths; then the decoder and the encoder.
#define bssgp_HEAD                                           0, 1, 0x7e, NULL
#define ns_HEAD                                              0, 1, 0, NULL
#define gmm_up_HEAD                                          1, 2, 0, NULL
#define gmm_down_HEAD                                        gmm_up_HEAD
#define sm_HEAD                                              1, 0, 0, NULL
#define gtpc_HEAD                                            1, 4, 0, gtpc_tv_octets
#define TYPE_AT(...)                                         TYPE_AT_(__VA_ARGS__)
#define TYPE_AT_(type_at, begin, granularity_tag, tv_octets) type_at

#define bssgp_DECODE    tlv_decode
#define bssgp_ENCODE    tlv_encode
#define ns_DECODE       tlv_decode
#define ns_ENCODE       tlv_encode
#define gmm_up_DECODE   l3_decode
#define gmm_up_ENCODE   l3_encode
#define gmm_down_DECODE l3_decode
#define gmm_down_ENCODE l3_encode
#define sm_DECODE       l3_decode
#define sm_ENCODE       l3_encode
#define gtpc_DECODE     gtpc_decode
#define gtpc_ENCODE     gtpc_encode

#define PDU(name, LIST, help)                                                \
    static const struct field name##_table[] = FIELD_TABLE(name, LIST);      \
    static int name##_decode_any(void *pdu, const uint8_t *b, uint32_t n)    \
    {                                                                        \
        return name##_decode(pdu, b, n);                                     \
    }                                                                        \
    static int name##_encode_any(const void *pdu, uint8_t *b, uint32_t room) \
    {                                                                        \
        return name##_encode(pdu, b, room);                                  \
    }
#include "dataplane/wire/pdus.def"
#undef PDU

// PDUs of information elements: two tables each, and the same two functions for all.
#define TLV_PDU(group, name, NAME, pdu_type, help)                                                \
    static const struct field name##_table[] = {NAME##_IES(TLV_FIELD_MUST, TLV_FIELD_MAY, name)}; \
    static const struct ie name##_ies[] = {NAME##_IES(TLV_IE, TLV_IE, name)};                     \
    _Static_assert(sizeof name##_ies / sizeof name##_ies[0] <= TLV_ROWS_MAX, #name);              \
    static const struct tlv_pdu name##_tlv = {pdu_type, group##_HEAD,                             \
                                              sizeof name##_ies / sizeof name##_ies[0],           \
                                              name##_table, name##_ies};                          \
    int name##_decode(struct name *pdu, const uint8_t *b, uint32_t n)                             \
    {                                                                                             \
        return group##_DECODE(&name##_tlv, pdu, b, n);                                            \
    }                                                                                             \
    int name##_encode(const struct name *pdu, uint8_t *b, uint32_t room)                          \
    {                                                                                             \
        return group##_ENCODE(&name##_tlv, pdu, b, room);                                         \
    }                                                                                             \
    static int name##_decode_any(void *pdu, const uint8_t *b, uint32_t n)                         \
    {                                                                                             \
        return group##_DECODE(&name##_tlv, pdu, b, n);                                            \
    }                                                                                             \
    static int name##_encode_any(const void *pdu, uint8_t *b, uint32_t room)                      \
    {                                                                                             \
        return group##_ENCODE(&name##_tlv, pdu, b, room);                                         \
    }
#include "dataplane/wire/tlv.def"
#undef TLV_PDU

#define ROW(name, group, type, type_at, help)      \
    {#name,                                        \
     group,                                        \
     type,                                         \
     type_at,                                      \
     help,                                         \
     name##_table,                                 \
     sizeof name##_table / sizeof name##_table[0], \
     sizeof(struct name),                          \
     name##_decode_any,                            \
     name##_encode_any},

const struct wire_pdu wire_pdus[] = {
#define PDU(name, LIST, help)                 ROW(name, NULL, 0, 0, help)
#define PDU_OF(group, type, name, LIST, help) ROW(name, #group, type, 0, help)
#include "dataplane/wire/pdus.def"
#undef PDU
#define TLV_PDU(group, name, NAME, pdu_type, help) \
    ROW(name, #group, pdu_type, TYPE_AT(group##_HEAD), help)
#include "dataplane/wire/tlv.def"
#undef TLV_PDU
};
const uint32_t wire_pdu_count = sizeof wire_pdus / sizeof wire_pdus[0];

const struct wire_pdu *wire_pdu_of(const char *group, uint8_t type)
{
    for (uint32_t i = 0; i < wire_pdu_count; i++)
        if (wire_pdus[i].group && wire_pdus[i].type == type &&
            strcmp(wire_pdus[i].group, group) == 0)
            return &wire_pdus[i];
    return NULL;
}

const struct wire_pdu *wire_pdu_in(const char *group, const uint8_t *b, uint32_t n, int *fault)
{
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i];
        if (!pdu->group || strcmp(pdu->group, group) != 0)
            continue;
        *fault =
            pdu->type_at < n ? wire_fault(WIRE_TYPE, pdu->type_at) : wire_fault(WIRE_TRUNCATED, n);
        if (pdu->type_at < n && b[pdu->type_at] == pdu->type)
            return pdu;
    }
    return NULL;
}

static const struct {
    const char *name, *text;
} errs[WIRE_ERR_COUNT] = {
    [WIRE_OK] = {"OK", "no fault"},
#define WIRE_ERR(name, text) [WIRE_##name] = {#name, text},
#include "dataplane/wire/wire_err.def"
#undef WIRE_ERR
};

const char *wire_err_text(enum wire_err err)
{
    return (uint32_t)err < WIRE_ERR_COUNT ? errs[err].text : "unknown fault";
}

const char *wire_err_name(enum wire_err err)
{
    return (uint32_t)err < WIRE_ERR_COUNT ? errs[err].name : "UNKNOWN";
}
