// LLC on the uplink (TS 44.064): UI frames of the four SAPIs of user data are the path's, from an
// MS with a key if they are enciphered, from another if not; all other frames are control's.
//
// V(UR) and OC are one number that counts on, OC its multiple of 512 (8.4.2, annex A.2). A frame's
// N(U) stands for a number of the 32 behind it, or else of those ahead; but there is none before
// the first under a key. A guess that is wrong makes the FCS wrong, and nothing of an LLE's state
// is changed before the FCS was good: what is forged or damaged leaves no trace.
//
// All of a burst is deciphered in one call, with the numbers as they were before it. Those a frame
// of the same burst has changed since are seen in their turn, and deciphered once more.
#include "dataplane/up/up_parts.h"
#include "dataplane/wire/llc_cipher.h"

#define FRAME_OCTETS_MAX (LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS)
_Static_assert(FRAME_OCTETS_MAX <= CIPHER_SEGMENT_OCTETS, "any UI frame can be deciphered");

static enum drop_reason reason_of(int fault)
{
    return wire_fault_err(fault) == WIRE_FCS ? DROP_llc_fcs : DROP_llc;
}

// Whether the frame is a UI frame of the path's SAPIs is in its first two octets; what is none may
// be shorter than any.
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

// N(U) + OC of a frame.
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

// Information and FCS, as f->number has them.
static struct cipher_segment segment_of(const struct state_ms *ms, const struct up_frame *f)
{
    uint32_t oc = f->number - f->ui.nu;
    return (struct cipher_segment){.key = ms->key,
                                   .octets = (uint8_t *)(uintptr_t)f->llc.at + LLC_UI_HEADER_OCTETS,
                                   .input =
                                       llc_cipher_input_ui(ms->iov_ui, f->ui.sapi, f->ui.nu, oc),
                                   .length_octets = (uint16_t)(f->llc.n - LLC_UI_HEADER_OCTETS),
                                   .direction = CIPHER_UPLINK};
}

void up_decipher(struct up *up, struct up_frame *frames, uint32_t n)
{
    struct cipher_segment segments[PORT_BURST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct up_frame *f = &frames[i];
        if (!f->ui.enciphered)
            continue;
        f->number = number_of(lle_of(up, f), f->ui.nu);
        segments[count++] = segment_of(&up->state->ms[f->ms], f);
    }
    if (count)
        cipher_run(up->scratch, segments, count);
}

// The same key stream once more takes the wrong one away.
static void decipher_again(struct up *up, const struct up_frame *f, uint32_t number)
{
    const struct state_ms *ms = &up->state->ms[f->ms];
    struct up_frame right = *f;
    right.number = number;
    struct cipher_segment wrong = segment_of(ms, f), again = segment_of(ms, &right);
    cipher_run(up->scratch, &wrong, 1);
    cipher_run(up->scratch, &again, 1);
}

// False: it came already. True: V(UR) and the window know of it, and *newest says if it is ahead of
// all others.
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

// The MS is where it was heard last. Control has to learn of it, so while it cannot be told the MS
// stays where it was, and the next frame tries again.
static void move(struct up *up, const struct up_frame *f, uint64_t now_ns)
{
    struct event event = up_event(up, f, EVENT_moved);
    event.old_bvc_id = up->state->ms[f->ms].bvc;
    if (rte_ring_free_count(up->events) == 0 || !event_move_may_be_told(&up->moves[f->nse]) ||
        state_ms_move(up->state, up->sched, f->ms, f->bvc, now_ns) != 0)
        return;
    event_put(up->events, &event);
    up->moves[f->nse].told++;
    up->stats->up.moves++;
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
