// A running instance on DPDK's telemetry socket: commands /sluice/... answer with states and
// counters in pages, and /sluice/ctl sends a request to the control plane. The commands run in
// DPDK's own threads, not on the workers' processors, and never call Lua. `sluice stats`, `top`,
// `ctl` and `metrics` are clients, as is usertools/dpdk-telemetry.py.
//
//   /sluice/info                       name, process, clock, time and sizes of the run
//   /sluice/stats[,WORKER]             every counter, of all workers or one
//   /sluice/classes                    traffic classes, of all workers
//   /sluice/nses,FIRST                 NSEs from index FIRST on
//   /sluice/nsvcs,FIRST                NS-VCs
//   /sluice/bvcs,FIRST[,sort]          cells; sorted, FIRST is a rank by delay
//   /sluice/bvc,NSEI,BVCI              a cell and its classes
//   /sluice/mss,FIRST                  MSs
//   /sluice/cell_mss,NSEI,BVCI,FIRST   MSs of a cell
//   /sluice/ms,IMSI                    an MS and its packet flows
//   /sluice/trace                      how far the trace of packets is (sluice ctl trace)
//   /sluice/trace_on,PACKETS[,ms,IMSI|,cell,NSEI,BVCI]   begins it
//   /sluice/trace_off                  ends it
//   /sluice/trace_records,FIRST        its records
//   /sluice/ctl,WORDS                  see `sluice ctl`
// A page has `rows`, by number, and `next`, the FIRST of the next page, if there is one. A failed
// command answers with `error`.
#ifndef SLUICE_CONTROL_EXPORT_TELEMETRY_H
#define SLUICE_CONTROL_EXPORT_TELEMETRY_H

#include "control/export/board.h"
#include "control/plane/control.h"
#include "control/plane/counts.h"
#include "control/process/eal.h"

struct telemetry_source {
    const char *name; // of the run
    const struct dp_config *config;
    struct dp *dp;
    const struct board *board;
    const struct counts *counts;
    struct control *control;
    const struct eal_threads *threads; // without lcores: there is one thread
};

// Starts to answer commands from the source, which must stay valid until telemetry_stop. Returns 0
// or a negative errno.
int telemetry_start(const struct telemetry_source *source);

// Called by control's thread. Waits for running commands to end, and refuses their requests to
// control meanwhile.
void telemetry_stop(void);

#endif
