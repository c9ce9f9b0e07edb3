// The whole path as one program: frames of any kind into both ports, commands, time, ports that
// stall and events that are left, in any order, decoded from the input; half the frames are good,
// for the state that the worker is in, so that the deep layers are reached. After each poll the
// books balance and the path rests; what comes out is what a host may send (path_check.c); when all
// has been removed at the end of an input nothing is held.
//
// A dataplane serves many inputs, since making one costs more than running an input; each begins
// with the same plants, and some end it with all that it holds. `path_fuzz --packets=N [--seed=S]`
// is no fuzzer: it makes the inputs itself until N frames have gone in, and says what was reached
// (path_count.c).
#include <string.h>

#include "tests/fuzz/buffer.h"
#include "tests/fuzz/path.h"

#define STEPS_MOST 1000 // bounds the work of an input

enum {
    MOOD_FAULTLESS = 1,
    MOOD_GN = 2, // mostly
    MOOD_GB = 4,
    MOOD_LAZY = 8, // polls seldom
    MOOD_STALLED = 0x70,
    MOOD_STALLED_GN = 0x10,
    MOOD_STALLED_GB = 0x20,
    MOOD_EVENTS_LEFT = 0x30,
    MOOD_ASLEEP = 0x40,
    MOOD_ABRUPT = 0xf8 // or above: the dataplane ends as it is
};

int LLVMFuzzerInitialize(int *argc, char ***argv);

static void go_on(void)
{
    uint32_t choice = input_octet();
    if (choice < 64 && path.next_ns != TIME_NEVER)
        path.now_ns = path.next_ns;
    else
        path.now_ns += 1ULL << choice % 35; // up to 17 s
    path_poll();
}

static void some_frames(enum stats_side side)
{
    uint32_t choice = input_octet(), n = choice < 240 ? 1 + choice % 4 : choice - 220;
    while (n-- && input_left())
        path_frame_from_input(side);
    if (choice & 1)
        path_poll();
}

static void step(uint32_t mood)
{
    uint32_t what = input_octet() % 32;
    if (what < 20)
        some_frames(what < (mood & MOOD_GN ? 18 : mood & MOOD_GB ? 2 : 8) ? STATS_GN : STATS_GB);
    else if (what < 25)
        path_command_from_input();
    else if (what < 28)
        go_on();
    else if (what == 28 && input_octet() < 64)
        path.stalled[input_octet() % STATS_SIDES] ^= true;
    else if (what == 29 && input_octet() < 64)
        path.events_left = !path.events_left;
    else if (what == 30 && input_octet() < 64)
        path.asleep[input_octet() % PATH_WORKERS] ^= true;
    else if (!(mood & MOOD_LAZY))
        path_poll();
}

// All moods in each input would keep any of them from going far.
static uint32_t set_mood(void)
{
    uint32_t mood = input_octet();
    path.faultless = mood & MOOD_FAULTLESS;
    path.stalled[STATS_GN] = (mood & MOOD_STALLED) == MOOD_STALLED_GN;
    path.stalled[STATS_GB] = (mood & MOOD_STALLED) == MOOD_STALLED_GB;
    path.events_left = (mood & MOOD_STALLED) == MOOD_EVENTS_LEFT;
    path.asleep[1] = (mood & MOOD_STALLED) == MOOD_ASLEEP;
    return mood;
}

void path_run_input(const uint8_t *data, size_t n)
{
    if (!path.dp)
        path_open(false);
    input_begin(data, n);
    uint32_t mood = set_mood();
    for (int i = 0; i < STEPS_MOST && input_left(); i++)
        step(mood);
    path_poll();
    if (mood >= MOOD_ABRUPT)
        path_close();
    else
        path_reset();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    path_run_input(data, size);
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    uint64_t packets = 0, seed = 1;
    for (int i = 1; i < *argc; i++) {
        if (strncmp((*argv)[i], "--packets=", 10) == 0)
            packets = strtoull((*argv)[i] + 10, NULL, 10);
        if (strncmp((*argv)[i], "--seed=", 7) == 0)
            seed = strtoull((*argv)[i] + 7, NULL, 10);
    }
    buffer_start_dpdk("path_fuzz");
    if (packets)
        exit(path_count(packets, seed));
    return 0;
}
