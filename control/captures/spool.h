// A capture that comes through a pipe and is read twice: its octets in a file without a name, which
// ends with the program.
#ifndef SLUICE_CAPTURES_SPOOL_H
#define SLUICE_CAPTURES_SPOOL_H

#include <stdbool.h>

#define SPOOL_PATH 32
#define SPOOL_TEXT 256

struct spool {
    int fd; // -1: the file itself is read
    char path[SPOOL_PATH];
};

// "-" is standard input. What can be read twice is left where it is. False: error says why, and
// what helps.
bool spool_open(struct spool *spool, const char *path, char error[SPOOL_TEXT]);
// What to read: `path`, or the copy.
const char *spool_path(const struct spool *spool, const char *path);
void spool_close(struct spool *spool);

#endif
