// A worker's cycles by stage, for measurements. The path reads no clock: the measuring program
// lends it one; without a clock a mark is one never-taken branch a burst. A mark ends a stage: the
// time since the previous mark belongs to it.
#ifndef SLUICE_STATS_STAGES_H
#define SLUICE_STATS_STAGES_H

#include <stddef.h>
#include <stdint.h>

enum stage {
#define STAGE(name, help) STAGE_##name,
#include "dataplane/stats/stages.def"
#undef STAGE
    STAGE_COUNT
};

struct stages {
    uint64_t (*clock)(void);
    uint64_t last; // the time of the last mark
    uint64_t cycles[STAGE_COUNT];
    uint64_t marks[STAGE_COUNT];
};

static inline void stages_mark(struct stages *stages, enum stage stage)
{
    if (__builtin_expect(stages == NULL, 1))
        return;
    uint64_t now = stages->clock();
    stages->cycles[stage] += now - stages->last;
    stages->marks[stage]++;
    stages->last = now;
}

#endif
