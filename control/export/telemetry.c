// See telemetry.h: the table of commands, /sluice/ctl, and the end while commands run.
#include <errno.h>
#include <pthread.h>
#include <rte_telemetry.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/export/telemetry_parts.h"

#define CTL_ANSWER_OCTETS 4096
#define CTL_PIECE_OCTETS  120u // of an answer; DPDK refuses longer strings
#define CTL_MOST_MS       60000u
#define CTL_STOP_NAP_NS   1000000

// DPDK's callbacks have no user argument, so this is static.
static struct telemetry telemetry;
static bool answers;     // between start and stop
static uint32_t running; // ctl requests that wait for control
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool telemetry_number(const char **words, uint64_t most, uint64_t *value)
{
    const char *w = *words;
    uint32_t digits = 0;
    *value = 0;
    for (; *w >= '0' && *w <= '9' && digits < 19; w++, digits++)
        *value = *value * 10 + (uint64_t)(*w - '0');
    if (digits == 0 || *value > most || (*w != ',' && *w != '\0'))
        return false;
    *words = *w ? w + 1 : w;
    return true;
}

static const struct {
    const char *name, *help;
    telemetry_fn *answer;
} commands[] = {
    {"/sluice/info", "What runs. No parameters", telemetry_info},
    {"/sluice/stats", "Every counter. Parameters: a worker; none: all together", telemetry_stats},
    {"/sluice/classes", "Traffic classes. No parameters", telemetry_classes},
    {"/sluice/nses", "NSEs. Parameters: first index", telemetry_nses},
    {"/sluice/nsvcs", "NS-VCs. Parameters: first index", telemetry_nsvcs},
    {"/sluice/bvcs", "Cells. Parameters: first index[,sort]", telemetry_bvcs},
    {"/sluice/bvc", "A cell. Parameters: NSEI,BVCI", telemetry_bvc},
    {"/sluice/mss", "MSs. Parameters: first index", telemetry_mss},
    {"/sluice/cell_mss", "MSs of a cell. Parameters: NSEI,BVCI,first index", telemetry_cell_mss},
    {"/sluice/ms", "An MS. Parameters: IMSI", telemetry_ms},
    {"/sluice/trace", "How far the trace is. No parameters", telemetry_trace},
    {"/sluice/trace_on", "Traces packets. Parameters: number[,ms,IMSI|,cell,NSEI,BVCI]",
     telemetry_trace_on},
    {"/sluice/trace_off", "Ends the trace. No parameters", telemetry_trace_off},
    {"/sluice/trace_records", "Records of the trace. Parameters: first index",
     telemetry_trace_records},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static int on_command(const char *name, const char *words, struct rte_tel_data *data)
{
    struct row row = {.data = data};
    const char *why = "nothing runs";
    rte_tel_data_start_dict(data);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; answers && i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            why = commands[i].answer(&telemetry, words ? words : "", &row);
    pthread_mutex_unlock(&lock);
    if (why)
        row_text(&row, "error", why);
    return 0;
}

// ---- ctl: without the lock, since it may take long and must not block the other commands ----

// Only printable ASCII and line ends: an answer may quote a file, and a piece could end inside a
// UTF-8 character.
static void put_pieces(struct rte_tel_data *data, const char *text)
{
    struct rte_tel_data *pieces = rte_tel_data_alloc();
    if (!pieces)
        return;
    rte_tel_data_start_array(pieces, RTE_TEL_STRING_VAL);
    for (size_t left = strlen(text); left > 0;) {
        char piece[CTL_PIECE_OCTETS + 1];
        size_t n = left < CTL_PIECE_OCTETS ? left : CTL_PIECE_OCTETS;
        for (size_t i = 0; i < n; i++)
            piece[i] = (text[i] >= ' ' && text[i] <= '~') || text[i] == '\n' ? text[i] : '?';
        piece[n] = '\0';
        rte_tel_data_add_array_string(pieces, piece);
        text += n;
        left -= n;
    }
    if (rte_tel_data_add_dict_container(data, "text", pieces, 0) != 0)
        rte_tel_data_free(pieces);
}

static struct control *ctl_begin(void)
{
    pthread_mutex_lock(&lock);
    struct control *control = answers ? telemetry.source.control : NULL;
    running += control != NULL;
    pthread_mutex_unlock(&lock);
    return control;
}

static void ctl_end(void)
{
    pthread_mutex_lock(&lock);
    running--;
    pthread_mutex_unlock(&lock);
}

// Returns 0: done; else `answer` says why not.
static int ask_control(const char *words, char answer[CTL_ANSWER_OCTETS])
{
    strcpy(answer, "the words are too long"); // cut words could be another request
    if (strlen(words) >= MAILBOX_QUESTION_OCTETS)
        return -E2BIG;
    strcpy(answer, "nothing runs");
    struct control *control = ctl_begin();
    if (!control)
        return -ENOTCONN;
    int fault = control_request(control, words, answer, CTL_ANSWER_OCTETS, CTL_MOST_MS);
    ctl_end();
    if (fault == -ETIMEDOUT)
        strcpy(answer, "the control plane does not answer");
    return fault;
}

// `status` is the exit status of sluice ctl.
static int on_ctl(const char *name, const char *words, struct rte_tel_data *data)
{
    char answer[CTL_ANSWER_OCTETS];
    int fault = ask_control(words ? words : "", answer);
    (void)name;
    rte_tel_data_start_dict(data);
    rte_tel_data_add_dict_int(data, "status", fault ? 1 : 0);
    put_pieces(data, answer);
    return 0;
}

// ---- Beginning and end ----

static int register_all(void)
{
    static bool registered; // DPDK cannot unregister commands
    int fault = 0;
    for (size_t i = 0; i < COMMANDS && !registered && !fault; i++)
        fault = rte_telemetry_register_cmd(commands[i].name, on_command, commands[i].help);
    if (!registered && !fault)
        fault = rte_telemetry_register_cmd("/sluice/ctl", on_ctl,
                                           "Hands words to the control plane. Parameters: words");
    registered = true;
    return fault;
}

int telemetry_start(const struct telemetry_source *source)
{
    pthread_mutex_lock(&lock);
    telemetry = (struct telemetry){.source = *source, .ask = {source->dp, source->config->workers}};
    answers = true;
    pthread_mutex_unlock(&lock);
    return register_all();
}

static uint32_t who_waits(void)
{
    pthread_mutex_lock(&lock);
    uint32_t n = running;
    pthread_mutex_unlock(&lock);
    return n;
}

void telemetry_stop(void)
{
    pthread_mutex_lock(&lock);
    bool was = answers;
    struct control *control = telemetry.source.control;
    answers = false;
    cells_free(&telemetry.cells);
    free(telemetry.traced.record);
    telemetry.traced = (struct telemetry_traced){.on = false};
    pthread_mutex_unlock(&lock);
    while (was && who_waits()) {
        mailbox_take(&control->mailbox);
        mailbox_answer(&control->mailbox, false, "the run is over");
        nanosleep(&(struct timespec){.tv_nsec = CTL_STOP_NAP_NS}, NULL);
    }
}
