// The configuration under any text: what the sandbox, the checks, --set and files of settings take
// is printed as JSON, what they refuse has a message. The first octet says what the rest is: a
// configuration; a KEY=VALUE for a good one; or a file of settings for it. No text takes more than
// TIME_MOST_S.
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "control/bind/bind.h"
#include "control/run/load.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

#define TIME_MOST_S 60 // of the processor, with the sanitizers; the limits within are 1 s each

static const char good_text[] =
    "run { name = \"x\", duration = \"1 s\" }\n"
    "gn { address = \"192.0.2.1\", mac = \"02:00:00:00:00:01\" }\n"
    "gb { address = \"198.51.100.1\", mac = \"02:00:00:00:00:02\" }\n"
    "nse { nsei = 101, nsvc { nsvci = 1, peer = \"198.51.100.2\", "
    "peer_mac = \"02:00:00:00:00:03\" }, bvc { bvci = 2, "
    "ms { imsi = \"001010000000001\", pdp { nsapi = 5, class = \"background\", "
    "address = \"10.0.0.1\" } } } }\n"
    "lab { ggsn = \"192.0.2.2\", ggsn_mac = \"02:00:00:00:00:04\", traffic { class = "
    "\"background\", size = \"576 octets\", "
    "rate = \"8 kbit/s\" } }\n";

static struct bind *lua;

static bool load(const char *path, const char *set)
{
    char *said = NULL, *json = NULL;
    size_t said_octets, json_octets;
    const char *const sets[] = {set};
    struct bind_changes changes = {sets, set ? 1 : 0, NULL, NULL};
    FILE *errors = open_memstream(&said, &said_octets);
    CHECK(errors);
    bool good = bind_config(lua, path, &changes, load_add_fields, errors);
    fclose(errors);
    CHECK(good || said_octets > 0);
    for (size_t i = 0; i < said_octets; i++)
        CHECK(said[i] == '\n' || ((unsigned char)said[i] >= ' ' && said[i] != 127));
    if (good) {
        FILE *out = open_memstream(&json, &json_octets);
        CHECK(out);
        bind_config_json(lua, 0, false, out);
        fclose(out);
        CHECK(json_octets > 0 && json[0] == '{');
        free(json);
    }
    free(said);
    return good;
}

// The good text stands in a file of its own, in memory too.
static const char *good_file(void)
{
    static char path[64];
    if (!path[0]) {
        int fd = memfd_create("good", MFD_CLOEXEC);
        ssize_t octets = (ssize_t)strlen(good_text);
        CHECK(fd >= 0 && write(fd, good_text, (size_t)octets) == octets);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    return path;
}

static void settings(const uint8_t *data, size_t size)
{
    char set[80];
    snprintf(set, sizeof set, "@%s", memory_file(data, size));
    load(good_file(), set);
}

static void set(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (text[0] != '@') // the path of a file, which may be any
        load(good_file(), text);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (!lua) {
        lua = bind_create(false);
        CHECK(lua);
        bind_limit(lua, (size_t)256 << 20);
        CHECK(load(good_file(), NULL));
    }
    clock_t begun = clock();
    if (data[0] % 4 == 0)
        set(data + 1, size - 1);
    else if (data[0] % 4 == 1)
        settings(data + 1, size - 1);
    else
        load(memory_file(data + 1, size - 1), NULL);
    CHECK((clock() - begun) / CLOCKS_PER_SEC < TIME_MOST_S);
    return 0;
}
