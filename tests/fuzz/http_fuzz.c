// The head of a request to `sluice metrics`, under any octets, which arrive in pieces: the first
// octet says how long those are. How a request is cut changes neither path nor Accept; a path is
// what stood between the blanks. Then that path as a query for a cell, and Accept as a choice of
// types.
#include <string.h>

#include "control/client/accept.h"
#include "control/client/http.h"
#include "control/client/session.h"
#include "tests/fuzz/check.h"

// The verdict of all octets in pieces; those behind the verdict are not read.
static int read_pieces(struct http_request *r, const uint8_t *data, size_t size, size_t piece)
{
    int status = 0;
    memset(r, 0, sizeof *r);
    for (size_t at = 0, n; at < size && status == 0; at += n) {
        size_t room = sizeof r->text - 1 - r->got;
        CHECK(room > 0); // else nothing could be received, and the verdict must be there
        n = piece < size - at ? piece : size - at;
        n = n < room ? n : room;
        memcpy(r->text + r->got, data + at, n);
        r->got += n;
        status = http_read(r);
    }
    return status;
}

static void expect_path(const struct http_request *r, const uint8_t *data)
{
    size_t n = strlen(r->path), method = r->head_only ? 5 : 4;
    CHECK(r->path == r->text + method && r->path[0] == '/');
    CHECK(memcmp(data, r->head_only ? "HEAD " : "GET ", method) == 0);
    CHECK(memcmp(data + method, r->path, n) == 0 && data[method + n] == ' ');
    CHECK(memcmp(data + method + n + 1, "HTTP/1.", 7) == 0);
    CHECK(!memchr(r->path, ' ', n) && !strpbrk(r->path, "\r\n"));
}

static void ask_for_cell(const char *path)
{
    char words[SESSION_CELL_OCTETS];
    const char *query = strchr(path, '=');
    if (query && session_cell(query + 1, words))
        CHECK(strspn(words, "0123456789,") == strlen(words) && strchr(words, ','));
}

static void choose_type(const char *accept)
{
    static const char *const types[] = {"text/plain", "application/openmetrics-text", NULL};
    int type = accept_type(accept, types);
    CHECK(type == 0 || type == 1);
    CHECK(type == 0 || strcasestr(accept, types[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct http_request in_pieces, in_others;
    if (size == 0)
        return 0;
    size_t piece = 1 + data[0] * 16u;
    data++, size--;
    int status = read_pieces(&in_pieces, data, size, piece);
    int other = read_pieces(&in_others, data, size, 1 + size / 64);
    CHECK(status == 0 || status == 200 || status == 400 || status == 405 || status == 431);
    CHECK((status == 200) == (in_pieces.path != NULL));
    CHECK((status == 0) == (other == 0)); // else an answer would wait for the time to be over
    if (status != 200)
        return 0;
    if (other != 200) { // larger pieces: a NUL came with the end of the head
        CHECK(other == 400 && memchr(data, '\0', size));
        return 0;
    }
    CHECK(strcmp(in_others.path, in_pieces.path) == 0);
    CHECK(in_others.head_only == in_pieces.head_only);
    CHECK(!in_others.accept == !in_pieces.accept);
    CHECK(!in_pieces.accept || strcmp(in_others.accept, in_pieces.accept) == 0);
    expect_path(&in_pieces, data);
    choose_type(in_pieces.accept);
    ask_for_cell(in_pieces.path);
    return 0;
}
