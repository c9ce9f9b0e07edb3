// The oracle's Gb receiver: Ethernet frames in, whole N-PDUs out, as one MS after another would
// see them. It follows 48.016 (NS-UNITDATA), 48.018 10.2.1 (DL-UNITDATA), 44.064 (UI frames) and
// 44.065 (SN-UNITDATA), and shares no code with what it judges.
// It is stricter than a real MS: the path under test promises no gap in N(U), no gap in N-PDU
// numbers and no option it was not asked for, so each of these is an error here.
// Ciphering is a hook: whoever uses it lends the cipher and the keys, and the receiver says which
// frame it is. Left out: compression, acknowledged mode, signalling, uplink.
#ifndef TESTS_ORACLE_GB_RECEIVER_H
#define TESTS_ORACLE_GB_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GB_MSS_MAX         4096
#define GB_N201_U_MAX      1520 // 44.064 table of LLC layer parameters
#define GB_NPDU_OCTETS_MAX 1520

// One line an error: its name and what is wrong with the frame.
#define GB_ERRORS(X)                                                                              \
    X(NONE, "no error")                                                                           \
    X(ETHERNET_SHORT, "frame is shorter than an Ethernet header")                                 \
    X(ETHERNET_TYPE, "Ethernet type is not 0x0800 (IPv4)")                                        \
    X(IP_SHORT, "frame ends inside the IPv4 header")                                              \
    X(IP_HEADER, "IP version is not 4, or the header is not 20 octets long")                      \
    X(IP_LENGTH, "IP total length is not the length of the frame")                                \
    X(IP_CHECKSUM, "IP header checksum is wrong")                                                 \
    X(IP_FRAGMENT, "IP packet is a fragment, or the reserved flag is set")                        \
    X(IP_TTL, "IP time to live is 0")                                                             \
    X(IP_PROTOCOL, "IP protocol is not 17 (UDP)")                                                 \
    X(UDP_SHORT, "packet ends inside the UDP header")                                             \
    X(UDP_LENGTH, "UDP length is not the length of the IP payload")                               \
    X(UDP_CHECKSUM, "UDP checksum is wrong")                                                      \
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
    X(BSSGP_ALIGNMENT, "alignment octets are not 0 to 3, or do not align the LLC-PDU to 32 bits") \
    X(LLC_SHORT, "LLC frame is shorter than a UI header and FCS")                                 \
    X(LLC_LONG, "LLC information field is longer than 1520 octets")                               \
    X(LLC_ADDRESS, "LLC address has PD or a spare bit set")                                       \
    X(LLC_RESPONSE, "LLC C/R is 0: a downlink UI frame is a command")                             \
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

// BVCI, QoS and lifetime are those of the frame that completed the N-PDU. The octets are valid
// only during the call.
struct gb_npdu {
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
    uint64_t frames; // all that were given, good and bad
    uint64_t npdus;
    uint64_t errors[GB_ERR_COUNT]; // frames refused, by enum gb_error; [GB_ERR_NONE] stays 0
    uint64_t partials_discarded;
    uint64_t partials_open; // N-PDUs begun and not complete at this moment
};

struct gb_receiver;

// The callback must not call back into the receiver. NULL if there is no memory.
struct gb_receiver *gb_receiver_new(void (*deliver)(void *ctx, const struct gb_npdu *), void *ctx);
void gb_receiver_free(struct gb_receiver *r);

// Returns 0, or -(enum gb_error) if the frame was refused.
int gb_receiver_frame(struct gb_receiver *r, const uint8_t *frame, size_t len);

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

// CRC-24 of 44.064 5.5 as a number; its low octet is sent first.
uint32_t gb_receiver_fcs(const struct gb_receiver *r, const uint8_t *octets, size_t len);

#endif
