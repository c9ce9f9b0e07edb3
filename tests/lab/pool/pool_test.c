// A GGSN's GTP-C, whose octets were written by hand from 29.060 and 24.008: contexts that an SGSN
// creates and deletes, the same answer to the same request, and whatever no GGSN expects.
#include "lab/pool/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/bytes.h"
#include "tests/lab/live/bts/hex.h"

#define GGSN 0xc0000202
#define SGSN 0xc0000201
#define PORT 2123
#define S    1000000000u

static struct pool *pool;
static uint64_t now_ns;

static int begin_with(uint32_t bits)
{
    static const struct pool_config config = {.address = GGSN,
                                              .sgsn = SGSN,
                                              .network = 0x0a400000,
                                              .dns = {0x08080808, 0x08080404},
                                              .recovery = 7};
    struct pool_config own = config;
    own.bits = bits;
    pool = pool_create(&own);
    now_ns = 5 * (uint64_t)S;
    return 0;
}

static int begin(void **state)
{
    (void)state;
    return begin_with(15);
}

static int begin_small(void **state)
{
    (void)state;
    return begin_with(29);
}

static int end(void **state)
{
    (void)state;
    const char *wrong = pool_wrong(pool);
    pool_destroy(pool);
    return wrong != NULL;
}

#define HEAD_OCTETS 8

// Says octets from there, with their length where 0000 stands; the answer is hexadecimal digits.
static const char *say_from(uint32_t address, uint16_t port, const char *octets)
{
    static char text[2 * POOL_ANSWER_MAX + 1];
    uint8_t b[4096], answer[POOL_ANSWER_MAX];
    uint32_t n = hex(octets, b);
    if (n > HEAD_OCTETS && b[2] == 0 && b[3] == 0)
        put_be16(b + 2, (uint16_t)(n - HEAD_OCTETS));
    uint8_t *exact = malloc(n + 1); // the sanitizer sees its end
    memcpy(exact, b, n);
    uint32_t octets_out = pool_take(pool, address, port, (struct octets){exact, n}, answer, now_ns);
    free(exact);
    for (uint32_t i = 0; i < octets_out; i++)
        sprintf(text + 2 * i, "%02x", answer[i]);
    text[2 * octets_out] = '\0';
    return text;
}

static const char *say(const char *octets)
{
    return say_from(SGSN, PORT, octets);
}

static void expect(const char *request, const char *answer)
{
    char plain[2 * POOL_ANSWER_MAX + 1];
    uint32_t n = 0;
    for (const char *c = answer; *c; c++)
        if (*c != ' ')
            plain[n++] = *c;
    plain[n] = '\0';
    assert_string_equal(say(request), plain);
}

static uint64_t count(enum pool_count which)
{
    return pool_counted(pool, which);
}

// CREATE: type 10, length, TEID 0, sequence; IMSI 262421023456789, area, recovery, selection,
// TEIDs, NSAPI, an IPv4 address to be given, APN, options, both addresses, number, quality of
// service.
#define SEVEN "02 62 42 12 20 43 65 87 f9"
#define TEIDS "10 0000000a 11 0000000b"
#define QOS   "87 000d 02 1b921f7397404074 03ffff00"
#define FIRST "32 10 0000 00000000 0506 0000"
#define REQUEST \
    SEVEN "0e 02 0f fc " TEIDS "14 05 80 0002 f121 83 0009 08 696e7465726e6574" NODES QOS
#define ENDS  "85 0004 c0000207 85 0004 c0000208"
#define NODES "85 0004 c0000201 85 0004 c0000203 86 0007 91947132547698"

// CREATE with an IMSI's last octets, restart counter, TEIDs, NSAPI, sequence and no options.
static const char *create(uint32_t imsi, uint8_t recovery, uint8_t nsapi, uint16_t sequence)
{
    static char text[512];
    snprintf(text, sizeof text,
             "32 10 0000 00000000 %04x 0000 02 6242%08x%02x f9 0e %02x 10 %08x 11 %08x 14 %02x"
             "80 0002 f121 85 0004 c0000201 85 0004 c0000203 " QOS,
             sequence, imsi, 0x21, recovery, 0x100 + sequence, 0x200 + sequence, nsapi);
    return text;
}

static uint32_t number_at(const char *text, uint32_t octet)
{
    char digits[9];
    snprintf(digits, sizeof digits, "%.8s", text + 2 * octet);
    return (uint32_t)strtoul(digits, NULL, 16);
}

#define CAUSE_AT   13
#define TEID_AT    19
#define ADDRESS_AT 38

static uint8_t cause_of(const char *answer)
{
    uint8_t cause = 0;
    sscanf(answer + 2 * CAUSE_AT, "%2hhx", &cause);
    return cause;
}

static void test_create_and_delete(void **state)
{
    (void)state;
    expect(FIRST REQUEST,
           "32 11 0040 0000000b 0506 0000 01 80 08 fe 0e 07 10 80100002 11 80100002 7f 00000001"
           "80 0006 f121 0a400002 85 0004 c0000202 85 0004 c0000202" QOS);
    const struct pool_context *context = pool_of_address(pool, 0x0a400002);
    assert_non_null(context);
    assert_int_equal(context->data_address, 0xc0000203);
    assert_int_equal(context->data_teid, 10);
    assert_int_equal(context->control_address, 0xc0000201);
    assert_int_equal(context->control_teid, 11);
    assert_ptr_equal(pool_of_teid(pool, 0x80100002), context);
    assert_int_equal(pool_address(pool, context), 0x0a400002);
    assert_int_equal(pool_contexts(pool), 1);
    // To its TEID, all contexts of the address, of NSAPI 5.
    expect("32 14 0008 80100002 0507 0000 13 ff 14 05", "32 15 0006 0000000b 0507 0000 01 80");
    assert_null(pool_of_address(pool, 0x0a400002));
    assert_null(pool_of_teid(pool, 0x80100002));
    assert_int_equal(pool_contexts(pool), 0);
    assert_int_equal(count(POOL_COUNT_created), 1);
    assert_int_equal(count(POOL_COUNT_deleted), 1);
    assert_string_equal(pool_first_fault(pool), "");
}

static void test_echo(void **state)
{
    (void)state;
    expect("32 01 0004 00000000 abcd 0000", "32 02 0006 00000000 abcd 0000 0e 07");
    assert_int_equal(count(POOL_COUNT_echoes), 1);
}

static void test_delete_of_nothing(void **state)
{
    (void)state;
    expect("32 14 0006 80100002 0001 0000 14 05", "32 15 0006 00000000 0001 0000 01 c0");
    say(FIRST REQUEST);
    expect("32 14 0006 80100002 0002 0000 14 06", "32 15 0006 0000000b 0002 0000 01 c0");
    expect("32 14 0006 80100003 0003 0000 14 05", "32 15 0006 00000000 0003 0000 01 c0");
    expect("32 14 0006 80200002 0004 0000 14 05", "32 15 0006 00000000 0004 0000 01 c0");
    expect("32 14 0004 80100002 0005 0000", "32 15 0006 0000000b 0005 0000 01 ca"); // no NSAPI
    assert_int_equal(count(POOL_COUNT_unknown), 5);
    assert_int_equal(pool_contexts(pool), 1);
}

// UPDATE takes the SGSN's end and says the GGSN's; of no context, and with an element too few, it
// has a cause and changes nothing.
static void test_update(void **state)
{
    (void)state;
    expect("32 12 0000 80100002 0001 0000 10 0000000c 11 0000000d 14 05" ENDS QOS,
           "32 13 0006 00000000 0001 0000 01 c0");
    say(FIRST REQUEST);
    expect("32 12 0000 80100002 0002 0000 10 0000000c 11 0000000d 14 05" ENDS QOS,
           "32 13 0030 0000000d 0002 0000 01 80 0e 07 10 80100002 11 80100002"
           "85 0004 c0000202 85 0004 c0000202" QOS);
    const struct pool_context *context = pool_of_teid(pool, 0x80100002);
    assert_int_equal(context->data_teid, 12);
    assert_int_equal(context->control_teid, 13);
    assert_int_equal(context->control_address, 0xc0000207);
    assert_int_equal(context->data_address, 0xc0000208);
    expect("32 12 0000 80100002 0003 0000 10 0000000e 14 05" ENDS QOS, // its control TEID stays
           "32 13 0030 0000000d 0003 0000 01 80 0e 07 10 80100002 11 80100002"
           "85 0004 c0000202 85 0004 c0000202" QOS);
    assert_int_equal(context->data_teid, 14);
    static const char *const wrong[][2] = {
        {"32 12 0000 80100002 0010 0000 10 0000000c 11 0000000d 14 06" ENDS QOS, "c0"}, // NSAPI
        {"32 12 0000 80200002 0011 0000 10 0000000c 11 0000000d 14 05" ENDS QOS, "c0"}, // TEID
        {"32 12 0000 80100002 0012 0000 11 0000000d 14 05" ENDS QOS, "ca"},
        {"32 12 0000 80100002 0013 0000 10 0000000c 11 0000000d" ENDS QOS, "ca"},
        {"32 12 0000 80100002 0014 0000 10 0000000c 14 05 85 0004 c0000207" QOS, "ca"},
        {"32 12 0000 80100002 0015 0000 10 0000000c 14 05" ENDS, "ca"},
        {"32 12 0000 80100002 0016 0000 10 00000000 14 05" ENDS QOS, "c9"},
        {"32 12 0000 80100002 0017 0000 10 0000000c 11 00000000 14 05" ENDS QOS, "c9"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *answer = say(wrong[i][0]);
        assert_int_equal(cause_of(answer), strtoul(wrong[i][1], NULL, 16));
        assert_memory_equal(answer, "3213", 4);
    }
    assert_int_equal(context->data_teid, 14);
    assert_int_equal(count(POOL_COUNT_updated), 2);
    assert_int_equal(count(POOL_COUNT_unknown), 9);
    assert_string_equal(say("32 12 0000 80100002 0003 0000 10 0000000e 14 05" ENDS QOS) + 24,
                        "01800e07108010000211801000028500"
                        "04c0000202850004c000020287000d021b921f739740407403ffff00");
    assert_int_equal(count(POOL_COUNT_repeated), 1);
}

// The same octets within 30 s get the same answer, and change nothing; others with the same number
// are a request of its own.
static void test_repeated(void **state)
{
    char before[1024];
    (void)state;
    strcpy(before, say(create(1, 2, 5, 100)));
    now_ns += 25 * (uint64_t)S;
    assert_string_equal(say(create(1, 2, 5, 100)), before);
    assert_int_equal(count(POOL_COUNT_repeated), 1);
    assert_string_not_equal(say_from(SGSN, PORT + 1, create(1, 2, 5, 100)), before);
    assert_int_equal(count(POOL_COUNT_replaced), 1);
    say(create(1, 2, 5, 100)); // a port's answer stands in the place of another's
    now_ns += POOL_REPEAT_NS;
    say(create(1, 2, 5, 100));
    assert_int_equal(count(POOL_COUNT_replaced), 3);
    assert_int_equal(pool_contexts(pool), 1);
    say(create(2, 2, 5, 100));
    assert_int_equal(pool_contexts(pool), 2);
    // A DELETE that came again answers as before, though its context is gone, or another's.
    say("32 14 0006 80100003 0064 0000 14 05");
    assert_int_equal(pool_contexts(pool), 1);
    expect("32 14 0006 80100003 0064 0000 14 05", "32 15 0006 00000264 0064 0000 01 80");
    assert_int_equal(count(POOL_COUNT_deleted), 1);
    assert_int_equal(count(POOL_COUNT_repeated), 2);
}

static void test_the_same_anew(void **state)
{
    (void)state;
    assert_int_equal(number_at(say(create(1, 2, 5, 1)), ADDRESS_AT), 0x0a400002);
    const char *second = say(create(1, 2, 5, 2));
    assert_int_equal(number_at(second, ADDRESS_AT), 0x0a400002);
    assert_int_equal(number_at(second, TEID_AT), 0x80200002);
    assert_null(pool_of_teid(pool, 0x80100002));
    assert_int_equal(pool_of_address(pool, 0x0a400002)->data_teid, 0x102);
    assert_int_equal(number_at(say(create(1, 2, 6, 3)), ADDRESS_AT), 0x0a400003); // another NSAPI
    assert_int_equal(pool_contexts(pool), 2);
    assert_int_equal(count(POOL_COUNT_replaced), 1);
}

// By subscription: create()'s IMSI 2 with NSAPI 5 has the first of two, 1 with NSAPI 6 the second.
static uint32_t kept_place(void *self, uint64_t imsi, uint8_t nsapi)
{
    assert_ptr_equal(self, &now_ns);
    uint64_t of_create = imsi / 1000 % 100; // 2624000000N0129, N of create()
    return of_create == 20 && nsapi == 5 ? 0 : of_create == 10 && nsapi == 6 ? 1 : UINT32_MAX;
}

// Such an address is given to nobody else, and again to its own whenever it asks.
static void test_addresses_by_subscription(void **state)
{
    struct pool_config own = {.address = 0xc0000202,
                              .sgsn = SGSN,
                              .network = 0x0a400000,
                              .bits = 29,
                              .recovery = 7,
                              .kept = 2,
                              .kept_place = kept_place,
                              .self = &now_ns};
    (void)state;
    pool_destroy(pool);
    pool = pool_create(&own);
    assert_int_equal(pool_imsi("001"), 1001);
    assert_int_equal(pool_kept_address(&own, 1), 0x0a400003);
    uint16_t sequence = 1;
    for (uint32_t round = 0; round < 5; round++) {
        assert_int_equal(number_at(say(create(1, 2, 6, sequence++)), ADDRESS_AT), 0x0a400003);
        uint32_t first = number_at(say(create(1, 2, 5, sequence++)), ADDRESS_AT);
        uint32_t second = number_at(say(create(2, 2, 6, sequence++)), ADDRESS_AT);
        assert_true(first >= 0x0a400004 && first <= 0x0a400006);
        assert_true(second >= 0x0a400004 && second <= 0x0a400006 && second != first);
        assert_int_equal(number_at(say(create(2, 2, 5, sequence++)), ADDRESS_AT), 0x0a400002);
        say(create(3, 2, 5, sequence++)); // the last that is free
        assert_int_equal(cause_of(say(create(4, 2, 5, sequence++))), 211);
        assert_int_equal(pool_contexts(pool), 5);
        say(create(9, (uint8_t)(3 + round), 5, sequence++)); // the SGSN has restarted
        say(create(8, 2, 5, sequence++));
        assert_int_equal(pool_contexts(pool), 1);
    }
}

static void test_sgsn_restarts(void **state)
{
    (void)state;
    say(create(1, 2, 5, 1));
    say(create(2, 2, 5, 2));
    say(create(3, 3, 5, 3));
    assert_int_equal(pool_contexts(pool), 1);
    assert_int_equal(count(POOL_COUNT_restarted), 2);
    assert_null(pool_of_address(pool, 0x0a400002));
    assert_non_null(pool_of_address(pool, 0x0a400004));
    say(create(1, 3, 5, 1));
    assert_int_equal(pool_contexts(pool), 2);
    assert_int_equal(count(POOL_COUNT_restarted), 2);
    assert_int_equal(count(POOL_COUNT_repeated), 0);
    say(create(2, 2, 5, 2)); // as before all restarts, and no repetition
    assert_int_equal(count(POOL_COUNT_created), 5);
    assert_int_equal(count(POOL_COUNT_repeated), 0);
}

static void test_refused(void **state)
{
    static const struct {
        const char *request;
        uint8_t cause;
        uint32_t teid;
    } cases[] = {
        // Without IMSI; without a TEID for messages; NSAPI 4; TEID 0 for data.
        {"32 10 0000 00000000 0001 0000 0e 02" TEIDS "14 05 80 0002 f121"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         202, 11},
        {"32 10 0000 00000000 0002 0000" SEVEN "0e 02 10 0000000a 14 05 80 0002 f121"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         202, 0},
        {"32 10 0000 00000000 0003 0000" SEVEN "0e 02" TEIDS "14 04 80 0002 f121"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         201, 11},
        {"32 10 0000 00000000 0004 0000" SEVEN "0e 02 10 00000000 11 0000000b 14 05 80 0002 f121"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         201, 11},
        // IPv6; PPP; an address of its own; no address.
        {"32 10 0000 00000000 0005 0000" SEVEN "0e 02" TEIDS "14 05 80 0002 f157"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         220, 11},
        {"32 10 0000 00000000 0006 0000" SEVEN "0e 02" TEIDS "14 05 80 0002 f001"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         220, 11},
        {"32 10 0000 00000000 0007 0000" SEVEN "0e 02" TEIDS "14 05 80 0006 f121 0a400009"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         200, 11},
        {"32 10 0000 00000000 0008 0000" SEVEN "0e 02" TEIDS "14 05"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         202, 11},
        // A further context of one; one address alone; an element that cannot be skipped.
        {"32 10 0000 80100002 0009 0000" SEVEN "0e 02" TEIDS "14 05 80 0002 f121"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         200, 11},
        {"32 10 0000 00000000 000a 0000" SEVEN "0e 02" TEIDS "14 05 80 0002 f121"
         "85 0004 c0000201" QOS,
         202, 0},
        {"32 10 0000 00000000 000b 0000 07" SEVEN "0e 02" TEIDS "14 05 80 0002 f121"
         "85 0004 c0000201 85 0004 c0000203" QOS,
         193, 0},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "32 11 0006 %08x %04x 0000 01 %02x", cases[i].teid,
                 i + 1, cases[i].cause);
        expect(cases[i].request, expected);
        assert_int_equal(count(POOL_COUNT_refused), i + 1);
    }
    assert_int_equal(pool_contexts(pool), 0);
}

// Five addresses: not the network's own, not that of its router, not the broadcast. One that is
// given back is given away again as the last of all.
static void test_all_addresses_taken(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(number_at(say(create(i, 2, 5, (uint16_t)i)), ADDRESS_AT), 0x0a400002 + i);
    assert_int_equal(cause_of(say(create(9, 2, 5, 9))), 211);
    assert_int_equal(cause_of(say(create(3, 2, 5, 10))), 128); // its own still
    say("32 14 0006 80100004 0100 0000 14 05");
    say("32 14 0006 80100002 0101 0000 14 05");
    assert_int_equal(pool_contexts(pool), 3);
    const char *answer = say(create(9, 2, 5, 11));
    assert_int_equal(number_at(answer, ADDRESS_AT), 0x0a400004);
    assert_int_equal(number_at(answer, TEID_AT), 0x80200004);
    assert_int_equal(number_at(say(create(0x10, 2, 5, 12)), ADDRESS_AT), 0x0a400002);
    assert_int_equal(cause_of(say(create(0x11, 2, 5, 13))), 211);
    assert_false(pool_has(pool, 0x0a3fffff));
    assert_true(pool_has(pool, 0x0a400000));
    assert_true(pool_has(pool, 0x0a400007));
    assert_false(pool_has(pool, 0x0a400008));
}

// Of five with any IMSIs: whichever goes first, each of the others is found again; and all go as
// the SGSN starts anew.
// Consecutive numbers would be in buckets of their own.
static uint32_t imsi_of(uint32_t set, uint32_t i)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%08u", (13 * i + set) * (7 * i + 3 * set + 5) + i);
    return (uint32_t)strtoul(digits, NULL, 16);
}

static void expect_others_stay(uint32_t set, uint32_t first)
{
    uint8_t recovery = (uint8_t)(10 * set + first);
    char request[64];
    for (uint32_t i = 0; i < 5; i++)
        say(create(imsi_of(set, i), recovery, 5, (uint16_t)i));
    assert_int_equal(pool_contexts(pool), 5);
    for (uint32_t place = 2; place < 7; place++) {
        const struct pool_context *context = pool_of_address(pool, 0x0a400000 + place);
        if (context->data_teid != 0x100 + first)
            continue;
        sprintf(request, "32 14 0006 %08x 0200 0000 14 05", pool_teid(pool, context));
        break;
    }
    say(request);
    uint64_t replaced = count(POOL_COUNT_replaced);
    for (uint32_t i = 0; i < 5; i++)
        if (i != first)
            say(create(imsi_of(set, i), recovery, 5, (uint16_t)(100 + i)));
    assert_int_equal(count(POOL_COUNT_replaced), replaced + 4);
    assert_int_equal(pool_contexts(pool), 4);
}

static void test_the_others_stay(void **state)
{
    (void)state;
    for (uint32_t set = 0; set < 10; set++)
        for (uint32_t first = 0; first < 5; first++)
            expect_others_stay(set, first);
    assert_int_equal(count(POOL_COUNT_restarted), 49 * 4);
}

#define MANY 100000

static void test_many(void **state)
{
    static uint8_t taken[1 << 17];
    static uint32_t teid[MANY];
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) {
        // Decimal digits of an IMSI.
        char digits[16], request[512];
        snprintf(digits, sizeof digits, "%08u", i);
        snprintf(request, sizeof request, "%s",
                 create((uint32_t)strtoul(digits, NULL, 16), 2, 5, (uint16_t)i));
        const char *answer = say(request);
        assert_int_equal(cause_of(answer), 128);
        uint32_t place = number_at(answer, ADDRESS_AT) - 0x0a400000;
        assert_true(place < sizeof taken && taken[place]++ == 0);
        teid[i] = number_at(answer, TEID_AT);
    }
    assert_int_equal(pool_contexts(pool), MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        char request[64];
        snprintf(request, sizeof request, "32 14 0006 %08x %04x 0000 14 05", teid[i], i & 0xffff);
        assert_int_equal(cause_of(say(request)), 128);
    }
    assert_int_equal(pool_contexts(pool), 0);
}

// What is asked in the options, behind the container's protocol and length; what is answered.
static void expect_options(const char *asked, const char *answered)
{
    static uint16_t sequence;
    char request[1024], answer[1024];
    uint8_t b[512];
    uint32_t n = hex(asked, b), of_answer = 0;
    snprintf(request, sizeof request,
             "32 10 0000 00000000 %04x 0000" SEVEN "0e 02" TEIDS "14 05 80 0002 f121 84 %04x %s"
             "85 0004 c0000201 85 0004 c0000203" QOS,
             ++sequence, n, asked);
    snprintf(answer, sizeof answer, "%s", say(request));
    assert_int_equal(cause_of(answer), 128);
    of_answer = hex(answered, b);
    if (of_answer == 0) {
        assert_memory_equal(answer + 2 * (ADDRESS_AT + 4), "850004", 6);
        return;
    }
    char expected[1024];
    uint32_t at = (uint32_t)sprintf(expected, "84%04x", of_answer);
    for (uint32_t i = 0; i < of_answer; i++)
        at += (uint32_t)sprintf(expected + at, "%02x", b[i]);
    char *found = answer + 2 * (ADDRESS_AT + 4);
    found[at] = '\0';
    assert_string_equal(found, expected);
}

static void test_options(void **state)
{
    (void)state;
    // IPCP asks for both name servers: they are named; asked with their addresses: agreed.
    expect_options("80 8021 10 01 21 0010 81 06 00000000 83 06 00000000",
                   "80 8021 10 03 21 0010 81 06 08080808 83 06 08080404");
    expect_options("80 8021 10 01 22 0010 81 06 08080808 83 06 08080404",
                   "80 8021 10 02 22 0010 81 06 08080808 83 06 08080404");
    // An address of its own is that of the context; Windows' servers are none of ours.
    expect_options("80 8021 16 01 05 0016 03 06 00000000 82 06 00000000 81 06 00000000",
                   "80 8021 10 03 05 0010 03 06 0a400002 81 06 08080808");
    expect_options("80 8021 0a 01 05 000a 82 06 00000000", "80 8021 0a 04 05 000a 82 06 00000000");
    expect_options("80 8021 04 01 05 0004", "80 8021 04 02 05 0004");
    // Containers of their own: name servers, MTU; PAP and CHAP with any password; unknown ones.
    expect_options("80 000d 00 0010 00 0001 00 fff0 02 0102",
                   "80 000d 04 08080808 000d 04 08080404 0010 02 05dc");
    expect_options("80 c023 08 01 09 0008 01 61 01 62", "80 c023 05 02 09 0005 00");
    expect_options("80 c223 06 01 01 0006 01 61 c223 07 02 01 0007 01 61 62",
                   "80 c223 04 03 01 0004");
    // Nothing to say, and malformed ones: cut, longer than they are, of another protocol.
    expect_options("80", "");
    expect_options("00 000d 00", "");
    expect_options("80 000d 01", "");
    expect_options("80 000d 00 00", "80 000d 04 08080808 000d 04 08080404");
    expect_options("80 8021 04 01 05 0005", "");
    expect_options("80 8021 04 01 05 0003", "");
    expect_options("80 8021 04 01 05 000a 8106 00 000000", "");
    expect_options("80 8021 03 01 05 00", "");
    expect_options("80 8021 06 01 05 0006 81 06", "");
    expect_options("80 8021 06 01 05 0006 81 00", "");
    expect_options("80 8021 05 01 05 0005 81", "");
    expect_options("80 8021 08 01 05 0008 81 04 0000", "80 8021 08 04 05 0008 81 04 0000");
    expect_options("80 c023 04 02 09 0004", "");
}

// More answers than an element can have: those that do not fit are left out.
static void test_options_without_room(void **state)
{
    char asked[512] = "80", answered[1024] = "80";
    (void)state;
    for (int i = 0; i < 40; i++)
        strcat(asked, "000d00");
    for (int i = 0; i < 17; i++)
        strcat(answered, "000d0408080808000d0408080404");
    strcat(answered, "000d0408080808");
    expect_options(asked, answered);
}

static void test_odd_messages(void **state)
{
    static const char *const odd[] = {"",
                                      "32",
                                      "32 10 0004 00000000 0001 00",
                                      "32 10 0005 00000000 0001 0000",
                                      "30 01 0000 00000000", // without a number
                                      "36 01 0008 00000000 0001 00 81 01 000000"};
    (void)state;
    for (uint32_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        expect(odd[i], "");
        assert_int_equal(count(POOL_COUNT_odd), i + 1);
    }
    assert_string_equal(pool_first_fault(pool), "GTP-C: a message: ends too early (0)");
    // Answers, requests of the other side, and G-PDUs.
    static const char *const other[] = {
        "32 02 0006 00000000 0001 0000 0e 00", "32 11 0006 00000000 0001 0000 01 80",
        "32 03 0004 00000000 0001 0000", "32 1b 0004 00000000 0001 0000",
        "32 ff 0004 00000000 0001 0000"};
    for (uint32_t i = 0; i < sizeof other / sizeof *other; i++) {
        expect(other[i], "");
        assert_int_equal(count(POOL_COUNT_other), i + 1);
    }
    // 29.060 11.1.1: GTP of version 0 and 2 gets this version's; an answer of that kind gets none.
    expect("1e 01 0004 0001 0000 0001 0000", "32 03 0004 00000000 0001 0000");
    expect("48 20 0008 00000000 0102 0300", "32 03 0004 00000000 0102 0000");
    expect("48 03 0004 0001 0203 0000 0000", "");
    assert_int_equal(count(POOL_COUNT_version), 2);
    assert_string_equal(say_from(SGSN + 1, PORT, "32 01 0004 00000000 0001 0000"), "");
    assert_int_equal(count(POOL_COUNT_strangers), 1);
}

static void test_indication(void **state)
{
    uint8_t b[POOL_ANSWER_MAX], expected[64];
    (void)state;
    uint32_t n = hex("32 1a 0010 00000000 0000 0000 10 80100002 85 0004 c0000202", expected);
    assert_int_equal(pool_indication(pool, 0x80100002, b), n);
    assert_memory_equal(b, expected, n);
    assert_int_equal(count(POOL_COUNT_indications), 1);
}

static void test_network(void **state)
{
    static const char *const wrong[] = {"10.64.0.0",     "10.64.0.0/",
                                        "10.64.0.0/11",  "10.64.0.0/30",
                                        "10.64.0.1/24",  "10.64.0/24",
                                        "10.64.0.0/24x", "10.64.0.0/ 24",
                                        "10.64.0.0/-24", "10.64.000000000000.0/24",
                                        "2001:db8::/24", ""};
    uint32_t network, bits;
    (void)state;
    assert_true(pool_network("10.64.0.0/15", &network, &bits));
    assert_int_equal(network, 0x0a400000);
    assert_int_equal(bits, 15);
    assert_true(pool_network("10.16.0.0/12", &network, &bits));
    assert_true(pool_network("192.0.2.8/29", &network, &bits));
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(pool_network(wrong[i], &network, &bits));
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_create_and_delete),
        EACH(test_echo),
        EACH(test_delete_of_nothing),
        EACH(test_update),
        EACH(test_repeated),
        EACH(test_the_same_anew),
        EACH(test_addresses_by_subscription),
        EACH(test_sgsn_restarts),
        EACH(test_refused),
        cmocka_unit_test_setup_teardown(test_all_addresses_taken, begin_small, end),
        cmocka_unit_test_setup_teardown(test_the_others_stay, begin_small, end),
        EACH(test_many),
        EACH(test_options),
        EACH(test_options_without_room),
        EACH(test_odd_messages),
        EACH(test_indication),
        EACH(test_network),
    };
    return cmocka_run_group_tests_name("lab/pool/pool", tests, NULL, NULL);
}
