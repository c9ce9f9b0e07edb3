// Scripts in the manner of packetdrill (Cardwell et al., USENIX 2013) against one TCP endpoint in
// virtual time. A line is a time in seconds, absolute or, with +, since the line before, and then
//
//     connect | listen | write N | close | hold | read N      the application
//     < [ce] S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>      a segment arrives
//     > [ect0] P. 1:1461(1460) ack 1                          a segment must have been sent, then
//     ? cwnd 2920, rto 1.500                                  what the endpoint says of itself
//
// Flags are S F R P . (ACK) E (ECE) W (CWR). Sequence numbers of either side count from its SYN. Of
// a segment sent, flags, sequence and length are compared, the others only if they are written; <>
// says that there are no options. Every segment that is sent has to be expected. Options: mss N,
// sackOK, wscale N, sack A:B C:D, TS val N ecr N, TS ecr N, nop.
#ifndef TESTS_LAB_HOSTS_TCP_SCRIPT_H
#define TESTS_LAB_HOSTS_TCP_SCRIPT_H

#include "lab/hosts/tcp.h"

// `profile`: a name, and fields that differ: "linux sack=0 mss_octets=1000". Fails the test at the
// first line that does not hold.
void tcp_script(const char *profile, const char *const *lines);

#define SCRIPT(profile, ...) tcp_script(profile, (const char *const[]){__VA_ARGS__, NULL})

// The profile of such a text.
struct tcp_profile tcp_script_profile(const char *text);

#endif
