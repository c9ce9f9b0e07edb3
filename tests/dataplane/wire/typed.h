// Octets typed by hand, through the codec of a PDU by its name: they decode, are written again as
// they were, and cut short anywhere they are refused or good in themselves, within their bounds.
#ifndef TESTS_DATAPLANE_WIRE_TYPED_H
#define TESTS_DATAPLANE_WIRE_TYPED_H

#include "dataplane/wire/pdus.h"
#include "tests/dataplane/wire/judge.h"

static inline const struct wire_pdu *typed_pdu(const char *name)
{
    for (uint32_t i = 0; i < wire_pdu_count; i++)
        if (strcmp(wire_pdus[i].name, name) == 0)
            return &wire_pdus[i];
    fail_msg("no PDU is called %s", name);
    return NULL;
}

// A PDU that ends early decodes to the end it has, or its fault is no further than that.
static inline void typed_cut(const struct wire_pdu *pdu, const uint8_t *octets, uint32_t n)
{
    static union wire_any any;
    int result = pdu->decode(&any, page_end_copy(octets, n), n);
    if (result < 0 && wire_fault_offset(result) > n)
        fail_msg("%s of %u octets: fault at %u", pdu->name, n, wire_fault_offset(result));
    if (result >= 0 && (uint32_t)result != n)
        fail_msg("%s of %u octets: took %d", pdu->name, n, result);
}

// Into `any`, whose octets stay where they are typed.
static inline void typed_both_ways(const char *name, void *any, const uint8_t *octets, uint32_t n)
{
    const struct wire_pdu *pdu = typed_pdu(name);
    static uint8_t b[4096];
    int result = pdu->decode(any, octets, n);
    if (result != (int)n)
        fail_msg("%s: %s at octet %u", name, wire_err_name(wire_fault_err(result)),
                 wire_fault_offset(result));
    assert_int_equal(pdu->encode(any, b, sizeof b), n);
    assert_memory_equal(b, octets, n);
    for (uint32_t room = 0; room < n; room++)
        EXPECT_FAULT(pdu->encode(any, page_end(room), room), NO_ROOM, room);
    for (uint32_t cut = 0; cut < n; cut++)
        typed_cut(pdu, octets, cut);
}

// What is refused, and where.
static inline void typed_refused(const char *name, const uint8_t *octets, uint32_t n,
                                 enum wire_err err, uint32_t offset)
{
    static union wire_any any;
    expect_fault(typed_pdu(name)->decode(&any, page_end_copy(octets, n), n), err, offset);
}

#define TYPED_BOTH_WAYS(name, any, ...) \
    typed_both_ways(name, any, TYPED(__VA_ARGS__), sizeof TYPED(__VA_ARGS__))
#define TYPED_REFUSED(name, err, offset, ...) \
    typed_refused(name, TYPED(__VA_ARGS__), sizeof TYPED(__VA_ARGS__), WIRE_##err, offset)

#endif
