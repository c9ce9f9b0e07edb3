// Running a text as a script of `sluice lua`, which takes files.
#ifndef SLUICE_TESTS_CONTROL_BIND_SCRIPT_H
#define SLUICE_TESTS_CONTROL_BIND_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "control/bind/bind.h"

// True if it ran to its end.
static inline bool script_runs(struct bind *lua, const char *text)
{
    char path[] = "/tmp/script.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    bool good = bind_script(lua, path, 0, NULL) == 0;
    unlink(path);
    return good;
}

#endif
