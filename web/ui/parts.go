package ui

import (
	"context"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// Prose is a text in which `backticks` set code.
func Prose(text string) templ.Component {
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
func ViewBox(width, height int) string {
	return "0 0 " + strconv.Itoa(width) + " " + strconv.Itoa(height)
}

func percent(share float64) string {
	share = min(max(share, 0.004), 1)
	return strconv.FormatFloat(share*100, 'f', 1, 64) + "%"
}

// Selected counts the chosen options.
func Selected(options []Option) int {
	n := 0
	for _, o := range options {
		if o.Selected {
			n++
		}
	}
	return n
}

func OrDash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}
