package mcp

import (
	"fmt"
	"net/http"
	"strings"

	"tianti/catalog"
	"tianti/web/display"
	"tianti/web/site"
)

// A guide is a page that tells programs much, with what it is for.
type guide struct {
	path string
	says string
	full bool // /llms-full.txt has its text
	form bool // it says nothing without parameters, and has no Markdown then
}

var guides = []guide{
	{"/methodology", "how figures, prices and estimates are made", true, false},
	{"/glossary", "the terms, in English and Chinese", true, false},
	{"/cards", "all cards; any metric is a filter", false, false},
	{"/compare", "cards side by side: ?card=ID&card=ID", false, true},
	{"/recommend", "cards for a job: ?model=llama-3.1-8b&task=inference", false, true},
	{"/ladders", "cards ranked by a metric or by measured runs", false, false},
	{"/prices", "prices to buy and to rent, with their days", false, false},
	{"/export-control", "what export rules say of each card, by destination and day", true, false},
	{"/ecosystem", "which software runs on what", false, false},
	{"/sources", "the documents behind the figures", false, false},
	{"/accuracy", "how far estimates are from measured runs", false, false},
}

// llms answers /llms.txt: where programs that read for people find what.
func (h *Handler) llms(st *site.State, r *site.Request) (site.Plan, error) {
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.URL.Path, Render: func() (site.Answer, error) {
		return plainText(h.guideText(st.Snap)), nil
	}}, nil
}

func plainText(text string) site.Answer {
	return site.Answer{ContentType: "text/plain; charset=utf-8", Body: []byte(text)}
}

func (h *Handler) guideText(s *catalog.Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Tianti\n\n"+
		"> Comparison of %d AI accelerators: figures with their sources, prices with their days, export control "+
		"rules, and estimates of memory, speed and cost of a job.\n\n", s.Len())
	b.WriteString(instructions + "\n\n## Ask\n\n")
	at := h.site.Origin
	fmt.Fprintf(&b, "- [MCP](%s/mcp): POST, streamable HTTP, no session; tools", at)
	for i, t := range tools {
		b.WriteString(map[bool]string{true: " ", false: ", "}[i == 0] + t.name)
	}
	fmt.Fprintf(&b, "\n- [OpenAPI](%s/api/openapi.json): the JSON API, the same answers\n\n## Read\n\n", at)
	b.WriteString("Every page is Markdown under its address with .md; Chinese pages are below /zh.\n\n")
	for _, g := range guides {
		if h.site.NewEstimator == nil && (g.path == "/recommend" || g.path == "/accuracy") {
			continue
		}
		suffix := ".md"
		if g.form {
			suffix = ""
		}
		fmt.Fprintf(&b, "- [%s](%s%s%s): %s\n", strings.TrimPrefix(g.path, "/"), at, g.path, suffix, g.says)
	}
	return b.String()
}

// llmsFull answers /llms-full.txt: that, what the guides say, the metrics, and the names of all cards.
func (h *Handler) llmsFull(st *site.State, r *site.Request) (site.Plan, error) {
	if err := r.Only(); err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.URL.Path, Dated: true, Render: func() (site.Answer, error) {
		var b strings.Builder
		b.WriteString(h.guideText(st.Snap))
		b.WriteString("\n## Metrics\n\n")
		for _, q := range catalog.Quantities() {
			unit := ""
			if q.Unit != "" {
				unit = " (" + display.Unit(r.Loc, q) + ")"
			}
			fmt.Fprintf(&b, "- %s: %s%s. %s\n", q.ID, q.Label.En, unit, q.Definition.En)
		}
		b.WriteString("\n## Cards\n\n")
		for row := range min(st.Snap.Len(), mostCards) {
			c := st.Snap.Card(row)
			fmt.Fprintf(&b, "- %s: %s %s\n", c.ID, c.Vendor, c.Name)
		}
		for _, g := range guides {
			if !g.full {
				continue
			}
			asked, err := h.site.Ask(r.Context(), nil, g.path+".md")
			if err != nil {
				return site.Answer{}, err
			}
			if asked.Status == http.StatusOK {
				fmt.Fprintf(&b, "\n---\n\n%s", asked.Body)
			}
		}
		return plainText(b.String()), nil
	}}, nil
}

// mostCards is how many cards /llms-full.txt names.
const mostCards = 5000
