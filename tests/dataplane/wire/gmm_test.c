// GMM messages, whose octets were written by hand from 24.008 9.4: they are decoded and encoded.
// The messages called "captured" are from a capture of osmo-sgsn and a phone.
#include "dataplane/wire/gmm.h"

#include "tests/dataplane/wire/judge.h"
#include "tests/dataplane/wire/typed_group.h"

#define UP(octets, name, ...)   EXPECT_MESSAGE("gmm_up", octets, name, __VA_ARGS__)
#define DOWN(octets, name, ...) EXPECT_MESSAGE("gmm_down", octets, name, __VA_ARGS__)

#define IMSI "\x08\x29\x26\x24\x10\x32\x54\x76\x98" // 262420123456789
#define AREA "\x62\xf2\x24\x12\x34\x56"
#define AREA_IS                     \
    {                               \
        262, 42, 2, 0x1234, 0x56, 0 \
    }
#define SIXTEEN "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20"

static void test_attach(void **state)
{
    (void)state;
    // Captured.
    UP("\x08\x01\x02\xe5\xe0\x71\x00\x00" IMSI AREA "\x05\x1a\x4b\x2f\x06\x00", gmm_attach_request,
       .net_capability = OCTETS_OF("\xe5\xe0"), .attach_type = 1, .cksn = 7,
       .identity = {.has_imsi = true, .imsi = {"262420123456789"}}, .old_area = AREA_IS,
       .ra_capability = OCTETS_OF("\x1a\x4b\x2f\x06\x00"));
    UP("\x08\x01\x01\xe0\x0b\x01\x02\x05\xf4\xc0\x00\x00\x01" AREA
       "\x00\x19\x01\x02\x03\x17\x16\x91",
       gmm_attach_request, .net_capability = OCTETS_OF("\xe0"), .attach_type = 11, .drx = 0x0102,
       .identity = {.has_tmsi = true, .tmsi = 0xc0000001}, .old_area = AREA_IS,
       .has_old_signature = true, .old_signature = 0x010203, .has_ready_timer_s = true,
       .ready_timer_s = 44, .has_tmsi_status = true, .tmsi_status = true);
    // Captured.
    DOWN("\x08\x02\x01\x2a\x44" AREA "\x17\x01\x18\x05\xf4\xdb\x50\xad\xb0", gmm_attach_accept,
         .result = 1, .t3312_s = 600, .priority_sms = 4, .priority_tom8 = 4, .area = AREA_IS,
         .has_ready_timer_s = true, .ready_timer_s = 2, .has_p_tmsi = true, .p_tmsi = 0xdb50adb0);
    DOWN("\x08\x02\x13\xe0\x21" AREA "\x19\x0a\x0b\x0c\x23\x05\xf4\x01\x02\x03\x04\x25\x10"
         "\x2a\x01\x49\x4a\x03\x62\xf2\x24\xb5",
         gmm_attach_accept, .result = 3, .force_standby = 1, .t3312_s = BSSGP_TIMER_OFF_S,
         .priority_sms = 1, .priority_tom8 = 2, .area = AREA_IS, .has_signature = true,
         .signature = 0x0a0b0c, .has_identity = true,
         .identity = {.has_tmsi = true, .tmsi = 0x01020304}, .has_cause = true, .cause = 16,
         .has_t3302_s = true, .t3302_s = 3240, .has_equivalent_plmns = true,
         .equivalent_plmns = OCTETS_OF("\x62\xf2\x24"), .has_network_features = true,
         .network_features = 5);
    UP("\x08\x03", gmm_attach_complete);
    DOWN("\x08\x04\x07", gmm_attach_reject, .cause = 7);
    DOWN("\x08\x04\x16\x2a\x01\x2c\x3a\x01\x05", gmm_attach_reject, .cause = 22,
         .has_t3302_s = true, .t3302_s = 720, .has_t3346_s = true, .t3346_s = 10);
}

static void test_detach(void **state)
{
    (void)state;
    UP("\x08\x05\x09\x18\x05\xf4\xc0\x00\x00\x01\x19\x03\x01\x02\x03", gmm_detach_request_up,
       .detach_type = 9, .has_p_tmsi = true, .p_tmsi = 0xc0000001, .has_signature = true,
       .signature = 0x010203);
    DOWN("\x08\x05\x01\x25\x0a", gmm_detach_request_down, .detach_type = 1, .has_cause = true,
         .cause = 10);
    DOWN("\x08\x05\x12", gmm_detach_request_down, .detach_type = 2, .force_standby = 1);
    UP("\x08\x06", gmm_detach_accept_up);
    DOWN("\x08\x06\x00", gmm_detach_accept_down, .force_standby = 0);
}

static void test_update(void **state)
{
    (void)state;
    UP("\x08\x08\x73" AREA "\x01\x17\x19\x01\x02\x03\x17\x16\x27\x01\x02\x90"
       "\x18\x05\xf4\xc0\x00\x00\x01\x31\x02\xe5\xe0\x32\x02\x60\x01",
       gmm_update_request, .update_type = 3, .cksn = 7, .old_area = AREA_IS,
       .ra_capability = OCTETS_OF("\x17"), .has_old_signature = true, .old_signature = 0x010203,
       .has_ready_timer_s = true, .ready_timer_s = 44, .has_drx = true, .drx = 0x0102,
       .has_tmsi_status = true, .has_p_tmsi = true, .p_tmsi = 0xc0000001,
       .has_net_capability = true, .net_capability = OCTETS_OF("\xe5\xe0"), .has_pdp_status = true,
       .pdp_status = 1 << 5 | 1 << 6 | 1 << 8);
    // Result in the high half, where ATTACH ACCEPT has it in the low one.
    DOWN("\x08\x09\x10\x49" AREA "\x18\x05\xf4\xc0\x00\x00\x02\x26\x02\x50\x01\x17\x16"
         "\x32\x02\x20\x00",
         gmm_update_accept, .result = 1, .t3312_s = 3240, .area = AREA_IS, .has_p_tmsi = true,
         .p_tmsi = 0xc0000002, .has_npdu_numbers = true, .npdu_numbers = OCTETS_OF("\x50\x01"),
         .has_ready_timer_s = true, .ready_timer_s = 44, .has_pdp_status = true,
         .pdp_status = 1 << 5);
    UP("\x08\x0a\x26\x02\x50\x01", gmm_update_complete, .has_npdu_numbers = true,
       .npdu_numbers = OCTETS_OF("\x50\x01"));
    DOWN("\x08\x0b\x0a\x01", gmm_update_reject, .cause = 10, .force_standby = 1);
    DOWN("\x08\x10\x05\xf4\xc0\x00\x00\x03" AREA "\x00\x19\x01\x02\x03", gmm_reallocation_command,
         .p_tmsi = 0xc0000003, .area = AREA_IS, .has_signature = true, .signature = 0x010203);
    UP("\x08\x11", gmm_reallocation_complete);
}

// The octets of an authentication that osmo-sgsn and a USIM agree on: GEA3, reference 8.
static void test_authentication(void **state)
{
    (void)state;
    DOWN("\x08\x12\x13\x80\x21" SIXTEEN "\x80\x28\x10" SIXTEEN, gmm_authentication_request,
         .algorithm = 3, .imeisv_request = 1, .reference = 8, .has_rand = true,
         .rand = OCTETS_OF(SIXTEEN), .has_cksn = true, .cksn = 0, .has_autn = true,
         .autn = OCTETS_OF(SIXTEEN));
    UP("\x08\x13\x08\x22\1\2\3\4\x23\x09\x13\x32\x54\x76\x98\x10\x32\x54\xf6\x29\x04\5\6\7\x08",
       gmm_authentication_response, .reference = 8, .has_res = true, .res = OCTETS_OF("\1\2\3\4"),
       .has_imeisv = true, .imeisv = {"1234567890123456"}, .has_res_rest = true,
       .res_rest = OCTETS_OF("\5\6\7\x08"));
    DOWN("\x08\x14", gmm_authentication_reject);
    UP("\x08\x1c\x15\x30\x0e\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c\x0d\x0e", gmm_authentication_failure,
       .cause = 21, .has_auts = true,
       .auts = OCTETS_OF("\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c\x0d\x0e"));
}

static void test_identity_and_the_rest(void **state)
{
    (void)state;
    DOWN("\x08\x15\x02", gmm_identity_request, .type = 2); // captured, as is its answer
    UP("\x08\x16\x08\x4a\x09\x51\x24\x30\x32\x57\x81", gmm_identity_response,
       .identity = {.has_imei = true, .imei = {"490154203237518"}});
    UP("\x08\x16\x01\xf0", gmm_identity_response, .identity = {0});
    UP("\x08\x20\x61", gmm_status_up, .cause = 97);
    DOWN("\x08\x20\x62", gmm_status_down, .cause = 98);
    DOWN("\x08\x21\x43\x02\x81\x41\x45\x02\x81\x42\x46\x40\x47\x62\x11\x62\x51\x90\x00\x40"
         "\x49\x01\x01",
         gmm_information, .has_full_name = true, .full_name = OCTETS_OF("\x81\x41"),
         .has_short_name = true, .short_name = OCTETS_OF("\x81\x42"), .has_time_zone = true,
         .time_zone = 0x40, .has_time = true, .time = OCTETS_OF("\x62\x11\x62\x51\x90\x00\x40"),
         .has_daylight_saving = true, .daylight_saving = 1);
}

// What a real stack (libosmo-gprs) sends and a strict reading would refuse: P-TMSI 0 of the area
// 000-00, no radio access capability, an unknown half octet at the end.
static void test_a_real_attach_request(void **state)
{
    static const uint8_t octets[] = {8, 1, 2, 0xe5, 0xe0, 0x71, 0, 0, 5, 0xf4, 0,
                                     0, 0, 0, 0x00, 0xf0, 0x00, 0, 0, 0, 0,    0xe1};
    struct gmm_attach_request request;
    (void)state;
    assert_int_equal(gmm_attach_request_decode(&request, octets, sizeof octets), sizeof octets);
    assert_true(request.identity.has_tmsi);
    assert_int_equal(request.identity.tmsi, 0);
    assert_int_equal(request.old_area.mcc, 0);
    assert_int_equal(request.old_area.mnc_digits, 2);
    assert_int_equal(request.ra_capability.n, 0);
    assert_false(request.has_old_signature || request.has_tmsi_status);
}

// 24.008 10.5.5.15: an area with a PLMN that is no digits is a deleted one. The network's own must
// be right.
static void test_deleted_area(void **state)
{
    static const uint8_t octets[] = {8,    8,    0,    0xff, 0xff, 0xff, 0x12,
                                     0x34, 0x56, 0x00, 0x18, 1,    0xf4};
    struct gmm_update_request request;
    (void)state;
    assert_int_equal(gmm_update_request_decode(&request, octets, sizeof octets), sizeof octets);
    assert_int_equal(request.old_area.mcc, 0);
    assert_int_equal(request.old_area.mnc_digits, 2);
    assert_int_equal(request.old_area.lac, 0xfffe);
    TYPED_REFUSED("gmm_update_accept", RESERVED, 4, 8, 9, 0, 0x49, 0xff, 0xff, 0xff, 0x12, 0x34,
                  0x56);
}

// Two identities in one, digits that are none, values beyond four bits.
static void test_unsendable(void **state)
{
    struct gmm_identity_response response = {
        .identity = {.has_imsi = true, .imsi = {"26242"}, .has_tmsi = true}};
    struct gmm_identity_request request = {.type = 8};
    uint8_t b[64];
    (void)state;
    EXPECT_FAULT(gmm_identity_response_encode(&response, b, sizeof b), UNEXPECTED_IE, 2);
    response.identity.has_tmsi = false;
    strcpy(response.identity.imsi.text, "2624x");
    EXPECT_FAULT(gmm_identity_response_encode(&response, b, sizeof b), RANGE, 2);
    strcpy(response.identity.imsi.text, "2624");
    EXPECT_FAULT(gmm_identity_response_encode(&response, b, sizeof b), RANGE, 2);
    EXPECT_FAULT(gmm_identity_request_encode(&request, b, sizeof b), RANGE, 2);
    assert_string_equal(wire_pdu_of("gmm_up", 0x01)->name, "gmm_attach_request");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attach),
        cmocka_unit_test(test_detach),
        cmocka_unit_test(test_update),
        cmocka_unit_test(test_authentication),
        cmocka_unit_test(test_identity_and_the_rest),
        cmocka_unit_test(test_a_real_attach_request),
        cmocka_unit_test(test_deleted_area),
        cmocka_unit_test(test_unsendable),
    };
    return cmocka_run_group_tests_name("wire/gmm", tests, NULL, NULL);
}
