// See world.h: contexts of an MS in one packet flow.
#include "tests/dataplane/sched/world_inside.h"

void world_pfc_share(struct world *w, uint32_t pfc, uint32_t with)
{
    struct world_pfc *p = &w->pfc[pfc];
    assert_int_equal(p->ms, w->pfc[with].ms);
    assert_int_equal(sched_pfc_share(w->sched, p->ms, p->slot, w->pfc[with].slot), 0);
    p->with = with;
    p->limited = false;
}
