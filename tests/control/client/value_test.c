// A JSON file of the most octets is read, a larger one is not. Their sizes are only said: fstat64
// is the test's.
#include "control/client/value.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static off_t octets;

int __real_fstat64(int fd, struct stat *is);
int __wrap_fstat64(int fd, struct stat *is);
int __wrap_fstat64(int fd, struct stat *is)
{
    int result = __real_fstat64(fd, is);
    is->st_size = octets;
    return result;
}

static bool is_read(off_t most, const char *path)
{
    octets = most;
    struct json_object *value = value_read_object(AT_FDCWD, path);
    bool good = value != NULL;
    value_free(value);
    return good;
}

static void the_size_of_a_file(void **state)
{
    char path[] = "/tmp/value_test.XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_int_equal(write(fd, "{}", 2), 2);
    close(fd);
    assert_true(is_read(2, path));
    assert_true(is_read(256 << 20, path));
    assert_false(is_read((256 << 20) + 1, path));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_size_of_a_file)};
    return cmocka_run_group_tests_name("control/client/value", tests, NULL, NULL);
}
