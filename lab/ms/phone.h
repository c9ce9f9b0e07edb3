// A phone that attaches: mobility and session management of an MS (TS 24.008), above LLC's SAPI 1
// (TS 44.064). It is switched on and attaches, with its P-TMSI if it has one; it answers for its
// identity, takes its P-TMSI and has a local TLLI from then on; it activates one PDP context, and
// does so again whenever it has none; it updates its routeing area by T3312. What the network does
// with it (detach, update refused, context ended) has the consequence of 24.008. With a card, a
// USIM, it proves who it is, and enciphers from then on.
//
// No clock: time is an argument, and the owner calls phone_turn at phone_next_ns. LLC frames of
// SAPI 1 pass here, those of user data by the MS. Left out: SIMs, the circuit side, cells and areas
// that the phone would choose. Without a card a request with RAND is answered by STATUS.
#ifndef SLUICE_LAB_MS_PHONE_H
#define SLUICE_LAB_MS_PHONE_H

#include "control/auth/milenage.h"
#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/bssgp_values.h"
#include "lab/ms/ms.h"

#define PHONE_TRIES    5
#define PHONE_AGAIN_S  60 // until it asks for a context again that it was refused
#define PHONE_APN_MOST 100
#define PHONE_LOCAL    0xc0000000u // the highest bits of a TLLI
#define PHONE_FOREIGN  0x80000000u
#define PHONE_RANDOM   0x78000000u
#define PHONE_NEVER_NS UINT64_MAX
#define PHONE_NO_KEY   7 // as CKSN

enum phone_state {
    PHONE_OFF,
    PHONE_WAITS,   // until it attaches again
    PHONE_REFUSED, // for good, or until it is switched on again
    PHONE_ATTACHING,
    PHONE_ATTACHED,
    PHONE_UPDATING,
    PHONE_DETACHING
};

enum phone_context_state { PHONE_CONTEXT_NONE, PHONE_CONTEXT_ACTIVATING, PHONE_CONTEXT_ACTIVE };

enum phone_count {
#define COUNT(name, help) PHONE_COUNT_##name,
#include "lab/ms/phone_counts.def"
#undef COUNT
    PHONE_COUNTS
};
extern const char *const phone_count_names[PHONE_COUNTS];

struct phone;

struct phone_owner {
    void *self;
    // An LLC frame, to be sent with phone->tlli. The octets are valid during the call.
    void (*send)(void *self, struct phone *phone, const uint8_t *llc, uint32_t octets,
                 uint64_t now_ns);
    // phone->address is another one, or 0: it has no context.
    void (*context)(void *self, struct phone *phone, uint64_t now_ns);
    uint32_t (*random)(void *self);
    // Of phones with a card: room for the cipher; and user data, too, are under that key from now
    // on, gea 0 for none.
    struct cipher_scratch *scratch;
    void (*keyed)(void *self, struct phone *phone, uint8_t gea, struct octets kc);
};

struct phone_config {
    char imsi[16], imeisv[17];
    char apn[PHONE_APN_MOST]; // with points; "": none
    uint8_t nsapi, sapi;
    bool
        subscribed; // it asks for the quality of service that it has subscribed, else for 64 kbit/s
    bool has_card;
    struct milenage_card card;
};

struct phone {
    struct phone_owner owner;
    struct phone_config config;
    enum phone_state state;
    uint32_t tlli, tlli_before; // before: heard as well; 0: none
    bool has_p_tmsi, has_area;
    uint32_t p_tmsi;
    struct bssgp_area area; // the last
    bool abroad;            // it is in another one, where its TLLI is the foreign one
    uint32_t attempts;      // that failed, one after another
    uint32_t tries;         // of the message under way
    uint64_t message_ns;    // when it is sent again: T3310, T3321, T3330
    uint64_t wait_ns;       // until it attaches or updates again: T3311, T3302, T3346
    uint64_t update_ns;     // T3312, behind READY
    uint64_t t3312_ns, ready_ns;
    bool periodic; // of the update under way
    enum phone_context_state context;
    uint32_t address;
    uint32_t context_tries;
    uint64_t context_ns; // T3380, or until it asks again
    uint8_t cause;       // of the last refusal
    struct ms_lle lle;   // numbers of SAPI 1
    uint32_t iov_ui;     // of the MS, by XID; its owner sets it
    uint8_t gea;         // 0: nothing is enciphered
    uint8_t key[CIPHER_KEY_OCTETS];
    uint8_t cksn;                        // of the key; PHONE_NO_KEY: it has none
    uint8_t sqn[MILENAGE_SQN_OCTETS];    // the highest that the card has taken
    bool has_rand;                       // it has answered one
    uint8_t rand[MILENAGE_BLOCK_OCTETS]; // the last
    uint8_t res[MILENAGE_RES_OCTETS];    // to that
    bool has_signature;
    uint32_t signature; // of its P-TMSI
    uint64_t count[PHONE_COUNTS];
};

void phone_setup(struct phone *phone, const struct phone_config *config,
                 const struct phone_owner *owner);

// It attaches. From then on its TLLI is set.
void phone_on(struct phone *phone, uint64_t now_ns);
// It detaches because it is switched off: no answer comes.
void phone_off(struct phone *phone, uint64_t now_ns);
// It detaches, and waits for the answer.
void phone_detach(struct phone *phone, uint64_t now_ns);
// It updates its routeing area, as in another one. Until the network has accepted that, no user
// data may go up.
void phone_update(struct phone *phone, uint64_t now_ns);

// An LLC frame has arrived. False: it is not of SAPI 1, and the MS's.
bool phone_down(struct phone *phone, const uint8_t *llc, uint32_t octets, uint64_t now_ns);
// User data has gone up: READY begins again.
void phone_sent(struct phone *phone, uint64_t now_ns);
// The SGSN has reset LLC (by XID): numbers begin again.
void phone_reset(struct phone *phone);

// When phone_turn has something to do; PHONE_NEVER_NS: not before something arrives.
uint64_t phone_next_ns(const struct phone *phone);
void phone_turn(struct phone *phone, uint64_t now_ns);

const char *phone_state_name(const struct phone *phone);

// The random TLLI that the phone makes of a number of phone_owner's.
static inline uint32_t phone_random_tlli(uint32_t number)
{
    return PHONE_RANDOM | (number & ~0xf8000000u);
}

#endif
