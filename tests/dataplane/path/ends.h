// Who is who in the world of path.h: both ends of a frame, and the GGSNs' TEIDs.
// For path.h's own files.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_ENDS_H
#define SLUICE_TESTS_DATAPLANE_PATH_ENDS_H

#include "tests/oracle/ip_ends.h"

#define GGSN_TEID_FIRST 0x47000000u

// Our port of that number (1: Gn, 2: Gb) as a source; IPv6 address and MAC only.
struct ip_ends path_ours(uint8_t port);
struct ip_ends path_reversed(const struct ip_ends *ends);
bool path_same_ends(const struct ip_ends *a, const struct ip_ends *b); // TOS aside

#endif
