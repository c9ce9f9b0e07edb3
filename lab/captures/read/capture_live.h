// What passes at an interface of this machine now, by libpcap: a thread writes it as a pcap file
// into a pipe, whose other end capture_file.h reads. The kernel keeps 16 MiB for a reader that is
// late; what does not fit is lost, and counted.
#ifndef SLUICE_LAB_CAPTURE_LIVE_H
#define SLUICE_LAB_CAPTURE_LIVE_H

#include <signal.h>

#include "lab/captures/read/capture_file.h"

struct capture_live;

// "any": all interfaces. It ends, with what the kernel has kept, soon after *ended is not 0; the
// caller's thread takes no SIGINT and SIGTERM meanwhile, so that it reads all of it. NULL: error
// says why.
struct capture_live *capture_live_open(const char *interface, const volatile sig_atomic_t *ended,
                                       char error[CAPTURE_TEXT]);
// The descriptor to read from, which may be asked for once. The caller closes it, before or after
// capture_live_close.
int capture_live_take(struct capture_live *live);
// Ends it. why: "", or why the capture is not whole.
void capture_live_close(struct capture_live *live, char why[CAPTURE_TEXT]);

#endif
