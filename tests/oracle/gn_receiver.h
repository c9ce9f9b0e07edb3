// The oracle's GGSN: Ethernet frames in, T-PDUs with their TEIDs out. It follows 29.281 for the
// G-PDU and ip_reader.h below it, and shares no code with what it judges.
// Stricter than a GGSN: the path puts no sequence number, N-PDU number or extension into a G-PDU
// and sends from and to port 2152, so anything else is an error here. Left out: all other messages.
#ifndef TESTS_ORACLE_GN_RECEIVER_H
#define TESTS_ORACLE_GN_RECEIVER_H

#include "tests/oracle/ip_reader.h"

#define GN_ERRORS(X)                                                                  \
    X(NONE, "no error")                                                               \
    IP_ERRORS(X)                                                                      \
    X(UDP_PORT, "UDP source or destination port is not 2152")                         \
    X(GTPU_SHORT, "datagram ends inside the GTP-U header")                            \
    X(GTPU_VERSION, "GTP-U version is not 1, or the protocol type is not GTP")        \
    X(GTPU_TYPE, "GTP-U message is not a G-PDU (255)")                                \
    X(GTPU_FLAGS, "GTP-U header says that it has options (E, S, PN), or a spare bit") \
    X(GTPU_LENGTH, "GTP-U length is not that of the datagram")                        \
    X(GTPU_TEID, "TEID is 0")                                                         \
    X(GTPU_EMPTY, "G-PDU carries no T-PDU")

enum gn_error {
#define GN_ERROR_NAME(name, text) GN_ERR_##name,
    GN_ERRORS(GN_ERROR_NAME)
#undef GN_ERROR_NAME
        GN_ERR_COUNT
};

// The octets are valid only during the call.
struct gn_tpdu {
    struct ip_ends ends;
    uint32_t teid;
    const uint8_t *octets;
    size_t n;
};

struct gn_receiver_counters {
    uint64_t frames; // all that were given, good and bad
    uint64_t tpdus;
    uint64_t fragments;            // of the frames, kept or joined
    uint64_t errors[GN_ERR_COUNT]; // frames refused; [GN_ERR_NONE] stays 0
    uint64_t datagrams_open;       // in fragments, and not whole at this moment
};

struct gn_receiver;

// The callback must not call back into the receiver. NULL if there is no memory.
struct gn_receiver *gn_receiver_new(void (*deliver)(void *ctx, const struct gn_tpdu *), void *ctx);
void gn_receiver_free(struct gn_receiver *r);
void gn_receiver_accept(struct gn_receiver *r, const struct ip_accept *accept);

// Returns 0, or -(enum gn_error) if the frame was refused. A fragment that was kept is 0.
int gn_receiver_frame(struct gn_receiver *r, const uint8_t *frame, size_t n);

// Takes what gn_receiver_frame returned.
const char *gn_receiver_error_text(int code);

const struct gn_receiver_counters *gn_receiver_counters(const struct gn_receiver *r);

#endif
