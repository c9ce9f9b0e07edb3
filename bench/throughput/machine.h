// What a figure was measured with: processor, kernel, compiler, libraries, command and date.
#ifndef SLUICE_BENCH_THROUGHPUT_MACHINE_H
#define SLUICE_BENCH_THROUGHPUT_MACHINE_H

#include <stdint.h>

#define MACHINE_TEXT 256

struct machine {
    char date[MACHINE_TEXT]; // of the beginning, UTC
    char command[4 * MACHINE_TEXT];
    char cpu[MACHINE_TEXT], flags[2 * MACHINE_TEXT];     // of its flags those that matter here
    char governor[MACHINE_TEXT];                         // "": the kernel does not say
    char isolated[MACHINE_TEXT];                         // processors, by isolcpus; "": none
    char kernel[MACHINE_TEXT], hypervisor[MACHINE_TEXT]; // "": none
    uint32_t processors;
};

void machine_read(struct machine *machine, int argc, char **argv);

extern const char machine_compiler[];
const char *machine_dpdk(void);

#endif
