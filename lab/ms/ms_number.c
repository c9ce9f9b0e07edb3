// Numbers of UI frames (TS 44.064 8.4.2, annex A.2): N(U) + OC as one number that never wraps. A
// received N(U) stands for one of the 32 numbers behind V(UR), or else for one ahead; no number
// precedes the first under a key.
#include "dataplane/wire/llc_cipher.h"
#include "lab/ms/ms_parts.h"

#define WINDOW 32u

uint32_t ms_number_down(uint32_t next, uint32_t nu)
{
    uint32_t behind = (next - nu) % LLC_NU_COUNT;
    if (behind <= WINDOW && behind <= next)
        return next - behind;
    return next + (nu - next) % LLC_NU_COUNT;
}

bool ms_number_take(struct ms_lle *lle, uint32_t number, bool *late)
{
    int32_t ahead = (int32_t)(number - lle->down_next);
    *late = ahead < 0;
    if (*late) {
        uint32_t bit = 1u << (-ahead - 1);
        bool seen = lle->down_seen & bit;
        lle->down_seen |= bit;
        return !seen;
    }
    uint32_t shift = (uint32_t)ahead + 1;
    lle->down_seen = (shift < WINDOW ? lle->down_seen << shift : 0) | 1;
    lle->down_missed += (uint32_t)ahead;
    lle->down_next = number + 1;
    return true;
}

void ms_cipher_frame(const struct ms *ms, uint8_t sapi, uint32_t number,
                     enum cipher_direction direction, uint8_t *frame, uint32_t octets)
{
    uint32_t nu = number % LLC_NU_COUNT;
    ms_cipher_by(ms->shared->scratch, ms->key,
                 llc_cipher_input_ui(ms->iov_ui, sapi, nu, number - nu), direction, frame, octets);
}

void ms_cipher_by(struct cipher_scratch *scratch, const uint8_t *key, uint32_t input,
                  enum cipher_direction direction, uint8_t *frame, uint32_t octets)
{
    struct cipher_frame enciphered = {.key = key,
                                      .octets = frame + LLC_UI_HEADER_OCTETS,
                                      .input = input,
                                      .length_octets = (uint16_t)(octets - LLC_UI_HEADER_OCTETS),
                                      .direction = (uint8_t)direction};
    cipher_run(scratch, &enciphered, 1);
}
