// The pages of runs, of targets and of knobs, out of folders with any files: an input is one octet
// that says which page, then files, each an octet that says which, two of length, and its octets. A
// folder of a run, two below it as several runs leave them, stay from input to input, in memory;
// a file is there if the input has it. Either there is a page, or a reason.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/report/page.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/drawn.h"

static const char *const names[] = {
    "summary.json", "targets.json",       "figures.json",     "knobs.json",       "classes.csv",
    "drops.csv",    "series_classes.csv", "series_cells.csv", "series_flows.csv", "delays.csv"};
static const char *const folders[] = {"", "v/", "v/1/"};
#define NAMES   (sizeof names / sizeof names[0])
#define FOLDERS (sizeof folders / sizeof folders[0])

static char root[] = "/dev/shm/runs_fuzz.XXXXXX";
static int root_fd;

static const char *path_of(size_t file)
{
    static char path[64];
    snprintf(path, sizeof path, "%s%s", folders[file / NAMES], names[file % NAMES]);
    return path;
}

static void remove_files(void)
{
    for (size_t file = 0; file < NAMES * FOLDERS; file++)
        unlinkat(root_fd, path_of(file), 0);
}

static void end(void)
{
    remove_files();
    for (size_t i = FOLDERS - 1; i > 0; i--)
        unlinkat(root_fd, folders[i], AT_REMOVEDIR);
    rmdir(root);
}

static void begin(void)
{
    CHECK(mkdtemp(root));
    root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK(root_fd >= 0);
    for (size_t i = 1; i < FOLDERS; i++)
        CHECK(mkdirat(root_fd, folders[i], 0700) == 0);
    atexit(end);
}

// Returns what is left of the input.
static size_t put_file(const uint8_t *data, size_t size)
{
    size_t n = (size_t)(data[1] << 8 | data[2]);
    n = n < size - 3 ? n : size - 3;
    int fd = openat(root_fd, path_of(data[0] % (NAMES * FOLDERS)),
                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, data + 3, n) == (ssize_t)n);
    close(fd);
    return size - 3 - n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const dirs[] = {root};
    char error[PAGE_ERROR_OCTETS] = "", *page = NULL, *text = NULL;
    size_t octets, text_octets, left = size ? size - 1 : 0;
    if (!root_fd)
        begin();
    while (left > 3)
        left = put_file(data + size - left, left);
    FILE *out = open_memstream(&page, &octets), *said = open_memstream(&text, &text_octets);
    CHECK(out && said);
    int fault = size == 0 || data[0] % 4 == 0 ? page_targets(out, said, dirs, 1, error)
                : data[0] % 4 == 1            ? page_knobs(out, dirs, 1, error)
                                              : page_write(out, dirs, 1, error);
    fclose(out);
    fclose(said);
    CHECK(fault == 0 || error[0] != '\0');
    if (fault == 0)
        expect_page(page, octets);
    free(page);
    free(text);
    remove_files();
    return 0;
}
