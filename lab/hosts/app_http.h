// Web browsing: HTTP without pipelining over some TCP connections, persistent or one for each
// object. A page is a main object and, once that is here, objects embedded in it, drawn or from a
// list, each on the next connection that is free; then the user reads for a while. HTTP itself is
// octets of requests and answers without text.
#ifndef SLUICE_LAB_HOSTS_APP_HTTP_H
#define SLUICE_LAB_HOSTS_APP_HTTP_H

#include "lab/hosts/app.h"
#include "lab/hosts/draw.h"

#define APP_HTTP_CONNECTIONS_MOST 64
#define APP_HTTP_OCTETS_MOST      1000000000
#define APP_HTTP_OBJECTS_MOST     256

enum app_http_reuse { APP_HTTP_OBJECT, APP_HTTP_PAGE, APP_HTTP_EVER };

#define APP_HTTP_FIELDS(MUST, KEY, T)                                                             \
    APP_KEYS(KEY, T, "http")                                                                      \
    KEY(T, CHOICE, client, "http.client", "host ms", FLOW_HOST, FLOW_MS, FLOW_MS,                 \
        "the end that requests pages")                                                            \
    KEY(T, COUNT, connections, "http.connections", NULL, 1, APP_HTTP_CONNECTIONS_MOST, 4,         \
        "the most connections at a time")                                                         \
    KEY(T, CHOICE, reuse, "http.reuse", "object page all", APP_HTTP_OBJECT, APP_HTTP_EVER,        \
        APP_HTTP_EVER,                                                                            \
        "what a connection is used for: one object, as in HTTP 1.0, or one page or all pages")    \
    KEY(T, SIZE, request_octets, "http.request", NULL, 1, 1000000, 350,                           \
        "octets of a request with its header")                                                    \
    KEY(T, SIZE, header_octets, "http.header", NULL, 0, 1000000, 250,                             \
        "octets of an answer's header, in front of the object")                                   \
    KEY(T, COUNT, round_trips, "http.round_trips", NULL, 1, 100, 1,                               \
        "how often each object is asked for, a round trip each time: all answers but the last "   \
        "are a header alone, as a redirection is")                                                \
    KEY(T, PPM, silent_ppm, "http.silent", NULL, 0, 999999, 0,                                    \
        "probability that a connection's server is not there, so that no SYN is answered")        \
    KEY(T, PPM, refused_ppm, "http.refused", NULL, 0, 999999, 0,                                  \
        "probability that a connection's server refuses it by a reset")                           \
    KEY(T, TIME, patience_ns, "http.patience", "endless", 1 * MS_IN_NS, APP_TIME_MOST, 0,         \
        "how long the client waits for a connection to open before it gives it up")               \
    DRAW_KEYS_WITH_NOTE(KEY, T, SIZE, main_octets, "http.main", "none", 1, APP_HTTP_OCTETS_MOST,  \
                        4910, "the main object's octets",                                         \
                        "; if none, a page begins with its embedded objects")                     \
    DRAW_KEYS(KEY, T, COUNT, embedded, "http.embedded", NULL, 0, 10000, 30,                       \
              "the number of embedded objects")                                                   \
    DRAW_KEYS(KEY, T, SIZE, embedded_octets, "http.embedded_size", NULL, 1, APP_HTTP_OCTETS_MOST, \
              4910, "an embedded object's octets")                                                \
    DRAW_KEYS(KEY, T, TIME, think_ns, "http.think", "none", 1, APP_TIME_MOST, 1 * S_IN_NS,        \
              "the time from a page's end to the next page")                                      \
    KEY(T, COUNT, pages, "http.pages", NULL, 0, 1000000, 0, "number of pages; 0: no end of them") \
    MUST(T, OCTETS, objects, 0, 4 * APP_HTTP_OBJECTS_MOST,                                        \
         "octets of the objects of every page behind the main one, 32 bits each in network "      \
         "order; with none, embedded ones are drawn")
FIELD_KEYS_STRUCT(app_http_config, APP_HTTP_FIELDS);
extern const struct field_record app_http_config_record;

extern const struct app_kind app_http_kind;

#endif
