// The capture of signalling among a run's results: signalling.pcap, which control switches on and
// off. Each time it is switched on it begins anew.
#include <errno.h>
#include <string.h>

#include "control/commands.h"
#include "control/run.h"

static const char *open_file(void *self, char error[256])
{
    struct run *run = self;
    results_path(&run->results, "signalling.pcap", run->signalling_path);
    run->signalling = capture_open(run->signalling_path, error);
    return run->signalling ? run->signalling_path : NULL;
}

static void put_frame(void *self, uint64_t now_ns, const uint8_t *frame, uint32_t octets)
{
    const struct run *run = self;
    if (run->signalling)
        capture_frame(run->signalling, now_ns, frame, octets);
}

static void close_file(void *self)
{
    run_signalling_end(self);
}

void run_signalling(struct run *run)
{
    run->control.capture = (struct control_capture){run, open_file, put_frame, close_file};
}

int run_signalling_end(struct run *run)
{
    int fault = run->signalling ? capture_close(run->signalling) : 0;
    run->signalling = NULL;
    return fault ? run_failed(run->signalling_path, "it could not be written whole") : EXIT_DONE;
}
