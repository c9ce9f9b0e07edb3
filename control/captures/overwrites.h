// An output that is one of the inputs: to open it would destroy what is to be read.
#ifndef SLUICE_CAPTURES_OVERWRITES_H
#define SLUICE_CAPTURES_OVERWRITES_H

#include <stdbool.h>

// Is the file `output`, if there is one, one of the inputs, by whatever name? Says so on stderr.
// NULL is no output, and - among the inputs is standard input.
bool overwrites(const char *command, const char *output, char *const *inputs, int count);
// Are two of the outputs, NULL or not, the same file or standard output? Says so on stderr. A
// device such as /dev/null may be several.
bool overwrites_itself(const char *command, const char *const *outputs, int count);

#endif
