package reference

import (
	"time"

	"tianti/locale"
	"tianti/web/site"
	"tianti/web/ui"
)

// follow tells how old the published snapshot is that is shown.
func (p *health) follow(f site.Following, now time.Time) {
	l := p.Locale
	p.Snapshot = []string{l.T("follow.shown", f.Published.UTC().Format("2006-01-02 15:04"), length(l, f.Age(now)))}
	if f.Checked.IsZero() {
		p.Snapshot = append(p.Snapshot, l.T("follow.unchecked"))
	} else {
		p.Snapshot = append(p.Snapshot, l.T("follow.checked", length(l, f.Unchecked(now))))
	}
	if f.Problem != "" {
		p.Problem = l.T("follow.problem." + f.Problem)
	}
	if f.Writer != "" {
		p.Writer = ui.Link{Label: l.T("follow.writer", f.Writer), Href: f.Writer + l.Path("/admin")}
	}
}

// length is a length of time in words.
func length(l *locale.Locale, d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return l.T("follow.seconds", int(d.Seconds()))
	case d < 2*time.Hour:
		return l.T("follow.minutes", int(d.Minutes()))
	case d < 48*time.Hour:
		return l.T("follow.hours", int(d.Hours()))
	default:
		return l.T("follow.days", int(d.Hours()/24))
	}
}
