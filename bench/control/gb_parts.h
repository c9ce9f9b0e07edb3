// What gb.c and beside.c share.
#ifndef SLUICE_BENCH_CONTROL_GB_PARTS_H
#define SLUICE_BENCH_CONTROL_GB_PARTS_H

#include "bench/control/gb.h"
#include "control/export/board.h"
#include "control/plane/control.h"
#include "control/run/load.h"
#include "dataplane/state/teid.h"
#include "dataplane/wire/bssgp.h"

// The worker and all else are on lcore 0; where both have traffic, control is on this one.
#define GB_CONTROL_LCORE 1u

#define GB_FIRST_TLLI   0xc0000000u
#define GB_IP_OCTETS    34u // Ethernet, IPv4
#define GB_OUTER_OCTETS (GB_IP_OCTETS + 8u)

struct gb {
    struct gb_shape shape;
    struct load load;
    struct control control;
    struct dp *dp;
    struct board *board;
    struct dp_far_end end, gn;
    uint64_t now_ns;
    uint32_t next_ms, next_cell;
    uint8_t tag;
    const char *fault;
};

_Noreturn void gb_die(const char *why);

// That head, to which lengths and checksum are added, and UDP from and to a port for so many
// octets; returns where those go.
uint8_t *gb_put_outer(uint8_t *b, const uint8_t head[GB_IP_OCTETS], uint16_t port, uint16_t octets);

// The BSS says FLOW-CONTROL-MS for the next MS; its rate is far above what is offered.
void gb_say_flow_ms(struct gb *gb);

#endif
