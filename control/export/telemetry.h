// A running instance on DPDK's telemetry socket: commands /sluice/... that answer with the state of
// what there is, in pages, and /sluice/ctl, which hands words to the control plane. They run in
// DPDK's own threads, away from the workers' processors, and never touch Lua. `sluice stats`,
// `top`, `ctl` and `metrics` are clients; so is usertools/dpdk-telemetry.py.
//
//   /sluice/info                       what runs, since when, how large it may be
//   /sluice/stats[,WORKER]             every counter, of all workers or one
//   /sluice/classes                    traffic classes, of all workers
//   /sluice/nses,FIRST                 NSEs from index FIRST on
//   /sluice/nsvcs,FIRST                NS-VCs
//   /sluice/bvcs,FIRST[,sort]          cells; sorted, FIRST is a rank by delay
//   /sluice/bvc,NSEI,BVCI              a cell and its classes
//   /sluice/mss,FIRST                  MSs
//   /sluice/cell_mss,NSEI,BVCI,FIRST   those of a cell
//   /sluice/ms,IMSI                    an MS and its packet flows
//   /sluice/ctl,WORDS                  see `sluice ctl`
// A page has `rows`, by number, and `next`: the FIRST of the page after it, if there is one. What
// cannot be answered has `error`.
#ifndef SLUICE_CONTROL_EXPORT_TELEMETRY_H
#define SLUICE_CONTROL_EXPORT_TELEMETRY_H

#include "control/export/board.h"
#include "control/plane/control.h"
#include "control/plane/counts.h"

struct telemetry_source {
    const char *name; // of the run
    const struct dp_config *config;
    struct dp *dp;
    const struct board *board;
    const struct counts *counts;
    struct control *control;
};

// From here on what is asked is answered from these; all of it has to stay until telemetry_stop.
// 0 or a negative errno.
int telemetry_start(const struct telemetry_source *source);

// Called by control's thread. Waits until nobody looks any more, and refuses what they ask of
// control meanwhile.
void telemetry_stop(void);

#endif
