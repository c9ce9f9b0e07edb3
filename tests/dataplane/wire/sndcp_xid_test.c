// SNDCP XID blocks: octets typed from TS 44.065 both ways, every algorithm, a proposal refused,
// each fault.
#include "dataplane/wire/sndcp_xid.h"

#include "tests/dataplane/wire/typed.h"

static struct sndcp_xid block;

static void expect_entity(const struct sndcp_entity *entity, uint8_t number, int algorithm,
                          const char *codes, uint32_t codes_octets, int nsapis)
{
    assert_int_equal(entity->entity, number);
    assert_int_equal(entity->has_algorithm ? entity->algorithm : -1, algorithm);
    expect_octets(entity->codes, codes, codes_octets);
    assert_int_equal(entity->has_nsapis ? entity->nsapis : -1, nsapis);
}

static void test_version(void **state)
{
    (void)state;
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x00, 0x01, 0x00);
    assert_true(block.has_version);
    assert_int_equal(block.version, 0);
    assert_false(block.has_data_compression || block.has_protocol_compression);
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x00, 0x01, 0x0f);
    assert_int_equal(block.version, 15);
}

// V.42bis for NSAPIs 5 and 6 under DCOMP 1, V.44 for NSAPI 15 under DCOMP 2 and 3.
static void test_data_compression(void **state)
{
    (void)state;
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x01, 0x12, 0x81, 0x00, 0x07, 0x10, 0x00, 0x60, 0x03, 0x08,
                    0x00, 0x14, 0x9f, 0x01, 0x05, 0x23, 0x80, 0x00, 0x80, 0x03);
    assert_false(block.has_version || block.has_protocol_compression);
    assert_true(block.has_data_compression);
    assert_int_equal(block.data_compression.n, 2);
    expect_entity(&block.data_compression.item[0], 1, 0, "\x10", 1, 0x0060);
    expect_octets(block.data_compression.item[0].parameters, "\x03\x08\x00\x14", 4);
    expect_entity(&block.data_compression.item[1], 31, 1, "\x23", 1, 0x8000);
    expect_octets(block.data_compression.item[1].parameters, "\x80\x03", 2);
}

// RFC 1144 has two PCOMP values, RFC 2507 five, ROHC two.
static void test_protocol_compression(void **state)
{
    (void)state;
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x02, 0x18, 0x80, 0x00, 0x04, 0x12, 0x00, 0x60, 0x0f, 0x82,
                    0x01, 0x05, 0x34, 0x56, 0x70, 0xff, 0xe0, 0x83, 0x02, 0x06, 0x89, 0x00, 0x20,
                    0x00, 0x0f, 0x00);
    assert_true(block.has_protocol_compression);
    assert_int_equal(block.protocol_compression.n, 3);
    expect_entity(&block.protocol_compression.item[0], 0, 0, "\x12", 1, 0x0060);
    expect_octets(block.protocol_compression.item[0].parameters, "\x0f", 1);
    expect_entity(&block.protocol_compression.item[1], 2, 1, "\x34\x56\x70", 3, 0xffe0);
    assert_int_equal(block.protocol_compression.item[1].parameters.n, 0);
    expect_entity(&block.protocol_compression.item[2], 3, 2, "\x89", 1, 0x0020);
    expect_octets(block.protocol_compression.item[2].parameters, "\x00\x0f\x00", 3);
}

// With P = 0 an entity has no algorithm and no codes; what it leaves out keeps its value.
static void test_answers(void **state)
{
    (void)state;
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x00, 0x01, 0x00, 0x01, 0x04, 0x01, 0x02, 0x00, 0x60, 0x02,
                    0x07, 0x00, 0x03, 0x00, 0x20, 0x07, 0x02, 0x00);
    expect_entity(&block.data_compression.item[0], 1, -1, "", 0, 0x0060);
    assert_int_equal(block.protocol_compression.n, 2);
    expect_entity(&block.protocol_compression.item[0], 0, -1, "", 0, 0x0020);
    expect_octets(block.protocol_compression.item[0].parameters, "\x07", 1);
    expect_entity(&block.protocol_compression.item[1], 2, -1, "", 0, -1);
}

static void test_parameters_without_entities(void **state)
{
    (void)state;
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x01, 0x00, 0x02, 0x00);
    assert_true(block.has_data_compression && block.has_protocol_compression);
    assert_int_equal(block.data_compression.n, 0);
    assert_int_equal(block.protocol_compression.n, 0);
}

// The codes of an algorithm that is not known cannot be told from its parameters.
static void test_unknown_algorithm(void **state)
{
    (void)state;
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x01, 0x06, 0x80, 0x02, 0x03, 0x12, 0x00, 0x20);
    expect_entity(&block.data_compression.item[0], 0, 2, "", 0, -1);
    expect_octets(block.data_compression.item[0].parameters, "\x12\x00\x20", 3);
    TYPED_BOTH_WAYS("sndcp_xid", &block, 0x02, 0x04, 0x80, 0x1f, 0x01, 0x12);
    expect_entity(&block.protocol_compression.item[0], 0, 31, "", 0, -1);
}

static void refuse(struct sndcp_entities *answer, const struct sndcp_entities *proposed)
{
    answer->n = proposed->n;
    for (uint32_t i = 0; i < proposed->n; i++)
        answer->item[i] =
            (struct sndcp_entity){.entity = proposed->item[i].entity, .has_nsapis = true};
}

// An MS proposes V.42bis, RFC 1144 and RFC 2507; the answer has each entity with no NSAPIs.
static void test_proposal_is_refused(void **state)
{
    static const uint8_t proposal[] = {0x00, 0x01, 0x00, 0x01, 0x0a, 0x81, 0x00, 0x07,
                                       0x10, 0x00, 0x60, 0x03, 0x08, 0x00, 0x14, 0x02,
                                       0x0f, 0x80, 0x00, 0x04, 0x12, 0x00, 0x60, 0x0f,
                                       0x82, 0x01, 0x05, 0x34, 0x56, 0x70, 0xff, 0xe0};
    static const uint8_t refused[] = {0x00, 0x01, 0x00, 0x01, 0x04, 0x01, 0x02, 0x00, 0x00, 0x02,
                                      0x08, 0x00, 0x02, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00};
    static struct sndcp_xid answer;
    uint8_t b[64];
    (void)state;
    assert_int_equal(sndcp_xid_decode(&block, proposal, sizeof proposal), sizeof proposal);
    answer = (struct sndcp_xid){
        .has_version = true, .has_data_compression = true, .has_protocol_compression = true};
    refuse(&answer.data_compression, &block.data_compression);
    refuse(&answer.protocol_compression, &block.protocol_compression);
    assert_int_equal(sndcp_xid_encode(&answer, b, sizeof b), sizeof refused);
    assert_memory_equal(b, refused, sizeof refused);
}

// Types that are not known, and what comes again.
static void test_what_is_stepped_over(void **state)
{
    static const uint8_t typed[] = {0x05, 0x02, 0xff, 0xff, 0x00, 0x01, 0x02,
                                    0x00, 0x01, 0x03, 0x02, 0x02, 0x01, 0x00,
                                    0x02, 0x00, 0x01, 0x00, 0x01, 0x01, 0xff};
    (void)state;
    assert_int_equal(sndcp_xid_decode(&block, page_end_copy(typed, sizeof typed), sizeof typed),
                     sizeof typed);
    assert_int_equal(block.version, 2);
    assert_int_equal(block.protocol_compression.n, 1);
    assert_int_equal(block.data_compression.n, 0);
}

static void test_as_many_entities_as_there_are_numbers(void **state)
{
    static uint8_t typed[2 + 33 * 2] = {0x02, 32 * 2};
    (void)state;
    for (uint8_t i = 0; i < 33; i++)
        typed[2 + 2 * i] = i % 32;
    typed_both_ways("sndcp_xid", &block, typed, sizeof typed - 2);
    assert_int_equal(block.protocol_compression.n, 32);
    typed[1] = 33 * 2;
    typed_refused("sndcp_xid", typed, sizeof typed, WIRE_RESERVED, 2 + 32 * 2);
}

static void test_decode_faults(void **state)
{
    (void)state;
    typed_refused("sndcp_xid", TYPED(0), 0, WIRE_TRUNCATED, 0);
    TYPED_REFUSED("sndcp_xid", TRUNCATED, 1, 0x00);
    TYPED_REFUSED("sndcp_xid", MISSING_IE, 4, 0x03, 0x02, 0x00, 0x00); // nothing known
    TYPED_REFUSED("sndcp_xid", LENGTH, 1, 0x00, 0x01);
    TYPED_REFUSED("sndcp_xid", LENGTH, 1, 0x00, 0x00);
    TYPED_REFUSED("sndcp_xid", LENGTH, 1, 0x00, 0x02, 0x00, 0x00);
    TYPED_REFUSED("sndcp_xid", RESERVED, 2, 0x00, 0x01, 0x10);
    TYPED_REFUSED("sndcp_xid", TRUNCATED, 4, 0x00, 0x01, 0x00, 0x01);
    TYPED_REFUSED("sndcp_xid", LENGTH, 4, 0x00, 0x01, 0x00, 0x01, 0x03, 0x00, 0x00);
    TYPED_REFUSED("sndcp_xid", TRUNCATED, 3, 0x01, 0x01, 0x00);             // no length
    TYPED_REFUSED("sndcp_xid", TRUNCATED, 4, 0x01, 0x02, 0x80, 0x00);       // nor here
    TYPED_REFUSED("sndcp_xid", TRUNCATED, 3, 0x01, 0x01, 0x80, 0x00, 0x00); // in its parameter
    TYPED_REFUSED("sndcp_xid", RESERVED, 2, 0x01, 0x02, 0x20, 0x00);
    TYPED_REFUSED("sndcp_xid", RESERVED, 2, 0x01, 0x02, 0x40, 0x00);
    TYPED_REFUSED("sndcp_xid", RESERVED, 3, 0x01, 0x04, 0x80, 0x20, 0x01, 0x10);
    TYPED_REFUSED("sndcp_xid", LENGTH, 3, 0x01, 0x03, 0x00, 0x02, 0x00, 0x00, 0x00);
    TYPED_REFUSED("sndcp_xid", LENGTH, 4, 0x01, 0x03, 0x80, 0x00, 0x00); // no DCOMP
    TYPED_REFUSED("sndcp_xid", LENGTH, 4, 0x02, 0x05, 0x80, 0x01, 0x02, 0x12, 0x34);
    TYPED_REFUSED("sndcp_xid", LENGTH, 3, 0x01, 0x03, 0x00, 0x01, 0x00); // half of the NSAPIs
    TYPED_REFUSED("sndcp_xid", LENGTH, 4, 0x01, 0x05, 0x80, 0x00, 0x02, 0x10, 0x00);
}

static void expect_unsendable(const struct sndcp_entity *entity)
{
    uint8_t b[600];
    block = (struct sndcp_xid){.has_version = true, .has_data_compression = true};
    block.data_compression.n = 1;
    block.data_compression.item[0] = *entity;
    EXPECT_FAULT(sndcp_xid_encode(&block, b, sizeof b), RANGE, 3);
    block.has_version = block.has_data_compression = false;
    block.has_protocol_compression = true;
    block.protocol_compression = block.data_compression;
    EXPECT_FAULT(sndcp_xid_encode(&block, b, sizeof b), RANGE, 0);
}

static void test_encode_faults(void **state)
{
    static const uint8_t octets[256];
    uint8_t b[600];
    (void)state;
    EXPECT_FAULT(sndcp_xid_encode(&(struct sndcp_xid){0}, b, sizeof b), RANGE, 0);
    block = (struct sndcp_xid){.has_version = true, .version = 16};
    EXPECT_FAULT(sndcp_xid_encode(&block, b, sizeof b), RANGE, 2);
    block = (struct sndcp_xid){.has_data_compression = true, .data_compression.n = 33};
    EXPECT_FAULT(sndcp_xid_encode(&block, b, sizeof b), RANGE, 0);
    expect_unsendable(&(struct sndcp_entity){.entity = 32});
    expect_unsendable(&(struct sndcp_entity){.has_algorithm = true, .algorithm = 32});
    expect_unsendable(&(struct sndcp_entity){.codes = {octets, 1}}); // codes, and P = 0
    expect_unsendable(&(struct sndcp_entity){.has_algorithm = true});
    expect_unsendable(&(struct sndcp_entity){.has_algorithm = true, .codes = {octets, 2}});
    expect_unsendable(
        &(struct sndcp_entity){.has_algorithm = true, .algorithm = 9, .codes = {octets, 1}});
    expect_unsendable(
        &(struct sndcp_entity){.has_algorithm = true, .algorithm = 9, .has_nsapis = true});
    expect_unsendable(&(struct sndcp_entity){.parameters = {octets, 1}}); // and no NSAPIs
    expect_unsendable(
        &(struct sndcp_entity){.has_nsapis = true, .parameters = {octets, 254}}); // 256 in all
    expect_unsendable( // 255 behind its length, 257 behind the list's
        &(struct sndcp_entity){.has_nsapis = true, .parameters = {octets, 253}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_data_compression),
        cmocka_unit_test(test_protocol_compression),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_parameters_without_entities),
        cmocka_unit_test(test_unknown_algorithm),
        cmocka_unit_test(test_proposal_is_refused),
        cmocka_unit_test(test_what_is_stepped_over),
        cmocka_unit_test(test_as_many_entities_as_there_are_numbers),
        cmocka_unit_test(test_decode_faults),
        cmocka_unit_test(test_encode_faults),
    };
    return cmocka_run_group_tests_name("wire/sndcp_xid", tests, NULL, NULL);
}
