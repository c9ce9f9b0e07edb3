// The oracle's Gb receiver: Ethernet frames in, whole N-PDUs out, as one MS after another would
// see them. It follows 48.016 (NS-UNITDATA), 48.018 10.2.1 (DL-UNITDATA), 44.064 (UI frames) and
// 44.065 (SN-UNITDATA), and shares no code with what it judges.
// It is stricter than a real MS: the path under test promises no gap in N(U), no gap in N-PDU
// numbers and no optional element it was not asked for, so each of these is an error here.
// Ciphering is a hook: whoever uses it lends the cipher and the keys, and the receiver says which
// frame it is. IPv6, fragments, an MTU and which optional elements are right are told to it; by
// default it wants whole IPv4 packets and takes any element that is well-formed. Left out:
// compression, acknowledged mode, signalling, uplink.
#ifndef TESTS_ORACLE_GB_RECEIVER_H
#define TESTS_ORACLE_GB_RECEIVER_H

#include "tests/oracle/ip_reader.h"

#define GB_MSS_MAX         4096
#define GB_N201_U_MAX      1520 // 44.064 table of LLC layer parameters
#define GB_NPDU_OCTETS_MAX 1520
#define GB_OPTIONS_MAX     128 // octets of optional elements that can be expected

// One line an error: its name and what is wrong with the frame.
#define GB_ERRORS(X)                                                                              \
    X(NONE, "no error")                                                                           \
    IP_ERRORS(X)                                                                                  \
    X(NS_SHORT, "datagram ends inside the NS header")                                             \
    X(NS_TYPE, "NS PDU is not NS-UNITDATA (0x00)")                                                \
    X(NS_CONTROL, "NS SDU control bits are not 0")                                                \
    X(NS_BVCI, "BVCI 0 or 1 is not a PTP BVC")                                                    \
    X(BSSGP_SHORT, "PDU ends inside the mandatory part of DL-UNITDATA")                           \
    X(BSSGP_TYPE, "BSSGP PDU is not DL-UNITDATA (0x00)")                                          \
    X(BSSGP_LIFETIME, "PDU Lifetime (0x16, 2 octets) does not follow the QoS profile")            \
    X(BSSGP_IE, "an information element runs past the end of the PDU")                            \
    X(BSSGP_NO_LLC, "PDU ends without an LLC-PDU (0x0e)")                                         \
    X(BSSGP_AFTER_LLC, "octets follow the LLC-PDU, which must be last")                           \
    X(BSSGP_OPTIONS, "optional elements are not those that are expected")                         \
    X(BSSGP_ALIGNMENT, "alignment octets are not 0 to 3, or do not align the LLC-PDU to 32 bits") \
    X(LLC_SHORT, "LLC frame is shorter than a UI header and FCS")                                 \
    X(LLC_LONG, "LLC information field is longer than 1520 octets")                               \
    X(LLC_ADDRESS, "LLC address has PD or a spare bit set")                                       \
    X(LLC_RESPONSE, "LLC C/R is that of a response: a UI frame is a command")                     \
    X(LLC_SAPI, "LLC SAPI is not one for user data (3, 5, 9, 11)")                                \
    X(LLC_CONTROL, "LLC control field is not that of a UI frame")                                 \
    X(LLC_CIPHERED, "LLC E bit is set, and the MS has no cipher")                                 \
    X(LLC_CLEAR, "LLC E bit is 0, and the MS has a cipher")                                       \
    X(LLC_FCS, "LLC FCS is wrong")                                                                \
    X(LLC_NU, "N(U) does not follow that of the frame before it")                                 \
    X(MS_TABLE, "no room for one more TLLI (4096 are kept)")                                      \
    X(SNDCP_SHORT, "SN-PDU ends inside its header")                                               \
    X(SNDCP_SPARE, "SNDCP spare bit X is set")                                                    \
    X(SNDCP_TYPE, "SN-PDU is SN-DATA, not SN-UNITDATA")                                           \
    X(SNDCP_NSAPI, "NSAPI is not 5 to 15")                                                        \
    X(SNDCP_COMPRESSION, "DCOMP or PCOMP is not 0")                                               \
    X(SNDCP_EMPTY, "segment carries no octet")                                                    \
    X(SNDCP_OTHER_SAPI, "NSAPI came before on another SAPI")                                      \
    X(SNDCP_NPDU_NUMBER, "N-PDU number does not follow that of the N-PDU before it")              \
    X(SNDCP_NPDU_CHANGED, "N-PDU number changes inside an N-PDU")                                 \
    X(SNDCP_SEGMENT, "segment number does not follow that of the segment before it")              \
    X(SNDCP_FIRST_AGAIN, "first segment comes while the N-PDU before it is incomplete")           \
    X(SNDCP_NO_FIRST, "segment comes with no first segment before it")                            \
    X(SNDCP_NPDU_LONG, "N-PDU is longer than 1520 octets")

enum gb_error {
#define GB_ERROR_NAME(name, text) GB_ERR_##name,
    GB_ERRORS(GB_ERROR_NAME)
#undef GB_ERROR_NAME
        GB_ERR_COUNT
};

// BVCI, QoS, lifetime and both ends are those of the frame that completed the N-PDU. The octets are
// valid only during the call.
struct gb_npdu {
    struct ip_ends ends;
    uint16_t bvci;
    uint32_t tlli;
    uint8_t sapi, nsapi;
    uint16_t npdu_number;
    uint8_t qos[3];
    uint16_t lifetime_cs;
    const uint8_t *octets;
    size_t len;
    unsigned segments;
};

struct gb_receiver_counters {
    uint64_t frames;         // all that were given, good and bad
    uint64_t fragments;      // of those, kept or joined
    uint64_t datagrams_open; // in fragments, and not whole at this moment
    uint64_t npdus;
    uint64_t errors[GB_ERR_COUNT]; // frames refused, by enum gb_error; [GB_ERR_NONE] stays 0
    uint64_t partials_discarded;
    uint64_t partials_open; // N-PDUs begun and not complete at this moment
};

struct gb_receiver;

// The callback must not call back into the receiver. NULL if there is no memory.
struct gb_receiver *gb_receiver_new(void (*deliver)(void *ctx, const struct gb_npdu *), void *ctx);
void gb_receiver_free(struct gb_receiver *r);

void gb_receiver_accept(struct gb_receiver *r, const struct ip_accept *accept);

// Returns 0, or -(enum gb_error) if the frame was refused. A fragment that was kept is 0.
int gb_receiver_frame(struct gb_receiver *r, const uint8_t *frame, size_t len);

// The same for an LLC PDU without the layers below. After gb_receiver_uplink the LLC PDUs are those
// of MSs: C/R is the other way round.
int gb_receiver_llc_pdu(struct gb_receiver *r, uint32_t tlli, const uint8_t *llc, size_t len);
void gb_receiver_uplink(struct gb_receiver *r);

// Takes what gb_receiver_frame returned.
const char *gb_receiver_error_text(int code);

const struct gb_receiver_counters *gb_receiver_counters(const struct gb_receiver *r);

// One UI frame under its key: 44.064 annex A.2 makes INPUT of these and of the MS's IOV-UI.
struct gb_ciphered {
    uint32_t tlli, oc;
    uint8_t sapi;
    uint16_t nu;
};

// XORs the key stream to these octets. False if that MS has no cipher; with no octets that is all
// it is asked.
typedef bool gb_decipher(void *ctx, const struct gb_ciphered *frame, uint8_t *octets, size_t len);

// Without one no MS has a cipher.
void gb_receiver_set_decipher(struct gb_receiver *r, gb_decipher *decipher, void *ctx);

// N(U) and OC of an MS begin at 0 again, as with a new key. What of an N-PDU has come stays.
void gb_receiver_new_key(struct gb_receiver *r, uint32_t tlli);

// A context that is new: its N-PDU numbers begin at 0, what of an N-PDU has come is discarded, and
// any optional elements do.
void gb_receiver_new_context(struct gb_receiver *r, uint32_t tlli, uint8_t nsapi);

// What of its N-PDUs has come is discarded, as what is queued behind a half-sent one was; its
// numbers go on.
void gb_receiver_flush(struct gb_receiver *r, uint32_t tlli);

// The MS goes on under another TLLI. False if there is no such MS, or one of that TLLI already.
bool gb_receiver_rename(struct gb_receiver *r, uint32_t old_tlli, uint32_t tlli);

// An MS that is gone, with what was expected of it.
void gb_receiver_forget(struct gb_receiver *r, uint32_t tlli);

// From here on frames for that context have exactly these octets between the lifetime and the
// LLC-PDU with its alignment octets. False if there is no room.
bool gb_receiver_expect_options(struct gb_receiver *r, uint32_t tlli, uint8_t nsapi,
                                const uint8_t *octets, size_t n);

// From here on an N-PDU may end before its last segment: the next one's first discards it.
void gb_receiver_allow_unfinished(struct gb_receiver *r);

// Has each good frame as well; the octets are a segment with its SNDCP header.
void gb_receiver_watch(struct gb_receiver *r, void (*seen)(void *ctx, const struct gb_npdu *frame));

#endif
