// A minimal HTTP/1.x server (RFC 9112) for a metrics endpoint: GET and HEAD, one request a
// connection. A client takes at most a fixed amount of memory and time, whatever the client sends
// or does not send. All requests for one path and type in one round of the server share one answer,
// made after the requests arrived: many such requests cost as much as one.
#ifndef SLUICE_CONTROL_CLIENT_HTTP_H
#define SLUICE_CONTROL_CLIENT_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define HTTP_CONNECTIONS    64 // at once; a further one replaces the one that has been idle longest
#define HTTP_ROUND          16 // the most new connections in a round of the server
#define HTTP_REQUEST_OCTETS 4096  // the longest request head
#define HTTP_REQUEST_MS     5000  // from the connection to the end of the request
#define HTTP_ANSWER_MS      10000 // for sending the answer

// What a client has sent so far; at first all 0.
struct http_request {
    size_t got; // octets of `text`, at most one less than it has
    char text[HTTP_REQUEST_OCTETS];
    const char *path;   // within `text`; NULL until the whole request has arrived
    const char *accept; // the value of the field Accept, within `text`; NULL: none
    bool head_only;
};

// Reads what has arrived. 0: more must come; 200: the path is there; else the status of a refusal.
int http_read(struct http_request *request);

// Makes the answer to a path: status, body and type. want: the place in `types` of the media type
// that the client prefers.
typedef int http_answer_fn(void *self, const char *path, int want, FILE *body, const char **type);

struct http_site {
    http_answer_fn *answer;
    void *self;
    const char *const *types; // that a client may ask for; the first is for one that names none
};

// A listening socket at ADDRESS:PORT, the address in brackets if it is IPv6; -1, with the reason.
int http_listen(const char *at, const char **why);

// Serves until *end is not 0.
void http_serve(int listener, const struct http_site *site, const volatile int *end);

#endif
