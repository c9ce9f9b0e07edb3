// What each key of `sluice bench --json` and each column of `--out` mean, for `sluice help`.
#ifndef SLUICE_BENCH_THROUGHPUT_KEYS_H
#define SLUICE_BENCH_THROUGHPUT_KEYS_H

#include <stdio.h>

void bench_keys(FILE *out);
void bench_columns(FILE *out);

#endif
