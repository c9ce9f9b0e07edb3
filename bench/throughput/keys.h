// What each key of `sluice bench --json` means, for `sluice help json`.
#ifndef SLUICE_BENCH_THROUGHPUT_KEYS_H
#define SLUICE_BENCH_THROUGHPUT_KEYS_H

#include <stdio.h>

void bench_keys(FILE *out);

#endif
