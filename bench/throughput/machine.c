// See machine.h: from /proc, /sys and uname.
#include "bench/throughput/machine.h"

#include <rte_version.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

const char machine_compiler[] = "gcc " __VERSION__
#ifndef __OPTIMIZE__
                                ", not optimized"
#endif
    ;

const char *machine_dpdk(void)
{
    return rte_version();
}

// The first line of a file, without its end; "": there is none.
static void read_line(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (file && !fgets(text, (int)room, file))
        text[0] = '\0';
    if (file)
        fclose(file);
    text[strcspn(text, "\n")] = '\0';
}

// Behind the colon of the first line of /proc/cpuinfo that begins so.
static void cpu_info(const char *key, char *text, size_t room)
{
    char line[8192];
    FILE *file = fopen("/proc/cpuinfo", "r");
    text[0] = '\0';
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, key, strlen(key)) == 0)
            snprintf(text, room, "%.*s", (int)strcspn(colon + 1, "\n"), colon + 1);
    }
    if (file)
        fclose(file);
    memmove(text, text + strspn(text, " \t"), strlen(text + strspn(text, " \t")) + 1);
}

static void append(char *text, size_t room, const char *word)
{
    size_t n = strlen(text);
    snprintf(text + n, room - n, "%s%s", n ? " " : "", word);
}

static void read_cpu(struct machine *m)
{
    static const char *const matter[] = {
        "ssse3",      "sse4_2", "pclmulqdq", "avx2",         "avx512f",     "avx512bw",  "avx512vl",
        "vpclmulqdq", "gfni",   "vaes",      "constant_tsc", "nonstop_tsc", "hypervisor"};
    char flags[8192], word[64];
    cpu_info("model name", m->cpu, sizeof m->cpu);
    cpu_info("flags", flags, sizeof flags - 1);
    strcat(flags, " ");
    for (size_t i = 0; i < sizeof matter / sizeof matter[0]; i++) {
        snprintf(word, sizeof word, " %s ", matter[i]);
        if (strstr(flags, word))
            append(m->flags, sizeof m->flags, matter[i]);
    }
}

static void read_command(struct machine *m, int argc, char **argv)
{
    m->command[0] = '\0';
    append(m->command, sizeof m->command, "sluice bench");
    for (int i = 1; i < argc; i++)
        append(m->command, sizeof m->command, argv[i]);
}

void machine_read(struct machine *m, int argc, char **argv)
{
    struct utsname kernel;
    struct tm utc;
    time_t now = time(NULL);
    *m = (struct machine){.processors = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    read_command(m, argc, argv);
    if (gmtime_r(&now, &utc))
        strftime(m->date, sizeof m->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    read_cpu(m);
    if (uname(&kernel) == 0)
        snprintf(m->kernel, sizeof m->kernel, "%s %s", kernel.sysname, kernel.release);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", m->governor,
              sizeof m->governor);
    read_line("/sys/devices/system/cpu/isolated", m->isolated, sizeof m->isolated);
    read_line("/sys/hypervisor/type", m->hypervisor, sizeof m->hypervisor);
    if (!m->hypervisor[0])
        read_line("/sys/class/dmi/id/product_name", m->hypervisor, sizeof m->hypervisor);
    if (!strstr(m->flags, "hypervisor"))
        m->hypervisor[0] = '\0';
}
