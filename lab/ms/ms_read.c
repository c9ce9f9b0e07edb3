// Reads an LLC PDU that is lost, as the MS would have read it or as it sent it; see ms.h. Without
// state of its own: the number is estimated as for a frame that arrives now.
#include <string.h>

#include "lab/ms/ms_parts.h"

// The frame in the clear, in shared->read.
static bool clear_of(const struct ms *ms, const struct ms_what *what, enum ms_way way,
                     struct llc_ui *ui, const uint8_t *llc, uint32_t octets)
{
    uint8_t *clear = ms->shared->read;
    if (octets > MS_FRAME_OCTETS_MAX || ui->enciphered != (ms->gea != 0))
        return false;
    memcpy(clear, llc, octets);
    if (ui->enciphered)
        ms_cipher_frame(ms, ui->sapi, what->number,
                        way == MS_DOWN ? CIPHER_DOWNLINK : CIPHER_UPLINK, clear, octets);
    ui->info.at = clear + LLC_UI_HEADER_OCTETS;
    return llc_ui_fcs_good(clear, octets);
}

bool ms_read(const struct ms *ms, enum ms_way way, const uint8_t *llc, uint32_t octets,
             struct ms_what *what)
{
    struct llc_ui ui;
    if (llc_ui_decode(&ui, llc, octets) < 0)
        return false;
    uint32_t i = ms_lle_of(ui.sapi);
    if (i == MS_LLES)
        return false;
    const struct ms_lle *lle = &ms->lle[i];
    what->sapi = ui.sapi;
    what->number = way == MS_DOWN ? ms_number_down(lle, ui.nu) : ms_number_up(lle, ui.nu);
    if (way == MS_UP && what->number >= lle->up_next)
        return false; // of before a Reset
    return clear_of(ms, what, way, &ui, llc, octets) &&
           sndcp_unitdata_decode(&what->segment, ui.info.at, ui.info.n) >= 0;
}
