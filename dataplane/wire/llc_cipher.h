// The input of the LLC cipher (TS 44.064 annex A.2): INPUT, a number that no two frames under one
// key share, made of the negotiated offset IOV, the frame's number and the overflow counter OC. OC
// belongs to one SAPI and direction and grows by 512 each time the 9-bit number wraps. The cipher
// is in dataplane/cipher.
#ifndef SLUICE_WIRE_LLC_CIPHER_H
#define SLUICE_WIRE_LLC_CIPHER_H

#include <stdint.h>

#define LLC_OC_STEP     512u
#define LLC_NUMBER_LAST 511u

// UI frames of all SAPIs share IOV-UI, so SX = 2^27 x SAPI + 2^31 keeps them apart.
static inline uint32_t llc_cipher_input_ui(uint32_t iov_ui, uint32_t sapi, uint32_t nu, uint32_t oc)
{
    uint32_t sx = (sapi << 27) + (1u << 31);
    return (iov_ui ^ sx) + nu + oc;
}

static inline uint32_t llc_cipher_input_i(uint32_t iov_i, uint32_t ns, uint32_t oc)
{
    return iov_i + ns + oc;
}

// OC of the frame after the one with `number`: number 0 is the first under the next OC.
static inline uint32_t llc_oc_after(uint32_t oc, uint32_t number)
{
    return number == LLC_NUMBER_LAST ? oc + LLC_OC_STEP : oc;
}

#endif
