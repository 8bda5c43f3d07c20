package admin

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/audit"
	"tianti/locale"
)

// TestDetailsOfTheRecordAreWords: counts are grouped and left out where there is nothing;
// numbers that name something are neither.
func TestDetailsOfTheRecordAreWords(t *testing.T) {
	en, zh := locale.All()[0], locale.All()[1]
	applied := map[string]any{"sha256": "ab", "file": "<vms>.csv", "revision": 1234.0, "before": 0.0, "prices": 1630.0,
		"cards": 0.0, "note": "", "odd": true}
	for _, c := range []struct {
		l      *locale.Locale
		detail map[string]any
		want   []auditField
	}{
		{en, applied, []auditField{{Name: "file", Value: "<vms>.csv"}, {Name: "revision", Value: "1234"},
			{Name: "prices", Value: "1\u202f630"}, {Name: "odd", Value: "yes"}, {Name: "SHA-256", Value: "ab"}}},
		{en, map[string]any{"from": 3.0, "to": 0.0}, []auditField{{Name: "from", Value: "3"},
			{Name: "to", Value: "0"}}},
		{en, map[string]any{"events": []any{"figures.changed", "prices.changed"}},
			[]auditField{{Name: "events", Value: "figures.changed, prices.changed"}}},
		{zh, map[string]any{"role": "reader"}, []auditField{{Name: "角色", Value: zh.T("account.role.reader")}}},
		{zh, map[string]any{"scope": "none such"}, []auditField{{Name: zh.T("log.fields.scope"), Value: "none such"}}},
	} {
		if diff := cmp.Diff(c.want, auditRow(c.l, &audit.Entry{Action: "import.apply",
			Detail: c.detail}).Fields); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}
