// What 24.008 clause 8 and 24.007 11.2 say of elements that are unknown, repeated, out of sequence,
// cut off or wrong, for every message of layer 3 alike: by the table of all PDUs, and by the tags
// that each message has, typed here.
#include "dataplane/wire/l3.h"

#include <stdio.h>

#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/random_pdu.h"
#include "tests/dataplane/wire/typed.h"

// Optional elements in their order. A tag with a dash is the high half of its only octet.
static const struct {
    const char *name, *tags;
} known[] = {
    {"gmm_attach_request", "19 17 9-"},
    {"gmm_attach_accept", "19 17 18 23 25 2a 4a b-"},
    {"gmm_attach_complete", ""},
    {"gmm_attach_reject", "2a 3a"},
    {"gmm_detach_request_up", "18 19"},
    {"gmm_detach_request_down", "25"},
    {"gmm_detach_accept_up", ""},
    {"gmm_detach_accept_down", ""},
    {"gmm_update_request", "19 17 27 9- 18 31 32"},
    {"gmm_update_accept", "19 18 23 26 17 25 2a 4a 32 b-"},
    {"gmm_update_complete", "26"},
    {"gmm_update_reject", "2a 3a"},
    {"gmm_reallocation_command", "19"},
    {"gmm_reallocation_complete", ""},
    {"gmm_authentication_request", "21 8- 28"},
    {"gmm_authentication_response", "22 23 29"},
    {"gmm_authentication_reject", ""},
    {"gmm_authentication_failure", "30"},
    {"gmm_identity_request", ""},
    {"gmm_identity_response", ""},
    {"gmm_status_up", ""},
    {"gmm_status_down", ""},
    {"gmm_information", "43 45 46 47 49"},
    {"sm_activate_request", "28 27"},
    {"sm_activate_accept", "2b 27 34 39"},
    {"sm_activate_reject", "27"},
    {"sm_request_activation", "28 27"},
    {"sm_request_activation_reject", "27"},
    {"sm_deactivate_request", "9- 27"},
    {"sm_deactivate_accept", "27"},
    {"sm_modify_request_down", "2b 34 27"},
    {"sm_modify_accept_up", "27"},
    {"sm_modify_request_up", "32 30 31 27"},
    {"sm_modify_accept_down", "30 32 8- 34 27"},
    {"sm_modify_reject", "27"},
    {"sm_activate_secondary_request", "36 27"},
    {"sm_activate_secondary_reject", "27"},
    {"sm_status", ""},
};

#define WITHIN      200 // random messages of each kind
#define ROOM        2048
#define OPTIONS_MAX 16
#define REQUIRED    0x0f // an unknown tag that has to be understood: where it is read is the end

static bool is_l3(const struct wire_pdu *pdu)
{
    return pdu->group && (strncmp(pdu->group, "gmm", 3) == 0 || strcmp(pdu->group, "sm") == 0);
}

static const char *tags_of(const struct wire_pdu *pdu)
{
    for (size_t i = 0; i < COUNT(known); i++)
        if (strcmp(known[i].name, pdu->name) == 0)
            return known[i].tags;
    fail_msg("no tags of %s here; add them", pdu->name);
    return NULL;
}

static bool is_known(const struct wire_pdu *pdu, uint8_t tag)
{
    char whole[3], half[3];
    snprintf(whole, sizeof whole, "%02x", tag);
    snprintf(half, sizeof half, "%x-", tag >> 4);
    return strstr(tags_of(pdu), whole) || strstr(tags_of(pdu), half);
}

// --- A message in parts --------------------------------------------------------------------------

// A random message with all its optional elements: the struct, and where each element ends;
// `end[0]` is that of the mandatory part.
struct parts {
    const struct wire_pdu *pdu;
    union wire_any any;
    uint32_t options, end[OPTIONS_MAX + 1];
    uint8_t b[ROOM];
};

static void keep(const struct wire_pdu *pdu, union wire_any *any, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0, option = 0; i < pdu->field_count; i++)
        if (pdu->fields[i].has_offset != FIELD_ALWAYS) {
            *((bool *)any + pdu->fields[i].has_offset) = option >= from && option < from + count;
            option++;
        }
}

// CKSN is there if and only if RAND is: what ends between them has a fault of its own.
static bool is_pair(const struct parts *p, uint32_t option)
{
    return strcmp(p->pdu->name, "gmm_authentication_request") == 0 && option == 0;
}

static void draw(const struct wire_pdu *pdu, struct parts *p)
{
    *p = (struct parts){.pdu = pdu};
    do {
        random_pdu(pdu, &p->any, 60);
        keep(pdu, &p->any, 0, OPTIONS_MAX);
    } while (pdu->encode(&p->any, p->b, ROOM) < 0); // an identity that was absent may be two
    for (uint32_t i = 0; i < pdu->field_count; i++)
        p->options += pdu->fields[i].has_offset != FIELD_ALWAYS;
    assert_in_range(p->options, 0, OPTIONS_MAX);
    for (uint32_t count = 0; count <= p->options; count++) {
        keep(pdu, &p->any, 0, count);
        int n = pdu->encode(&p->any, p->b, ROOM);
        if (count == 1 && is_pair(p, 0))
            n = (int)p->end[0] + 17; // RAND with its tag
        assert_true(n > 0);
        p->end[count] = (uint32_t)n;
    }
}

// The octets decode to the elements [from, from + count) and no others.
static void expect_kept(struct parts *p, const uint8_t *b, uint32_t n, uint32_t from,
                        uint32_t count)
{
    union wire_any found;
    keep(p->pdu, &p->any, from, count);
    int result = p->pdu->decode(&found, page_end_copy(b, n), n);
    if (result != (int)n)
        fail_msg("%s of %u octets: %s at %u", p->pdu->name, n,
                 wire_err_name(wire_fault_err(result)), wire_fault_offset(result));
    const char *different = any_pdu_difference(p->pdu, &found, &p->any);
    if (different)
        fail_msg("%s of %u octets, elements %u to %u: %s differs", p->pdu->name, n, from,
                 from + count, different);
}

static void expect_cause(struct parts *p, const uint8_t *b, uint32_t n, enum wire_err err,
                         uint32_t offset, uint8_t cause)
{
    union wire_any found;
    expect_fault(p->pdu->decode(&found, page_end_copy(b, n), n), err, offset);
    assert_int_equal(l3_cause(err), cause);
}

static void for_each(void (*check)(struct parts *p))
{
    static struct parts p;
    uint32_t seen = 0;
    random_begin();
    random_fill(random_payload, sizeof random_payload);
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        for (int draws = 0; is_l3(&wire_pdus[i]) && draws < WITHIN; draws++) {
            draw(&wire_pdus[i], &p);
            check(&p);
        }
        seen += is_l3(&wire_pdus[i]);
    }
    assert_int_equal(seen, COUNT(known));
}

// --- The rules -----------------------------------------------------------------------------------

// Each tag that the message does not know, behind its elements: below 16 it has to be understood;
// from 128 on it is one octet; else it has a length, and what it says must not matter.
static void expect_unknown(struct parts *p)
{
    uint32_t end = p->end[p->options];
    for (uint32_t tag = 0; tag < 256; tag++) {
        if (is_known(p->pdu, (uint8_t)tag))
            continue;
        uint32_t skipped = tag & 0x80 ? 1 : 5;
        memcpy(p->b + end, TYPED((uint8_t)tag, 3, 0xff, 0, 0x0f), 5);
        p->b[end + skipped] = REQUIRED;
        if (tag < 16) {
            expect_cause(p, p->b, end + 5, WIRE_EXTENSION, end, 96);
            expect_cause(p, p->b, end + 1, WIRE_EXTENSION, end, 96);
            continue;
        }
        expect_kept(p, p->b, end + skipped, 0, p->options);
        expect_cause(p, p->b, end + skipped + 1, WIRE_EXTENSION, end + skipped, 96);
        for (uint32_t cut = 1; cut < skipped; cut++)
            expect_kept(p, p->b, end + cut, 0, p->options);
    }
}

// In the mandatory part a message that ends too early is wrong; behind it only the elements that
// are there whole count.
static void expect_truncated(struct parts *p)
{
    uint32_t option = 0;
    for (uint32_t n = 0; n <= p->end[p->options]; n++) {
        union wire_any found;
        while (option < p->options && p->end[option + 1] <= n)
            option++;
        if (n >= p->end[0] && !(is_pair(p, 0) && n == p->end[1])) {
            expect_kept(p, p->b, n, 0, option);
            continue;
        }
        int result = p->pdu->decode(&found, page_end_copy(p->b, n), n);
        assert_true(result < 0 && wire_fault_offset(result) <= n);
        assert_int_equal(l3_cause(wire_fault_err(result)), n >= p->end[0] ? 100 : 96);
    }
}

// Elements that were there before, in any order: the first of each counts.
static void expect_repeated(struct parts *p)
{
    uint32_t n = p->end[p->options], mandatory = p->end[0];
    memcpy(p->b + n, p->b + mandatory, n - mandatory);
    expect_kept(p, p->b, 2 * n - mandatory, 0, p->options);
}

// An element behind one that follows it in the table is not there.
static void expect_out_of_sequence(struct parts *p)
{
    uint8_t b[ROOM];
    for (uint32_t late = 1; late < p->options; late++) {
        for (uint32_t early = 0; early < late; early++) {
            uint32_t n = p->end[0];
            if (is_pair(p, 0) && (early < 2 || late < 2))
                continue;
            memcpy(b, p->b, n);
            for (int i = 0; i < 2; i++) {
                uint32_t option = i ? early : late, from = p->end[option];
                memcpy(b + n, p->b + from, p->end[option + 1] - from);
                n += p->end[option + 1] - from;
            }
            expect_kept(p, b, n, late, 1);
        }
    }
}

static void test_unknown_tags(void **state)
{
    (void)state;
    for_each(expect_unknown);
}

static void test_every_truncation(void **state)
{
    (void)state;
    for_each(expect_truncated);
}

static void test_repeated(void **state)
{
    (void)state;
    for_each(expect_repeated);
}

static void test_out_of_sequence(void **state)
{
    (void)state;
    for_each(expect_out_of_sequence);
}

// --- Single cases --------------------------------------------------------------------------------

// A repetition with another value: the first counts. Of a wrong length: as if it were not there,
// and one behind it is a repetition.
static void test_values_of_repeated_and_wrong_elements(void **state)
{
    struct gmm_attach_reject reject;
    (void)state;
    assert_int_equal(gmm_attach_reject_decode(
                         &reject, TYPED(8, 4, 7, 0x2a, 1, 0x21, 0x2a, 1, 0x22, 0x3a, 1, 0x23), 12),
                     12);
    assert_int_equal(reject.t3302_s, 60);
    assert_int_equal(reject.t3346_s, 180);
    for (uint8_t octets = 0; octets < 4; octets++) {
        uint8_t b[12] = {8, 4, 7, 0x2a, octets, 0x21, 0x21, 0x21};
        uint32_t n = 5u + octets;
        memcpy(b + n, TYPED(0x3a, 1, 0x23), 3);
        assert_int_equal(gmm_attach_reject_decode(&reject, b, n + 3), n + 3);
        assert_int_equal(reject.has_t3302_s, octets == 1);
        assert_true(reject.has_t3346_s);
    }
    // A P-TMSI that is an IMSI; a longer one.
    struct gmm_detach_request_up detach;
    assert_int_equal(gmm_detach_request_up_decode(
                         &detach, TYPED(8, 5, 1, 0x18, 5, 0xf1, 1, 2, 3, 4, 0x19, 3, 1, 2, 3), 15),
                     15);
    assert_false(detach.has_p_tmsi);
    assert_int_equal(detach.signature, 0x010203);
}

// 24.007 11.2.3: the discriminator; 24.008 8.2 and 8.4: a message that is too short, of another
// type.
static void test_heads(void **state)
{
    (void)state;
    TYPED_REFUSED("gmm_status_up", TRUNCATED, 0, );
    TYPED_REFUSED("gmm_status_up", TRUNCATED, 1, 8);
    TYPED_REFUSED("gmm_status_up", VERSION, 0, 9, 0x20, 96);
    TYPED_REFUSED("gmm_status_up", RESERVED, 0, 0x18, 0x20, 96);
    TYPED_REFUSED("gmm_status_up", TYPE, 1, 8, 0x21, 96);
    TYPED_REFUSED("gmm_status_up", MISSING_IE, 2, 8, 0x20);
    TYPED_REFUSED("sm_status", VERSION, 0, 8, 0x55, 96);
    TYPED_REFUSED("sm_status", RESERVED, 0, 0x7a, 0x55, 96);
    TYPED_REFUSED("sm_status", RESERVED, 0, 0xfa, 0x55, 96);
    TYPED_REFUSED("sm_status", TYPE, 1, 0x8a, 0x56, 96);
    TYPED_REFUSED("sm_status", TRUNCATED, 1, 0x8a);
    assert_int_equal(l3_cause(WIRE_TYPE), 97);
    int fault;
    assert_ptr_equal(wire_pdu_in("gmm_up", TYPED(8, 5), 2, &fault),
                     typed_pdu("gmm_detach_request_up"));
    assert_ptr_equal(wire_pdu_in("gmm_down", TYPED(8, 5), 2, &fault),
                     typed_pdu("gmm_detach_request_down"));
    assert_null(wire_pdu_in("gmm_up", TYPED(8, 2), 2, &fault));
    EXPECT_FAULT(fault, TYPE, 1);
    assert_null(wire_pdu_in("gmm_up", TYPED(8), 1, &fault));
    EXPECT_FAULT(fault, TRUNCATED, 1);
}

// RAND and CKSN come together: 24.008 9.4.9.
static void test_conditional(void **state)
{
    (void)state;
    TYPED_REFUSED("gmm_authentication_request", UNEXPECTED_IE, 5, 8, 0x12, 1, 0, 0x80);
    TYPED_REFUSED("gmm_authentication_request", MISSING_CONDITIONAL, 21, 8, 0x12, 1, 0, 0x21, 1, 2,
                  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    assert_int_equal(l3_cause(WIRE_UNEXPECTED_IE), 100);
    assert_int_equal(l3_cause(WIRE_MISSING_CONDITIONAL), 100);
}

// A mandatory element with a wrong length or value: the fault is where it is.
static void test_wrong_mandatory_elements(void **state)
{
    (void)state;
    TYPED_REFUSED("gmm_identity_response", LENGTH, 2, 8, 0x16, 0);
    TYPED_REFUSED("gmm_identity_response", TRUNCATED, 7, 8, 0x16, 5, 0xf4, 1, 2, 3);
    TYPED_REFUSED("gmm_identity_response", TRUNCATED, 8, 8, 0x16, 0x85, 0xf4, 1, 2, 3, 4);
    TYPED_REFUSED("gmm_identity_response", TYPE, 3, 8, 0x16, 5, 0xf5, 1, 2, 3, 4);
    TYPED_REFUSED("gmm_identity_response", LENGTH, 3, 8, 0x16, 4, 0xf4, 1, 2, 3);
    TYPED_REFUSED("gmm_identity_response", RESERVED, 4, 8, 0x16, 3, 0x29, 0x2a, 0x46);
    TYPED_REFUSED("gmm_attach_request", LENGTH, 2, 8, 1, 0, 0x71, 0, 0);
    TYPED_REFUSED("gmm_attach_request", LENGTH, 2, 8, 1, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x71);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_tags),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_out_of_sequence),
        cmocka_unit_test(test_values_of_repeated_and_wrong_elements),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_conditional),
        cmocka_unit_test(test_wrong_mandatory_elements),
    };
    return cmocka_run_group_tests_name("wire/l3", tests, NULL, NULL);
}
