// See model.h.
#include "tests/dataplane/path/model.h"

static bool is_new(struct model *m, const struct model_frame *f)
{
    uint32_t ms = p.pdp[f->pdp].ms;
    uint8_t sapi = p.pdp[f->pdp].sapi;
    uint32_t *next = &m->next[ms][sapi];
    assert_true(f->number < MODEL_NUMBERS && f->number + 32 >= *next && f->number < *next + 480);
    if (m->came[ms][sapi][f->number])
        return false;
    m->came[ms][sapi][f->number] = true;
    *next = f->number >= *next ? f->number + 1 : *next;
    return true;
}

bool model_take(struct model *m, const struct model_frame *f)
{
    bool open = m->context[f->pdp].open;
    uint8_t segments = open ? m->context[f->pdp].segments : 0;
    if (!is_new(m, f)) {
        m->duplicates++;
        return false;
    }
    bool fits =
        f->segment == 0 || (open && m->context[f->pdp].seed == f->seed && f->segment == segments);
    m->out_of_order += fits ? (f->segment == 0 ? segments : 0) : segments + 1u;
    m->context[f->pdp].open = fits && f->segment + 1 < f->segments;
    m->context[f->pdp].seed = f->seed;
    m->context[f->pdp].segments = f->segment + 1;
    return fits && f->segment + 1 == f->segments;
}

uint64_t model_held(const struct model *m)
{
    uint64_t held = 0;
    for (uint32_t pdp = 0; pdp < MODEL_PDPS; pdp++)
        held += m->context[pdp].open ? m->context[pdp].segments : 0;
    return held;
}
