// What the files of a phone share; see phone.h. phone.c has its states' clock and LLC, phone_gmm.c
// mobility management, phone_sm.c session management.
#ifndef SLUICE_LAB_MS_PHONE_PARTS_H
#define SLUICE_LAB_MS_PHONE_PARTS_H

#include "lab/ms/phone.h"

#define PHONE_S 1000000000ull

// 24.008 tables 11.3 and 11.2c.
#define PHONE_T3302_NS (12 * 60 * PHONE_S)
#define PHONE_T3310_NS (15 * PHONE_S)
#define PHONE_T3311_NS (15 * PHONE_S)
#define PHONE_T3321_NS (15 * PHONE_S)
#define PHONE_T3330_NS (15 * PHONE_S)
#define PHONE_T3380_NS (30 * PHONE_S)

#define PHONE_ADD(phone, name) ((phone)->count[PHONE_COUNT_##name]++)

#define PHONE_MESSAGE_MOST 400 // N201-U of SAPI 1

// Sends a message; n: what its encoder returned.
void phone_send(struct phone *phone, const uint8_t *message, int n, uint64_t now_ns);

// The message under way again, or the end of tries; phone_gmm.c, phone_sm.c.
void phone_gmm_time_out(struct phone *phone, uint64_t now_ns);
void phone_gmm_begin(struct phone *phone, uint64_t now_ns); // behind the wait
void phone_gmm_take(struct phone *phone, struct octets message, uint64_t now_ns);
void phone_sm_time_out(struct phone *phone, uint64_t now_ns);
void phone_sm_take(struct phone *phone, struct octets message, uint64_t now_ns);

// phone_card.c: RAND, and AUTN for a USIM. The phone says what its card says.
struct gmm_authentication_request;
void phone_card_take(struct phone *phone, const struct gmm_authentication_request *request,
                     uint64_t now_ns);
// phone.c: from the next frame on all is under that key, gea 0 for none.
void phone_take_key(struct phone *phone, uint8_t gea, struct octets kc);

void phone_sm_activate(struct phone *phone, uint64_t now_ns);
// The context is gone, without a message.
void phone_sm_forget(struct phone *phone, uint64_t now_ns);

static inline bool phone_is_attached(const struct phone *phone)
{
    return phone->state == PHONE_ATTACHED || phone->state == PHONE_UPDATING;
}

#endif
