// The reader of captures under any octets as a file: whatever it gives out lies in memory that may
// be read, has no more octets than it had on the line, is numbered in order and counted. The first
// octet of the input says how many packets are asked for at a time.
#include <string.h>

#include "lab/captures/read/capture_file.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct capture_packet packets[AT_ONCE_MOST];
    uint64_t counts[CAPTURE_COUNTS] = {0}, number = 0;
    char error[CAPTURE_TEXT] = "";
    if (size == 0)
        return 0;
    uint32_t most = 1 + data[0] % AT_ONCE_MOST, n;
    struct capture_file *file = capture_file_open(memory_file(data + 1, size - 1), error);
    if (!file) {
        CHECK(error[0]);
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
    capture_file_close(file);
    return 0;
}
