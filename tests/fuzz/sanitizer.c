// What a target asks of the address sanitizer where most of its time went into it. What an input
// has freed is watched until much more than an input allocates has been freed behind it, and not
// for 256 MB, which is more than a cache holds; a stack of who allocated has ten frames, not 30.
// ASAN_OPTIONS of the environment goes before these.
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8:thread_local_quarantine_size_kb=64:malloc_context_size=10";
}
