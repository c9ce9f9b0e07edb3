// Control's LLC frames (its own answers, TS 44.064 and 44.065 XID), beside the queues: they wait
// here in order of arrival until NSE, cell and MS pass them (sched_frame.c); meanwhile no user data
// of their MS goes. Frames of one MS keep their order; frames of other MSs may pass them. A frame
// that waits for longer than LLC's own timers is useless and ends.
//
// A frame may be to a stranger, a phone that is no MS: such a frame waits for NSE and cell. Frames
// of strangers keep their order in their cell, as none is tried behind one that the cell refused.
//
// Places are shared like room in the queues (S11): if all are taken, the arriving frame replaces
// the oldest frame of the MS with most frames, in the cell with most. So an MS with less than its
// share of places loses no frame, whatever number of stopped MSs fill the rest. All strangers of a
// cell together count as one MS, or any number of them would take the places of its MSs; among them
// the TLLI with most frames loses one.
//
// An XID Reset takes effect here, when its frame goes (TS 44.064 8.5.3.1): user data of its MS goes
// under the former numbers and IOV-UI before it, and under the new ones behind it. A Reset that
// ends unsent has no effect, since the MS does not know of it.
//
// These frames count as the port's answers when they go or end: `answers`, and `answers_unsent` if
// they find no NS-VC, are replaced, wait for too long, or their MS leaves or gets another key.
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/down/down.h"

#define WAIT_MOST_NS (10 * S_IN_NS) // T200 is 5 s for SAPI 1 to 3, and 10 to 40 s for others

static void end_unsent(struct down *down, struct rte_mbuf *frame)
{
    down->gb->stats->answers++;
    down->gb->stats->answers_unsent++;
    packet_release(frame);
}

static bool any_of(const struct down *down, uint32_t ms)
{
    for (uint32_t i = 0; i < down->llcs; i++)
        if (down->llc[i].ms == ms)
            return true;
    return false;
}

// The frame at i, and none behind it, is gone: the next frame of its MS is its first, or the MS's
// user data may go.
static void gone(struct down *down, uint32_t i, uint64_t now_ns)
{
    struct down_llc *l = &down->llc[i];
    l->frame = NULL;
    if (l->ms == STATE_NONE) {
        sched_stranger_waits(down->sched, false);
        return;
    }
    for (uint32_t next = i + 1; l->first && next < down->llcs; next++)
        if (down->llc[next].ms == l->ms) {
            down->llc[next].first = true;
            return;
        }
    if (l->first)
        sched_ms_reserve(down->sched, l->ms, false, now_ns);
}

static void close_up(struct down *down)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < down->llcs; i++)
        if (down->llc[i].frame)
            down->llc[left++] = down->llc[i];
    down->llcs = left;
}

// ---- Replacing the oldest frame of the largest ----

// Counts frames by cell, or by MS, in an open-addressing table; half of it stays free.
#define TALLIES (2 * SCHED_FRAMES)
struct tally {
    uint32_t id[TALLIES];
    uint16_t frames[TALLIES];
};

static uint32_t count(struct tally *t, uint32_t id)
{
    uint32_t i = id * 2654435769u >> 16 & (TALLIES - 1);
    while (t->frames[i] && t->id[i] != id)
        i = (i + 1) & (TALLIES - 1);
    t->id[i] = id;
    return ++t->frames[i];
}

// Whose a frame is: its cell's; in there an MS's, or strangers', who are one; of these a TLLI's.
enum level { LEVEL_CELL, LEVEL_MS, LEVEL_TLLI };

static uint32_t cell_of(const struct down *down, const struct down_llc *l)
{
    return l->ms == STATE_NONE ? l->bvc : down->state->ms[l->ms].bvc;
}

static uint32_t owner_of(const struct down *down, const struct down_llc *l, enum level level)
{
    return level == LEVEL_CELL ? cell_of(down, l) : level == LEVEL_MS ? l->ms : l->tlli;
}

// Of the frames that the owner of frame `of` at the level above has (of all, at the highest level):
// the oldest of the owner with most; among equals the oldest of theirs. Counts from the youngest
// on, so that each count is complete at the frame to be replaced.
static uint32_t oldest_of_largest(const struct down *down, enum level level, uint32_t of)
{
    struct tally t;
    uint32_t most = 0, oldest = 0;
    memset(t.frames, 0, sizeof t.frames);
    for (uint32_t i = down->llcs; i-- > 0;) {
        bool within = true;
        for (enum level above = LEVEL_CELL; above < level; above++)
            within &= owner_of(down, &down->llc[i], above) == owner_of(down, &down->llc[of], above);
        if (!within)
            continue;
        uint32_t frames = count(&t, owner_of(down, &down->llc[i], level));
        if (frames < most)
            continue;
        most = frames;
        oldest = i;
    }
    return oldest;
}

static void give_way(struct down *down, uint64_t now_ns)
{
    uint32_t i = oldest_of_largest(down, LEVEL_CELL, 0);
    i = oldest_of_largest(down, LEVEL_MS, i);
    if (down->llc[i].ms == STATE_NONE)
        i = oldest_of_largest(down, LEVEL_TLLI, i);
    end_unsent(down, down->llc[i].frame);
    gone(down, i, now_ns);
    close_up(down);
}

void down_llc(struct down *down, const struct command *command, uint64_t now_ns)
{
    const struct command_llc *c = &command->llc;
    uint32_t ms = c->ms_id;
    bool first = !any_of(down, ms);
    down->llc[down->llcs++] = (struct down_llc){.frame = command->buffer,
                                                .arrived_ns = now_ns,
                                                .ms = ms,
                                                .reset_iov_ui = c->reset_iov_ui,
                                                .resets = c->has_reset_iov_ui,
                                                .first = first};
    if (first)
        sched_ms_reserve(down->sched, ms, true, now_ns);
    if (down->llcs > SCHED_FRAMES)
        give_way(down, now_ns);
}

void down_bvc_llc(struct down *down, const struct command *command, uint64_t now_ns)
{
    const struct command_bvc_llc *c = &command->bvc_llc;
    struct rte_mbuf *frame = command->buffer;
    uint8_t *options = rte_pktmbuf_mtod(frame, uint8_t *) - bssgp_llc_tag_octets(frame->pkt_len) -
                       command->octets_n;
    memcpy(options, command->octets, command->octets_n);
    down->llc[down->llcs++] = (struct down_llc){.frame = frame,
                                                .arrived_ns = now_ns,
                                                .ms = STATE_NONE,
                                                .bvc = c->bvc_id,
                                                .tlli = c->tlli,
                                                .first = true,
                                                .options_octets = (uint8_t)command->octets_n};
    sched_stranger_waits(down->sched, true);
    if (down->llcs > SCHED_FRAMES)
        give_way(down, now_ns);
}

// Those of an MS, or of the strangers of a cell.
static void forget(struct down *down, uint32_t ms, uint32_t bvc, uint64_t now_ns)
{
    for (uint32_t i = 0; i < down->llcs; i++)
        if (down->llc[i].ms == ms && (ms != STATE_NONE || down->llc[i].bvc == bvc)) {
            end_unsent(down, down->llc[i].frame);
            gone(down, i, now_ns);
        }
    close_up(down);
}

void down_llc_forget(struct down *down, uint32_t ms, uint64_t now_ns)
{
    forget(down, ms, STATE_NONE, now_ns);
}

void down_llc_forget_bvc(struct down *down, uint32_t bvc, uint64_t now_ns)
{
    forget(down, STATE_NONE, bvc, now_ns);
}

uint64_t down_llc_end_ns(const struct down *down)
{
    return down->llcs ? down->llc[0].arrived_ns + WAIT_MOST_NS : TIME_NEVER;
}

// Under the IOV-UI in force, numbers that began anew would repeat the INPUT of frames sent before:
// the frame repeats a Reset that the MS may have got.
static void reset(struct down *down, const struct down_llc *l)
{
    if (l->resets && l->reset_iov_ui != down->state->ms[l->ms].iov_ui)
        state_ms_reset(down->state, l->ms, l->reset_iov_ui);
}

static struct state_nsvc *link_of(const struct down *down, const struct down_llc *l)
{
    return l->ms == STATE_NONE
               ? down_link(down, l->bvc, l->tlli)
               : down_link(down, down->state->ms[l->ms].bvc, down->state->ms[l->ms].tlli);
}

static bool goes(struct down *down, const struct down_llc *l, const struct state_nsvc *nsvc,
                 uint64_t now_ns)
{
    if (l->ms != STATE_NONE)
        return l->first && sched_frame_goes(down->sched, l->ms, l->frame->pkt_len, now_ns);
    return sched_stranger_goes(down->sched, l->bvc, l->frame->pkt_len,
                               down_stranger_octets(down, l, nsvc), now_ns);
}

// True if the frame is gone: sent, or ended.
static bool try(struct down *down, const struct down_llc *l, uint64_t now_ns)
{
    uint64_t lifetime_ns, sojourn_ns = now_ns - l->arrived_ns;
    bool alive = sched_lifetime_left(down->sched, CLASS_SIGNALLING, sojourn_ns, &lifetime_ns) &&
                 sojourn_ns < WAIT_MOST_NS;
    struct state_nsvc *nsvc = alive ? link_of(down, l) : NULL;
    if (!nsvc) {
        end_unsent(down, l->frame);
        return true;
    }
    if (!goes(down, l, nsvc, now_ns))
        return false;
    down->gb->stats->answers++;
    down_frame_llc(down, l, lifetime_ns, nsvc, down->pending++);
    reset(down, l);
    return true;
}

void down_llc_output(struct down *down, uint32_t most, uint64_t now_ns)
{
    if (!sched_frames_due(down->sched, now_ns) && now_ns < down_llc_end_ns(down))
        return;
    uint32_t end = down->pending + most;
    for (uint32_t i = 0; i < down->llcs && down->pending < end; i++)
        if (try(down, &down->llc[i], now_ns))
            gone(down, i, now_ns);
    if (down->pending == end)
        sched_frames_again(down->sched);
    close_up(down);
}
