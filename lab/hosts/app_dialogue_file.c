// See app_dialogue.h: reading a file of connection vectors. Anybody may have written it, so each
// line has its bounds, and a line that does not fit is named.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/base/rows.h"
#include "lab/engine/need.h"
#include "lab/hosts/app_dialogue.h"

#define PAGES_MOST DIALOGUE_ROWS_MOST

static const char *const words[DIALOGUE_KINDS] = {
#define WHAT(name, word, end) [DIALOGUE_##name] = word,
    DIALOGUE_WHATS(WHAT)
#undef WHAT
};

struct reader {
    struct dialogue_file *file;
    uint32_t room;
    uint32_t connection, of_user; // the last of this user; the first row of the user
};

// ---- One line ----

static bool take_what(char **rest, uint8_t *what)
{
    const char *word = rows_field(rest);
    for (uint8_t i = 0; word && i < DIALOGUE_KINDS; i++)
        if (strcmp(word, words[i]) == 0) {
            *what = i;
            return true;
        }
    return false;
}

// NULL, or what is wrong with it.
static const char *read_row(char *rest, struct dialogue_row *row)
{
    uint64_t n;
#define TAKE_INTO(member, text, least, most)      \
    do {                                          \
        if (!rows_number(&rest, least, most, &n)) \
            return text;                          \
        row->member = (__typeof__(row->member))n; \
    } while (0)
    TAKE_INTO(user, "user: a number from 1 to 100000", 1, DIALOGUE_USERS_MOST);
    TAKE_INTO(connection, "connection: a number from 1 on", 1, DIALOGUE_ROWS_MOST);
    if (!take_what(&rest, &row->what))
        return "what: ms-opens, host-opens, ms-sends, host-sends, ms-closes or host-closes";
    TAKE_INTO(page, "page: a number from 0 to 4000000", 0, PAGES_MOST);
    TAKE_INTO(octets, "octets: a number up to 1000000000", 0, DIALOGUE_OCTETS_MOST);
    TAKE_INTO(after, "after: a connection, or 0", 0, DIALOGUE_ROWS_MOST);
    TAKE_INTO(received, "received: a number up to 1099511627776", 0, TCP_UNLIMITED);
    TAKE_INTO(think_ns, "think_us: a number up to 1000000000000", 0, APP_TIME_MOST / 1000);
    row->think_ns *= 1000;
    TAKE_INTO(mss_octets, "mss: a number up to 1460", 0, DIALOGUE_MSS_MOST);
    TAKE_INTO(window_octets, "window: a number up to 1073741824", 0, 1u << 30);
    TAKE_INTO(sack, "sack: 0 or 1", 0, 1);
    TAKE_INTO(timestamps, "timestamps: 0 or 1", 0, 1);
#undef TAKE_INTO
    return rest ? "more columns than the head has" : NULL;
}

// ---- Does it fit behind those before it? ----

static bool opens(const struct dialogue_row *row)
{
    return row->what == DIALOGUE_MS_OPENS || row->what == DIALOGUE_HOST_OPENS;
}

static bool sends(const struct dialogue_row *row)
{
    return row->what == DIALOGUE_MS_SENDS || row->what == DIALOGUE_HOST_SENDS;
}

// Of a user that ends here: a connection that a step waits for must be one of the user's.
static const char *end_user(const struct reader *reader)
{
    const struct dialogue_file *file = reader->file;
    for (uint32_t i = reader->of_user; i < file->rows; i++)
        if (file->row[i].after > reader->connection)
            return "a step of this user waits for a connection that the user does not have";
    return NULL;
}

static const char *begin_user(struct reader *reader, uint32_t user)
{
    struct dialogue_file *file = reader->file;
    const char *fault = user < file->users ? "user: less than before" : end_user(reader);
    if (fault)
        return fault;
    file->begin = need(realloc(file->begin, (user + 2) * sizeof *file->begin));
    for (uint32_t i = file->users + 1; i <= user; i++)
        file->begin[i] = file->rows;
    file->users = user;
    reader->of_user = file->rows;
    reader->connection = 0;
    return NULL;
}

static const char *fit(struct reader *reader, const struct dialogue_row *row)
{
    bool again = row->connection == reader->connection;
    if (opens(row) ? row->connection != reader->connection + 1 : !again)
        return "connection: each begins with a step that opens it, numbered from 1 for each user";
    if (!opens(row) && row->after && row->after != row->connection &&
        dialogue_end((enum dialogue_what)row->what) == FLOW_HOST)
        return "after: a host waits for its own connection only";
    if (opens(row) && row->after == row->connection)
        return "after: a connection cannot wait for itself to open";
    if (sends(row) != (row->octets > 0))
        return "octets: more than 0 if the step sends, else 0";
    return NULL;
}

static const char *take_line(void *self, char *text)
{
    struct reader *reader = self;
    struct dialogue_file *file = reader->file;
    struct dialogue_row row = {0};
    const char *fault = read_row(text, &row);
    if (!fault && row.user != file->users)
        fault = begin_user(reader, row.user);
    if (!fault)
        fault = fit(reader, &row);
    if (fault)
        return fault;
    if (file->rows == DIALOGUE_ROWS_MOST)
        return "more than 4000000 steps";
    if (file->rows == reader->room) {
        reader->room = reader->room ? 2 * reader->room : 256;
        file->row = need(realloc(file->row, reader->room * sizeof *file->row));
    }
    reader->connection = row.connection;
    file->row[file->rows++] = row;
    return NULL;
}

// ---- The file ----

struct dialogue_file *app_dialogue_read(const char *name, char error[APP_ERROR_ROOM])
{
    struct reader reader = {.file = need(calloc(1, sizeof *reader.file))};
    struct dialogue_file *file = reader.file;
    uint32_t line;
    file->name = need(strdup(name));
    file->begin = need(calloc(2, sizeof *file->begin));
    const char *fault = rows_read(name, DIALOGUE_HEAD, take_line, &reader, &line);
    file->begin[file->users + 1] = file->rows;
    if (!fault)
        fault = file->rows ? end_user(&reader) : "no connections";
    if (!fault)
        return file;
    rows_fault("dialogue", name, line, fault, error, APP_ERROR_ROOM);
    app_dialogue_free(file);
    return NULL;
}

void app_dialogue_free(struct dialogue_file *first)
{
    while (first) {
        struct dialogue_file *next = first->next;
        free(first->begin);
        free(first->row);
        free(first->name);
        free(first);
        first = next;
    }
}
