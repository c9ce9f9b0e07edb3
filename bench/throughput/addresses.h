// The addresses of the test: Sluice's two ports, a GGSN and a BSS (RFC 5737, locally administered).
#ifndef SLUICE_BENCH_THROUGHPUT_ADDRESSES_H
#define SLUICE_BENCH_THROUGHPUT_ADDRESSES_H

#include "dataplane/wire/address.h"

#define BENCH_GN_ADDRESS 0xc0000201u // 192.0.2.1
// That of a worker, where each has one.
#define BENCH_GN_ADDRESS_OF(worker) (BENCH_GN_ADDRESS + ((worker) ? 100 + (worker) : 0))
#define BENCH_GGSN_ADDRESS          0xc0000202u
#define BENCH_GB_ADDRESS            0xc6336401u // 198.51.100.1
#define BENCH_BSS_ADDRESS           0xc6336402u
#define BENCH_GB_PORT               23000
#define BENCH_BSS_PORT              23001 // and one more for each NSE
#define BENCH_TLLI                  0xc0000000u
#define BENCH_NSAPI                 5
#define BENCH_SAPI                  3
#define BENCH_BVCI                  2 // of the first cell of an NSE

static const struct mac bench_gn_mac = {{2, 0, 0, 0, 0, 1}};
static const struct mac bench_ggsn_mac = {{2, 0, 0, 0, 0, 2}};
static const struct mac bench_gb_mac = {{2, 0, 0, 0, 0, 3}};
static const struct mac bench_bss_mac = {{2, 0, 0, 0, 0, 4}};

#endif
