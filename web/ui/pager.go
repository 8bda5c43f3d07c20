package ui

import "strconv"

// NewPager leads to the parts of a list, of which now is shown; at is the address of a part. Of many, those at both
// ends and beside the one shown have links.
func NewPager(label string, now, last int, at func(part int) string) Pager {
	out := Pager{Label: label}
	for n := 1; n <= last; n++ {
		switch near := n <= 2 || n >= last-1 || n >= now-1 && n <= now+1; {
		case near:
			out.Pages = append(out.Pages, Link{Label: strconv.Itoa(n), Href: at(n), Active: n == now})
		case out.Pages[len(out.Pages)-1].Label != "…":
			out.Pages = append(out.Pages, Link{Label: "…"})
		}
	}
	if now > 1 {
		out.Previous = at(now - 1)
	}
	if now < last {
		out.Next = at(now + 1)
	}
	return out
}
