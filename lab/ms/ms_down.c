// LLC on the downlink (TS 44.064 6 and 8.4.2). UI frames of user data go on to SNDCP; XID commands
// are answered; all other frames (NULL, other SAPIs, an ABM's) are counted and ignored. A frame
// changes no state before its FCS is found good.
//
// A UI frame must be enciphered if the MS has a key, and must not be if the MS has none.
#include <string.h>

#include "dataplane/wire/llc_cipher.h"
#include "dataplane/wire/llc_u.h"
#include "lab/ms/ms_parts.h"

static void count_refused(struct ms *ms, enum ms_refused why, uint32_t pdu_octets)
{
    ms_add(&ms->counters->refused[why], pdu_octets);
    ms->shared->refused = why;
}

void ms_refuse(struct ms *ms, enum ms_refused why, uint32_t pdu_octets, const char *layer,
               const char *what, uint32_t offset)
{
    count_refused(ms, why, pdu_octets);
    ms_fault(ms, layer, what, offset);
}

static void refuse_llc(struct ms *ms, uint32_t octets, int fault)
{
    ms_refuse(ms, MS_REFUSED_llc, octets, "LLC", wire_err_text(wire_fault_err(fault)),
              wire_fault_offset(fault));
}

static bool is_under_own_numbers(const struct ms *ms, const struct llc_ui *ui, uint32_t number)
{
    const struct ms_stamp *stamp = &ms->shared->stamp;
    return stamp->resets == ms->resets &&
           stamp->input == llc_cipher_input_ui(ms->iov_ui, ui->sapi, ui->nu, number - ui->nu);
}

// Without a stamp, of an MS that has moved: whether it is good as the frame of one round of N(U)
// before, and may have waited in the cell.
static bool is_stale(const struct ms *ms, struct octets frame, const struct llc_ui *ui,
                     uint32_t number)
{
    uint32_t before = number - ui->nu - LLC_NU_COUNT;
    struct ms_stamp stamp = {.input = llc_cipher_input_ui(ms->iov_ui, ui->sapi, ui->nu, before)};
    return ms->has_moved && !ms->shared->stamp.known && ui->enciphered && number >= LLC_NU_COUNT &&
           ms_clear(ms, stamp, frame.at, frame.n);
}

// See ms_down_stamped, and ms_down. `number`: what the MS takes N(U) for.
static void refuse_ui(struct ms *ms, enum ms_refused why, struct octets frame,
                      const struct llc_ui *ui, uint32_t number, const char *what)
{
    const struct ms_stamp *stamp = &ms->shared->stamp;
    bool stale = is_stale(ms, frame, ui, number);
    ms->counters->stale += stale;
    if (stale || (stamp->known && (ms_is_of_before(ms, *stamp, frame.at, frame.n) ||
                                   (!is_under_own_numbers(ms, ui, number) &&
                                    ms_clear(ms, *stamp, frame.at, frame.n)))))
        count_refused(ms, why, frame.n);
    else
        ms_refuse(ms, why, frame.n, "LLC", what, 0);
}

// Deciphers the frame if it is enciphered, and sets ui->info. Returns false if the frame is
// refused.
static bool open_ui(struct ms *ms, const struct ms_lle *lle, struct octets frame, struct llc_ui *ui,
                    uint32_t number)
{
    if (ui->enciphered != (ms->gea != 0)) {
        ms_refuse(ms, MS_REFUSED_cipher, frame.n, "LLC",
                  ms->gea ? "not enciphered" : "enciphered, but the MS has no key", 0);
        return false;
    }
    if (ui->info.n > lle->down_octets_most) {
        refuse_ui(ms, MS_REFUSED_long, frame, ui, number, "longer than N201-U");
        return false;
    }
    if (!ui->enciphered)
        return true;
    uint8_t *clear = ms->shared->down;
    memcpy(clear, frame.at, frame.n);
    ms_cipher_frame(ms, ui->sapi, number, CIPHER_DOWNLINK, clear, frame.n);
    if (!llc_ui_fcs_good(clear, frame.n)) {
        refuse_ui(ms, MS_REFUSED_deciphered, frame, ui, number, "FCS wrong after deciphering");
        return false;
    }
    ui->info.at = clear + LLC_UI_HEADER_OCTETS;
    return true;
}

static void take_ui(struct ms *ms, struct ms_lle *lle, struct octets frame, uint64_t now_ns)
{
    struct llc_ui ui;
    bool late;
    int fault = llc_ui_decode(&ui, frame.at, frame.n);
    if (fault < 0) {
        refuse_llc(ms, frame.n, fault);
        return;
    }
    uint32_t number = ms_number_down(lle->down_next, ui.nu);
    if (!open_ui(ms, lle, frame, &ui, number))
        return;
    if (!ms_number_take(lle, number, &late)) {
        refuse_ui(ms, MS_REFUSED_duplicate, frame, &ui, number, "N(U) late or a duplicate");
        return;
    }
    // The way, not the SGSN, has put this segment and the next one out of order.
    lle->down_missed += late;
    ms_segment_take(ms, lle, ui.info, frame.n, now_ns);
    lle->down_missed += late;
    ms->counters->late += late;
}

// C/R is set in a command of the SGSN.
static void take_u(struct ms *ms, struct octets frame, uint64_t now_ns)
{
    struct llc_u u;
    int fault = llc_u_decode(&u, frame.at, frame.n);
    if (fault < 0) {
        refuse_llc(ms, frame.n, fault);
        return;
    }
    bool is_xid = u.command == LLC_U_XID && u.cr == llc_cr(true, true);
    if (is_xid && ms->shared->config.answers_xid)
        ms_xid_take(ms, frame, now_ns);
    else
        ms_add(&ms->counters->control, frame.n);
}

#define U_FORMAT 0xe0

static void take(struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    bool cr;
    uint8_t sapi;
    struct octets frame = {llc, octets};
    ms->shared->pdus++;
    ms_add(&ms->counters->pdus, octets);
    int fault =
        octets < 2 ? wire_fault(WIRE_TRUNCATED, octets) : llc_address_decode(llc[0], &cr, &sapi);
    if (fault < 0) {
        refuse_llc(ms, octets, fault);
        return;
    }
    uint32_t lle = ms_lle_of(sapi);
    uint8_t format = llc[1] & LLC_UI_FORMAT_MASK;
    if (format == LLC_UI_FORMAT && lle < MS_LLES)
        take_ui(ms, &ms->lle[lle], frame, now_ns);
    else if (format == U_FORMAT)
        take_u(ms, frame, now_ns);
    else
        ms_add(&ms->counters->control, octets);
}

enum ms_refused ms_down_stamped(struct ms *ms, struct ms_stamp stamp, const uint8_t *llc,
                                uint32_t octets, uint64_t now_ns)
{
    ms->shared->stamp = stamp;
    ms->shared->refused = MS_REFUSED_COUNT;
    take(ms, llc, octets, now_ns);
    return ms->shared->refused;
}

void ms_down(struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    ms_down_stamped(ms, (struct ms_stamp){0}, llc, octets, now_ns);
}
