// See world.h: LLC frames of control's, in one line beside the queues, and what they keep for
// themselves while they wait.
#include "tests/dataplane/sched/world_inside.h"

#include <string.h>

void world_frame_put(struct world *w, uint32_t ms, uint32_t octets)
{
    if (w->frames == SCHED_FRAMES)
        return;
    w->frame[w->frames++] = (struct world_frame){ms, octets, w->frames_put++};
    if (w->ms[ms].frames++ == 0)
        sched_ms_reserve(w->sched, ms, true, w->now_ns);
    else
        sched_frames_again(w->sched); // it changes nothing
}

static void frame_end(struct world *w, uint32_t i)
{
    uint32_t ms = w->frame[i].ms;
    memmove(&w->frame[i], &w->frame[i + 1], (--w->frames - i) * sizeof w->frame[0]);
    if (--w->ms[ms].frames == 0)
        sched_ms_reserve(w->sched, ms, false, w->now_ns);
}

void world_frames_forget(struct world *w, uint32_t ms)
{
    for (uint32_t i = 0; i < w->frames;)
        if (w->frame[i].ms == ms)
            frame_end(w, i);
        else
            i++;
}

static bool is_first(const struct world *w, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (w->frame[i].ms == w->frame[at].ms)
            return false;
    return true;
}

// In order, at most a batch of them.
uint32_t world_offer_frames(struct world *w)
{
    if (!sched_frames_due(w->sched, w->now_ns))
        return 0;
    uint32_t gone = 0;
    for (uint32_t i = 0; i < w->frames && gone < w->batch;) {
        struct world_frame f = w->frame[i];
        if (!is_first(w, i) || !sched_frame_goes(w->sched, f.ms, f.octets, w->now_ns)) {
            i++;
            continue;
        }
        world_charge_frame(w, f.ms, f.octets);
        w->frames_gone++;
        w->frame_octets += f.octets;
        gone++;
        frame_end(w, i);
    }
    if (gone == w->batch)
        sched_frames_again(w->sched);
    return gone;
}

static bool stands(const struct world_bucket *b)
{
    return !b->unlimited && b->offered.rate == 0;
}

// Each frame that is first of its MS, in order: it waits for its MS, or for what it keeps then; or
// behind another one there. With `judge`: else it would not be here.
struct world_kept world_kept(const struct world *w, uint64_t at_ns, bool judge)
{
    struct world_kept kept = {calloc(w->cells + 1, 1), calloc(w->nses + 1, 1)};
    for (uint32_t i = 0; i < w->frames; i++) {
        const struct world_frame *f = &w->frame[i];
        const struct world_ms *m = &w->ms[f->ms];
        const struct world_cell *c = &w->cell[m->cell];
        const struct world_bucket *n = &w->nse[c->nse].bucket;
        if (!is_first(w, i) || m->stands || c->blocked || stands(&c->bucket) || stands(n) ||
            kept.cell[m->cell] || kept.nse[c->nse])
            continue;
        if (!world_conforms(&m->bucket, f->octets, at_ns))
            continue;
        if (!world_conforms(&c->bucket, f->octets, at_ns))
            kept.cell[m->cell] = true;
        else if (!world_conforms(n, world_pipe_octets(w, f->ms, WORLD_NONE, f->octets), at_ns))
            kept.nse[c->nse] = true;
        else if (judge)
            fail_msg("LLC frame %llu of MS %u waits at %llu", (unsigned long long)f->number, f->ms,
                     (unsigned long long)at_ns);
    }
    return kept;
}

void world_kept_free(struct world_kept kept)
{
    free(kept.cell);
    free(kept.nse);
}

// User data of that MS goes now.
void world_judge_before_frames(const struct world *w, uint32_t ms)
{
    if (w->frames == 0)
        return;
    assert_int_equal(w->ms[ms].frames, 0);
    struct world_kept kept = world_kept(w, w->now_ns, false);
    assert_false(kept.cell[w->ms[ms].cell]);
    assert_false(kept.nse[w->cell[w->ms[ms].cell].nse]);
    world_kept_free(kept);
}
