// LLC on the uplink (TS 44.064): the path takes UI frames of the four SAPIs of user data,
// enciphered ones from an MS with a key, plaintext ones from an MS without; all other frames go to
// control.
//
// V(UR) and OC are one number that never wraps, OC its multiple of 512 (8.4.2, annex A.2). A
// frame's N(U) stands for one of the 32 numbers behind it, or else for one ahead; no number
// precedes the first under a key. A wrong guess makes the FCS wrong, and the state of an LLE
// changes only after a good FCS: forged or damaged frames leave no trace.
//
// An LLC frame in another NSE proves that an MS with a key is there if the key makes its FCS good
// under a number ahead of all that the MS has sent so far, and what it carries begins an IP packet
// of one of the MS's contexts: the 24 bits of the FCS alone would be guessed. So no recorded frame
// is a proof, and no frame is a proof twice; one that nobody has received yet is a proof for
// anybody who sends it.
//
// A burst is deciphered in one call, with the numbers of before the burst. If a frame of the burst
// changes the number of a later one, the later frame is deciphered again in its turn.
#include "dataplane/up/up_parts.h"
#include "dataplane/wire/llc_cipher.h"

#define FRAME_OCTETS_MAX (LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS)
_Static_assert(FRAME_OCTETS_MAX <= CIPHER_FRAME_OCTETS, "any UI frame can be deciphered");

static enum drop_reason reason_of(int fault)
{
    return wire_fault_err(fault) == WIRE_FCS ? DROP_llc_fcs : DROP_llc;
}

// The first two octets tell whether a frame is a UI frame of the path's SAPIs; other frames may be
// shorter than a UI frame.
enum up_way up_llc(const struct state *state, struct up_frame *f)
{
    bool cr;
    uint8_t sapi;
    if (f->llc.n == 0 || llc_address_decode(f->llc.at[0], &cr, &sapi) < 0)
        return up_refuse(f, DROP_llc);
    int lle = state_lle_of_sapi(sapi);
    if (lle < 0)
        return UP_CONTROL;
    if (f->llc.n > 1 && (f->llc.at[1] & LLC_UI_FORMAT_MASK) != LLC_UI_FORMAT)
        return UP_CONTROL;
    int fault = llc_ui_decode(&f->ui, f->llc.at, f->llc.n);
    if (fault < 0)
        return up_refuse(f, reason_of(fault));
    if (f->llc.n > FRAME_OCTETS_MAX)
        return up_refuse(f, DROP_llc);
    f->lle = (uint8_t)lle;
    return f->ui.enciphered == state->ms[f->ms].enciphered ? UP_ON : up_refuse(f, DROP_llc_cipher);
}

// The N(U) + OC of a frame.
static uint32_t number_of(const struct state_lle_up *lle, uint32_t nu)
{
    uint32_t behind = (lle->next - nu) % LLC_NU_COUNT;
    if (behind <= UP_WINDOW && behind <= lle->next)
        return lle->next - behind;
    return lle->next + (nu - lle->next) % LLC_NU_COUNT;
}

static struct state_lle_up *lle_of(const struct up *up, const struct up_frame *f)
{
    return &up->state->ms_up[f->ms].lle[f->lle];
}

// Information and FCS as the cipher takes them, by f->number.
static struct cipher_frame enciphered_of(const struct state_ms *ms, const struct up_frame *f)
{
    uint32_t oc = f->number - f->ui.nu;
    return (struct cipher_frame){.key = ms->key,
                                 .octets = (uint8_t *)(uintptr_t)f->llc.at + LLC_UI_HEADER_OCTETS,
                                 .input = llc_cipher_input_ui(ms->iov_ui, f->ui.sapi, f->ui.nu, oc),
                                 .length_octets = (uint16_t)(f->llc.n - LLC_UI_HEADER_OCTETS),
                                 .direction = CIPHER_UPLINK};
}

void up_decipher(struct up *up, struct up_frame *frames, uint32_t n)
{
    struct cipher_frame enciphered[PORT_BURST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct up_frame *f = &frames[i];
        if (!f->ui.enciphered)
            continue;
        f->number = number_of(lle_of(up, f), f->ui.nu);
        enciphered[count++] = enciphered_of(&up->state->ms[f->ms], f);
    }
    if (count)
        cipher_run(up->scratch, enciphered, count);
}

// Applies the wrong key stream again, which removes it, and then the right one.
static void decipher_again(struct up *up, const struct up_frame *f, uint32_t number)
{
    const struct state_ms *ms = &up->state->ms[f->ms];
    struct up_frame right = *f;
    right.number = number;
    struct cipher_frame wrong = enciphered_of(ms, f), again = enciphered_of(ms, &right);
    cipher_run(up->scratch, &wrong, 1);
    cipher_run(up->scratch, &again, 1);
}

// False: a duplicate. True: V(UR) and the window include the number; *newest: it leads all.
static bool take_number(struct state_lle_up *lle, uint32_t number, bool *newest)
{
    int32_t ahead = (int32_t)(number - lle->next);
    *newest = ahead >= 0;
    if (*newest) {
        uint32_t shift = (uint32_t)ahead + 1;
        lle->seen = (shift < UP_WINDOW ? lle->seen << shift : 0) | 1;
        lle->next = number + 1;
        return true;
    }
    uint32_t bit = 1u << (-ahead - 1);
    bool seen = lle->seen & bit;
    lle->seen |= bit;
    return !seen;
}

// Moves the MS to the cell that it was heard in, and reports the move. If the ring of events is
// full the MS stays in its cell, and the next frame tries again.
static void move(struct up *up, const struct up_frame *f, uint64_t now_ns)
{
    struct event event = up_event(up, f, EVENT_moved);
    event.old_bvc_id = up->state->ms[f->ms].bvc;
    if (rte_ring_free_count(up->events) == 0 ||
        !event_may_be_told(&up->moves[f->nse], EVENT_MOVES_MOST) ||
        state_ms_move(up->state, up->sched, f->ms, f->bvc, now_ns) != 0)
        return;
    event_put(up->events, &event);
    up->moves[f->nse].told++;
    up->stats->up.moves++;
}

static bool proves(struct up *up, struct up_frame *f)
{
    if (up_llc(up->state, f) != UP_ON || !f->ui.enciphered)
        return false;
    struct state_lle_up *lle = lle_of(up, f);
    f->number = number_of(lle, f->ui.nu);
    if ((int32_t)(f->number - lle->next) < 0)
        return false;
    struct cipher_frame enciphered = enciphered_of(&up->state->ms[f->ms], f);
    cipher_run(up->scratch, &enciphered, 1);
    bool newest;
    return llc_ui_fcs_good(f->llc.at, f->llc.n) && up_segment_begins_ip(up->state, f) &&
           take_number(lle, f->number, &newest);
}

void up_prove(struct up *up, uint32_t ms, uint32_t bvc, struct rte_mbuf *frame)
{
    struct up_frame f; // fields that are not read here are not cleared
    f.ms = ms;
    f.nse = f.nsvc = f.bvc = STATE_NONE;
    f.llc = (struct octets){rte_pktmbuf_mtod(frame, uint8_t *), frame->data_len};
    if (rte_ring_free_count(up->events) > 0) {
        struct event event = up_event(up, &f, proves(up, &f) ? EVENT_proven : EVENT_unproven);
        event.claimed_bvc_id = bvc;
        event_put(up->events, &event);
    }
    packet_release(frame);
}

static void count(const struct up *up, const struct up_frame *f)
{
    struct state_bvc *bvc = &up->state->bvc[f->bvc];
    bvc->up_frames++;
    bvc->up_octets += f->llc.n;
    up->state->ms_up[f->ms].octets += f->llc.n;
}

enum drop_reason up_llc_take(struct up *up, const struct up_frame *f, uint64_t now_ns)
{
    struct state_lle_up *lle = lle_of(up, f);
    uint32_t number = number_of(lle, f->ui.nu);
    bool newest;
    if (f->ui.enciphered) {
        if (number != f->number)
            decipher_again(up, f, number);
        if (!llc_ui_fcs_good(f->llc.at, f->llc.n))
            return DROP_llc_fcs;
    }
    if (!take_number(lle, number, &newest))
        return DROP_llc_duplicate;
    count(up, f);
    if (newest && f->bvc != up->state->ms[f->ms].bvc)
        move(up, f, now_ns);
    return DROP_NONE;
}
