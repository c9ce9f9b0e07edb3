// The smallest server of HTTP/1.x (RFC 9112) that does for a metrics endpoint: GET and HEAD, one
// request a connection, and nothing that a client sends or leaves unsent takes more than a fixed
// amount of memory and time. All who ask for one path in one round of the server share one answer,
// made after they asked, so any number of them costs what one does.
#ifndef SLUICE_CONTROL_CLIENT_HTTP_H
#define SLUICE_CONTROL_CLIENT_HTTP_H

#include <stdio.h>

#define HTTP_CONNECTIONS    64    // at once; one more takes the place of who is idle longest
#define HTTP_ROUND          16    // of them at most are new in a round of the server
#define HTTP_REQUEST_OCTETS 4096  // of the request's head
#define HTTP_REQUEST_MS     5000  // for it to come, from the connection on
#define HTTP_ANSWER_MS      10000 // for the answer to go

// The answer to a path: its status, its body, and its type.
typedef int http_answer_fn(void *self, const char *path, FILE *body, const char **type);

// A listening socket at ADDRESS:PORT, the address in brackets if it is IPv6; -1, with the reason.
int http_listen(const char *at, const char **why);

// Serves until *end is not 0.
void http_serve(int listener, http_answer_fn *answer, void *self, const volatile int *end);

#endif
