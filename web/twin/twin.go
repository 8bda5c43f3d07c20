// Package twin gives every page a form for programs that read text: its main part as Markdown, at its address with .md.
// Pages that have a Markdown of their own, such as tables of cards, keep it.
package twin

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tianti/web/api"
	"tianti/web/site"
)

// A Handler answers addresses with .md from the page without it.
type Handler struct{ site *site.Site }

// New returns a handler of a site.
func New(s *site.Site) *Handler { return &Handler{s} }

// largest is the largest page that has a twin, in bytes: the largest of all are a third of it.
const largest = 6 << 20

// Answer is the twin of the page of a request, or not found.
func (h *Handler) Answer(st *site.State, r *site.Request) (site.Plan, error) {
	page := strings.TrimSuffix(r.URL.Path, ".md")
	if r.Format != site.Markdown || r.Method != http.MethodGet && r.Method != http.MethodHead ||
		// or one address would ask for a thousand others
		strings.HasSuffix(page, "/") || strings.HasSuffix(page, ".md") {
		return h.site.NotFound(st, r)
	}
	switch page {
	case "/index":
		page = "/"
	case "/zh/index":
		page = "/zh/"
	}
	target := page
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	asked, err := h.site.Ask(r.Context(), r.Request, target)
	switch {
	case err != nil:
		return site.Plan{}, err
	case asked.Status == http.StatusTooManyRequests:
		return site.Plan{}, api.NewProblem(asked.Status, "Too many requests for pages that were not rendered before.")
	case asked.Status == http.StatusBadRequest:
		return site.Plan{}, api.NewProblem(asked.Status, "The page at %s says what is wrong with its address.", target)
	case asked.Status != http.StatusOK || !strings.HasPrefix(asked.Header.Get("Content-Type"), "text/html"):
		return h.site.NotFound(st, r)
	case len(asked.Body) > largest:
		return site.Plan{}, api.NewProblem(http.StatusNotFound, "The page is too large for Markdown.")
	}
	// The key is the page's own ETag as well: it may be of today.
	key := r.URL.Path + "?" + r.URL.RawQuery + "\x00" + asked.Header.Get("Etag")
	return site.Plan{Key: key, Dated: true, Render: func() (site.Answer, error) {
		text, err := Markdown(asked.Body, h.site.Origin)
		if err != nil {
			return site.Answer{}, err
		}
		return site.MarkdownAnswer(text), nil
	}}, nil
}

// Markdown is the main part of a page as Markdown; links lead to origin, which may be empty.
func Markdown(page []byte, origin string) (string, error) {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return "", err
	}
	main := find(doc, atom.Main)
	if main == nil {
		return "", errors.New("the page has no main part")
	}
	prune(main)
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithSkipEmptyRows(true), table.WithHeaderPromotion(true))))
	text, err := c.ConvertNode(main, converter.WithDomain(origin))
	return strings.TrimSpace(string(text)) + "\n", err
}

func find(n *html.Node, a atom.Atom) *html.Node {
	if n.DataAtom == a {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if m := find(c, a); m != nil {
			return m
		}
	}
	return nil
}

// prune takes out what only a screen has: forms, drawings, buttons.
func prune(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.DataAtom {
		case atom.Form, atom.Svg, atom.Button, atom.Script, atom.Dialog, atom.Input, atom.Select, atom.Img:
			n.RemoveChild(c)
		default:
			prune(c)
		}
		c = next
	}
}
