// See phone.h: GPRS mobility management of an MS, 24.008 4.7.
#include <stdio.h>
#include <string.h>

#include "dataplane/wire/gmm.h"
#include "lab/ms/phone_parts.h"

#define ATTACH_GPRS     1
#define DETACH_GPRS     1
#define DETACH_OFF      8 // and switched off
#define DETACH_AGAIN    1 // to the MS: it shall attach again
#define UPDATE_AREA     0
#define UPDATE_PERIODIC 3
#define LAC_NONE        0xfffe
#define RAC_NONE        0xff

// 24.008 10.5.5.14
enum cause {
    CAUSE_IMSI_UNKNOWN = 2,
    CAUSE_ILLEGAL_MS = 3,
    CAUSE_ILLEGAL_ME = 6,
    CAUSE_NO_GPRS = 7,
    CAUSE_NO_SERVICES = 8,
    CAUSE_NOT_DERIVED = 9,
    CAUSE_DETACHED = 10,
    CAUSE_PLMN = 11,
    CAUSE_NO_CELL = 15
};

// One R99 feature, and no cipher, or GEA3 and GEA4; GSM 1800, multislot class 12.
static const uint8_t net_capability[] = {0x21, 0x00}, of_card[] = {0x21, 0x30};
static const uint8_t ra_capability[] = {0x32, 0xa5, 0x15, 0x80, 0x00};

static void begin(struct phone *phone, enum phone_state state)
{
    phone->state = state;
    phone->tries = 0;
    phone->wait_ns = PHONE_NEVER_NS;
}

static void wait_for(struct phone *phone, uint64_t delay_ns, uint64_t now_ns)
{
    phone->message_ns = PHONE_NEVER_NS;
    phone->wait_ns = now_ns + delay_ns;
}

// What it knows of a network that knows it no more.
static void forget(struct phone *phone)
{
    phone->has_p_tmsi = phone->has_area = false;
}

static void leave(struct phone *phone, enum phone_state state, uint64_t now_ns)
{
    phone_sm_forget(phone, now_ns);
    phone->state = state;
    phone->message_ns = phone->wait_ns = phone->update_ns = PHONE_NEVER_NS;
}

static struct bssgp_area old_area(const struct phone *phone)
{
    if (phone->has_area)
        return phone->area;
    return (struct bssgp_area){.mnc_digits = 2, .lac = LAC_NONE, .rac = RAC_NONE};
}

static struct octets octets_of(const uint8_t *octets, uint32_t n)
{
    return (struct octets){octets, n};
}

// ---- Messages up ----

static struct l3_identity identity(const struct phone *phone)
{
    struct l3_identity identity = {
        .has_tmsi = phone->has_p_tmsi, .tmsi = phone->p_tmsi, .has_imsi = !phone->has_p_tmsi};
    memcpy(identity.imsi.text, phone->config.imsi, sizeof phone->config.imsi);
    return identity;
}

static void send_attach(struct phone *phone, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct gmm_attach_request request = {
        .net_capability =
            octets_of(phone->config.has_card ? of_card : net_capability, sizeof net_capability),
        .attach_type = ATTACH_GPRS,
        .cksn = phone->cksn,
        .has_old_signature = phone->has_p_tmsi && phone->has_signature,
        .old_signature = phone->signature,
        .identity = identity(phone),
        .old_area = old_area(phone),
        .ra_capability = octets_of(ra_capability, sizeof ra_capability)};
    phone_send(phone, b, gmm_attach_request_encode(&request, b, sizeof b), now_ns);
    phone->message_ns = now_ns + PHONE_T3310_NS;
}

static void send_update(struct phone *phone, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct gmm_update_request request = {
        .update_type = phone->periodic ? UPDATE_PERIODIC : UPDATE_AREA,
        .cksn = phone->cksn,
        .has_old_signature = phone->has_signature,
        .old_signature = phone->signature,
        .old_area = old_area(phone),
        .ra_capability = octets_of(ra_capability, sizeof ra_capability),
        .has_pdp_status = true,
        .pdp_status =
            (uint16_t)(phone->context == PHONE_CONTEXT_ACTIVE ? 1 << phone->config.nsapi : 0)};
    phone_send(phone, b, gmm_update_request_encode(&request, b, sizeof b), now_ns);
    phone->message_ns = now_ns + PHONE_T3330_NS;
}

static void send_detach(struct phone *phone, bool off, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct gmm_detach_request_up request = {.detach_type = DETACH_GPRS | (off ? DETACH_OFF : 0),
                                            .has_p_tmsi = phone->has_p_tmsi,
                                            .p_tmsi = phone->p_tmsi};
    phone_send(phone, b, gmm_detach_request_up_encode(&request, b, sizeof b), now_ns);
    phone->message_ns = off ? PHONE_NEVER_NS : now_ns + PHONE_T3321_NS;
}

static void send_status(struct phone *phone, uint8_t cause, uint64_t now_ns)
{
    uint8_t b[PHONE_MESSAGE_MOST];
    struct gmm_status_up status = {.cause = cause};
    phone_send(phone, b, gmm_status_up_encode(&status, b, sizeof b), now_ns);
}

// A message that is its type alone.
static void send_bare(struct phone *phone, uint8_t type, uint64_t now_ns)
{
    phone_send(phone, (const uint8_t[]){L3_GMM, type}, 2, now_ns);
}

// ---- Procedures ----

// Of a phone with a P-TMSI (4.7.1.4).
static uint32_t tlli_of(const struct phone *phone)
{
    return (phone->p_tmsi & ~PHONE_LOCAL) | (phone->abroad ? PHONE_FOREIGN : PHONE_LOCAL);
}

// The TLLI of before is heard as well.
static void take_tlli(struct phone *phone)
{
    uint32_t tlli = tlli_of(phone);
    if (tlli != phone->tlli)
        phone->tlli_before = phone->tlli;
    phone->tlli = tlli;
}

static void attach(struct phone *phone, uint64_t now_ns)
{
    phone_sm_forget(phone, now_ns);
    begin(phone, PHONE_ATTACHING);
    phone->update_ns = PHONE_NEVER_NS;
    phone->tlli_before = 0;
    phone->tlli = phone->has_p_tmsi ? tlli_of(phone)
                                    : phone_random_tlli(phone->owner.random(phone->owner.self));
    send_attach(phone, now_ns);
}

static void update(struct phone *phone, bool periodic, uint64_t now_ns)
{
    begin(phone, PHONE_UPDATING);
    phone->periodic = periodic;
    phone->update_ns = PHONE_NEVER_NS;
    send_update(phone, now_ns);
}

void phone_on(struct phone *phone, uint64_t now_ns)
{
    phone->attempts = 0;
    attach(phone, now_ns);
}

void phone_update(struct phone *phone, uint64_t now_ns)
{
    if (!phone_is_attached(phone))
        return;
    phone->abroad = true;
    if (phone->has_p_tmsi)
        take_tlli(phone);
    update(phone, false, now_ns);
}

void phone_off(struct phone *phone, uint64_t now_ns)
{
    if (phone_is_attached(phone))
        send_detach(phone, true, now_ns);
    leave(phone, PHONE_OFF, now_ns);
}

void phone_detach(struct phone *phone, uint64_t now_ns)
{
    if (!phone_is_attached(phone))
        return;
    leave(phone, PHONE_DETACHING, now_ns);
    phone->tries = 0;
    send_detach(phone, false, now_ns);
}

// An attempt more that failed (4.7.3.1.5, 4.7.5.1.5).
static void fail(struct phone *phone, uint64_t now_ns)
{
    bool last = ++phone->attempts >= PHONE_TRIES;
    if (last) {
        forget(phone);
        phone->attempts = 0;
    }
    phone->state = phone->state == PHONE_UPDATING && !last ? PHONE_ATTACHED : PHONE_WAITS;
    if (phone->state == PHONE_WAITS)
        phone_sm_forget(phone, now_ns);
    wait_for(phone, last ? PHONE_T3302_NS : PHONE_T3311_NS, now_ns);
}

void phone_gmm_time_out(struct phone *phone, uint64_t now_ns)
{
    if (++phone->tries == PHONE_TRIES) {
        PHONE_ADD(phone, given_up);
        if (phone->state == PHONE_DETACHING)
            leave(phone, PHONE_OFF, now_ns);
        else
            fail(phone, now_ns);
        return;
    }
    PHONE_ADD(phone, messages_again);
    if (phone->state == PHONE_ATTACHING)
        send_attach(phone, now_ns);
    else if (phone->state == PHONE_UPDATING)
        send_update(phone, now_ns);
    else
        send_detach(phone, false, now_ns);
}

void phone_gmm_begin(struct phone *phone, uint64_t now_ns)
{
    if (phone->state == PHONE_ATTACHED)
        update(phone, phone->periodic, now_ns);
    else
        attach(phone, now_ns);
}

// ---- Messages down ----

// Its TLLI is the new one's, with which the answer goes.
static void take_p_tmsi(struct phone *phone, uint32_t p_tmsi)
{
    phone->p_tmsi = p_tmsi;
    phone->has_p_tmsi = true;
    take_tlli(phone);
}

// A new P-TMSI without one has none.
static void take_signature(struct phone *phone, bool has, uint32_t signature)
{
    phone->has_signature = has;
    phone->signature = has ? signature : 0;
}

static uint64_t timer_ns(uint32_t s)
{
    return s == BSSGP_TIMER_OFF_S ? PHONE_NEVER_NS : s * PHONE_S;
}

#define READY_S 44 // if the network says nothing else

static void be_attached(struct phone *phone, uint32_t t3312_s, bool has_ready, uint32_t ready_s)
{
    phone->state = PHONE_ATTACHED;
    phone->attempts = 0;
    phone->message_ns = phone->wait_ns = PHONE_NEVER_NS;
    phone->t3312_ns = t3312_s ? timer_ns(t3312_s) : PHONE_NEVER_NS; // no update without end
    phone->ready_ns = timer_ns(has_ready ? ready_s : READY_S);
}

// What an ACCEPT of an attach and one of an update have in common; complete: the type of its
// answer.
struct accepted {
    struct bssgp_area area;
    bool has_p_tmsi, has_ready, has_signature;
    uint32_t p_tmsi, t3312_s, ready_s, signature;
    uint8_t complete;
};
#define ACCEPTED(of, type)                                                                      \
    (&(struct accepted){(of).area, (of).has_p_tmsi, (of).has_ready_timer_s, (of).has_signature, \
                        (of).p_tmsi, (of).t3312_s, (of).ready_timer_s, (of).signature, type})

// Returns false for one that comes again, as the network has not got the COMPLETE.
static bool take_accept(struct phone *phone, const struct accepted *accepted, uint64_t now_ns)
{
    bool again = phone->state == PHONE_ATTACHED;
    phone->area = accepted->area;
    phone->has_area = true;
    phone->abroad = false;
    if (accepted->has_p_tmsi)
        take_p_tmsi(phone, accepted->p_tmsi);
    else if (phone->has_p_tmsi)
        take_tlli(phone);
    if (accepted->has_signature || accepted->has_p_tmsi)
        take_signature(phone, accepted->has_signature, accepted->signature);
    be_attached(phone, accepted->t3312_s, accepted->has_ready, accepted->ready_s);
    if (accepted->has_p_tmsi)
        send_bare(phone, accepted->complete, now_ns);
    return !again;
}

static void take_attach_accept(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_attach_accept accept;
    if (gmm_attach_accept_decode(&accept, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    if (phone->state != PHONE_ATTACHING && phone->state != PHONE_ATTACHED) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    if (!take_accept(phone, ACCEPTED(accept, GMM_ATTACH_COMPLETE_TYPE), now_ns))
        return;
    PHONE_ADD(phone, attaches);
    phone_sm_activate(phone, now_ns);
}

// Of causes after which a phone does not come back by itself: what it may not be, or not here.
static bool is_for_good(uint8_t cause)
{
    return cause == CAUSE_IMSI_UNKNOWN || cause == CAUSE_ILLEGAL_MS ||
           (cause >= CAUSE_ILLEGAL_ME && cause <= CAUSE_NO_SERVICES) ||
           (cause >= CAUSE_PLMN && cause <= CAUSE_NO_CELL);
}

static void refused(struct phone *phone, uint8_t cause, bool has_t3346, uint32_t t3346_s,
                    uint64_t now_ns)
{
    phone->cause = cause;
    if (is_for_good(cause)) {
        forget(phone);
        leave(phone, PHONE_REFUSED, now_ns);
        return;
    }
    fail(phone, now_ns);
    if (has_t3346 && t3346_s && t3346_s != BSSGP_TIMER_OFF_S)
        wait_for(phone, t3346_s * PHONE_S, now_ns);
}

static void take_attach_reject(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_attach_reject reject;
    if (gmm_attach_reject_decode(&reject, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
    } else if (phone->state != PHONE_ATTACHING) {
        PHONE_ADD(phone, messages_unexpected);
    } else {
        PHONE_ADD(phone, attaches_refused);
        refused(phone, reject.cause, reject.has_t3346_s, reject.t3346_s, now_ns);
    }
}

static void take_update_accept(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_update_accept accept;
    if (gmm_update_accept_decode(&accept, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    if (!phone_is_attached(phone)) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    if (!take_accept(phone, ACCEPTED(accept, GMM_UPDATE_COMPLETE_TYPE), now_ns))
        return;
    PHONE_ADD(phone, updates);
    if (accept.has_pdp_status && phone->context == PHONE_CONTEXT_ACTIVE &&
        !(accept.pdp_status & 1u << phone->config.nsapi)) {
        PHONE_ADD(phone, contexts_ended);
        phone_sm_forget(phone, now_ns);
        phone_sm_activate(phone, now_ns);
    }
}

static void take_update_reject(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_update_reject reject;
    if (gmm_update_reject_decode(&reject, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    if (phone->state != PHONE_UPDATING) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    PHONE_ADD(phone, updates_refused);
    phone->cause = reject.cause;
    if (reject.cause == CAUSE_NOT_DERIVED)
        forget(phone);
    if (reject.cause == CAUSE_NOT_DERIVED || reject.cause == CAUSE_DETACHED)
        attach(phone, now_ns);
    else
        refused(phone, reject.cause, reject.has_t3346_s, reject.t3346_s, now_ns);
}

static void take_detach_request(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_detach_request_down request;
    if (gmm_detach_request_down_decode(&request, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    if (!phone_is_attached(phone)) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    PHONE_ADD(phone, detaches);
    phone->cause = request.has_cause ? request.cause : 0;
    send_bare(phone, GMM_DETACH_ACCEPT_UP_TYPE, now_ns);
    if (request.detach_type == DETACH_AGAIN) {
        attach(phone, now_ns);
        return;
    }
    if (is_for_good(phone->cause))
        forget(phone);
    leave(phone, PHONE_REFUSED, now_ns);
}

static void take_detach_accept(struct phone *phone, uint64_t now_ns)
{
    if (phone->state == PHONE_DETACHING)
        leave(phone, PHONE_OFF, now_ns);
    else
        PHONE_ADD(phone, messages_unexpected);
}

#define ASKS_IMSI   1
#define ASKS_IMEI   2
#define ASKS_IMEISV 3
#define IMEI_DIGITS 14 // of an IMEISV, before the version; an MS sends 0 for its check digit

static void take_identity_request(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_identity_request request;
    struct gmm_identity_response response = {.identity = {.has_imsi = false}};
    struct l3_identity *own = &response.identity;
    uint8_t b[PHONE_MESSAGE_MOST];
    if (gmm_identity_request_decode(&request, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    own->has_imsi = request.type == ASKS_IMSI;
    own->has_imei = request.type == ASKS_IMEI;
    own->has_imeisv = request.type == ASKS_IMEISV;
    memcpy(own->imsi.text, phone->config.imsi, sizeof phone->config.imsi);
    snprintf(own->imei.text, sizeof own->imei.text, "%.*s0", IMEI_DIGITS, phone->config.imeisv);
    memcpy(own->imeisv.text, phone->config.imeisv, sizeof phone->config.imeisv);
    phone_send(phone, b, gmm_identity_response_encode(&response, b, sizeof b), now_ns);
}

static bool is_cipher(uint8_t algorithm)
{
    return algorithm == 0 || algorithm == 3 || algorithm == 4;
}

// Told that its card's answers are wrong, it is nobody here (4.7.7.5).
static void take_authentication_reject(struct phone *phone, uint64_t now_ns)
{
    if (!phone->has_rand) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    PHONE_ADD(phone, attaches_refused);
    phone->cause = CAUSE_ILLEGAL_MS;
    phone->cksn = PHONE_NO_KEY;
    forget(phone);
    leave(phone, PHONE_REFUSED, now_ns);
}

// Without a card there is nothing to answer to RAND; without RAND only the algorithm is set.
static void take_authentication_request(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_authentication_request request;
    uint8_t b[PHONE_MESSAGE_MOST];
    if (gmm_authentication_request_decode(&request, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    if (phone->config.has_card && request.has_rand && request.has_autn &&
        is_cipher(request.algorithm)) {
        phone_card_take(phone, &request, now_ns);
        return;
    }
    if (request.has_rand || request.algorithm) {
        send_status(phone, L3_CAUSE_TYPE, now_ns);
        return;
    }
    struct gmm_authentication_response response = {.reference = request.reference,
                                                   .has_imeisv = request.imeisv_request == 1};
    memcpy(response.imeisv.text, phone->config.imeisv, sizeof phone->config.imeisv);
    phone_send(phone, b, gmm_authentication_response_encode(&response, b, sizeof b), now_ns);
}

static void take_reallocation(struct phone *phone, struct octets message, uint64_t now_ns)
{
    struct gmm_reallocation_command command;
    if (gmm_reallocation_command_decode(&command, message.at, message.n) < 0) {
        PHONE_ADD(phone, messages_odd);
        return;
    }
    if (!phone_is_attached(phone)) {
        PHONE_ADD(phone, messages_unexpected);
        return;
    }
    phone->area = command.area;
    phone->has_area = true;
    take_p_tmsi(phone, command.p_tmsi);
    take_signature(phone, command.has_signature, command.signature);
    send_bare(phone, GMM_REALLOCATION_COMPLETE_TYPE, now_ns);
}

void phone_gmm_take(struct phone *phone, struct octets message, uint64_t now_ns)
{
    if (message.n < 2 || message.at[0] != L3_GMM) { // with a skip indicator: to be ignored
        PHONE_ADD(phone, messages_odd);
        return;
    }
    switch (message.at[1]) {
    case GMM_ATTACH_ACCEPT_TYPE:
        take_attach_accept(phone, message, now_ns);
        break;
    case GMM_ATTACH_REJECT_TYPE:
        take_attach_reject(phone, message, now_ns);
        break;
    case GMM_UPDATE_ACCEPT_TYPE:
        take_update_accept(phone, message, now_ns);
        break;
    case GMM_UPDATE_REJECT_TYPE:
        take_update_reject(phone, message, now_ns);
        break;
    case GMM_DETACH_REQUEST_DOWN_TYPE:
        take_detach_request(phone, message, now_ns);
        break;
    case GMM_DETACH_ACCEPT_DOWN_TYPE:
        take_detach_accept(phone, now_ns);
        break;
    case GMM_IDENTITY_REQUEST_TYPE:
        take_identity_request(phone, message, now_ns);
        break;
    case GMM_AUTHENTICATION_REQUEST_TYPE:
        take_authentication_request(phone, message, now_ns);
        break;
    case GMM_AUTHENTICATION_REJECT_TYPE:
        take_authentication_reject(phone, now_ns);
        break;
    case GMM_REALLOCATION_COMMAND_TYPE:
        take_reallocation(phone, message, now_ns);
        break;
    case GMM_STATUS_DOWN_TYPE:
    case GMM_INFORMATION_TYPE:
        break;
    default:
        PHONE_ADD(phone, messages_odd);
        send_status(phone, L3_CAUSE_TYPE, now_ns);
    }
}
