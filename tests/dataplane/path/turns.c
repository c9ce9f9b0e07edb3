// See turns.h.
#include "tests/dataplane/path/turns.h"

#include "tests/dataplane/random.h"

const uint8_t turns_sapis[4] = {3, 5, 9, 11};
const uint8_t turns_geas[3] = {0, 3, 4};
const uint16_t turns_n201_us[TURNS_N201_US] = {140, 141, 142, 500, 1443, 1503, 1504, 1520};

void turns_open(const struct dp_config *config, uint32_t cells)
{
    path_open(config);
    path_ciphers_begin();
    for (uint32_t i = 0; i < 2; i++) {
        path_nse(i);
        path_nsvc(i, i, i, 1);
        path_ggsn(i, i);
    }
    for (uint32_t i = 0; i < cells; i++)
        path_bvc(i, i % 2, (uint16_t)(2 + i));
}

void turns_ms(uint32_t ms, uint16_t n201_u, uint8_t gea)
{
    path_ms(ms, ms % 2, n201_u);
    path_pfc(ms, 0, (uint8_t)(ms / 4 % CLASS_COUNT));
    path_pdp(ms, ms, 0, (uint8_t)(5 + ms % 11), turns_sapis[ms / 4 % 4], ms / 2 % 2, -1);
    path_key(ms, gea);
    p.ms[ms].up.unprotected = ms / 4 % 5 == 4;
}

void turns_all(void)
{
    for (uint32_t i = 0; i < 4 * TURNS_ALL; i++)
        turns_ms(i, turns_n201_us[i / 4 % TURNS_N201_US], turns_geas[i / 4 / TURNS_N201_US]);
}

// By the number of its N201-U and cipher, and of its pair of families.
static uint32_t turns_pdp(uint32_t i, uint32_t pair)
{
    return 4 * i + pair % 4;
}

void turns_every_size(turns_send *send, uint32_t stride, uint32_t *sent)
{
    for (uint32_t octets = 1; octets <= 1500; octets += stride)
        for (uint32_t i = 0; i < TURNS_ALL; i++)
            send(turns_pdp(i, octets + i), octets, sent);
}

void turns_every_n201_u(turns_send *send, uint32_t *sent)
{
    random_begin();
    for (uint32_t n201_u = 140; n201_u <= 1520; n201_u += STRIDE)
        turns_ms(n201_u - 140, (uint16_t)n201_u, turns_geas[n201_u % 3]);
    for (uint32_t round = 0; round < 6; round++)
        for (uint32_t ms = 0; ms <= 1380; ms += STRIDE)
            send(ms, random_in(1, 1500), sent);
}
