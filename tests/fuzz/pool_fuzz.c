// GTP-C of the lab's GGSN under any octets of an SGSN: the counts add up after each, an answer can
// be read, the same octets again change nothing, and a context is found by its address and by its
// TEID. A step is garbage, or a message that the input fills in: CREATE with any options, DELETE
// and UPDATE of a context that there is.
#include <string.h>

#include "dataplane/wire/gtpc.h"
#include "lab/pool/pool.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input.h"

#define SGSN    0xc0000201
#define NETWORK 0x0a400000
#define ROOM    1600

static const struct pool_config config = {.address = 0xc0000202,
                                          .sgsn = SGSN,
                                          .network = NETWORK,
                                          .bits = 29,
                                          .dns = {1, 2},
                                          .recovery = 3};

static uint32_t garbage(uint8_t *b)
{
    static const uint8_t types[] = {1, 2, 16, 17, 18, 20, 21, 26, 27, 255};
    uint32_t n = 12 + input_octet();
    for (uint32_t i = 0; i < n; i++)
        b[i] = (uint8_t)input_octet();
    if (input_octet() & 1) {
        b[0] = 0x32;
        b[1] = INPUT_ONE_OF(types);
        b[2] = 0;
        b[3] = (uint8_t)(n - 8);
    }
    return n;
}

static uint32_t create(uint8_t *b)
{
    static const uint8_t qos[4] = {2, 0x1b, 0x92, 0x1f};
    uint8_t options[PDP_OPTIONS_MAX];
    struct gtpc_create_request request = {.sequence = (uint16_t)(input_octet() & 7),
                                          .has_imsi = true,
                                          .imsi = {"001010000000001"},
                                          .has_recovery = input_octet() < 16,
                                          .recovery = (uint8_t)(input_octet() & 1),
                                          .teid_data = input_octet(),
                                          .has_teid_control = input_octet() > 3,
                                          .teid_control = input_octet(),
                                          .nsapi = (uint8_t)(input_octet() & 15),
                                          .has_address = input_octet() > 3,
                                          .address = {.organisation = 1, .type = 33},
                                          .has_options = true,
                                          .control_address = SGSN,
                                          .data_address = SGSN,
                                          .qos = {qos, sizeof qos}};
    request.imsi.text[5] = (char)('0' + (input_octet() & 7));
    request.options = (struct octets){options, 1 + input_octet() % PDP_OPTIONS_MAX};
    for (uint32_t i = 0; i < request.options.n; i++)
        options[i] = (uint8_t)input_octet();
    options[0] = 0x80;
    return (uint32_t)gtpc_create_request_encode(&request, b, ROOM);
}

static uint32_t delete (const struct pool *pool, uint8_t *b)
{
    const struct pool_context *context = pool_of_address(pool, NETWORK + (input_octet() & 7));
    struct gtpc_delete_request request = {.teid = context ? pool_teid(pool, context) : input_long(),
                                          .sequence = (uint16_t)(input_octet() & 7),
                                          .nsapi = context ? context->nsapi : 5};
    return (uint32_t)gtpc_delete_request_encode(&request, b, ROOM);
}

static uint32_t update(const struct pool *pool, uint8_t *b)
{
    static const uint8_t qos[4] = {2, 0x1b, 0x92, 0x1f};
    const struct pool_context *context = pool_of_address(pool, NETWORK + (input_octet() & 7));
    struct gtpc_update_request request = {.teid = context ? pool_teid(pool, context) : input_long(),
                                          .sequence = (uint16_t)(input_octet() & 7),
                                          .has_teid_data = input_octet() > 3,
                                          .teid_data = input_octet(),
                                          .has_teid_control = input_octet() > 64,
                                          .teid_control = input_octet(),
                                          .nsapi = context ? context->nsapi : 5,
                                          .has_control_address = true,
                                          .control_address = input_long(),
                                          .has_data_address = input_octet() > 3,
                                          .data_address = input_long(),
                                          .has_qos = input_octet() > 3,
                                          .qos = {qos, sizeof qos}};
    return (uint32_t)gtpc_update_request_encode(&request, b, ROOM);
}

static void expect_readable(const uint8_t *answer, uint32_t n)
{
    union {
        struct gtpc_echo_response echo;
        struct gtpc_version_not_supported version;
        struct gtpc_create_response create;
        struct gtpc_delete_response deleted;
        struct gtpc_update_response updated;
    } as;
    CHECK(n >= 12 && n < POOL_ANSWER_MAX);
    int end = answer[1] == GTPC_ECHO_RESPONSE_TYPE ? gtpc_echo_response_decode(&as.echo, answer, n)
              : answer[1] == GTPC_VERSION_NOT_SUPPORTED_TYPE
                  ? gtpc_version_not_supported_decode(&as.version, answer, n)
              : answer[1] == GTPC_CREATE_RESPONSE_TYPE
                  ? gtpc_create_response_decode(&as.create, answer, n)
              : answer[1] == GTPC_UPDATE_RESPONSE_TYPE
                  ? gtpc_update_response_decode(&as.updated, answer, n)
                  : gtpc_delete_response_decode(&as.deleted, answer, n);
    CHECK(end == (int)n);
}

static void expect_found(const struct pool *pool)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const struct pool_context *context = pool_of_address(pool, NETWORK + i);
        if (!context)
            continue;
        found++;
        CHECK(i >= POOL_FIRST_PLACE && i < 7);
        CHECK(pool_address(pool, context) == NETWORK + i);
        CHECK(pool_of_teid(pool, pool_teid(pool, context)) == context);
        CHECK(context->data_teid != 0 && context->nsapi >= 5);
    }
    CHECK(found == pool_contexts(pool));
    CHECK(pool_wrong(pool) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pool *pool = pool_create(&config);
    uint64_t now_ns = 1;
    input_begin(data, size);
    while (input_left()) {
        uint8_t b[ROOM], answer[POOL_ANSWER_MAX], again[POOL_ANSWER_MAX];
        uint32_t choice = input_octet();
        uint32_t n = choice < 64    ? garbage(b)
                     : choice < 176 ? create(b)
                     : choice < 216 ? update(pool, b)
                                    : delete (pool, b);
        uint8_t *exact = malloc(n); // which ends where the message does
        CHECK(exact);
        memcpy(exact, b, n);
        uint32_t octets = pool_take(pool, SGSN, 2123, (struct octets){exact, n}, answer, now_ns);
        uint32_t contexts = pool_contexts(pool);
        if (octets)
            expect_readable(answer, octets);
        CHECK(pool_take(pool, SGSN, 2123, (struct octets){exact, n}, again, now_ns) == octets);
        CHECK(memcmp(answer, again, octets) == 0 && pool_contexts(pool) == contexts);
        free(exact);
        expect_found(pool);
        now_ns += (uint64_t)(input_octet() & 15) * 3000000000u;
    }
    pool_destroy(pool);
    return 0;
}
