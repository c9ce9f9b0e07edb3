// See http.h. One thread, poll(), and a slot for each connection.
#include "control/client/http.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/client/accept.h"
#include "control/client/now.h"

#define WAKE_MS 500 // between checks of `end`

// Head and body, shared by the connections that requested the path and type in one round.
struct answer {
    char *text;
    size_t head_octets, octets;
    uint32_t readers;
};

struct connection {
    int fd; // -1: free
    uint64_t until_ms;
    uint64_t turn; // the order of arrival, also within one millisecond
    struct http_request request;
    int want; // of the site's types, once the path is there
    struct answer *answer;
    size_t sent;
};

struct server {
    const struct http_site *site;
    struct connection at[HTTP_CONNECTIONS];
    uint64_t turns;
};

// ---- Requests ----

// The head has arrived, up to an empty line. The head may hold any octet except NUL.
static bool is_whole(const char *text)
{
    return strstr(text, "\r\n\r\n") || strstr(text, "\n\n");
}

// The value of the first field of that name, cut at the end of its line; NULL: none. fields: the
// lines below the request's first.
static const char *field_of(char *fields, const char *name)
{
    size_t octets = strlen(name);
    for (char *line = fields; *line && !strchr("\r\n", *line); line++) {
        char *end = line + strcspn(line, "\r\n");
        if (strncasecmp(line, name, octets) == 0 && line[octets] == ':') {
            *end = '\0';
            return line + octets + 1;
        }
        line = strchr(end, '\n');
        if (!line)
            break;
    }
    return NULL;
}

// METHOD SP PATH SP HTTP/1.x; of the header fields below only Accept counts.
static int read_head(struct http_request *r)
{
    r->accept = field_of(strchr(r->text, '\n') + 1, "Accept");
    r->text[strcspn(r->text, "\r\n")] = '\0';
    char *path = strchr(r->text, ' ');
    char *version = path ? strchr(path + 1, ' ') : NULL;
    if (!version || strncmp(version + 1, "HTTP/1.", 7) != 0 || path[1] != '/')
        return 400;
    *path++ = *version = '\0';
    r->head_only = strcmp(r->text, "HEAD") == 0;
    if (!r->head_only && strcmp(r->text, "GET") != 0)
        return 405;
    r->path = path;
    return 200;
}

int http_read(struct http_request *r)
{
    r->text[r->got] = '\0';
    if (strlen(r->text) != r->got)
        return 400;
    if (is_whole(r->text))
        return read_head(r);
    return r->got == sizeof r->text - 1 ? 431 : 0;
}

// ---- Listening ----

// Splits "ADDRESS:PORT". False: the text has another form.
static bool split(const char *at, char host[64], char port[8])
{
    const char *colon = strrchr(at, ':');
    size_t n = colon ? (size_t)(colon - at) : 0;
    bool brackets = n > 2 && at[0] == '[' && at[n - 1] == ']';
    if (n == 0 || n >= 64 || strlen(colon + 1) >= 8 ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) || !colon[1] ||
        atoi(colon + 1) > 65535)
        return false;
    snprintf(host, 64, "%.*s", (int)(brackets ? n - 2 : n), at + brackets);
    snprintf(port, 8, "%s", colon + 1);
    return true;
}

static int bound(const struct addrinfo *to)
{
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || (bind(fd, to->ai_addr, to->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0))
        return fd;
    int fault = errno;
    close(fd);
    errno = fault;
    return -1;
}

int http_listen(const char *at, const char **why)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *to = NULL;
    char host[64], port[8];
    *why = "allowed ADDRESS:PORT, such as 127.0.0.1:9464 or [::1]:9464";
    if (!split(at, host, port) || getaddrinfo(host, port, &hints, &to) != 0)
        return -1;
    int fd = bound(to);
    *why = strerror(errno);
    freeaddrinfo(to);
    return fd;
}

// ---- Answers ----

static const char *const reasons[] = {[200] = "OK",
                                      [400] = "Bad Request",
                                      [404] = "Not Found",
                                      [405] = "Method Not Allowed",
                                      [431] = "Request Header Fields Too Large",
                                      [503] = "Service Unavailable"};
static const char text_type[] = "text/plain; charset=utf-8";

static void put_down(struct connection *c)
{
    if (c->answer && --c->answer->readers == 0) {
        free(c->answer->text);
        free(c->answer);
    }
    c->answer = NULL;
}

// The answer's first reader is `c`. Without memory there is no answer, and the connection ends.
static void compose(struct connection *c, int status, const char *type, const char *body, size_t n)
{
    struct answer *a = c->answer = calloc(1, sizeof *a);
    FILE *out = a ? open_memstream(&a->text, &a->octets) : NULL;
    if (a)
        a->readers = 1;
    if (!out)
        return put_down(c);
    int head_octets = fprintf(
        out,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n",
        status, reasons[status], type, n, status == 405 ? "Allow: GET, HEAD\r\n" : "");
    a->head_octets = (size_t)head_octets;
    fwrite(body, 1, n, out);
    if (fclose(out) != 0)
        put_down(c);
}

static void refuse(struct connection *c, int status)
{
    char body[64];
    int n = snprintf(body, sizeof body, "%d %s\n", status, reasons[status]);
    compose(c, status, text_type, body, (size_t)n);
}

static void answer_path(const struct http_site *site, struct connection *c)
{
    char *body = NULL;
    size_t n = 0;
    const char *type = text_type;
    FILE *out = open_memstream(&body, &n);
    int status = out ? site->answer(site->self, c->request.path, c->want, out, &type) : 0;
    if (out && fclose(out) == 0)
        compose(c, status, type, body, n);
    free(body);
}

// ---- Connections ----

static void end(struct connection *c)
{
    close(c->fd);
    put_down(c);
    c->fd = -1;
}

// Reads or writes as far as the socket allows. False: the connection is over.
static bool read_on(const struct http_site *site, struct connection *c)
{
    struct http_request *r = &c->request;
    ssize_t n = recv(c->fd, r->text + r->got, sizeof r->text - 1 - r->got, 0);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    if (n == 0)
        return false;
    r->got += (size_t)n;
    int status = http_read(r);
    if (status == 0)
        return true;
    if (status != 200)
        refuse(c, status);
    else
        c->want = accept_type(r->accept, site->types);
    c->until_ms = now_ms() + HTTP_ANSWER_MS;
    return r->path || c->answer;
}

// A client that still sends is read no further. Closing a socket with unread octets would discard
// the answer.
static void drain(int fd)
{
    char rest[4096];
    shutdown(fd, SHUT_WR);
    for (int i = 0; i < 16 && recv(fd, rest, sizeof rest, 0) > 0; i++)
        ;
}

static bool write_on(struct connection *c)
{
    size_t octets = c->request.head_only ? c->answer->head_octets : c->answer->octets;
    ssize_t n = send(c->fd, c->answer->text + c->sent, octets - c->sent, MSG_NOSIGNAL);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    c->sent += (size_t)n;
    if (c->sent < octets)
        return true;
    drain(c->fd);
    return false;
}

// ---- A round ----

static void go_on(const struct http_site *site, struct connection *c, short events)
{
    bool goes_on = true;
    if (events)
        goes_on = c->answer ? write_on(c) : read_on(site, c);
    if (!goes_on || now_ms() >= c->until_ms)
        end(c);
}

static bool is_asking(const struct connection *c)
{
    return c->fd >= 0 && c->request.path && !c->answer;
}

// One answer for `first` and all later connections that want the same. Making the answer takes
// time, so the time limit for sending begins here.
static void answer_alike(const struct server *server, struct connection *first)
{
    answer_path(server->site, first);
    if (!first->answer)
        return end(first);
    struct answer *answer = first->answer;
    uint64_t until_ms = now_ms() + HTTP_ANSWER_MS;
    first->until_ms = until_ms;
    for (struct connection *c = first + 1; c < server->at + HTTP_CONNECTIONS; c++)
        if (is_asking(c) && c->want == first->want &&
            strcmp(c->request.path, first->request.path) == 0) {
            c->answer = answer;
            c->until_ms = until_ms;
            answer->readers++;
        }
}

// Whether to end `a` rather than `b`: a connection without a request before one with an answer;
// of two alike, the older one.
static bool is_less(const struct connection *a, const struct connection *b)
{
    if (!a->answer != !b->answer)
        return !a->answer;
    return a->turn < b->turn;
}

// A free slot, else the slot of the connection that has been idle longest, which ends. Connections
// from turn `new` on are spared: their requests have not been read yet.
static struct connection *slot_for_one_more(struct server *server, uint64_t new)
{
    struct connection *least = NULL;
    for (struct connection *c = server->at; c < server->at + HTTP_CONNECTIONS; c++) {
        if (c->fd < 0)
            return c;
        if (c->turn < new && (!least || is_less(c, least)))
            least = c;
    }
    end(least);
    return least;
}

static void accept_new(struct server *server, int listener)
{
    uint64_t new = server->turns;
    for (int i = 0, fd; i < HTTP_ROUND; i++) {
        fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        *slot_for_one_more(server, new) = (struct connection){
            .fd = fd, .until_ms = now_ms() + HTTP_REQUEST_MS, .turn = server->turns++};
    }
}

static void serve_round(struct server *server, int listener)
{
    struct pollfd ready[HTTP_CONNECTIONS + 1];
    for (int i = 0; i < HTTP_CONNECTIONS; i++)
        ready[i] = (struct pollfd){server->at[i].fd, server->at[i].answer ? POLLOUT : POLLIN, 0};
    ready[HTTP_CONNECTIONS] = (struct pollfd){listener, POLLIN, 0};
    if (poll(ready, HTTP_CONNECTIONS + 1, WAKE_MS) < 0)
        return;
    for (int i = 0; i < HTTP_CONNECTIONS; i++)
        if (server->at[i].fd >= 0)
            go_on(server->site, &server->at[i], ready[i].revents);
    for (int i = 0; i < HTTP_CONNECTIONS; i++)
        if (is_asking(&server->at[i]))
            answer_alike(server, &server->at[i]);
    if (ready[HTTP_CONNECTIONS].revents)
        accept_new(server, listener);
}

void http_serve(int listener, const struct http_site *site, const volatile int *stop)
{
    static struct server server;
    server.site = site;
    for (int i = 0; i < HTTP_CONNECTIONS; i++)
        server.at[i].fd = -1;
    while (!*stop)
        serve_round(&server, listener);
    for (int i = 0; i < HTTP_CONNECTIONS; i++)
        if (server.at[i].fd >= 0)
            end(&server.at[i]);
}
