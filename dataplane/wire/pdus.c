// The table of all PDUs, from pdus.def, and the texts of the faults. For each PDU: its field table,
// and its codec behind the common signature.
#include "dataplane/wire/pdus.h"

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

#define PDU(name, LIST, help)                      \
    {#name,                                        \
     help,                                         \
     name##_table,                                 \
     sizeof name##_table / sizeof name##_table[0], \
     sizeof(struct name),                          \
     name##_decode_any,                            \
     name##_encode_any},

const struct wire_pdu wire_pdus[] = {
#include "dataplane/wire/pdus.def"
};
#undef PDU
const uint32_t wire_pdu_count = sizeof wire_pdus / sizeof wire_pdus[0];

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
