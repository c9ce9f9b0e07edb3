// The file of a radio's rate, under any octets: a reason that is printable, or a rate. What is
// carried adds up, never falls, and is no more than the greatest rate; the longest silence is all
// of the time if nothing is carried.
#include <string.h>

#include "dataplane/base/units.h"
#include "lab/radio/trace.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

static const uint64_t times_ns[] = {0,
                                    1,
                                    999999,
                                    1 * MS_IN_NS,
                                    20 * MS_IN_NS,
                                    1 * S_IN_NS,
                                    77 * S_IN_NS + 3,
                                    RADIO_TRACE_TIME_MOST *S_IN_NS};

static void expect_sums(const struct radio_trace *trace)
{
    unsigned __int128 sum = 0;
    uint64_t last_ns = 0;
    for (size_t i = 0; i < sizeof times_ns / sizeof times_ns[0]; i++) {
        uint64_t now_ns = times_ns[i];
        unsigned __int128 more = radio_trace_carried(trace, last_ns, now_ns);
        CHECK(more <= (unsigned __int128)RADIO_TRACE_RATE_MOST * (now_ns - last_ns));
        sum += more;
        CHECK(radio_trace_carried(trace, 0, now_ns) == sum);
        uint64_t silent_ns = radio_trace_silent_ns(trace, now_ns);
        CHECK(silent_ns <= now_ns && (silent_ns == now_ns) == (sum == 0));
        last_ns = now_ns;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[RADIO_TRACE_ERROR_ROOM] = "";
    struct radio_trace *trace = radio_trace_read(memory_file(data, size), error);
    CHECK(trace ? error[0] == '\0' : strncmp(error, "trace: ", 7) == 0);
    for (const char *c = error; *c; c++)
        CHECK(*c >= ' ' && *c < 127);
    if (trace)
        expect_sums(trace);
    radio_trace_free(trace);
    return 0;
}
