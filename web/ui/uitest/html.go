package uitest

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"tianti/locale"
)

// isSound checks what a page owes to browsers, to readers of the screen and to the
// content security policy.
func isSound(t reporter, l *locale.Locale, page []byte) {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	d := document{t: t, root: doc, nodes: elements(doc)}
	d.hasLanguage(l.Tag())
	d.hasOneHeading()
	d.hasUniqueIDs()
	d.hasNoInlineCode()
	d.labelsControls()
	d.scopesHeaders()
	d.resolvesAnchors()
	d.showsNoKeys()
	d.partsNoSentences()
	d.labelsStackedNumbers()
}

// A reporter is what a test says its findings to.
type reporter interface {
	Helper()
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

type document struct {
	t     reporter
	root  *html.Node
	nodes []*html.Node
}

// labelsStackedNumbers: where a narrow window puts the cells of a row one below the other, the head of the table is not
// seen, and a number says nothing without its own label.
func (d document) labelsStackedNumbers() {
	for _, n := range d.nodes {
		class, _ := attr(n, "class")
		rank := n.PrevSibling == nil // it stands before what it ranks
		if n.Data != "td" || !slices.Contains(strings.Fields(class), "num") || rank || !inStacked(n) {
			continue
		}
		if label, _ := attr(n, "data-l"); label == "" && text(n) != "" {
			d.t.Errorf("the number %q of a stacked table has no label", text(n))
		}
	}
}

func inStacked(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if class, _ := attr(n, "class"); n.Data == "table" {
			return slices.Contains(strings.Fields(class), "stacked")
		}
	}
	return false
}

// elements are all elements below a node, in document order.
func elements(n *html.Node) []*html.Node {
	var found []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			found = append(found, d)
		}
	}
	return found
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

func (d document) hasLanguage(want string) {
	for _, n := range d.nodes {
		if n.Data == "html" {
			if got, _ := attr(n, "lang"); got != want {
				d.t.Errorf("html lang is %q, want %q", got, want)
			}
		}
		if n.Data == "title" && text(n) == "" && n.Parent.Data == "head" {
			d.t.Error("title is empty")
		}
	}
}

func (d document) hasOneHeading() {
	headings := 0
	for _, n := range d.nodes {
		if n.Data == "h1" {
			headings++
		}
	}
	if headings != 1 {
		d.t.Errorf("%d h1 elements, want 1", headings)
	}
}

func (d document) ids() []string {
	var ids []string
	for _, n := range d.nodes {
		if id, ok := attr(n, "id"); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (d document) hasUniqueIDs() {
	ids := d.ids()
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			d.t.Errorf("id %q is there twice", ids[i])
		}
	}
}

func (d document) hasNoInlineCode() {
	for _, n := range d.nodes {
		data := slices.Contains(n.Attr, html.Attribute{Key: "type", Val: "application/ld+json"}) // no code
		if n.Data == "style" || n.Data == "script" && n.FirstChild != nil && !data {
			d.t.Errorf("inline <%s>: the content security policy refuses it", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				d.t.Errorf("<%s %s=%q>: the content security policy refuses it", n.Data, a.Key, a.Val)
			}
			if slices.Contains([]string{"src", "action"}, a.Key) && !strings.HasPrefix(a.Val, "/") {
				d.t.Errorf("<%s %s=%q> leads to another host or is not absolute", n.Data, a.Key, a.Val)
			}
		}
	}
}

func (d document) labelsControls() {
	labelled := map[string]bool{}
	for _, n := range d.nodes {
		if id, ok := attr(n, "for"); ok && text(n) != "" {
			labelled[id] = true
		}
	}
	for _, n := range d.nodes {
		switch n.Data {
		case "input", "select", "textarea":
			if kind, _ := attr(n, "type"); kind != "hidden" && !d.isLabelled(n, labelled) {
				d.t.Errorf("<%s %v> has no label", n.Data, n.Attr)
			}
		case "button", "a", "summary":
			name, _ := attr(n, "aria-label")
			if name == "" && text(n) == "" {
				d.t.Errorf("<%s %v> has no text", n.Data, n.Attr)
			}
		}
	}
}

func (d document) isLabelled(n *html.Node, labelled map[string]bool) bool {
	if id, _ := attr(n, "id"); labelled[id] {
		return true
	}
	if label, _ := attr(n, "aria-label"); label != "" {
		return true
	}
	for p := range n.Ancestors() {
		if p.Data == "label" && text(p) != "" {
			return true
		}
	}
	return false
}

func (d document) scopesHeaders() {
	for _, n := range d.nodes {
		if n.Data != "th" {
			continue
		}
		if scope, _ := attr(n, "scope"); !slices.Contains([]string{"col", "row", "rowgroup"}, scope) {
			d.t.Errorf("<th>%s has scope %q, want col, row or rowgroup", text(n), scope)
		}
		if text(n) == "" {
			d.t.Errorf("<th %v> is empty", n.Attr)
		}
	}
}

// resolvesAnchors checks that links within the page, labels and descriptions
// lead to something.
func (d document) resolvesAnchors() {
	ids := d.ids()
	for _, n := range d.nodes {
		for _, a := range n.Attr {
			var targets []string
			switch {
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				targets = []string{a.Val[1:]}
			case slices.Contains([]string{"aria-labelledby", "aria-describedby"}, a.Key):
				targets = strings.Fields(a.Val)
			case slices.Contains([]string{"for", "popovertarget"}, a.Key):
				targets = []string{a.Val}
			}
			for _, target := range targets {
				if !slices.Contains(ids, target) {
					d.t.Errorf("<%s %s=%q>: nothing has the id %q", n.Data, a.Key, a.Val, target)
				}
			}
		}
	}
}

// messageKey is what a text looks like when its message is missing.
var messageKey = regexp.MustCompile(`^[a-z]+(\.[a-z0-9]+)+$`)

func (d document) showsNoKeys() {
	for n := range d.root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "code" && messageKey.MatchString(strings.TrimSpace(n.Data)) {
			d.t.Errorf("a message is missing: %q", n.Data)
		}
		if n.Type == html.TextNode && strings.Contains(n.Data, "%!") {
			d.t.Errorf("a message is badly formatted: %q", n.Data)
		}
	}
}

// afterStop is a space between two Chinese sentences, where none belongs.
var afterStop = regexp.MustCompile(`.{0,12}[。；！？] +\p{Han}.{0,8}`)

func (d document) partsNoSentences() {
	for n := range d.root.Descendants() {
		if n.Type == html.TextNode && afterStop.MatchString(n.Data) {
			d.t.Errorf("a space stands between Chinese sentences: %q", afterStop.FindString(n.Data))
		}
	}
}
