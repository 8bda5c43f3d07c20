package display

import (
	"strings"

	"tianti/catalog"
	"tianti/locale"
)

// Pick is the text in the reader's language.
func Pick(l *locale.Locale, t catalog.Text) string { return l.Pick(t.En, t.Zh) }

// Display is the shown value of a quantity of a card as people read it, without
// its unit; ok is false when no source gives one.
func Display(l *locale.Locale, s *catalog.Snapshot, q *catalog.Quantity, row int) (text string, ok bool) {
	switch q.Kind {
	case catalog.Number:
		v, ok := s.Number(q, row)
		if !ok {
			return "", false
		}
		return l.Number(v), true
	case catalog.Flag:
		text, ok = s.Text(q, row)
		return FlagText(l, text), ok
	}
	text, ok = s.Text(q, row)
	return ValueText(l, q, text), ok
}

// ValueText is a category's value in the reader's language, where it has one.
func ValueText(l *locale.Locale, q *catalog.Quantity, value string) string {
	switch q.ID {
	case "vendor":
		return Vendor(l, value)
	case "kind", "segment", "isolation", "standing":
		if key := q.ID + "." + value; l.Has(key) {
			return l.T(key)
		}
	case "form_factor", "interconnect_type":
		if key := "value." + q.ID + "." + value; l.Has(key) {
			return l.T(key)
		}
	}
	return value
}

// Unit is the quantity's unit in the reader's language: most are the same in all.
func Unit(l *locale.Locale, q *catalog.Quantity) string { return UnitNamed(l, q.Unit) }

// UnitNamed is a unit by its name in the catalogue ("tokens/s") in the reader's language.
func UnitNamed(l *locale.Locale, unit string) string {
	if key := "unit." + unit; unit != "" && l.Has(key) {
		return l.T(key)
	}
	return unit
}

func FlagText(l *locale.Locale, v string) string {
	switch v {
	case "true":
		return l.T("flag.yes")
	case "false":
		return l.T("flag.no")
	}
	return ""
}

// MustQuantity is for ids that the program itself names.
func MustQuantity(id string) *catalog.Quantity {
	q, ok := catalog.LookupQuantity(id)
	if !ok {
		panic("web: no quantity " + id)
	}
	return q
}

// Vendor is the name of a vendor in the reader's language: 华为 for Huawei.
func Vendor(l *locale.Locale, vendor string) string {
	key := "vendor." + strings.ToLower(strings.ReplaceAll(vendor, " ", "-"))
	if !l.Has(key) {
		return vendor
	}
	return l.T(key)
}

// CardName is the name of a card with its vendor, in the reader's language.
func CardName(l *locale.Locale, c *catalog.Card) string { return Vendor(l, c.Vendor) + " " + c.Name }

// Facts are some figures of a card with their units: "288 GB · 8 000 GB/s". Those that are
// unknown are left out.
func Facts(l *locale.Locale, s *catalog.Snapshot, row int, ids ...string) string {
	var parts []string
	for _, id := range ids {
		q := MustQuantity(id)
		if text, ok := Display(l, s, q, row); ok {
			parts = append(parts, strings.TrimSpace(text+" "+Unit(l, q)))
		}
	}
	return strings.Join(parts, " · ")
}
