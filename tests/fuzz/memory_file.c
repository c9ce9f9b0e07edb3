// See memory_file.h.
#include "tests/fuzz/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/check.h"

const char *memory_file(const void *octets, size_t n)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("fuzz", MFD_CLOEXEC);
        CHECK(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    CHECK(ftruncate(fd, (off_t)n) == 0);
    CHECK(n == 0 || pwrite(fd, octets, n, 0) == (ssize_t)n);
    return path;
}
