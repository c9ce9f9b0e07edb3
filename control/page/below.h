// Opens what lies in a folder that the user named. The rest of the path is out of a file or out of
// the folder, which may be anybody's: a part of it is an entry of the folder before, never "..",
// and symbolic links are not followed. So nothing outside is read, whatever stands there.
#ifndef SLUICE_CONTROL_PAGE_BELOW_H
#define SLUICE_CONTROL_PAGE_BELOW_H

#include <stddef.h>

// For reading. root_octets: of `path`, which the user named. Returns a descriptor, or -1 and sets
// errno; ELOOP: a symbolic link, or "..".
int below_open(const char *path, size_t root_octets, int flags);

// What errno means here.
const char *below_fault(int number);

#endif
