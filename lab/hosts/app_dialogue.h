// One user's connections again, from a file of connection vectors: who sends how much, in which
// order, and how long each end thinks before. The file says no times of packets: the lab's TCP
// makes them (closed loop). `sluice gi --scenario` writes such files.
//
// A row of the file is a step of an end: it opens a connection, sends, or closes. An end takes its
// steps on a connection one by one, each some time after all of this is true: the connection is
// open; all that the end has sent on it is acknowledged; and the end has so many octets of the
// connection `after`, which may be another one of the same user if the end is the MS. A connection
// that has failed holds nobody up.
#ifndef SLUICE_LAB_HOSTS_APP_DIALOGUE_H
#define SLUICE_LAB_HOSTS_APP_DIALOGUE_H

#include "lab/hosts/app.h"

#define DIALOGUE_NAME_MOST   4095 // octets
#define DIALOGUE_USERS_MOST  100000
#define DIALOGUE_ROWS_MOST   4000000
#define DIALOGUE_OCTETS_MOST 1000000000 // of a step
#define DIALOGUE_MSS_MOST    (APP_OCTETS_MOST - 40)
#define DIALOGUE_HEAD                                                           \
    "user,connection,what,page,octets,after,received,think_us,mss,window,sack," \
    "timestamps"

#define APP_DIALOGUE_FIELDS(MUST, KEY, T)                                   \
    APP_KEYS(KEY, T, "dialogue")                                            \
    KEY(T, COUNT, user, "dialogue.user", NULL, 1, DIALOGUE_USERS_MOST, 1,   \
        "the number of the user in the file, whose connections are opened") \
    MUST(T, OCTETS, file, 1, DIALOGUE_NAME_MOST, "the file of connection vectors")
FIELD_KEYS_STRUCT(app_dialogue_config, APP_DIALOGUE_FIELDS);
extern const struct field_record app_dialogue_config_record;

extern const struct app_kind app_dialogue_kind;

// WHAT(name, word, end): what a step does, and whose it is.
#define DIALOGUE_WHATS(WHAT)                  \
    WHAT(MS_OPENS, "ms-opens", FLOW_MS)       \
    WHAT(HOST_OPENS, "host-opens", FLOW_HOST) \
    WHAT(MS_SENDS, "ms-sends", FLOW_MS)       \
    WHAT(HOST_SENDS, "host-sends", FLOW_HOST) \
    WHAT(MS_CLOSES, "ms-closes", FLOW_MS)     \
    WHAT(HOST_CLOSES, "host-closes", FLOW_HOST)

enum dialogue_what {
#define WHAT(name, word, end) DIALOGUE_##name,
    DIALOGUE_WHATS(WHAT)
#undef WHAT
        DIALOGUE_KINDS
};

static inline enum flow_end dialogue_end(enum dialogue_what what)
{
    return what % 2 == 0 ? FLOW_MS : FLOW_HOST;
}

// Numbers of connections and pages begin at 1 for each user.
struct dialogue_row {
    uint64_t received; // octets of `after` that the end must have
    uint64_t think_ns;
    uint32_t user, connection, page, octets;
    uint32_t after;      // a connection; 0: the beginning
    uint32_t mss_octets; // of a step that opens, as what follows; 0: the profile's
    uint32_t window_octets;
    uint8_t what; // enum dialogue_what
    bool sack, timestamps;
};

// All applications of a run that have the same file share it.
struct dialogue_file {
    struct dialogue_file *next;
    char *name;
    struct dialogue_row *row; // in the order of users, their connections, and time
    uint32_t rows, users;     // users: the highest number
    uint32_t *begin;          // of each user's rows, by number; and one behind the last
};

// NULL with the reason in `error`, which begins with "dialogue: ".
struct dialogue_file *app_dialogue_read(const char *name, char error[APP_ERROR_ROOM]);
void app_dialogue_free(struct dialogue_file *first); // and those that follow

#endif
