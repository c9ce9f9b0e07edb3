// The judges of the world of path.h, which its receivers call. For path.h's own files.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_JUDGE_H
#define SLUICE_TESTS_DATAPLANE_PATH_JUDGE_H

#include "tests/oracle/gb_receiver.h"
#include "tests/oracle/gn_receiver.h"

void path_see_frame(void *ctx, const struct gb_npdu *frame);
void path_judge_down(void *ctx, const struct gb_npdu *npdu);
void path_judge_up(void *ctx, const struct gn_tpdu *tpdu);

#endif
