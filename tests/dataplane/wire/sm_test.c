// SM messages, whose octets were written by hand from 24.008 9.5, and what real stacks send: they
// are decoded and encoded. The messages called "captured" are from a capture of osmo-sgsn and a
// phone.
#include "dataplane/wire/sm.h"

#include "dataplane/wire/abqp.h"
#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/typed_group.h"

#define SM(octets, name, ...) EXPECT_MESSAGE("sm", octets, name, __VA_ARGS__)

#define QOS          "\x1b\x92\x1f\x73\x97\x40\x40\x74\x03\xff\xff\x00"
#define OPTIONS      "\x80\x80\x21\x04\x01\x00\x00\x04"
#define WITH_OPTIONS .has_options = true, .options = OCTETS_OF(OPTIONS)

static void test_activate(void **state)
{
    (void)state;
    // Captured.
    SM("\x0a\x41\x05\x03\x03\x0b\x92\x1f\x02\x01\x21\x28\x09\x08internet", sm_activate_request,
       .nsapi = 5, .sapi = 3, .qos = OCTETS_OF("\x0b\x92\x1f"),
       .address = {.organisation = 1, .type = 33}, .has_apn = true,
       .apn = OCTETS_OF("\x08internet"));
    SM("\x1a\x41\x0f\x0b\x0c" QOS
       "\x06\x01\x21\x0a\x00\x00\x02\x28\x04\x01\x61\x01\x62\x27\x08" OPTIONS,
       sm_activate_request, .ti = 1, .nsapi = 15, .sapi = 11, .qos = OCTETS_OF(QOS),
       .address = {.organisation = 1, .type = 33, .address = OCTETS_OF("\x0a\x00\x00\x02")},
       .has_apn = true, .apn = OCTETS_OF("\x01\x61\x01\x62"), WITH_OPTIONS);
    // Captured.
    SM("\x8a\x42\x03\x0e\x23\x62\x1f\x72\x99\x3f\x3f\x11\x43\xff\xff\x00\x00\x00\x04"
       "\x2b\x06\x01\x21\xac\x10\xde\x01",
       sm_activate_accept, .ti = 8, .sapi = 3,
       .qos = OCTETS_OF("\x23\x62\x1f\x72\x99\x3f\x3f\x11\x43\xff\xff\x00\x00\x00"), .priority = 4,
       .has_address = true,
       .address = {.organisation = 1, .type = 33, .address = OCTETS_OF("\xac\x10\xde\x01")});
    SM("\x9a\x42\x03\x0c" QOS "\x04\x27\x08" OPTIONS "\x34\x01\x08\x39\x01\x34", sm_activate_accept,
       .ti = 9, .sapi = 3, .qos = OCTETS_OF(QOS), .priority = 4, WITH_OPTIONS, .has_pfi = true,
       .pfi = 8, .has_cause = true, .cause = 52);
    SM("\x8a\x43\x1b\x27\x08" OPTIONS, sm_activate_reject, .ti = 8, .cause = 27, WITH_OPTIONS);
    SM("\x0a\x44\x02\x01\x21\x28\x02\x01\x61", sm_request_activation,
       .address = {.organisation = 1, .type = 33}, .has_apn = true, .apn = OCTETS_OF("\x01\x61"));
    SM("\x8a\x45\x1f", sm_request_activation_reject, .ti = 8, .cause = 31);
    SM("\x2a\x4d\x06\x05\x03\x0b\x92\x1f\x01\x10\x36\x02\x21\x10", sm_activate_secondary_request,
       .ti = 2, .nsapi = 6, .sapi = 5, .qos = OCTETS_OF("\x0b\x92\x1f"),
       .linked_ti = OCTETS_OF("\x10"), .has_tft = true, .tft = OCTETS_OF("\x21\x10"));
    SM("\xaa\x4f\x20", sm_activate_secondary_reject, .ti = 10, .cause = 32);
}

static void test_deactivate_and_modify(void **state)
{
    (void)state;
    SM("\x0a\x46\x24\x91\x27\x08" OPTIONS, sm_deactivate_request, .cause = 36,
       .has_tear_down = true, .tear_down = true, WITH_OPTIONS);
    SM("\x8a\x46\x27", sm_deactivate_request, .ti = 8, .cause = 39);
    SM("\x8a\x47", sm_deactivate_accept, .ti = 8);
    SM("\x8a\x48\x02\x03\x0c" QOS "\x2b\x02\x01\x21\x34\x01\x09", sm_modify_request_down, .ti = 8,
       .priority = 2, .sapi = 3, .qos = OCTETS_OF(QOS), .has_address = true,
       .address = {.organisation = 1, .type = 33}, .has_pfi = true, .pfi = 9);
    SM("\x0a\x49\x27\x08" OPTIONS, sm_modify_accept_up, WITH_OPTIONS);
    SM("\x0a\x4a\x32\x05\x30\x0c" QOS "\x31\x02\x21\x10", sm_modify_request_up, .has_sapi = true,
       .sapi = 5, .has_qos = true, .qos = OCTETS_OF(QOS), .has_tft = true,
       .tft = OCTETS_OF("\x21\x10"));
    SM("\x8a\x4b\x30\x03\x0b\x92\x1f\x32\x09\x83\x34\x01\x00", sm_modify_accept_down, .ti = 8,
       .has_qos = true, .qos = OCTETS_OF("\x0b\x92\x1f"), .has_sapi = true, .sapi = 9,
       .has_priority = true, .priority = 3, .has_pfi = true, .pfi = 0);
    SM("\x8a\x4c\x20", sm_modify_reject, .ti = 8, .cause = 32);
    SM("\x8a\x55\x51", sm_status, .ti = 8, .cause = 81);
}

// What a real stack (libosmo-gprs) sends and a strict reading would refuse: TI flag 1 in its own
// request, a QoS of zeros, and an unknown half octet at the end.
static void test_a_real_request(void **state)
{
    static const uint8_t octets[] = {0x8a, 0x41, 6, 3, 14, 0, 0, 0, 0,    0,    0,   0,
                                     0,    0,    0, 0, 0,  0, 0, 2, 0x01, 0x21, 0xa1};
    struct sm_activate_request request;
    struct abqp qos;
    (void)state;
    assert_int_equal(sm_activate_request_decode(&request, octets, sizeof octets), sizeof octets);
    assert_int_equal(request.ti, 8);
    assert_int_equal(request.nsapi, 6);
    assert_false(request.has_apn || request.has_options);
    assert_int_equal(abqp_decode(&qos, request.qos.at, request.qos.n), 14);
    assert_int_equal(qos.traffic_class, 0);
}

static bool takes_apn(const char *apn, uint32_t n)
{
    struct sm_request_activation request;
    uint8_t b[130] = {0x0a, 0x44, 2, 1, 0x21, 0x28, (uint8_t)n};
    memcpy(b + 7, apn, n);
    assert_int_equal(sm_request_activation_decode(&request, page_end_copy(b, n + 7), n + 7), n + 7);
    return request.has_apn;
}

// Labels fill it; an optional element that is wrong is not there. One of its own length is.
static void test_apn(void **state)
{
    char longest[101];
    (void)state;
    memset(longest, 'a', sizeof longest);
    longest[0] = 63;
    longest[64] = 35;
    assert_true(takes_apn("\x01"
                          "a\x02"
                          "bc",
                          5));
    assert_true(takes_apn("\0", 1));
    assert_true(takes_apn("\x01"
                          "a\0",
                          3));
    assert_true(takes_apn(longest, 100));
    longest[64] = 36;
    assert_false(takes_apn(longest, 101));
    assert_false(takes_apn("", 0));
    assert_false(takes_apn("\x02"
                           "a",
                           2));
    assert_false(takes_apn("\0\x01"
                           "a",
                           3));
    assert_false(takes_apn("\x01"
                           "a\x05"
                           "bc",
                           5));
}

// An address of any length that its type may have; one longer than both families is none.
static void test_addresses(void **state)
{
    struct sm_request_activation request = {.address = {.organisation = 16}};
    uint8_t b[64] = {0x0a, 0x44, 22, 0xf1, 0x8d};
    (void)state;
    assert_int_equal(sm_request_activation_decode(&request, b, 25), 25);
    assert_int_equal(request.address.organisation, 1);
    assert_int_equal(request.address.type, 0x8d);
    assert_int_equal(request.address.address.n, 20);
    b[2] = 23;
    EXPECT_FAULT(sm_request_activation_decode(&request, b, 26), LENGTH, 2);
    b[2] = 1;
    EXPECT_FAULT(sm_request_activation_decode(&request, b, 4), LENGTH, 2);
    request.address.address.n = 21;
    EXPECT_FAULT(sm_request_activation_encode(&request, b, sizeof b), RANGE, 2);
    request.address = (struct pdp_address){.organisation = 16};
    EXPECT_FAULT(sm_request_activation_encode(&request, b, sizeof b), RANGE, 2);
    struct sm_status status = {.ti = 7};
    EXPECT_FAULT(sm_status_encode(&status, b, sizeof b), RANGE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_activate),       cmocka_unit_test(test_deactivate_and_modify),
        cmocka_unit_test(test_a_real_request), cmocka_unit_test(test_apn),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests_name("wire/sm", tests, NULL, NULL);
}
