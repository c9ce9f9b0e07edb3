// See frames_up.h.
#include "bench/throughput/frames_up.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/llc_cipher.h"

static void note_segment(struct frames_up *up, uint8_t gea, uint32_t ms, uint32_t number,
                         uint8_t *llc, uint32_t octets)
{
    uint8_t kc[POPULATION_KEY_OCTETS], *key = up->key[up->cipher_frames];
    uint32_t nu = number % LLC_NU_COUNT;
    const char *why;
    population_key(ms, kc);
    if (gea == 3)
        cipher_key("GEA3", kc, 8, key, &why);
    else
        cipher_key("GEA4", kc, sizeof kc, key, &why);
    up->cipher_frame[up->cipher_frames++] =
        (struct cipher_frame){.key = key,
                              .octets = llc + LLC_UI_HEADER_OCTETS,
                              .input = llc_cipher_input_ui(0, BENCH_SAPI, nu, number - nu),
                              .length_octets = (uint16_t)(octets - LLC_UI_HEADER_OCTETS),
                              .direction = CIPHER_UPLINK};
}

static void put_numbers(uint32_t number, bool enciphered, uint8_t *llc)
{
    struct llc_ui ui = {.sapi = BENCH_SAPI,
                        .cr = llc_cr(true, false),
                        .nu = (uint16_t)(number % LLC_NU_COUNT),
                        .enciphered = enciphered,
                        .protect_all = true};
    struct sndcp_unitdata sndcp = {.first = true,
                                   .nsapi = BENCH_NSAPI,
                                   .npdu_number = (uint16_t)(number % SNDCP_NPDU_NUMBERS)};
    llc_ui_put_header(&ui, llc);
    sndcp_unitdata_put_header(&sndcp, llc + LLC_UI_HEADER_OCTETS);
}

void frames_up_put(struct frames_up *up, const struct population *w, uint32_t worker,
                   const struct frame *frame, uint32_t ms, uint8_t *b)
{
    struct population_share share = population_share(w->options, worker);
    uint32_t number = w->sent_up[ms]++, covered = frame->llc_octets - LLC_FCS_OCTETS;
    uint8_t *llc = b + frame->llc, gea = w->options->gea;
    put_be16(b + ETHER_OCTETS + IPV4_OCTETS, (uint16_t)(BENCH_BSS_PORT + worker));
    put_be16(b + FRAMES_BVCI_AT,
             (uint16_t)(BENCH_BVCI + (ms - share.first) / POPULATION_MSS_A_CELL));
    put_be32(b + FRAMES_TLLI_AT, BENCH_TLLI + ms);
    put_numbers(number, gea != 0, llc);
    fcs_put(llc + covered, fcs(llc, covered));
    if (gea)
        note_segment(up, gea, ms, number, llc, frame->llc_octets);
}

void frames_up_encipher(struct frames_up *up)
{
    if (up->cipher_frames)
        cipher_run(&up->scratch, up->cipher_frame, up->cipher_frames);
    up->cipher_frames = 0;
}
