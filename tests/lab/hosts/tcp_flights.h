// How scripts of NewReno begin: a client of 1000 octets a segment, connected at 0.1 s, with a
// window of 2, 6 or 10 segments; and so many segments on their way.
#ifndef TESTS_LAB_HOSTS_TCP_FLIGHTS_H
#define TESTS_LAB_HOSTS_TCP_FLIGHTS_H

#include "tests/lab/hosts/tcp_script.h"

// clang-format off
#define NEWRENO "newreno-ns2 mss_octets=1000"

#define CONNECTED                                   \
    "0.000 connect",                                \
    "0.000 > S 0:0(0) win 65535 <mss 1000>",        \
    "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>", \
    "0.100 > . 1:1(0) ack 1 <>",                    \
    "0.100 ? opened 1, cwnd 2000, rto 1"

#define NEWRENO_6 "newreno-ns2 mss_octets=1000 initial_window=6"

#define CONNECTED_6                                 \
    "0.000 connect",                                \
    "0.000 > S 0:0(0) win 65535 <mss 1000>",        \
    "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>", \
    "0.100 > . 1:1(0) ack 1 <>",                    \
    "0.100 ? opened 1, cwnd 6000, rto 1"

#define SIX_SENT                  \
    "0.100 write 6000",           \
    "0.100 > . 1:1001(1000)",     \
    "0.100 > . 1001:2001(1000)",  \
    "0.100 > . 2001:3001(1000)",  \
    "0.100 > . 3001:4001(1000)",  \
    "0.100 > . 4001:5001(1000)",  \
    "0.100 > P. 5001:6001(1000)"

#define TEN_SENT                                    \
    "0.000 connect",                                \
    "0.000 > S 0:0(0)",                             \
    "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>", \
    "0.100 > . 1:1(0) ack 1",                       \
    "0.100 write 100000",                           \
    "0.100 > . 1:1001(1000)",                       \
    "0.100 > . 1001:2001(1000)",                    \
    "0.100 > . 2001:3001(1000)",                    \
    "0.100 > . 3001:4001(1000)",                    \
    "0.100 > . 4001:5001(1000)",                    \
    "0.100 > . 5001:6001(1000)",                    \
    "0.100 > . 6001:7001(1000)",                    \
    "0.100 > . 7001:8001(1000)",                    \
    "0.100 > . 8001:9001(1000)",                    \
    "0.100 > . 9001:10001(1000)"
// clang-format on

#endif
