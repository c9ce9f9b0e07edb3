// Opens what lies in a folder that the user named, or puts it there. The rest of the path is out of
// a file or out of the folder, which may be anybody's: a part of it is an entry of the folder
// before, never "..", and symbolic links are not followed. So nothing outside is read, whatever
// stands there.
#ifndef SLUICE_CONTROL_REPORT_BELOW_H
#define SLUICE_CONTROL_REPORT_BELOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// For reading. root_octets: of `path`, which the user named. Returns a descriptor, or -1 and sets
// errno; ELOOP: a symbolic link, or "..".
int below_open(const char *path, size_t root_octets, int flags);

// Whether a folder is behind a symbolic link, or "..".
bool below_leads_out(const char *path, size_t root_octets);

// A new file for writing in the place of what has the name, which may be a link. NULL: errno.
FILE *below_replace(const char *path);

// What errno means here.
const char *below_fault(int number);

#endif
