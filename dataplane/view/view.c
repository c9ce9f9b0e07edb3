// See view.h: the reader's side, and the tables.
#include "dataplane/view/view.h"

static const struct field nse_fields[] = FIELD_TABLE(view_nse, VIEW_NSE_FIELDS);
static const struct field bvc_fields[] = FIELD_TABLE(view_bvc, VIEW_BVC_FIELDS);
static const struct field ms_fields[] = FIELD_TABLE(view_ms, VIEW_MS_FIELDS);
static const struct field pfc_fields[] = FIELD_TABLE(view_pfc, VIEW_PFC_FIELDS);
static const struct field class_fields[] = FIELD_TABLE(view_class, VIEW_CLASS_FIELDS);
const struct field_record view_nse_record = FIELD_RECORD_OF(view_nse, nse_fields);
const struct field_record view_bvc_record = FIELD_RECORD_OF(view_bvc, bvc_fields);
const struct field_record view_ms_record = FIELD_RECORD_OF(view_ms, ms_fields);
const struct field_record view_pfc_record = FIELD_RECORD_OF(view_pfc, pfc_fields);
const struct field_record view_class_record = FIELD_RECORD_OF(view_class, class_fields);

bool view_answered(const struct view *view)
{
    return !__atomic_load_n(&view->query, __ATOMIC_ACQUIRE);
}

void view_ask(struct view *view, struct dp_query *query)
{
    __atomic_store_n(&view->query, query, __ATOMIC_RELEASE);
}
