// Real hosts and real MSs around the SGSN, each side behind a tun device: the lab's engine goes at
// the pace of CLOCK_MONOTONIC, and what the devices have to say enters as it comes. Whatever keeps
// a datagram a read, such as a socket pair, may stand in for a device.
#ifndef SLUICE_CONTROL_RUN_TUN_H
#define SLUICE_CONTROL_RUN_TUN_H

#include "lab/lab.h"

struct tun {
    int descriptor[FLOW_ENDS];
    struct lab *lab;
    engine_fire_fn *progress;
    void *self;
    int fault;          // errno of the first read or write that failed
    uint64_t latest_ns; // the most that a timer fired behind its time
};

// From lab_run's start on; both stay where they are until its end. `progress` as in engine_run.
void tun_join(struct tun *tun, struct lab *lab, const int descriptor[FLOW_ENDS],
              engine_fire_fn *progress, void *self);

// 0, or the errno of a device that failed, which ends the run.
int tun_fault(const struct tun *tun);

#endif
