// The terminal that `sluice top` draws on with plain ANSI sequences: size, keys, and the restored
// state at the end, also after a signal.
#ifndef SLUICE_CONTROL_CLIENT_TERMINAL_H
#define SLUICE_CONTROL_CLIENT_TERMINAL_H

#include <stdbool.h>

enum terminal_key {
    KEY_NONE = 0, // no key in time
    KEY_UP = 256,
    KEY_DOWN,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_ENTER,
    KEY_BACK,
    KEY_QUIT,   // q, ^C, or the end of the input
    KEY_RESIZED // the terminal has a new size
};

// False: stdin or stdout is not a terminal.
bool terminal_begin(void);
void terminal_end(void);

// 80 by 24 if the size is unknown.
void terminal_size(int *lines, int *columns);

// A character or one of the above, within that time. Signals that end the process are KEY_QUIT.
int terminal_key(int timeout_ms);

#endif
