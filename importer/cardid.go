package importer

import (
	"strconv"
	"strings"

	"tianti/catalog"
	"tianti/format"
)

// maxCardID is the longest id that is made.
const maxCardID = 90

// newCardID makes an id of a vendor and a name that taken does not report; "" when the name has no letter or digit of
// an id.
func newCardID(vendor string, s *format.Subject, taken func(string) bool) string {
	id := slug(s.Name)
	if id == "" {
		return ""
	}
	if v := slug(vendor); v != "" && !strings.HasPrefix(id+"-", v+"-") {
		id = v + "-" + id
	}
	if id = clipID(id); !taken(id) {
		return id
	}
	if s.MemoryGB > 0 {
		if id += "-" + slug(strconv.FormatFloat(s.MemoryGB, 'f', -1, 64)) + "gb"; !taken(id) {
			return id
		}
	}
	for i := 2; ; i++ {
		if next := id + "-" + strconv.Itoa(i); !taken(next) {
			return next
		}
	}
}

func clipID(id string) string {
	if len(id) > maxCardID {
		id = strings.TrimRight(id[:maxCardID], "-")
	}
	return id
}

// slug keeps the lower-case ASCII letters and digits of a text, with a hyphen between the rest.
func slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
	}
	return b.String()
}

// identityOf completes the identity of a card that has to be made. A file of prices says nothing of it but the name:
// then the vendor is Unknown, the kind gpu, and the segment cloud for what is rented and desktop for what is sold.
func identityOf(c *catalog.Card, rented bool) {
	if c.Vendor == "" {
		c.Vendor = unknownVendor
	}
	if c.Kind == "" {
		c.Kind = "gpu"
	}
	if c.Segment == "" && rented {
		c.Segment = "cloud"
	} else if c.Segment == "" {
		c.Segment = "desktop"
	}
}

const unknownVendor = "Unknown"
