// The terminal that `sluice top` draws on, by plain ANSI sequences: its size, its keys, and that it
// is as it was when we leave, however we leave.
#ifndef SLUICE_CONTROL_CLIENT_TERMINAL_H
#define SLUICE_CONTROL_CLIENT_TERMINAL_H

#include <stdbool.h>

enum terminal_key {
    KEY_NONE = 0, // nothing came in time
    KEY_UP = 256,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_ENTER,
    KEY_BACK,
    KEY_QUIT,   // q, ^C, or the end of the input
    KEY_RESIZED // the size is another
};

// False: stdin or stdout is no terminal.
bool terminal_begin(void);
void terminal_end(void);

// 80 by 24 if nobody knows.
void terminal_size(int *lines, int *columns);

// A character or one of the above, within that time. Signals that end us come as KEY_QUIT.
int terminal_key(int timeout_ms);

#endif
