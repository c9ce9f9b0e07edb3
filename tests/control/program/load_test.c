// What a file asks of the lab: places for its PDP contexts, keys and sources of traffic, and none
// besides, for their memory is part of what a run needs.
#include "control/program/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MS(imsi, address, more)                                                  \
    "ms { imsi = \"" imsi "\", " more " pdp { nsapi = 5, class = \"background\"" \
    ", address = \"" address "\" } },"
#define KEY(name) "cipher = \"" name "\", key = \"0123456789abcdef\","

static void expect(const char *mss, uint32_t contexts, uint32_t ciphers, uint32_t sources)
{
    char path[] = "/tmp/load_test.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    dprintf(fd,
            "run { name = 'load', duration = '1 s' }\n"
            "gn { address = '192.0.2.1', mac = '02:00:00:00:00:01' }\n"
            "gb { address = '198.51.100.1', mac = '02:00:00:00:00:02' }\n"
            "nse { nsei = 1, ns = 'manual', bvc { bvci = 2, %s }, nsvc { nsvci = 1,\n"
            "      peer = '198.51.100.2', peer_mac = '02:00:00:00:00:03' } }\n"
            "lab { ggsn = '192.0.2.2', ggsn_mac = '02:00:00:00:00:04', traffic {\n"
            "      class = 'background', rate = '8 kbit/s', size = '40 octets' } }\n",
            mss);
    close(fd);
    struct options options = {.file = path};
    struct load load;
    struct bind *lua = bind_create(false);
    bool good = load_config(lua, &options, &load);
    unlink(path);
    assert_true(good);
    assert_int_equal(load.lab.contexts, contexts);
    assert_int_equal(load.lab.ciphers, ciphers);
    assert_int_equal(load.lab.sources, sources);
    bind_destroy(lua);
}

static void places_for_each_context_key_and_source(void **state)
{
    (void)state;
    expect(MS("001010000000001", "10.0.0.1", "count = 3,"), 3, 0, 3);
    expect(MS("001010000000001", "10.0.0.1", "count = 3," KEY("gea3")), 3, 3, 3);
    expect(MS("001010000000001", "10.0.0.1", "count = 3,")
               MS("001010000000011", "10.0.1.1",
                  "count = 2," KEY("gea3") "pdp { nsapi = 6, class = \"streaming\","
                                           " address = \"10.0.2.1\" },"),
           7, 2, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_for_each_context_key_and_source),
    };
    return cmocka_run_group_tests_name("control/program/load", tests, NULL, NULL);
}
