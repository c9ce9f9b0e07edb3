// What the files of path.h share: who is who (our addresses, and those of GGSNs and NS-VCs by their
// numbers), and the judges. For them alone.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_PARTS_H
#define SLUICE_TESTS_DATAPLANE_PATH_PARTS_H

#include "tests/oracle/gb_receiver.h"
#include "tests/oracle/gn_receiver.h"

#define OUR_GN           0xc0000201u // 192.0.2.1
#define OUR_GB           0xc6336401u // 198.51.100.1
#define OUR_GB_PORT      23000
#define BSS_PORT         23100 // of NS-VC 0; of others it counts on
#define GGSN_TEID_FIRST  0x47000000u
#define PATH_LIFETIME_CS 4000

// Our port of that number (1: Gn, 2: Gb) as a source; IPv6 address and MAC only.
struct ip_ends path_ours(uint8_t port);
struct ip_ends path_reversed(const struct ip_ends *ends);
bool path_same_ends(const struct ip_ends *a, const struct ip_ends *b); // TOS aside

void path_see_frame(void *ctx, const struct gb_npdu *frame);
void path_judge_down(void *ctx, const struct gb_npdu *npdu);
void path_judge_up(void *ctx, const struct gn_tpdu *tpdu);

#endif
