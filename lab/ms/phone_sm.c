// See phone.h: session management of an MS, 24.008 6.1.3, for one PDP context.
#include <string.h>

#include "dataplane/wire/sm.h"
#include "lab/ms/phone_parts.h"

#define TI                  0 // of the phone's transaction
#define TI_EXTENDED         7 // an octet of its own follows, for transactions that no phone has here
#define TI_OTHER            8 // bit of a TI in a message to the side that chose it
#define IETF                1
#define IPV4_TYPE           33
#define CAUSE_REFUSED_BY_MS 31 // "activation rejected, unspecified"
#define CAUSE_REACTIVATE    39
#define CAUSE_TI            81

// Interactive, 64 kbit/s, as a phone of 2003 asks; name servers by IPCP.
static const uint8_t qos[] = {0x1b, 0x92, 0x1f, 0x73, 0x97, 0x40, 0x40, 0x74, 0x03, 0xff, 0xff, 0};
static const uint8_t subscribed[sizeof qos]; // zeros
static const uint8_t options[] = {0x80, 0x80, 0x21, 0x10, 1,    0, 0, 0x10, 0x81, 6,
                                  0,    0,    0,    0,    0x83, 6, 0, 0,    0,    0};

// ---- Messages up ----

// "internet.example": each label behind its length.
static uint32_t put_apn(const char *apn, uint8_t *b)
{
    uint32_t n = (uint32_t)strlen(apn), length = 0;
    if (n == 0)
        return 0;
    memcpy(b + 1, apn, n);
    for (uint32_t at = n + 1; at > 0; at--)
        if (at == 1 || b[at - 1] == '.') {
            b[at - 1] = (uint8_t)length;
            length = 0;
        } else {
            length++;
        }
    return n + 1;
}

static void send_activate(struct phone *phone, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST], apn[PHONE_APN_MOST + 1];
    struct sm_activate_request request = {
        .ti = TI,
        .nsapi = phone->config.nsapi,
        .sapi = phone->config.sapi,
        .qos = {phone->config.subscribed ? subscribed : qos, sizeof qos},
        .address = {.organisation = IETF, .type = IPV4_TYPE},
        .apn = {apn, put_apn(phone->config.apn, apn)},
        .has_options = true,
        .options = {options, sizeof options}};
    request.has_apn = request.apn.n > 0;
    phone_send(phone, b, sm_activate_request_encode(&request, b, sizeof b), now_ns);
    phone->context_ns = now_ns + PHONE_T3380_NS;
}

static void send_status(struct phone *phone, uint8_t ti, uint8_t cause, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct sm_status status = {.ti = ti ^ TI_OTHER, .cause = cause};
    phone_send(phone, b, sm_status_encode(&status, b, sizeof b), now_ns);
}

// ---- The context ----

static void has_none(struct phone *phone, uint64_t now_ns)
{
    bool was = phone->address != 0;
    phone->context = PHONE_CONTEXT_NONE;
    phone->context_ns = PHONE_NEVER_NS;
    phone->address = 0;
    if (was)
        phone->owner.context(phone->owner.self, phone, now_ns);
}

void phone_sm_forget(struct phone *phone, uint64_t now_ns)
{
    has_none(phone, now_ns);
}

void phone_sm_activate(struct phone *phone, uint64_t now_ns)
{
    phone->context = PHONE_CONTEXT_ACTIVATING;
    phone->context_tries = 0;
    send_activate(phone, now_ns);
}

static void ask_again_later(struct phone *phone, uint64_t now_ns)
{
    has_none(phone, now_ns);
    phone->context_ns = now_ns + PHONE_AGAIN_S * PHONE_S;
}

void phone_sm_time_out(struct phone *phone, uint64_t now_ns)
{
    if (!phone_is_attached(phone))
        return;
    if (phone->context == PHONE_CONTEXT_NONE) {
        phone_sm_activate(phone, now_ns);
    } else if (++phone->context_tries == PHONE_TRIES) {
        PHONE_ADD(phone, given_up);
        ask_again_later(phone, now_ns);
    } else {
        PHONE_ADD(phone, messages_again);
        send_activate(phone, now_ns);
    }
}

// ---- Messages down ----

static void take_accept(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct sm_activate_accept accept;
    if (sm_activate_accept_decode(&accept, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    if (phone->context != PHONE_CONTEXT_ACTIVATING) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    if (!accept.has_address || accept.address.organisation != IETF ||
        accept.address.type != IPV4_TYPE || accept.address.address.n != 4 ||
        get_be32(accept.address.address.at) == 0) {
        PHONE_ADD(phone, messages_odd);
        send_status(phone, accept.ti, L3_CAUSE_MANDATORY, now_ns);
        ask_again_later(phone, now_ns);
        return;
    }
    PHONE_ADD(phone, contexts);
    phone->context = PHONE_CONTEXT_ACTIVE;
    phone->context_ns = PHONE_NEVER_NS;
    phone->config.sapi = accept.sapi;
    phone->address = get_be32(accept.address.address.at);
    phone->owner.context(phone->owner.self, phone, now_ns);
}

static void take_reject(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct sm_activate_reject reject;
    if (sm_activate_reject_decode(&reject, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
    } else if (phone->context != PHONE_CONTEXT_ACTIVATING) {
        PHONE_ADD(phone, messages_unexpected);
    } else {
        PHONE_ADD(phone, contexts_refused);
        phone->cause = reject.cause;
        ask_again_later(phone, now_ns);
    }
}

static void take_deactivate(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct sm_deactivate_request request;
    struct sm_deactivate_accept accept = {.ti = TI};
    uint8_t b[PHONE_MESSAGE_MOST];
    if (sm_deactivate_request_decode(&request, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    phone_send(phone, b, sm_deactivate_accept_encode(&accept, b, sizeof b), now_ns);
    if (phone->context == PHONE_CONTEXT_NONE) // its ACCEPT was lost
        return;
    PHONE_ADD(phone, contexts_ended);
    phone->cause = request.cause;
    ask_again_later(phone, now_ns);
    if (request.cause == CAUSE_REACTIVATE)
        phone_sm_activate(phone, now_ns);
}

static void take_modify(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct sm_modify_request_down request;
    struct sm_modify_accept_up accept = {.ti = TI};
    uint8_t b[PHONE_MESSAGE_MOST];
    if (sm_modify_request_down_decode(&request, message.at, message.n) < 0)
        PHONE_ADD(phone, messages_odd);
    else if (phone->context != PHONE_CONTEXT_ACTIVE)
        send_status(phone, TI | TI_OTHER, CAUSE_TI, now_ns);
    else
        phone_send(phone, b, sm_modify_accept_up_encode(&accept, b, sizeof b), now_ns);
}

// The network knows no such context.
static void take_status(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct sm_status status;
    if (sm_status_decode(&status, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    phone->cause = status.cause;
    if (phone->context != PHONE_CONTEXT_NONE)
        ask_again_later(phone, now_ns);
}

static void refuse_activation(struct phone *phone, uint8_t ti, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct sm_request_activation_reject reject = {.ti = ti | TI_OTHER,
                                                  .cause = CAUSE_REFUSED_BY_MS};
    phone_send(phone, b, sm_request_activation_reject_encode(&reject, b, sizeof b), now_ns);
}

void phone_sm_take(struct phone *phone, struct octets message, uint64_t now_ns)
{
    uint8_t ti = message.at[0] >> 4;
    if (message.n < 2 || !phone_is_attached(phone)) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    if ((ti & TI_EXTENDED) == TI_EXTENDED) { // to be ignored
        PHONE_ADD(phone, messages_odd);
        return;
    }
    uint8_t type = message.at[1];
    if (type == SM_REQUEST_ACTIVATION_TYPE && !(ti & TI_OTHER)) {
        refuse_activation(phone, ti, now_ns);
        return;
    }
    if (ti != (TI | TI_OTHER)) {
        PHONE_ADD(phone, messages_unexpected);
        if (type != SM_STATUS_TYPE)
            send_status(phone, ti, CAUSE_TI, now_ns);
        return;
    }
    switch (type) {
    case SM_ACTIVATE_ACCEPT_TYPE:
        take_accept(phone, message, now_ns);
        break;
    case SM_ACTIVATE_REJECT_TYPE:
        take_reject(phone, message, now_ns);
        break;
    case SM_DEACTIVATE_REQUEST_TYPE:
        take_deactivate(phone, message, now_ns);
        break;
    case SM_MODIFY_REQUEST_DOWN_TYPE:
        take_modify(phone, message, now_ns);
        break;
    case SM_STATUS_TYPE:
        take_status(phone, message, now_ns);
        break;
    default:
        PHONE_ADD(phone, messages_odd);
        send_status(phone, ti, L3_CAUSE_TYPE, now_ns);
    }
}
