// See gi_write.h.
#include "lab/captures/gi/gi_write.h"

#include "lab/captures/read/capture_ip.h"

// ---- What gi_lists.def asks for ----

enum { ROOM_user, ROOM_host };

struct loss {
    const struct gi_flow *flow;
    enum gi_side side;
    uint64_t time_ns;
    uint32_t sequence;
    enum gi_verdict verdict, instead;
};

static const char *const verdicts[GI_VERDICTS + 1][GI_SIDES] = {
#define VERDICT(name, up, down) {up, down},
#include "lab/captures/gi/gi_verdicts.def"
#undef VERDICT
    {"", ""}};

#define TABLE_FILE  "lab/captures/gi/gi_lists.def"
#define TABLE_OWNER const void *nothing
#include "lab/base/table_make.h"

// ---- Losses ----

void gi_write_loss(const struct gi_records *records, const struct gi_half *half,
                   enum gi_verdict verdict, enum gi_verdict instead, uint32_t sequence)
{
    const struct gi_flow *flow = records->flow;
    struct loss loss = {
        flow,   half == &flow->half[GI_UP] ? GI_UP : GI_DOWN, records->now_ns, sequence, verdict,
        instead};
    table_csv_row(&gi_list_losses, NULL, &loss, records->self);
}
