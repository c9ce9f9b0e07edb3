// How often a PDU with an ill element is decoded again, counted: an attacker who chooses the octets
// makes any place look like the begin of the ill one, and still gets a bounded number of tries.
#include "lab/captures/audit/audit_input.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define OCTETS   4000u
#define FAULT_AT 1500u

static uint32_t decoded;

static int count_and_fail(void *pdu, const uint8_t *b, uint32_t n)
{
    (void)pdu, (void)b, (void)n;
    decoded++;
    return wire_fault(WIRE_RESERVED, FAULT_AT);
}

// Elements of three octets fill the end; in front each octet begins one of 1031 octets. Of the
// places before the fault every third is the head of an element that has the fault inside.
static void tries_are_bounded(void **state)
{
    static struct bssgp bssgp;
    static const struct wire_pdu row = {.decode = count_and_fail};
    uint32_t places = 0;
    (void)state;
    memset(bssgp.copy, 4, FAULT_AT);
    memset(bssgp.copy + FAULT_AT, 0, OCTETS - FAULT_AT);
    bssgp.fault = count_and_fail(NULL, NULL, 0);
    find_elements(&bssgp, OCTETS);
    for (uint32_t at = 1; at < FAULT_AT; at++)
        places += bssgp.begins[at] && at + element_octets(bssgp.copy, OCTETS, at) > FAULT_AT;
    assert_in_range(places, 300, 400); // so many there are to try
    decoded = 0;
    assert_false(hide(&bssgp, &row, OCTETS));
    assert_int_equal(decoded, TRIED_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tries_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
