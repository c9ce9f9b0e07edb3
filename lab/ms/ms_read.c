// What LLC PDUs of the SGSN carry that do not arrive, or not under the numbers that the MS has:
// read as the SGSN sent them; see ms.h.
#include <string.h>

#include "dataplane/wire/llc_cipher.h"
#include "dataplane/wire/llc_xid.h"
#include "lab/ms/ms_parts.h"

void ms_sgsn_setup(struct ms_sgsn *sgsn, const struct ms *ms)
{
    *sgsn = (struct ms_sgsn){.iov_ui = ms->iov_ui};
}

static uint32_t input_of(struct ms_sgsn *sgsn, const struct llc_ui *ui, uint32_t lle)
{
    uint32_t number = ms_number_down(sgsn->next[lle], ui->nu);
    if (number >= sgsn->next[lle])
        sgsn->next[lle] = number + 1;
    return llc_cipher_input_ui(sgsn->iov_ui, ui->sapi, ui->nu, number - ui->nu);
}

// The Reset itself counts as sent after it (TS 44.064 8.5.3.1).
static void take_xid(struct ms_sgsn *sgsn, const struct llc_xid *xid)
{
    if (xid->reset)
        *sgsn = (struct ms_sgsn){.resets = sgsn->resets + 1};
    if (xid->has_iov_ui)
        sgsn->iov_ui = xid->iov_ui;
}

struct ms_stamp ms_sgsn_sent(struct ms_sgsn *sgsn, const uint8_t *llc, uint32_t octets)
{
    struct llc_ui ui;
    struct llc_xid xid;
    struct ms_stamp stamp = {.known = true};
    if (llc_ui_decode(&ui, llc, octets) >= 0 && ms_lle_of(ui.sapi) < MS_LLES)
        stamp.input = input_of(sgsn, &ui, ms_lle_of(ui.sapi));
    else if (llc_xid_decode(&xid, llc, octets) >= 0 && xid.cr == llc_cr(true, true))
        take_xid(sgsn, &xid);
    stamp.resets = sgsn->resets;
    return stamp;
}

// key: NULL for none.
static const uint8_t *clear_by(const struct ms *ms, const uint8_t *key, struct ms_stamp stamp,
                               const uint8_t *llc, uint32_t octets)
{
    uint8_t *clear = ms->shared->read;
    if (octets > MS_FRAME_OCTETS_MAX)
        return NULL;
    memcpy(clear, llc, octets);
    if (key)
        ms_cipher_by(ms->shared->scratch, key, stamp.input, CIPHER_DOWNLINK, clear, octets);
    return llc_ui_fcs_good(clear, octets) ? clear : NULL;
}

static const uint8_t *clear_by_before(const struct ms *ms, struct ms_stamp stamp,
                                      const uint8_t *llc, uint32_t octets)
{
    const uint8_t *clear = NULL;
    for (uint32_t i = 0; ms->before && i < ms->before->n && i < MS_KEYS_BEFORE && !clear; i++)
        clear = clear_by(ms, ms->before->key[i], stamp, llc, octets);
    return clear;
}

bool ms_is_of_before(const struct ms *ms, struct ms_stamp stamp, const uint8_t *llc,
                     uint32_t octets)
{
    return clear_by_before(ms, stamp, llc, octets) != NULL;
}

const uint8_t *ms_clear(const struct ms *ms, struct ms_stamp stamp, const uint8_t *llc,
                        uint32_t octets)
{
    const uint8_t *clear = clear_by(ms, ms->gea ? ms->key : NULL, stamp, llc, octets);
    return clear ? clear : clear_by_before(ms, stamp, llc, octets);
}

bool ms_read(const struct ms *ms, struct ms_stamp stamp, const uint8_t *llc, uint32_t octets,
             struct ms_what *what)
{
    struct llc_ui ui;
    if (llc_ui_decode(&ui, llc, octets) < 0 || ms_lle_of(ui.sapi) == MS_LLES ||
        ui.enciphered != (ms->gea != 0))
        return false;
    const uint8_t *clear = ms_clear(ms, stamp, llc, octets);
    what->sapi = ui.sapi;
    return clear &&
           sndcp_unitdata_decode(&what->segment, clear + LLC_UI_HEADER_OCTETS, ui.info.n) >= 0;
}
