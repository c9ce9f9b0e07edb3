// See gn_receiver.h.
#include "tests/oracle/gn_receiver.h"

#include <stdlib.h>

#define GTPU_PORT 2152

#define REQUIRE(condition, error)  \
    do {                           \
        if (!(condition))          \
            return GN_ERR_##error; \
    } while (0)

struct gn_receiver {
    void (*deliver)(void *ctx, const struct gn_tpdu *tpdu);
    void *ctx;
    struct ip_reader ip;
    struct gn_receiver_counters counters;
};

static uint32_t be16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

// 29.281 5.1: version 3 bits, PT, spare, E, S, PN; type; length of what follows the 8 octets; TEID.
static enum gn_error gpdu_open(const struct ip_datagram *d, struct gn_tpdu *tpdu)
{
    const uint8_t *gtpu = d->octets;
    REQUIRE(d->ends.source_port == GTPU_PORT && d->ends.destination_port == GTPU_PORT, UDP_PORT);
    REQUIRE(d->n >= 8, GTPU_SHORT);
    REQUIRE(gtpu[0] >> 4 == 3, GTPU_VERSION);
    REQUIRE(gtpu[1] == 255, GTPU_TYPE);
    REQUIRE((gtpu[0] & 0x0f) == 0, GTPU_FLAGS);
    REQUIRE(be16(gtpu + 2) == d->n - 8, GTPU_LENGTH);
    tpdu->teid = be16(gtpu + 4) << 16 | be16(gtpu + 6);
    REQUIRE(tpdu->teid != 0, GTPU_TEID);
    REQUIRE(d->n > 8, GTPU_EMPTY);
    tpdu->ends = d->ends;
    tpdu->octets = gtpu + 8;
    tpdu->n = d->n - 8;
    return GN_ERR_NONE;
}

static enum gn_error frame_open(struct gn_receiver *r, const uint8_t *frame, size_t n)
{
    _Static_assert((int)GN_ERR_UDP_CHECKSUM == (int)IP_ERR_UDP_CHECKSUM, "one list");
    struct ip_datagram datagram;
    struct gn_tpdu tpdu;
    enum gn_error error = (enum gn_error)ip_read(&r->ip, frame, n, &datagram);
    if (error || !datagram.octets)
        return error;
    error = gpdu_open(&datagram, &tpdu);
    if (!error) {
        r->counters.tpdus++;
        r->deliver(r->ctx, &tpdu);
    }
    return error;
}

int gn_receiver_frame(struct gn_receiver *r, const uint8_t *frame, size_t n)
{
    enum gn_error error = frame_open(r, frame, n);
    r->counters.frames++;
    r->counters.errors[error] += error != GN_ERR_NONE;
    r->counters.fragments = r->ip.fragments;
    r->counters.datagrams_open = r->ip.reassembly.open;
    return -(int)error;
}

struct gn_receiver *gn_receiver_new(void (*deliver)(void *ctx, const struct gn_tpdu *), void *ctx)
{
    struct gn_receiver *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->deliver = deliver;
    r->ctx = ctx;
    return r;
}

void gn_receiver_free(struct gn_receiver *r)
{
    if (r)
        ip_reader_release(&r->ip);
    free(r);
}

void gn_receiver_accept(struct gn_receiver *r, const struct ip_accept *accept)
{
    r->ip.accept = *accept;
}

const struct gn_receiver_counters *gn_receiver_counters(const struct gn_receiver *r)
{
    return &r->counters;
}

const char *gn_receiver_error_text(int code)
{
    static const char *const texts[] = {
#define GN_ERROR_TEXT(name, text) text,
        GN_ERRORS(GN_ERROR_TEXT)
#undef GN_ERROR_TEXT
    };
    return code <= 0 && code > -GN_ERR_COUNT ? texts[-code] : "unknown error";
}
