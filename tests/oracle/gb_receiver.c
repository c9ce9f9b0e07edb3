// A strict, plain Gb receiver; what it checks is listed as GB_ERRORS in the header.
// Each layer below looks at the octets that the one before it left, bounds first, and narrows them
// to what it carries. After an error the frame is dropped and each sequence goes on from the
// number that came, so one fault is not reported again for every frame after it.
// No state is touched before the FCS is good.
#include "tests/oracle/gb_receiver.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS     512
#define NSAPI_FIRST 5
#define CONTEXTS    11

#define REQUIRE(condition, error)  \
    do {                           \
        if (!(condition))          \
            return GB_ERR_##error; \
    } while (0)

// One (TLLI, NSAPI): the N-PDU that is being put together, and the number the next one must have.
struct context {
    uint8_t sapi; // 0 until the NSAPI is first seen
    bool open;
    unsigned npdu_number, next_npdu_number, segments;
    size_t len;
    uint8_t octets[GB_NPDU_OCTETS_MAX];
};

struct ms {
    struct ms *next; // in its bucket
    uint32_t tlli;
    unsigned next_nu[16]; // by SAPI
    struct context contexts[CONTEXTS];
};

struct gb_receiver {
    void (*deliver)(void *ctx, const struct gb_npdu *npdu);
    void *ctx;
    struct gb_receiver_counters counters;
    uint32_t fcs_low[16], fcs_high[16]; // what each half of an octet leaves in the register
    unsigned mss;
    struct ms *buckets[BUCKETS]; // by TLLI
};

// One frame on its way up: the octets not yet looked at, and what has been read so far.
struct frame {
    struct gb_receiver *receiver;
    struct ms *ms;
    const uint8_t *at;
    size_t left;
    struct gb_npdu npdu;
    bool first, more;
    unsigned nu, segment;
};

static unsigned be16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static void narrow(struct frame *f, const uint8_t *at, size_t octets)
{
    f->at = at;
    f->left = octets;
}

// 44.064 5.5: the exponents of the generator below x^24. Bits go LSB first, so the coefficient of
// x^23 stands in bit 0 of the register.
static uint32_t fcs_eight_shifts(uint32_t reg)
{
    static const uint8_t exponents[] = {23, 21, 20, 19, 17, 16, 15, 13, 8, 7, 5, 4, 2, 0};
    uint32_t generator = 0;
    for (size_t i = 0; i < sizeof(exponents); i++)
        generator |= UINT32_C(1) << (23 - exponents[i]);
    for (int bit = 0; bit < 8; bit++)
        reg = (reg >> 1) ^ (reg & 1 ? generator : 0);
    return reg;
}

uint32_t gb_receiver_fcs(const struct gb_receiver *r, const uint8_t *octets, size_t len)
{
    uint32_t reg = 0xffffff;
    for (size_t i = 0; i < len; i++) {
        unsigned low = (reg ^ octets[i]) & 0xff;
        reg = (reg >> 8) ^ r->fcs_low[low & 15] ^ r->fcs_high[low >> 4];
    }
    return reg ^ 0xffffff;
}

// RFC 1071: over octets with their checksum in place, the folded sum is all ones.
static bool sum_is_good(uint32_t sum, const uint8_t *at, size_t octets)
{
    for (size_t i = 0; i + 1 < octets; i += 2)
        sum += be16(at + i);
    if (octets % 2 != 0)
        sum += (uint32_t)at[octets - 1] << 8;
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

static enum gb_error ethernet_open(struct frame *f)
{
    REQUIRE(f->left >= 14, ETHERNET_SHORT);
    REQUIRE(be16(f->at + 12) == 0x0800, ETHERNET_TYPE);
    narrow(f, f->at + 14, f->left - 14);
    return GB_ERR_NONE;
}

// RFC 791. A frame of 60 octets may carry padding behind a shorter packet; no other may.
static enum gb_error ip_open(struct frame *f)
{
    const uint8_t *ip = f->at;
    REQUIRE(f->left >= 20, IP_SHORT);
    REQUIRE(ip[0] == 0x45, IP_HEADER);
    size_t total = be16(ip + 2);
    REQUIRE(total >= 20 && total <= f->left, IP_LENGTH);
    REQUIRE(total == f->left || f->left == 60 - 14, IP_LENGTH);
    REQUIRE(sum_is_good(0, ip, 20), IP_CHECKSUM);
    REQUIRE((be16(ip + 6) & 0xbfff) == 0, IP_FRAGMENT);
    REQUIRE(ip[8] != 0, IP_TTL);
    REQUIRE(ip[9] == 17, IP_PROTOCOL);
    narrow(f, ip + 20, total - 20);
    return GB_ERR_NONE;
}

// RFC 768. The pseudo header's addresses are the 8 octets that ip_open left just behind us.
static enum gb_error udp_open(struct frame *f)
{
    const uint8_t *udp = f->at;
    REQUIRE(f->left >= 8, UDP_SHORT);
    REQUIRE(be16(udp + 4) == f->left, UDP_LENGTH);
    uint32_t pseudo = 17 + (uint32_t)f->left;
    REQUIRE(be16(udp + 6) == 0 || sum_is_good(pseudo, udp - 8, f->left + 8), UDP_CHECKSUM);
    narrow(f, udp + 8, f->left - 8);
    return GB_ERR_NONE;
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
    for (size_t at = 12; at < f->left;) {
        uint8_t iei = pdu[at];
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

// 44.064 6.2 and 6.3. With PM = 0 the FCS covers the header and N202 = 4 octets only.
static enum gb_error llc_open(struct frame *f)
{
    const uint8_t *llc = f->at;
    REQUIRE(f->left >= 6, LLC_SHORT);
    REQUIRE(f->left - 6 <= GB_N201_U_MAX, LLC_LONG);
    REQUIRE((llc[0] & 0xb0) == 0, LLC_ADDRESS);
    REQUIRE(llc[0] & 0x40, LLC_RESPONSE);
    f->npdu.sapi = llc[0] & 0x0f;
    REQUIRE(memchr("\3\5\11\13", f->npdu.sapi, 4), LLC_SAPI); // 3, 5, 9, 11
    REQUIRE((llc[1] & 0xf8) == 0xc0, LLC_CONTROL);
    REQUIRE((llc[2] & 0x02) == 0, LLC_CIPHERED);
    const uint8_t *sent = llc + f->left - 3;
    size_t covered = f->left - 3;
    if (!(llc[2] & 0x01) && covered > 3 + 4)
        covered = 3 + 4;
    uint32_t fcs = gb_receiver_fcs(f->receiver, llc, covered);
    REQUIRE(fcs == (sent[0] | (uint32_t)sent[1] << 8 | (uint32_t)sent[2] << 16), LLC_FCS);
    f->nu = (llc[1] & 0x07u) << 6 | llc[2] >> 2;
    narrow(f, llc + 3, f->left - 6);
    return GB_ERR_NONE;
}

static enum gb_error ms_find_or_add(struct frame *f)
{
    struct gb_receiver *r = f->receiver;
    struct ms **bucket = &r->buckets[f->npdu.tlli % BUCKETS];
    for (f->ms = *bucket; f->ms && f->ms->tlli != f->npdu.tlli;)
        f->ms = f->ms->next;
    if (!f->ms) {
        REQUIRE(r->mss < GB_MSS_MAX, MS_TABLE);
        f->ms = calloc(1, sizeof(*f->ms));
        REQUIRE(f->ms, MS_TABLE);
        f->ms->tlli = f->npdu.tlli;
        f->ms->next = *bucket;
        *bucket = f->ms;
        r->mss++;
    }
    return GB_ERR_NONE;
}

static void partial_discard(struct gb_receiver *r, struct context *c)
{
    r->counters.partials_open -= c->open;
    r->counters.partials_discarded += c->open;
    c->open = false;
}

// A real MS accepts a gap in N(U); here it is an error, and the LLE's partial N-PDUs go.
static enum gb_error nu_check(struct frame *f)
{
    unsigned expected = f->ms->next_nu[f->npdu.sapi];
    f->ms->next_nu[f->npdu.sapi] = (f->nu + 1) % 512;
    for (int i = 0; f->nu != expected && i < CONTEXTS; i++) {
        if (f->ms->contexts[i].sapi == f->npdu.sapi)
            partial_discard(f->receiver, &f->ms->contexts[i]);
    }
    return f->nu == expected ? GB_ERR_NONE : GB_ERR_LLC_NU;
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
    f->segment = sn[header - 2] >> 4;
    f->npdu.npdu_number = be16(sn + header - 2) & 0xfff;
    narrow(f, sn + header, f->left - header);
    return GB_ERR_NONE;
}

static enum gb_error segment_check(const struct frame *f, const struct context *c)
{
    REQUIRE(c->sapi == 0 || c->sapi == f->npdu.sapi, SNDCP_OTHER_SAPI);
    if (f->first) {
        REQUIRE(!c->open, SNDCP_FIRST_AGAIN);
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
        partial_discard(f->receiver, c);
    else
        segment_append(f, c);
    if (!error && !f->more)
        npdu_deliver(f, c);
    return error;
}

int gb_receiver_frame(struct gb_receiver *r, const uint8_t *frame, size_t len)
{
    static enum gb_error (*const layers[])(struct frame *) = {
        ethernet_open, ip_open,        udp_open, ns_open,    bssgp_open,
        llc_open,      ms_find_or_add, nu_check, sndcp_open, segment_take,
    };
    struct frame f = {.receiver = r, .at = frame, .left = len};
    enum gb_error error = GB_ERR_NONE;
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]) && !error; i++)
        error = layers[i](&f);
    r->counters.frames++;
    r->counters.errors[error] += error != GB_ERR_NONE;
    return -(int)error;
}

struct gb_receiver *gb_receiver_new(void (*deliver)(void *ctx, const struct gb_npdu *), void *ctx)
{
    struct gb_receiver *r = calloc(1, sizeof(*r));
    if (!r)
        return NULL;
    r->deliver = deliver;
    r->ctx = ctx;
    for (uint32_t nibble = 0; nibble < 16; nibble++) {
        r->fcs_low[nibble] = fcs_eight_shifts(nibble);
        r->fcs_high[nibble] = fcs_eight_shifts(nibble << 4);
    }
    return r;
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
