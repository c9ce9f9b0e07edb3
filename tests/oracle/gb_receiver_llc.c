// The receiver's LLC layer: UI frames of TS 44.064, their FCS, and in front of that the cipher that
// is lent. Nothing of an MS changes here: OC and N(U) go on once the FCS was good.
#include "tests/oracle/gb_receiver_state.h"

#include <string.h>

#include "tests/oracle/fcs.h"

#define NU_BEHIND 32 // 44.064 8.4.2: so far back a frame is a late one, else it is a new one

// 44.064 8.4.2 and annex A.2: the frame's number with the overflow counter, as near to the expected
// one as the window allows.
static uint32_t ui_number(const struct frame *f, unsigned nu)
{
    const struct ms *ms = gb_receiver_ms(f->receiver, f->npdu.tlli);
    uint32_t expected = ms ? ms->next_ui[f->npdu.sapi] : 0;
    uint32_t ahead = (nu - expected) % NU_COUNT;
    return expected + ahead - (ahead >= NU_COUNT - NU_BEHIND ? NU_COUNT : 0);
}

// Information and FCS in the clear, wherever they then stand.
static enum gb_error clear_open(struct frame *f, const uint8_t *llc, const uint8_t **clear)
{
    struct gb_receiver *r = f->receiver;
    unsigned nu = f->ui % NU_COUNT;
    struct gb_ciphered frame = {f->npdu.tlli, f->ui - nu, f->npdu.sapi, (uint16_t)nu};
    bool e = llc[2] & 0x02;
    bool has_cipher = r->decipher && r->decipher(r->decipher_ctx, &frame, NULL, 0);
    REQUIRE(!e || has_cipher, LLC_CIPHERED);
    REQUIRE(e || !has_cipher, LLC_CLEAR);
    *clear = llc + 3;
    if (e) {
        memcpy(r->clear, llc + 3, f->left - 3);
        r->decipher(r->decipher_ctx, &frame, r->clear, f->left - 3);
        *clear = r->clear;
    }
    return GB_ERR_NONE;
}

// 44.064 6.2 and 6.3. With PM = 0 the FCS covers the header and N202 = 4 octets only. E or not, it
// was computed before enciphering, over a header that says E.
static bool fcs_is_good(const struct frame *f, const uint8_t *header, const uint8_t *clear)
{
    uint8_t octets[3 + GB_N201_U_MAX];
    size_t info = f->left - 6, covered = header[2] & 0x01 || info < 4 ? info : 4;
    const uint8_t *sent = clear + info;
    memcpy(octets, header, 3);
    memcpy(octets + 3, clear, covered);
    uint32_t fcs = plain_fcs(octets, 3 + covered);
    return fcs == (sent[0] | (uint32_t)sent[1] << 8 | (uint32_t)sent[2] << 16);
}

enum gb_error gb_receiver_llc_open(struct frame *f)
{
    const uint8_t *llc = f->at, *clear;
    REQUIRE(f->left >= 6, LLC_SHORT);
    REQUIRE(f->left - 6 <= GB_N201_U_MAX, LLC_LONG);
    REQUIRE((llc[0] & 0xb0) == 0, LLC_ADDRESS);
    REQUIRE(!(llc[0] & 0x40) == f->receiver->uplink, LLC_RESPONSE);
    f->npdu.sapi = llc[0] & 0x0f;
    REQUIRE(memchr("\3\5\11\13", f->npdu.sapi, 4), LLC_SAPI); // 3, 5, 9, 11
    REQUIRE((llc[1] & 0xf8) == 0xc0, LLC_CONTROL);
    f->ui = ui_number(f, (llc[1] & 0x07u) << 6 | llc[2] >> 2);
    enum gb_error error = clear_open(f, llc, &clear);
    if (error)
        return error;
    REQUIRE(fcs_is_good(f, llc, clear), LLC_FCS);
    narrow(f, clear, f->left - 6);
    return GB_ERR_NONE;
}
