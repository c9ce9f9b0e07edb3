// See desk.h: one thread, which polls all clients and connections. Messages pass unchanged.
#include "control/export/desk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/process/runtime.h"

#define CLIENTS         64
#define LINES           8 // to DPDK, which takes ten
#define QUESTION_OCTETS 1024
#define ANSWER_OCTETS   (64 * 1024)
#define NAP_MS          100 // between two tries to accept a client

struct client {
    int fd;         // -1: no client
    int line;       // the connection that carries its question; NONE: none
    uint64_t spoke; // desk.spoken at its last question
};

struct line {
    int fd;
    int client; // the client of the next answer; NONE: free; GONE: the client has left
};
#define NONE (-1)
#define GONE (-2)

static struct desk {
    struct client client[CLIENTS];
    struct line line[LINES];
    int listener, bell[2]; // closing bell[1] ends the thread
    bool full;             // no client can be accepted now
    uint64_t spoken;
    pthread_t thread;
    size_t greeting_octets;
    char greeting[QUESTION_OCTETS], answer[ANSWER_OCTETS];
} desk;
static bool runs;

// ---- Clients ----

static void send_off(struct client *c)
{
    close(c->fd);
    c->fd = -1;
    if (c->line >= 0)
        desk.line[c->line].client = GONE;
    c->line = NONE;
}

static struct client *place(void)
{
    for (int i = 0; i < CLIENTS; i++)
        if (desk.client[i].fd < 0)
            return &desk.client[i];
    return NULL;
}

// Disconnects the client with the oldest question. Clients that wait for an answer stay. Returns
// whether there was one.
static bool longest_silent_goes(void)
{
    struct client *longest = NULL;
    for (int i = 0; i < CLIENTS; i++) {
        struct client *c = &desk.client[i];
        if (c->fd >= 0 && c->line < 0 && (!longest || c->spoke < longest->spoke))
            longest = c;
    }
    if (longest)
        send_off(longest);
    return longest != NULL;
}

static bool is_out_of_descriptors(int fault)
{
    return fault == EMFILE || fault == ENFILE || fault == ENOMEM || fault == ENOBUFS;
}

// Sends without blocking; a client with a full socket is disconnected.
static bool tell(struct client *c, const char *text, size_t octets)
{
    if (send(c->fd, text, octets, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)octets)
        return true;
    send_off(c);
    return false;
}

static void welcome(void)
{
    if (!place() && !longest_silent_goes()) {
        desk.full = true;
        return;
    }
    int fd = accept4(desk.listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0 && is_out_of_descriptors(errno))
        desk.full = !longest_silent_goes();
    if (fd < 0)
        return;
    struct client *c = place();
    *c = (struct client){.fd = fd, .line = NONE, .spoke = ++desk.spoken};
    tell(c, desk.greeting, desk.greeting_octets);
}

// ---- Questions and answers ----

static int free_line(void)
{
    for (int i = 0; i < LINES; i++)
        if (desk.line[i].fd >= 0 && desk.line[i].client == NONE)
            return i;
    return NONE;
}

static void ask(struct client *c, int i)
{
    char question[QUESTION_OCTETS];
    ssize_t n = recv(c->fd, question, sizeof question, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || n >= (ssize_t)sizeof question) { // DPDK would read a cut question as another one
        send_off(c);
        return;
    }
    c->spoke = ++desk.spoken;
    if (send(desk.line[i].fd, question, (size_t)n, MSG_NOSIGNAL) != n) {
        send_off(c);
        return;
    }
    c->line = i;
    desk.line[i].client = (int)(c - desk.client);
}

static void answer(struct line *line)
{
    ssize_t n = recv(line->fd, desk.answer, sizeof desk.answer, 0);
    int to = line->client;
    line->client = NONE;
    if (n <= 0) { // DPDK has closed the connection
        close(line->fd);
        line->fd = -1;
    }
    if (to < 0)
        return;
    desk.client[to].line = NONE;
    if (n <= 0)
        send_off(&desk.client[to]);
    else
        tell(&desk.client[to], desk.answer, (size_t)n);
}

// ---- The thread ----

// The places in the poll list: the bell, the listener, the lines, the clients.
enum { AT_BELL, AT_LISTENER, AT_LINES, AT_CLIENTS = AT_LINES + LINES, ENDS = AT_CLIENTS + CLIENTS };

// Clients are read while a line is free; a client that waits for its answer is not read, but its
// hang-up is seen.
static void listen_to(struct pollfd ends[ENDS])
{
    bool may_ask = free_line() >= 0;
    ends[AT_BELL] = (struct pollfd){desk.bell[0], POLLIN, 0};
    ends[AT_LISTENER] = (struct pollfd){desk.full ? -1 : desk.listener, POLLIN, 0};
    for (int i = 0; i < LINES; i++)
        ends[AT_LINES + i] = (struct pollfd){desk.line[i].fd, POLLIN, 0};
    for (int i = 0; i < CLIENTS; i++) {
        const struct client *c = &desk.client[i];
        ends[AT_CLIENTS + i] = (struct pollfd){c->fd, may_ask && c->line < 0 ? POLLIN : 0, 0};
    }
}

static void serve(const struct pollfd ends[ENDS])
{
    desk.full = false;
    for (int i = 0; i < LINES; i++)
        if (ends[AT_LINES + i].revents)
            answer(&desk.line[i]);
    for (int i = 0; i < CLIENTS; i++) {
        struct client *c = &desk.client[i];
        int events = ends[AT_CLIENTS + i].revents, line = free_line();
        if (c->fd != ends[AT_CLIENTS + i].fd || !events)
            continue;
        if (!(events & POLLIN))
            send_off(c);
        else if (c->line < 0 && line >= 0)
            ask(c, line);
    }
    if (ends[AT_LISTENER].revents)
        welcome();
}

static void *work(void *nothing)
{
    struct pollfd ends[ENDS];
    for (;;) {
        listen_to(ends);
        int n = poll(ends, ENDS, desk.full ? NAP_MS : -1);
        if (n > 0 && ends[AT_BELL].revents)
            return nothing;
        if (n >= 0)
            serve(ends);
        else if (errno != EINTR) // no memory, or a lowered limit on descriptors
            poll(NULL, 0, NAP_MS);
    }
}

// ---- Opening and closing ----

static int open_lines(const char *instance)
{
    for (int i = 0; i < LINES; i++) {
        int fd = desk.line[i].fd = runtime_connect(instance);
        if (fd < 0)
            return -errno;
        ssize_t n = recv(fd, desk.greeting, sizeof desk.greeting, 0);
        if (n <= 0)
            return -EPROTO;
        desk.greeting_octets = (size_t)n;
    }
    return 0;
}

static int open_all(const char *instance)
{
    int fault = open_lines(instance);
    if (fault)
        return fault;
    if (pipe2(desk.bell, O_CLOEXEC) != 0)
        return -errno;
    desk.listener = runtime_listen(instance);
    if (desk.listener < 0)
        return -errno;
    return -pthread_create(&desk.thread, NULL, work, NULL);
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(void)
{
    close_one(&desk.listener);
    close_one(&desk.bell[0]);
    close_one(&desk.bell[1]);
    for (int i = 0; i < LINES; i++)
        close_one(&desk.line[i].fd);
    for (int i = 0; i < CLIENTS; i++)
        close_one(&desk.client[i].fd);
}

int desk_open(const char *instance)
{
    desk.listener = desk.bell[0] = desk.bell[1] = -1;
    for (int i = 0; i < LINES; i++)
        desk.line[i] = (struct line){.fd = -1, .client = NONE};
    for (int i = 0; i < CLIENTS; i++)
        desk.client[i] = (struct client){.fd = -1, .line = NONE};
    int fault = open_all(instance);
    if (fault)
        close_all();
    else
        pthread_setname_np(desk.thread, "sluice-desk");
    runs = !fault;
    return fault;
}

void desk_close(void)
{
    if (!runs)
        return;
    runs = false;
    close_one(&desk.bell[1]); // wakes the thread
    pthread_join(desk.thread, NULL);
    close_all();
}
