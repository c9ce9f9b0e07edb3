// The reader of captures under any octets as a file: whatever it gives out lies in memory that may
// be read, has no more octets than it had on the line, is numbered in order and counted. A replay
// of it has each frame or leaves it out, or says which one it refuses. The first octet of the input
// says how many packets are asked for at a time.
#include <string.h>

#include "lab/captures/read/capture_file.h"
#include "lab/hosts/app_replay.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

#define AT_ONCE_MOST 64u

static uint64_t touched; // so that no compiler leaves out the reading

static void take(const struct capture_packet *packet, uint64_t *number)
{
    CHECK(packet->number == ++*number);
    CHECK(packet->captured <= packet->length);
    CHECK(packet->captured <= CAPTURE_OCTETS_MAX);
    for (uint32_t i = 0; i < packet->captured; i++)
        touched += packet->octets[i];
}

static void expect_replay(const char *name, uint64_t frames, bool damaged)
{
    char error[APP_ERROR_ROOM] = "";
    struct replay_file *replay = app_replay_read(name, error);
    CHECK(replay ? !error[0] && !damaged : strncmp(error, "replay: ", 8) == 0);
    if (!replay)
        return;
    CHECK(replay->packets > 0 && replay->packets + replay->left_out == frames);
    for (uint32_t i = 0; i < replay->packets; i++) {
        CHECK(replay->packet[i].octets >= FLOW_DATAGRAM_LEAST);
        CHECK(replay->packet[i].octets <= APP_OCTETS_MOST);
        CHECK(i == 0 || replay->packet[i - 1].at_ns <= replay->packet[i].at_ns);
    }
    app_replay_free(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct capture_packet packets[AT_ONCE_MOST];
    uint64_t counts[CAPTURE_COUNTS] = {0}, number = 0;
    char error[CAPTURE_TEXT] = "";
    if (size == 0)
        return 0;
    uint32_t most = 1 + data[0] % AT_ONCE_MOST, n;
    const char *name = memory_file(data + 1, size - 1);
    struct capture_file *file = capture_file_open(name, error);
    if (!file) {
        CHECK(error[0]);
        expect_replay(name, 0, true);
        return 0;
    }
    while ((n = capture_file_read(file, packets, most, counts)) > 0) {
        CHECK(n <= most);
        for (uint32_t i = 0; i < n; i++)
            take(&packets[i], &number);
        CHECK(capture_file_progress(file) <= 1);
    }
    CHECK(number <= size);
    const char *damage = capture_file_damage(file);
    CHECK(!damage || damage[0]);
    expect_replay(name, number, damage);
    capture_file_close(file);
    return 0;
}
