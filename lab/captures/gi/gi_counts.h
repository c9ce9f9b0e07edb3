// The counts of all that was read: one fate for each frame, and notes. The rows are in
// gi_counts.def.
#ifndef SLUICE_GI_COUNTS_H
#define SLUICE_GI_COUNTS_H

#include "lab/captures/read/capture_file.h"

enum gi_count {
#define FATE(name, help) GI_COUNT_##name,
#define NOTE(name, help)
#include "lab/captures/gi/gi_counts.def"
#undef FATE
#undef NOTE
    GI_FATES,
    GI_LAST_FATE = GI_FATES - 1,
#define FATE(name, help)
#define NOTE(name, help) GI_COUNT_##name,
#include "lab/captures/gi/gi_counts.def"
#undef FATE
#undef NOTE
    GI_COUNTS
};

struct gi_counts {
    uint64_t frames;
    uint64_t n[GI_COUNTS];
    uint64_t capture[CAPTURE_COUNTS];
};

struct gi_count_text {
    const char *name, *help;
};
extern const struct gi_count_text gi_count_texts[GI_COUNTS];

#endif
