package view

import (
	"context"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// prose is a text in which `backticks` set code.
func prose(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var b strings.Builder
		for i, part := range strings.Split(text, "`") {
			if i%2 == 1 {
				b.WriteString("<code>" + html.EscapeString(part) + "</code>")
			} else {
				b.WriteString(html.EscapeString(part))
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// percent is a share between 0 and 1 as a length for SVG; what is too short to
// be seen still gets a hair.
// viewBox is that of a drawing from the origin.
func viewBox(width, height int) string {
	return "0 0 " + strconv.Itoa(width) + " " + strconv.Itoa(height)
}

func percent(share float64) string {
	share = min(max(share, 0.004), 1)
	return strconv.FormatFloat(share*100, 'f', 1, 64) + "%"
}

// selected counts the chosen options.
func selected(options []Option) int {
	n := 0
	for _, o := range options {
		if o.Selected {
			n++
		}
	}
	return n
}

// citation finds a source of the card by its number.
func (p Card) citation(number int) (Citation, bool) {
	for _, c := range p.Sources {
		if c.Number == number {
			return c, true
		}
	}
	return Citation{}, false
}

func orDash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

// barLabelX is where the label of a bar begins, or ends when it stands before it.
func barLabelX(b RuleBar) int {
	if b.Before {
		return b.X - 6
	}
	return b.X + max(b.Width, 4) + 6
}
