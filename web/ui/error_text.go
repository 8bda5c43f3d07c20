package ui

import "strconv"

func (p ErrorPage) code() string { return strconv.Itoa(p.Status) }

// key is the message for a part of the page: what is said of this status, or of
// its class.
func (p ErrorPage) key(part string) string {
	key := "error." + p.code() + "." + part
	switch {
	case p.Locale.Has(key):
		return key
	case p.Status >= 500:
		return "error.500." + part
	}
	return "error.400." + part
}
