// LLC and SNDCP of a mobile station (TS 44.064, TS 44.065), both directions, without acknowledged
// mode and compression. Down: UI frames are checked, deciphered and joined to N-PDUs; XID commands
// are answered. Up: N-PDUs are cut into UI frames, which are enciphered if the MS has a key. An MS
// has no timer, so this part needs no engine.
//
// Conservation, in a struct ms_counters (octets: LLC PDUs', segments', N-PDUs'), at any instant
// but within owner->lost, when the LLC PDU that has arrived is not sorted yet:
//     pdus = data + control + the sum of refused
//     segments = delivered + held + the sum of lost
//     npdus_begun = delivered N-PDUs + npdus_open + the sum of npdus_lost
//     up_npdus = up_sent + the sum of up_unsent
//
// From within the owner's functions no function may be called but ms_up, for any MS, from within
// owner->down; and ms_read from within any.
#ifndef SLUICE_LAB_MS_H
#define SLUICE_LAB_MS_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/cipher/cipher.h"
#include "dataplane/wire/field.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

// The keys for all MSs of a scenario.
#define MS_CONFIG_FIELDS(MUST, KEY, T)                                                          \
    KEY(T, SIZE, n201_u_most_octets, "ms.n201_u", NULL, LLC_N201_U_MIN, LLC_N201_U_MAX,         \
        LLC_N201_U_MAX, "the largest N201-U that an MS agrees to (TS 44.064 8.9)")              \
    KEY(T, SWITCH, answers_xid, "ms.answers_xid", NULL, 0, 1, 1,                                \
        "an MS answers XID commands (TS 44.064 8.5.3), and else ignores them, a Reset as well") \
    KEY(T, SWITCH, protects_all, "ms.protects_all", NULL, 0, 1, 1,                              \
        "the FCS covers a whole uplink frame, and not only its first octets (PM, TS 44.064 5.5)")
FIELD_KEYS_STRUCT(ms_config, MS_CONFIG_FIELDS);
extern const struct field ms_config_fields[];
extern const uint32_t ms_config_field_count;
extern const struct field_record ms_config_record;

enum ms_refused {
#define MS_REFUSED(name, help) MS_REFUSED_##name,
#include "lab/ms/ms_losses.def"
    MS_REFUSED_COUNT
};

enum ms_lost {
#define MS_LOST(name, help) MS_LOST_##name,
#include "lab/ms/ms_losses.def"
    MS_LOST_COUNT
};

enum ms_unsent {
#define MS_UNSENT(name, help) MS_UNSENT_##name,
#include "lab/ms/ms_losses.def"
    MS_UNSENT_COUNT
};

// Name and help of a reason, in the order of the enum.
struct ms_reason {
    const char *name, *help;
};
extern const struct ms_reason ms_refused_reasons[MS_REFUSED_COUNT];
extern const struct ms_reason ms_lost_reasons[MS_LOST_COUNT];

struct ms_amount {
    uint64_t packets, octets;
};

struct ms_counters {
    // Down: LLC PDUs.
    struct ms_amount pdus, data, control, refused[MS_REFUSED_COUNT];
    // The segments in them, without headers; delivered.octets are the N-PDUs' octets, too.
    struct ms_amount segments, delivered, held, lost[MS_LOST_COUNT];
    uint64_t npdus_begun, npdus_delivered, npdus_open, npdus_lost[MS_LOST_COUNT];
    uint64_t late;   // LLC PDUs among `data` that came after a later one
    uint64_t resets; // by XID
    uint64_t stale;  // LLC PDUs among `refused` that came too late for their N(U)
    // Up: N-PDUs, and the LLC PDUs that carry them; answers are those to XID commands.
    struct ms_amount up_npdus, up_sent, up_unsent[MS_UNSENT_COUNT];
    struct ms_amount up_pdus, answers;
};

struct ms;

struct ms_owner {
    void *self;
    // A whole N-PDU has arrived.
    void (*down)(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 uint64_t now_ns);
    // The MS gave up an N-PDU of which these octets, its first, had arrived. May be NULL.
    void (*lost)(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 enum ms_lost why, uint64_t now_ns);
    // An LLC PDU is ready for the radio. The octets are valid during the call.
    void (*up)(void *self, struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns);
};

// ---- What all MSs share ----

#define MS_FRAME_OCTETS_MAX (LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS)

#define MS_LLES 4 // the SAPIs of user data: 3, 5, 9, 11

// The SGSN's numbers for an MS, as the LLC PDUs show them that it sends. The MS knows them only of
// what arrives.
struct ms_sgsn {
    uint32_t iov_ui, next[MS_LLES]; // N(U) + OC
    uint16_t resets;
};

// Of an LLC PDU: the cipher's INPUT, and how many Resets were sent before it, or with it.
struct ms_stamp {
    uint32_t input;
    uint16_t resets;
    bool known; // the other fields are
};

struct ms_npdu; // an N-PDU of several segments that is not whole yet

struct ms_shared {
    struct ms_config config;
    struct ms_owner owner;
    struct cipher_scratch *scratch;
    struct ms_npdu *spare, *spare_large; // free buffers
    uint64_t pdus;                       // LLC PDUs down, of all MSs
    uint64_t faults;                     // of LLC PDUs, and N-PDUs lost by `order`
    char first_fault[160];
    struct ms_stamp stamp;   // of the LLC PDU that ms_down has got
    enum ms_refused refused; // why it was; MS_REFUSED_COUNT: it was not
    uint8_t down[MS_FRAME_OCTETS_MAX], up[MS_FRAME_OCTETS_MAX], read[MS_FRAME_OCTETS_MAX];
};

// A lack of memory aborts. All MSs must be released before ms_shared_release.
void ms_shared_setup(struct ms_shared *shared, const struct ms_config *config,
                     const struct ms_owner *owner);
void ms_shared_release(struct ms_shared *shared);

// ---- An MS ----

#define MS_NSAPI_FIRST 5
#define MS_NSAPIS      11

// Numbers are N(U) plus OC and never wrap.
struct ms_lle {
    uint32_t down_next;   // V(UR) + OC: follows the highest number received
    uint32_t down_seen;   // bit i: down_next - 1 - i was received
    uint32_t down_missed; // numbers skipped; changes with each gap, late frame and Reset
    uint32_t up_next;     // V(U) + OC
    uint16_t n201_u_octets;
    uint16_t down_octets_most; // the largest N201-U since the last Reset
};

struct ms_context {
    struct ms_npdu *open; // NULL: none
    uint32_t down_missed; // of the LLE, when the last segment came
    uint16_t up_number;   // of the next N-PDU
    uint8_t lle;
    uint8_t broken : 7; // 1 + enum ms_lost: until a first segment comes, segments are lost for that
    bool used : 1;
};

// The last keys before the one in force. Frames under them may be on their way, and more: an SGSN
// that has not heard that the MS has another one goes on with them.
#define MS_KEYS_BEFORE 16
struct ms_keys {
    uint32_t n; // so many there were
    uint8_t key[MS_KEYS_BEFORE][CIPHER_KEY_OCTETS];
};

struct ms {
    struct ms_shared *shared; // may become another one of the same config
    struct ms_counters *counters;
    uint32_t label; // the owner's, such as a TLLI; stands in the text of a fault
    uint32_t iov_ui;
    uint16_t resets; // that it has had: the stamp's of the last one
    uint8_t gea;     // 0: no ciphering
    bool has_moved;  // the owner's: a cell may have kept LLC PDUs since it was there before
    uint8_t key[CIPHER_KEY_OCTETS];
    struct ms_keys *before; // the owner's; NULL: it never has another key
    struct ms_lle lle[MS_LLES];
    struct ms_context context[MS_NSAPIS];
};

// What MS and SGSN agree on before the first XID.
struct ms_terms {
    uint16_t n201_u_octets; // of all SAPIs of user data; 500 by table 9 of TS 44.064
    uint8_t gea;            // 0: no ciphering; 3; 4
    struct octets kc;
    uint32_t iov_ui;
};

// `counters` may belong to one MS or to several, and must outlive the MS. Returns as ms_set_terms.
int ms_setup(struct ms *ms, struct ms_shared *shared, struct ms_counters *counters,
             const struct ms_terms *terms);

// Gives up the open N-PDUs.
void ms_release(struct ms *ms, uint64_t now_ns);

// Other terms, such as a new key: the numbers of all LLEs start at 0. 0; -ERANGE: N201-U; -ENOTSUP
// or -EINVAL: gea or kc.
int ms_set_terms(struct ms *ms, const struct ms_terms *terms);

// Another key between two frames, gea 0 for none: the numbers of all LLEs start at 0, and what
// arrives under the keys before is refused, which is no fault. As ms_set_terms.
int ms_take_key(struct ms *ms, uint8_t gea, struct octets kc);

// 0; -EINVAL: not an NSAPI or not a SAPI of user data; -EEXIST.
int ms_add_context(struct ms *ms, uint8_t nsapi, uint8_t sapi);
void ms_remove_context(struct ms *ms, uint8_t nsapi, uint64_t now_ns);

// An LLC PDU has arrived. Calls owner->down for each N-PDU that is whole now, and owner->up for an
// answer. Under a key one that comes more than 32 numbers late is refused, which is no fault: a
// cell that the MS has left keeps LLC PDUs, and sends them when it is back.
void ms_down(struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns);

// Sends an N-PDU: calls owner->up once for each LLC PDU. False: it cannot be sent (up_unsent).
bool ms_up(struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets, uint64_t now_ns);

// ---- What the SGSN sends to an MS ----

void ms_sgsn_setup(struct ms_sgsn *sgsn, const struct ms *ms);

// To be told of each LLC PDU for the MS where the SGSN sends it, in that order.
struct ms_stamp ms_sgsn_sent(struct ms_sgsn *sgsn, const uint8_t *llc, uint32_t octets);

// As ms_down, of an LLC PDU with that stamp. Returns why it was refused; MS_REFUSED_COUNT: it was
// not.
//
// Refused is no fault if the SGSN has sent a good frame, but under other numbers than the MS can
// have: the frame and a Reset have passed each other on the way, or the Reset is lost, until T200
// has it repeated (TS 44.064 8.5.3.1, 8.5.3.4); or so many frames are lost that N(U) does not tell
// OC (8.4.2).
enum ms_refused ms_down_stamped(struct ms *ms, struct ms_stamp stamp, const uint8_t *llc,
                                uint32_t octets, uint64_t now_ns);

struct ms_what {
    uint8_t sapi;
    struct sndcp_unitdata segment; // segment.data: valid until the next call of ms_read
};

// What an LLC PDU of the SGSN carries; needs nothing of the MS but its key. Returns false if it
// carries no segment, or is damaged.
bool ms_read(const struct ms *ms, struct ms_stamp stamp, const uint8_t *llc, uint32_t octets,
             struct ms_what *what);

#endif
