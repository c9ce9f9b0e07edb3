// The ledger's groups of one kind as the subjects of a series: subject 2 n is group n down, 2 n + 1
// is group n up. Further columns, such as a queue or a window, count subjects in the same way.
// After a step of all series: ledger_step.
#ifndef SLUICE_LAB_REPORT_LEDGER_SERIES_H
#define SLUICE_LAB_REPORT_LEDGER_SERIES_H

#include "lab/report/ledger.h"
#include "lab/report/series.h"

struct ledger_series {
    struct ledger *ledger;
    enum ledger_kind kind; // not LEDGER_MS
    struct series series;
};

// Has the columns of the ledger; others may be added.
void ledger_series_setup(struct ledger_series *self, struct ledger *ledger, enum ledger_kind kind,
                         FILE *out);

static inline uint32_t ledger_series_group(uint32_t subject)
{
    return subject / LEDGER_WAYS;
}

static inline enum ledger_way ledger_series_way(uint32_t subject)
{
    return (enum ledger_way)(subject % LEDGER_WAYS);
}

#endif
