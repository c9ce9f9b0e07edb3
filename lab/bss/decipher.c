// See decipher.h. A frame changes no state, not even V(UR), before its FCS is found good.
#include "lab/bss/decipher.h"

#include <string.h>

#include "dataplane/wire/llc_cipher.h"

#define NU_BEHIND 32 // an N(U) up to 32 below V(UR) is late or a duplicate, any other is ahead

int decipher_begin(struct decipher *d, uint8_t gea, struct octets kc, uint32_t iov_ui)
{
    const char *why;
    *d = (struct decipher){.iov_ui = iov_ui};
    return cipher_key(gea == 3 ? "GEA3" : "GEA4", kc.at, kc.n, d->key, &why);
}

static uint32_t number_of(const struct decipher *d, const struct llc_ui *llc)
{
    uint32_t next = d->next[llc->sapi];
    uint32_t ahead = (llc->nu - next) % LLC_NU_COUNT;
    return next + ahead - (ahead >= LLC_NU_COUNT - NU_BEHIND ? LLC_NU_COUNT : 0);
}

const char *decipher_frame(struct decipher *d, struct cipher_scratch *scratch, struct octets frame,
                           struct llc_ui *llc, uint8_t *clear)
{
    uint32_t number = number_of(d, llc);
    struct cipher_segment segment = {
        .key = d->key,
        .octets = clear + LLC_UI_HEADER_OCTETS,
        .input = llc_cipher_input_ui(d->iov_ui, llc->sapi, llc->nu, number - llc->nu),
        .length_octets = (uint16_t)(frame.n - LLC_UI_HEADER_OCTETS),
        .direction = CIPHER_DOWNLINK};
    memcpy(clear, frame.at, frame.n);
    cipher_run(scratch, &segment, 1);
    if (!llc_ui_fcs_good(clear, frame.n))
        return "FCS wrong after deciphering";
    if ((int32_t)(number - d->next[llc->sapi]) < 0)
        return "N(U) late or a duplicate";
    d->next[llc->sapi] = number + 1;
    llc->info.at = clear + LLC_UI_HEADER_OCTETS;
    return NULL;
}
