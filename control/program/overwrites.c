// See overwrites.h.
#include "control/program/overwrites.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same(const struct stat *file, const char *input)
{
    struct stat stat_of;
    int fault = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &stat_of) : stat(input, &stat_of);
    return fault == 0 && file->st_dev == stat_of.st_dev && file->st_ino == stat_of.st_ino;
}

bool overwrites(const char *command, const char *output, char *const *inputs, int count)
{
    struct stat file;
    if (!output || stat(output, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    for (int i = 0; i < count; i++)
        if (is_same(&file, inputs[i])) {
            fprintf(stderr, "sluice %s: %s: is read, so it is not written\n", command, output);
            return true;
        }
    return false;
}
