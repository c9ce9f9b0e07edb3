// See overwrites.h.
#include "control/captures/overwrites.h"

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

static bool are_same(const char *one, const char *other)
{
    struct stat file;
    if (strcmp(one, "-") == 0 || strcmp(other, "-") == 0 || stat(one, &file) != 0)
        return strcmp(one, other) == 0;
    return S_ISREG(file.st_mode) && is_same(&file, other);
}

bool overwrites_itself(const char *command, const char *const *outputs, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++)
            if (outputs[i] && outputs[k] && are_same(outputs[i], outputs[k])) {
                fprintf(stderr, "sluice %s: %s: two outputs cannot be one\n", command, outputs[k]);
                return true;
            }
    return false;
}
