// See terminal.h.
#include "control/client/terminal.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// The alternate screen, without cursor and line wrapping; and back.
#define BEGIN "\033[?1049h\033[?25l\033[?7l\033[2J"
#define END   "\033[?7h\033[?25h\033[?1049l"

static struct termios before;
static bool begun;
static volatile sig_atomic_t ended, resized;

static void on_end(int number)
{
    ended = number;
}

static void on_resize(int number)
{
    resized = number;
}

static void take_signals(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = on_end,
                               .sa_flags = SA_RESTART}; // poll returns in any case
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaction(ends[i], &action, NULL);
    action.sa_handler = on_resize;
    sigaction(SIGWINCH, &action, NULL);
}

bool terminal_begin(void)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    struct termios raw = before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= (tcflag_t) ~(IXON | ICRNL);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0)
        return false;
    begun = true;
    atexit(terminal_end);
    take_signals();
    fputs(BEGIN, stdout);
    fflush(stdout);
    return true;
}

void terminal_end(void)
{
    if (!begun)
        return;
    begun = false;
    fputs(END, stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

void terminal_size(int *lines, int *columns)
{
    struct winsize size = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
    *lines = known ? size.ws_row : 24;
    *columns = known ? size.ws_col : 80;
}

static int special(const char *keys)
{
    static const struct {
        const char *keys;
        int key;
    } known[] = {{"\033[A", KEY_UP},    {"\033OA", KEY_UP},       {"\033[B", KEY_DOWN},
                 {"\033OB", KEY_DOWN},  {"\033[5~", KEY_PAGE_UP}, {"\033[6~", KEY_PAGE_DOWN},
                 {"\033[D", KEY_BACK},  {"\033OD", KEY_BACK},     {"\033[C", KEY_ENTER},
                 {"\033OC", KEY_ENTER}, {"\033", KEY_BACK},       {"\177", KEY_BACK},
                 {"\b", KEY_BACK},      {"\r", KEY_ENTER},        {"\n", KEY_ENTER},
                 {"k", KEY_UP},         {"j", KEY_DOWN},          {"q", KEY_QUIT},
                 {"\003", KEY_QUIT},    {"\004", KEY_QUIT}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(keys, known[i].keys) == 0)
            return known[i].key;
    return (unsigned char)keys[0] >= ' ' && keys[0] <= '~' && !keys[1] ? keys[0] : KEY_NONE;
}

// The next key of the input. A sequence from ESC on is one key: terminals send it in one piece.
static int next_key(char *pending)
{
    char key[8] = {pending[0]};
    size_t n = 1;
    if (pending[0] == '\033' && (pending[1] == '[' || pending[1] == 'O'))
        for (n = 2; n < sizeof key - 1 && pending[n]; n++)
            if (pending[n] >= '@' && pending[n] <= '~') {
                n++;
                break;
            }
    memcpy(key, pending, n);
    memmove(pending, pending + n, strlen(pending + n) + 1);
    return special(key);
}

int terminal_key(int timeout_ms)
{
    static char pending[64];
    struct pollfd ready = {STDIN_FILENO, POLLIN, 0};
    if (!pending[0] && !ended && !resized && poll(&ready, 1, timeout_ms) > 0) {
        ssize_t n = read(STDIN_FILENO, pending, sizeof pending - 1);
        if (n <= 0)
            return KEY_QUIT;
        pending[n] = '\0';
    }
    if (ended)
        return KEY_QUIT;
    if (resized) {
        resized = 0;
        return KEY_RESIZED;
    }
    return pending[0] ? next_key(pending) : KEY_NONE;
}
