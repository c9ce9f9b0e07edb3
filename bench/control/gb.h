// The control plane with a BSS in front of it, as the C++ of gb_bench.cc can use it.
#ifndef SLUICE_BENCH_CONTROL_GB_H
#define SLUICE_BENCH_CONTROL_GB_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GB_BURST 128u // PDUs that are on their way at once

struct gb_shape {
    uint32_t cells, mss; // of one NSE; the MSs are in the first cell
};

// Of one burst, in TSC cycles: control's own, and those of all that a PDU comes and goes through.
struct gb_cycles {
    uint64_t control, all;
    uint32_t pdus;
};

struct gb;
// Starts DPDK for the largest of them.
bool gb_begin(const struct gb_shape *largest);
void gb_end(void);
uint32_t gb_processors(void); // 1: no two threads run at a time

struct gb *gb_open(const struct gb_shape *shape); // ends the program where it cannot
void gb_close(struct gb *gb);

// A burst of FLOW-CONTROL-MS, each for another MS, and of FLOW-CONTROL-BVC, each for another cell.
struct gb_cycles gb_flow_control_ms(struct gb *gb);
struct gb_cycles gb_flow_control_bvc(struct gb *gb);

// A BSC that has restarted: BVC-RESET of signalling, then BVC-RESET and FLOW-CONTROL-BVC of each
// cell, the next burst when the last is acknowledged. The TSC cycles in all.
uint64_t gb_restart(struct gb *gb);

// The worker with traffic at a part of its no-drop rate, FLOW-CONTROL-MS among it at so many a
// second, and control, each on a processor of its own; for so long.
struct gb_beside {
    double no_drop_mpps, mpps, flow_control_per_s;
    uint64_t packets, lost; // lost: dropped, or not at the other end
    uint64_t flow_controls, unanswered;
};
struct gb_beside gb_beside(struct gb *gb, double part, double flow_control_per_s, double seconds);

// NULL, or what was not right: an answer is missing, or is not the one that was wanted.
const char *gb_fault(const struct gb *gb);

// libosmogb's handling of a FLOW-CONTROL-BVC: decode, take over, acknowledge; the cycles of a
// burst.
uint64_t osmogb_flow_control_bvc(void);

#ifdef __cplusplus
}
#endif
#endif
