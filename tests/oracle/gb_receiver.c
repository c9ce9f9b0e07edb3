// A strict, plain Gb receiver; what it checks is listed as GB_ERRORS in the header.
// Each layer below looks at the octets that the one before it left, bounds first, and narrows them
// to what it carries. After an error the frame is dropped and each sequence goes on from the
// number that came, so one fault is not reported again for every frame after it.
// No state is touched before the FCS is good.
#include "tests/oracle/gb_receiver_state.h"

#include <stdlib.h>
#include <string.h>

// The lower layers' errors come first, under the same numbers.
static enum gb_error ip_open(struct frame *f)
{
    _Static_assert((int)GB_ERR_UDP_CHECKSUM == (int)IP_ERR_UDP_CHECKSUM, "one list");
    struct ip_datagram datagram;
    enum ip_error error = ip_read(&f->receiver->ip, f->at, f->left, &datagram);
    f->npdu.ends = datagram.ends;
    narrow(f, datagram.octets, datagram.n);
    return (enum gb_error)error;
}

// 48.016, NS-UNITDATA. BVCI 0 is signalling and 1 is PTM: neither carries DL-UNITDATA.
// The type goes first, here and in BSSGP, so that a short PDU of another type is named as such.
static enum gb_error ns_open(struct frame *f)
{
    REQUIRE(f->left >= 1, NS_SHORT);
    REQUIRE(f->at[0] == 0, NS_TYPE);
    REQUIRE(f->left >= 4, NS_SHORT);
    REQUIRE(f->at[1] == 0, NS_CONTROL);
    f->npdu.bvci = (uint16_t)be16(f->at + 2);
    REQUIRE(f->npdu.bvci >= 2, NS_BVCI);
    narrow(f, f->at + 4, f->left - 4);
    return GB_ERR_NONE;
}

// Walks the optional part, from octet 12 of the PDU on, to the LLC-PDU (IEI 0x0e). A length octet
// with its high bit set holds 7 bits, else two octets hold 15. Alignment octets (IEI 0) stand right
// before the LLC-PDU and bring its first octet to a multiple of four from the start of the PDU.
static enum gb_error llc_pdu_find(struct frame *f, const uint8_t *pdu)
{
    bool aligned = false;
    f->options = pdu + 12;
    for (size_t at = 12; at < f->left;) {
        uint8_t iei = pdu[at];
        f->options_n = aligned ? f->options_n : at - 12;
        REQUIRE(f->left - at >= 2, BSSGP_IE);
        size_t header = pdu[at + 1] & 0x80 ? 2 : 3;
        REQUIRE(f->left - at >= header, BSSGP_IE);
        size_t octets = header == 2 ? pdu[at + 1] & 0x7f : be16(pdu + at + 1);
        at += header;
        REQUIRE(f->left - at >= octets, BSSGP_IE);
        REQUIRE(!aligned || (iei == 0x0e && at % 4 == 0), BSSGP_ALIGNMENT);
        aligned = iei == 0x00;
        REQUIRE(!aligned || octets <= 3, BSSGP_ALIGNMENT);
        if (iei == 0x0e) {
            REQUIRE(at + octets == f->left, BSSGP_AFTER_LLC);
            narrow(f, pdu + at, octets);
            return GB_ERR_NONE;
        }
        at += octets;
    }
    return GB_ERR_BSSGP_NO_LLC;
}

// 48.018 10.2.1: type, TLLI, QoS profile, PDU Lifetime; then what llc_pdu_find walks.
static enum gb_error bssgp_open(struct frame *f)
{
    const uint8_t *pdu = f->at;
    REQUIRE(f->left >= 1, BSSGP_SHORT);
    REQUIRE(pdu[0] == 0x00, BSSGP_TYPE);
    REQUIRE(f->left >= 12, BSSGP_SHORT);
    REQUIRE(pdu[8] == 0x16 && pdu[9] == 0x82, BSSGP_LIFETIME);
    f->npdu.tlli = (uint32_t)be16(pdu + 1) << 16 | be16(pdu + 3);
    memcpy(f->npdu.qos, pdu + 5, sizeof(f->npdu.qos));
    f->npdu.lifetime_cs = (uint16_t)be16(pdu + 10);
    return llc_pdu_find(f, pdu);
}

static enum gb_error ms_find_or_add(struct frame *f)
{
    f->ms = gb_receiver_ms_or_new(f->receiver, f->npdu.tlli);
    REQUIRE(f->ms, MS_TABLE);
    return GB_ERR_NONE;
}

// A real MS accepts a gap in N(U); here it is an error, and the LLE's partial N-PDUs go.
static enum gb_error nu_check(struct frame *f)
{
    uint32_t expected = f->ms->next_ui[f->npdu.sapi];
    f->ms->next_ui[f->npdu.sapi] = f->ui + 1;
    for (int i = 0; f->ui != expected && i < CONTEXTS; i++) {
        if (f->ms->contexts[i].sapi == f->npdu.sapi)
            gb_receiver_discard(f->receiver, &f->ms->contexts[i]);
    }
    return f->ui == expected ? GB_ERR_NONE : GB_ERR_LLC_NU;
}

// 44.065, SN-UNITDATA: X, F, T, M and NSAPI; DCOMP and PCOMP only in a first segment; the numbers.
static enum gb_error sndcp_open(struct frame *f)
{
    const uint8_t *sn = f->at;
    f->first = f->left > 0 && sn[0] & 0x40;
    size_t header = f->first ? 4 : 3;
    REQUIRE(f->left >= header, SNDCP_SHORT);
    REQUIRE((sn[0] & 0x80) == 0, SNDCP_SPARE);
    REQUIRE(sn[0] & 0x20, SNDCP_TYPE);
    f->more = sn[0] & 0x10;
    f->npdu.nsapi = sn[0] & 0x0f;
    REQUIRE(f->npdu.nsapi >= NSAPI_FIRST, SNDCP_NSAPI);
    REQUIRE(!f->first || sn[1] == 0, SNDCP_COMPRESSION);
    REQUIRE(f->left > header, SNDCP_EMPTY);
    f->npdu.octets = sn;
    f->npdu.len = f->left;
    f->segment = sn[header - 2] >> 4;
    f->npdu.npdu_number = be16(sn + header - 2) & 0xfff;
    narrow(f, sn + header, f->left - header);
    return GB_ERR_NONE;
}

// Which elements are right depends on the NSAPI (PFI), which only a good segment tells.
static enum gb_error options_check(struct frame *f)
{
    const struct context *c = &f->ms->contexts[f->npdu.nsapi - NSAPI_FIRST];
    REQUIRE(!c->options_expected ||
                (f->options_n == c->options_n && memcmp(f->options, c->options, c->options_n) == 0),
            BSSGP_OPTIONS);
    if (f->receiver->seen)
        f->receiver->seen(f->receiver->ctx, &f->npdu);
    return GB_ERR_NONE;
}

static enum gb_error segment_check(const struct frame *f, const struct context *c)
{
    REQUIRE(c->sapi == 0 || c->sapi == f->npdu.sapi, SNDCP_OTHER_SAPI);
    if (f->first) {
        REQUIRE(!c->open || f->receiver->unfinished, SNDCP_FIRST_AGAIN);
        REQUIRE(f->npdu.npdu_number == c->next_npdu_number, SNDCP_NPDU_NUMBER);
    } else {
        REQUIRE(c->open, SNDCP_NO_FIRST);
        REQUIRE(f->npdu.npdu_number == c->npdu_number, SNDCP_NPDU_CHANGED);
    }
    REQUIRE(f->segment == (f->first ? 0 : c->segments % 16), SNDCP_SEGMENT);
    REQUIRE(f->left <= GB_NPDU_OCTETS_MAX - (f->first ? 0 : c->len), SNDCP_NPDU_LONG);
    return GB_ERR_NONE;
}

static void segment_append(struct frame *f, struct context *c)
{
    if (f->first) {
        if (c->open)
            gb_receiver_discard(f->receiver, c);
        c->sapi = f->npdu.sapi;
        c->npdu_number = f->npdu.npdu_number;
        c->segments = 0;
        c->len = 0;
        c->open = true;
        f->receiver->counters.partials_open++;
    }
    memcpy(c->octets + c->len, f->at, f->left);
    c->len += f->left;
    c->segments++;
}

static void npdu_deliver(struct frame *f, struct context *c)
{
    struct gb_receiver *r = f->receiver;
    c->open = false;
    r->counters.partials_open--;
    r->counters.npdus++;
    f->npdu.octets = c->octets;
    f->npdu.len = c->len;
    f->npdu.segments = c->segments;
    r->deliver(r->ctx, &f->npdu);
}

// 44.065 6.7: segments of one N-PDU come in order, and anything else discards what there is of it.
static enum gb_error segment_take(struct frame *f)
{
    struct context *c = &f->ms->contexts[f->npdu.nsapi - NSAPI_FIRST];
    enum gb_error error = segment_check(f, c);
    if (f->first)
        c->next_npdu_number = (f->npdu.npdu_number + 1u) % 4096;
    if (error)
        gb_receiver_discard(f->receiver, c);
    else
        segment_append(f, c);
    if (!error && !f->more)
        npdu_deliver(f, c);
    return error;
}

#define LAYERS    9
#define LAYER_LLC 3

static int open_from(struct frame *f, size_t layer)
{
    static enum gb_error (*const layers[LAYERS])(struct frame *) = {
        ip_open,  ns_open,    bssgp_open,    gb_receiver_llc_open, ms_find_or_add,
        nu_check, sndcp_open, options_check, segment_take,
    };
    struct gb_receiver *r = f->receiver;
    enum gb_error error = GB_ERR_NONE;
    for (; layer < LAYERS && !error && f->at; layer++)
        error = layers[layer](f);
    r->counters.fragments = r->ip.fragments;
    r->counters.datagrams_open = r->ip.reassembly.open;
    r->counters.frames++;
    r->counters.errors[error] += error != GB_ERR_NONE;
    return -(int)error;
}

int gb_receiver_frame(struct gb_receiver *r, const uint8_t *frame, size_t len)
{
    struct frame f = {.receiver = r, .at = frame, .left = len};
    return open_from(&f, 0);
}

int gb_receiver_llc_pdu(struct gb_receiver *r, uint32_t tlli, const uint8_t *llc, size_t len)
{
    struct frame f = {.receiver = r, .at = llc, .left = len, .npdu = {.tlli = tlli}};
    return open_from(&f, LAYER_LLC);
}

struct gb_receiver *gb_receiver_new(void (*deliver)(void *ctx, const struct gb_npdu *), void *ctx)
{
    struct gb_receiver *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->deliver = deliver;
    r->ctx = ctx;
    return r;
}

void gb_receiver_set_decipher(struct gb_receiver *r, gb_decipher *decipher, void *ctx)
{
    r->decipher = decipher;
    r->decipher_ctx = ctx;
}

void gb_receiver_accept(struct gb_receiver *r, const struct ip_accept *accept)
{
    r->ip.accept = *accept;
}

void gb_receiver_allow_unfinished(struct gb_receiver *r)
{
    r->unfinished = true;
}

void gb_receiver_uplink(struct gb_receiver *r)
{
    r->uplink = true;
}

void gb_receiver_watch(struct gb_receiver *r, void (*seen)(void *ctx, const struct gb_npdu *frame))
{
    r->seen = seen;
}

void gb_receiver_free(struct gb_receiver *r)
{
    for (size_t i = 0; r && i < BUCKETS; i++) {
        while (r->buckets[i]) {
            struct ms *ms = r->buckets[i];
            r->buckets[i] = ms->next;
            free(ms);
        }
    }
    if (r)
        ip_reader_release(&r->ip);
    free(r);
}

const struct gb_receiver_counters *gb_receiver_counters(const struct gb_receiver *r)
{
    return &r->counters;
}

const char *gb_receiver_error_text(int code)
{
    static const char *const texts[] = {
#define GB_ERROR_TEXT(name, text) text,
        GB_ERRORS(GB_ERROR_TEXT)
#undef GB_ERROR_TEXT
    };
    return code <= 0 && code > -GB_ERR_COUNT ? texts[-code] : "unknown error";
}
