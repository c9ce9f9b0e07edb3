// One codec, or a group of codecs that the type octet tells apart, that of PDU_NAME: octets that
// decode are encoded, and decode again to the same fields. What the encoder writes is never longer
// than what the decoder took. A fuzzer does not guess a checksum: where only that is wrong, the
// right one is put in and the octets are tried again.
#include <stdlib.h>

#include "dataplane/wire/fcs.h"
#include "tests/dataplane/wire/any_pdu.h"
#include "tests/fuzz/check.h"

// a GTP-U payload beyond this does not leave room for its options
#define LONGEST 60000u

static const struct wire_pdu *chosen(const uint8_t *b, uint32_t n)
{
    int fault;
    for (uint32_t i = 0; i < wire_pdu_count; i++)
        if (strcmp(wire_pdus[i].name, PDU_NAME) == 0)
            return &wire_pdus[i];
    return wire_pdu_in(PDU_NAME, b, n, &fault);
}

static bool repair_checksum(const struct wire_pdu *pdu, uint32_t at, uint8_t *b, uint32_t n)
{
    uint32_t covered = strcmp(pdu->name, "ipv4") == 0 ? (b[0] & 15u) * 4 : n;
    b[at] = b[at + 1] = 0;
    uint16_t checksum = ipv4_fold(ipv4_sum(0, b, covered));
    b[at] = (uint8_t)(checksum >> 8);
    b[at + 1] = (uint8_t)checksum;
    return true;
}

// With PM, and in U frames, all octets count, without it the header and four more.
static bool repair_fcs(const struct wire_pdu *pdu, uint8_t *b, uint32_t n)
{
    bool unprotected = strcmp(pdu->name, "llc_ui") == 0 && !(b[2] & 1);
    fcs_put(b + n - 3, fcs_table(b, unprotected && n >= 10 ? 7 : n - 3));
    return true;
}

// True if it wrote a checksum that may help.
static bool repair(const struct wire_pdu *pdu, int fault, uint8_t *b, uint32_t n)
{
    if (wire_fault_err(fault) == WIRE_CHECKSUM)
        return repair_checksum(pdu, wire_fault_offset(fault), b, n);
    return wire_fault_err(fault) == WIRE_FCS && repair_fcs(pdu, b, n);
}

static void check_round_trip(const struct wire_pdu *pdu, const union wire_any *first,
                             uint32_t consumed)
{
    union wire_any second;
    uint8_t *b = malloc(consumed);
    int n = pdu->encode(first, b, consumed);
    CHECK(n > 0 && (uint32_t)n <= consumed);
    CHECK(pdu->decode(&second, b, (uint32_t)n) == n);
    CHECK(any_pdu_difference(pdu, first, &second) == NULL);
    free(b);
}

static void check_octets(const struct wire_pdu *pdu, uint8_t *b, uint32_t n)
{
    union wire_any any;
    int consumed = pdu->decode(&any, b, n);
    if (consumed < 0 && repair(pdu, consumed, b, n)) {
        consumed = pdu->decode(&any, b, n);
        CHECK(consumed >= 0 ||
              (wire_fault_err(consumed) != WIRE_CHECKSUM && wire_fault_err(consumed) != WIRE_FCS));
    }
    if (consumed < 0) {
        CHECK(wire_fault_err(consumed) < WIRE_ERR_COUNT);
        CHECK(wire_fault_offset(consumed) <= n);
        return;
    }
    CHECK((uint32_t)consumed <= n);
    CHECK(any_pdu_outside(pdu, &any, b, (uint32_t)consumed) == NULL);
    check_round_trip(pdu, &any, (uint32_t)consumed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > LONGEST)
        return 0;
    uint8_t *b = malloc(size); // exactly its size, so that a sanitizer sees the first octet beyond
    memcpy(b, data, size);
    const struct wire_pdu *pdu = chosen(b, (uint32_t)size);
    if (pdu)
        check_octets(pdu, b, (uint32_t)size);
    free(b);
    return 0;
}
