// The client of a running instance under any answers: an input is a row of datagrams, each two
// octets of length and then its octets, which wait at the socket before the client asks. Metrics
// come out whole, or nothing and a reason; they are printable.
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/client/openmetrics.h"
#include "tests/fuzz/check.h"

#define DATAGRAMS_MOST 64

static int answers(const uint8_t *data, size_t size)
{
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    for (int i = 0; i < DATAGRAMS_MOST && size >= 2; i++) {
        size_t n = (size_t)(data[0] << 8 | data[1]);
        n = n < size - 2 ? n : size - 2;
        if (n > 0 && send(ends[1], data + 2, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            break;
        data += 2 + n;
        size -= 2 + n;
    }
    shutdown(ends[1], SHUT_WR); // what was sent can be read still; then it is the end
    CHECK(dup2(ends[1], 200) == 200);
    close(ends[1]);
    return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct session session = {.fd = answers(data + 1, size - 1), .name = "fuzz-1"};
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    CHECK(out);
    bool good = openmetrics_put(&session, data[0] % 2 ? "101,2" : NULL,
                                (enum exposition)(data[0] / 2 % 2), out);
    fclose(out);
    CHECK(good ? octets > 0 : session.why[0] != '\0');
    for (size_t i = 0; i < octets; i++)
        CHECK(text[i] == '\n' || ((unsigned char)text[i] >= ' ' && text[i] != 127));
    free(text);
    session_close(&session);
    close(200);
    return 0;
}
