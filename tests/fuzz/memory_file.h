// A file in memory for what takes a path: as a fuzzer wants it, without a disk.
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>

// The path of the one file of this process, with these octets from now on.
const char *memory_file(const void *octets, size_t n);

#endif
