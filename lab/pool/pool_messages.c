// See pool.h: messages of GTP-C.
#include "lab/pool/pool_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"

#define MESSAGE_OCTETS_MAX 1500
#define NSAPI_LEAST        5
#define IPV4_TYPE          33
#define IETF               1

// 29.060 7.7.1
enum cause {
    CAUSE_ACCEPTED = 128,
    CAUSE_NON_EXISTENT = 192,
    CAUSE_FORMAT = 193,
    CAUSE_NOT_SUPPORTED = 200,
    CAUSE_INCORRECT = 201,
    CAUSE_MISSING = 202,
    CAUSE_NO_ADDRESS = 211,
    CAUSE_ADDRESS_TYPE = 220
};

static void note(struct pool *pool, const char *what, const char *why, uint32_t number)
{
    if (!pool->first_fault[0])
        snprintf(pool->first_fault, sizeof pool->first_fault, "GTP-C: %s: %s (%u)", what, why,
                 number);
}

static enum cause cause_of(int fault)
{
    switch (wire_fault_err(fault)) {
    case WIRE_MISSING_IE:
        return CAUSE_MISSING;
    case WIRE_TYPE:
    case WIRE_TRUNCATED:
        return CAUSE_FORMAT;
    default:
        return CAUSE_INCORRECT;
    }
}

// ---- CREATE ----

static uint32_t refuse(struct pool *pool, const struct gtpc_create_response *to, enum cause cause,
                       uint8_t *answer)
{
    struct gtpc_create_response response = {
        .teid = to->teid, .sequence = to->sequence, .cause = (uint8_t)cause};
    POOL_ADD(pool, refused);
    return (uint32_t)gtpc_create_response_encode(&response, answer, POOL_ANSWER_MAX);
}

uint64_t pool_imsi(const char *digits)
{
    char text[2 + FIELD_DIGITS_MAX];
    snprintf(text, sizeof text, "1%s", digits);
    return strtoull(text, NULL, 10);
}

// 0, or the cause why there can be no such context.
static enum cause wrong_with(const struct gtpc_create_request *request)
{
    if (request->teid) // of a context, to which another one is to be added
        return CAUSE_NOT_SUPPORTED;
    if (!request->has_imsi || !request->has_teid_control || !request->has_address)
        return CAUSE_MISSING;
    if (request->nsapi < NSAPI_LEAST || !request->teid_data || !request->teid_control)
        return CAUSE_INCORRECT;
    if (request->address.organisation != IETF || request->address.type != IPV4_TYPE)
        return CAUSE_ADDRESS_TYPE;
    return request->address.address.n ? CAUSE_NOT_SUPPORTED : 0;
}

static void restart(struct pool *pool)
{
    while (pool->first) {
        POOL_ADD(pool, restarted);
        pool_remove(pool, &pool->context[pool->first - 1]);
    }
    pool_repeats_forget(pool);
}

static void look_at_recovery(struct pool *pool, const struct gtpc_create_request *request)
{
    if (!request->has_recovery)
        return;
    if (pool->has_peer_recovery && pool->peer_recovery != request->recovery)
        restart(pool);
    pool->has_peer_recovery = true;
    pool->peer_recovery = request->recovery;
}

static struct pool_context *context_for(struct pool *pool,
                                        const struct gtpc_create_request *request)
{
    uint64_t imsi = pool_imsi(request->imsi.text);
    struct pool_context *context = pool_find(pool, imsi, request->nsapi);
    if (!context)
        return pool_add(pool, imsi, request->nsapi);
    POOL_ADD(pool, replaced);
    pool_renew(pool, context);
    return context;
}

static uint32_t accept(struct pool *pool, const struct gtpc_create_request *request,
                       const struct pool_context *context, uint8_t *answer)
{
    uint8_t address[4], options[PDP_OPTIONS_MAX];
    uint32_t own = pool_address(pool, context), teid = pool_teid(pool, context);
    struct gtpc_create_response response = {
        .teid = request->teid_control,
        .sequence = request->sequence,
        .cause = CAUSE_ACCEPTED,
        .has_reorder = true,
        .has_recovery = true,
        .recovery = pool->config.recovery,
        .has_teid_data = true,
        .teid_data = teid,
        .has_teid_control = true,
        .teid_control = teid,
        .has_charging_id = true,
        .charging_id = ++pool->charging_id,
        .has_address = true,
        .address = {.organisation = IETF, .type = IPV4_TYPE, .address = {address, sizeof address}},
        .has_control_address = true,
        .control_address = pool->config.address,
        .has_data_address = true,
        .data_address = pool->config.address,
        .has_qos = true,
        .qos = request->qos};
    put_be32(address, own);
    if (request->has_options)
        response.options = (struct octets){
            options, pool_options(&pool->config, own, request->options, options, sizeof options)};
    response.has_options = response.options.n > 0;
    POOL_ADD(pool, created);
    return (uint32_t)gtpc_create_response_encode(&response, answer, POOL_ANSWER_MAX);
}

static uint32_t create(struct pool *pool, const struct gtpu *head, struct octets message,
                       uint8_t *answer)
{
    struct gtpc_create_request request;
    struct gtpc_create_response to = {.sequence = head->sequence};
    int n = gtpc_create_request_decode(&request, message.at, message.n);
    if (n < 0)
        return refuse(pool, &to, cause_of(n), answer);
    if (request.has_teid_control)
        to.teid = request.teid_control;
    enum cause cause = wrong_with(&request);
    if (cause)
        return refuse(pool, &to, cause, answer);
    look_at_recovery(pool, &request);
    struct pool_context *context = context_for(pool, &request);
    if (!context)
        return refuse(pool, &to, CAUSE_NO_ADDRESS, answer);
    context->data_address = request.data_address;
    context->data_teid = request.teid_data;
    context->control_address = request.control_address;
    context->control_teid = request.teid_control;
    return accept(pool, &request, context, answer);
}

// ---- DELETE ----

static uint32_t delete_answer(struct pool *pool, uint32_t teid, uint16_t sequence, enum cause cause,
                              uint8_t *answer)
{
    struct gtpc_delete_response response = {
        .teid = teid, .sequence = sequence, .cause = (uint8_t)cause};
    if (cause == CAUSE_ACCEPTED)
        POOL_ADD(pool, deleted);
    else
        POOL_ADD(pool, unknown);
    return (uint32_t)gtpc_delete_response_encode(&response, answer, POOL_ANSWER_MAX);
}

static uint32_t delete (struct pool *pool, const struct gtpu *head, struct octets message,
                        uint8_t *answer)
{
    struct gtpc_delete_request request;
    const struct pool_context *found = pool_of_teid(pool, head->teid);
    uint32_t teid = found ? found->control_teid : 0;
    int n = gtpc_delete_request_decode(&request, message.at, message.n);
    if (n < 0)
        return delete_answer(pool, teid, head->sequence, cause_of(n), answer);
    if (!found || found->nsapi != request.nsapi)
        return delete_answer(pool, teid, head->sequence, CAUSE_NON_EXISTENT, answer);
    POOL_ADD(pool, ended);
    pool_remove(pool, &pool->context[found - pool->context]);
    return delete_answer(pool, teid, head->sequence, CAUSE_ACCEPTED, answer);
}

// ---- UPDATE ----

static uint32_t refuse_update(struct pool *pool, uint32_t teid, uint16_t sequence, enum cause cause,
                              uint8_t *answer)
{
    struct gtpc_update_response response = {
        .teid = teid, .sequence = sequence, .cause = (uint8_t)cause};
    POOL_ADD(pool, unknown);
    return (uint32_t)gtpc_update_response_encode(&response, answer, POOL_ANSWER_MAX);
}

// What an SGSN may change of a context (table 7): its TEIDs and addresses. Of the others it takes
// none.
static void take_update(struct pool_context *context, const struct gtpc_update_request *request)
{
    context->data_teid = request->teid_data;
    if (request->has_teid_control)
        context->control_teid = request->teid_control;
    context->control_address = request->control_address;
    context->data_address = request->data_address;
}

static uint32_t update(struct pool *pool, const struct gtpu *head, struct octets message,
                       uint8_t *answer)
{
    struct gtpc_update_request request;
    const struct pool_context *found = pool_of_teid(pool, head->teid);
    uint32_t teid = found ? found->control_teid : 0;
    int n = gtpc_update_request_decode(&request, message.at, message.n);
    if (n < 0)
        return refuse_update(pool, teid, head->sequence, cause_of(n), answer);
    if (!found || found->nsapi != request.nsapi)
        return refuse_update(pool, teid, head->sequence, CAUSE_NON_EXISTENT, answer);
    if (!request.has_teid_data || !request.has_control_address || !request.has_data_address ||
        !request.has_qos)
        return refuse_update(pool, teid, head->sequence, CAUSE_MISSING, answer);
    if (!request.teid_data || (request.has_teid_control && !request.teid_control))
        return refuse_update(pool, teid, head->sequence, CAUSE_INCORRECT, answer);
    struct pool_context *context = &pool->context[found - pool->context];
    take_update(context, &request);
    struct gtpc_update_response response = {.teid = context->control_teid,
                                            .sequence = head->sequence,
                                            .cause = CAUSE_ACCEPTED,
                                            .has_recovery = true,
                                            .recovery = pool->config.recovery,
                                            .has_teid_data = true,
                                            .teid_data = pool_teid(pool, context),
                                            .has_teid_control = true,
                                            .teid_control = pool_teid(pool, context),
                                            .has_control_address = true,
                                            .control_address = pool->config.address,
                                            .has_data_address = true,
                                            .data_address = pool->config.address,
                                            .has_qos = true,
                                            .qos = request.qos};
    POOL_ADD(pool, updated);
    return (uint32_t)gtpc_update_response_encode(&response, answer, POOL_ANSWER_MAX);
}

// ---- The others ----

static uint32_t echo(struct pool *pool, const struct gtpu *head, uint8_t *answer)
{
    struct gtpc_echo_response response = {.sequence = head->sequence,
                                          .recovery = pool->config.recovery};
    POOL_ADD(pool, echoes);
    return (uint32_t)gtpc_echo_response_encode(&response, answer, POOL_ANSWER_MAX);
}

// A number is where this version has one, whichever the other version is.
static uint32_t other_version(struct pool *pool, struct octets message, uint8_t *answer)
{
    struct gtpc_version_not_supported response = {.sequence = get_be16(message.at + 8)};
    POOL_ADD(pool, version);
    note(pool, "a message", "of another version of GTP", message.at[0] >> 5);
    return (uint32_t)gtpc_version_not_supported_encode(&response, answer, POOL_ANSWER_MAX);
}

static bool is_other_version(struct octets message)
{
    return message.n >= GTPU_OCTETS + GTPU_OPTIONS_OCTETS && message.at[0] >> 5 != 1 &&
           message.at[1] != GTPC_VERSION_NOT_SUPPORTED_TYPE;
}

static uint32_t change(struct pool *pool, const struct gtpu *head, uint16_t port,
                       struct octets message, uint8_t *answer, uint64_t now_ns)
{
    uint32_t n = pool_repeat_answer(pool, port, head->sequence, message, answer, now_ns);
    if (n) {
        POOL_ADD(pool, repeated);
        return n;
    }
    if (head->type == GTPC_CREATE_REQUEST_TYPE)
        n = create(pool, head, message, answer);
    else
        n = head->type == GTPC_UPDATE_REQUEST_TYPE ? update(pool, head, message, answer)
                                                   : delete (pool, head, message, answer);
    pool_repeat_keep(pool, port, head->sequence, message, (struct octets){answer, n}, now_ns);
    return n;
}

uint32_t pool_take(struct pool *pool, uint32_t address, uint16_t port, struct octets message,
                   uint8_t answer[POOL_ANSWER_MAX], uint64_t now_ns)
{
    struct gtpu head;
    POOL_ADD(pool, messages);
    if (address != pool->config.sgsn) {
        POOL_ADD(pool, strangers);
        return 0;
    }
    if (is_other_version(message))
        return other_version(pool, message, answer);
    int n = gtpu_decode(&head, message.at, message.n);
    if (n < 0 || n > MESSAGE_OCTETS_MAX || !head.has_sequence) {
        POOL_ADD(pool, odd);
        note(pool, "a message", n < 0 ? wire_err_text(wire_fault_err(n)) : "its size or no number",
             n < 0 ? wire_fault_offset(n) : (uint32_t)n);
        return 0;
    }
    message.n = (uint32_t)n;
    if (head.type == GTPC_ECHO_REQUEST_TYPE)
        return echo(pool, &head, answer);
    if (head.type == GTPC_CREATE_REQUEST_TYPE || head.type == GTPC_UPDATE_REQUEST_TYPE ||
        head.type == GTPC_DELETE_REQUEST_TYPE)
        return change(pool, &head, port, message, answer, now_ns);
    POOL_ADD(pool, other);
    note(pool, "a message", "that no GGSN expects here, type", head.type);
    return 0;
}
