// The links of both ports as their devices see them: a line in the log when one changes. Until it
// is looked at again `sluice stats` shows it so. For control's thread.
#ifndef SLUICE_CONTROL_PROGRAM_LINKS_H
#define SLUICE_CONTROL_PROGRAM_LINKS_H

#include <stdint.h>

struct run;

void links_look(struct run *run, uint64_t now_ns);

#endif
