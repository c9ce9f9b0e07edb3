// For messages whose octets were written by hand: decoding the octets gives `wanted`, and encoding
// `wanted` gives the octets.
#ifndef TESTS_DATAPLANE_WIRE_TYPED_GROUP_H
#define TESTS_DATAPLANE_WIRE_TYPED_GROUP_H

#include "tests/dataplane/wire/any_pdu.h"
#include "tests/dataplane/wire/typed.h"

static inline void expect_message(const char *group, const char *octets, uint32_t n,
                                  const void *wanted)
{
    int fault;
    const struct wire_pdu *pdu = wire_pdu_in(group, (const uint8_t *)octets, n, &fault);
    union wire_any any;
    uint8_t b[512];
    assert_non_null(pdu);
    int result = pdu->decode(&any, page_end_copy(octets, n), n);
    if (result != (int)n)
        fail_msg("%s: %s at octet %u", pdu->name, wire_err_name(wire_fault_err(result)),
                 wire_fault_offset(result));
    const char *different = any_pdu_difference(pdu, &any, wanted);
    if (different)
        fail_msg("%s: %s differs", pdu->name, different);
    assert_int_equal(pdu->encode(wanted, b, sizeof b), n);
    assert_memory_equal(b, octets, n);
    for (uint32_t room = 0; room < n; room++)
        EXPECT_FAULT(pdu->encode(wanted, page_end(room), room), NO_ROOM, room);
}
#define EXPECT_MESSAGE(group, octets, name, ...) \
    expect_message(group, octets, sizeof octets - 1, &(union wire_any){.name = {__VA_ARGS__}})

#define OCTETS_OF(text)                        \
    {                                          \
        (const uint8_t *)text, sizeof text - 1 \
    }

#endif
