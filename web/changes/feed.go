package changes

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"tianti/catalog"
	"tianti/changes"
	"tianti/diff"
	"tianti/locale"
	"tianti/sorting"
	"tianti/web/api"
	"tianti/web/display"
	"tianti/web/site"
)

const (
	mostEntries = 100 // of a feed, the newest
	mostDiffs   = 10  // steps whose figures the feed of a card looks at
)

// An entry is a piece of news.
type entry struct {
	key         string // the same for ever, of this and of no other piece
	title, text string
	path        string // of the page
	at          time.Time
}

// subscription is what a feed is of: all, a card, a search, or prices up to a bound.
type subscription struct {
	card    int // row; -1: none
	query   catalog.Query
	all     bool // neither card nor search
	below   float64
	kinds   []catalog.PriceKind // of prices up to the bound
	pricing catalog.Pricing
	encoded string
}

// boughtKinds are what a bound is for where no kind is named: of one card that one can buy.
var boughtKinds = []catalog.PriceKind{catalog.StreetPrice, catalog.UsedPrice}

// subscribe reads the address of a feed.
func (h *Handler) subscribe(st *site.State, r *site.Request) (subscription, error) {
	s := subscription{card: -1, kinds: boughtKinds}
	rest := url.Values{}
	kept := url.Values{}
	var errs []catalog.ParamError
	for name, given := range r.Values {
		value := strings.TrimSpace(strings.Join(given, ","))
		switch name {
		case "card":
			row, ok := st.Snap.Find(value)
			if !ok {
				return s, api.UnknownCard(st.Snap, value)
			}
			s.card = row
		case "below":
			v, err := catalog.ReadNumber(value, "")
			if err != nil || v <= 0 {
				errs = append(errs, catalog.ParamError{Param: name, Value: catalog.Clip(value),
					Code:    catalog.OutOfRange,
					Allowed: "> 0"})
			}
			s.below = v
		case "kind":
			kind := catalog.PriceKind(value)
			if !slices.Contains(catalog.PriceKinds(), kind) || kind == catalog.LaunchPrice {
				var known []string
				for _, k := range catalog.PriceKinds() {
					if k != catalog.LaunchPrice {
						known = append(known, string(k))
					}
				}
				errs = append(errs, display.UnknownValue(name, value, known))
			}
			s.kinds = []catalog.PriceKind{kind}
		case "cursor", "fields", "sort", "limit", "page":
			errs = append(errs, catalog.ParamError{Param: name, Code: catalog.UnknownParam})
		default:
			rest[name] = given
			continue
		}
		kept.Set(name, value)
	}
	query, more := st.Snap.ParseQuery(rest)
	s.query, errs = query, append(errs, more...)
	s.pricing, _ = h.site.ResolvePricing(r.Loc, query.Pricing)
	if len(errs) > 0 {
		return s, api.BadParams(errs)
	}
	s.all = s.card < 0 && s.query.Text == "" && len(s.query.Filters) == 0
	s.encoded = joinWords("&", s.query.Encode(), kept.Encode())
	return s, nil
}

// feed answers /feed.xml and /feed.json.
func (h *Handler) feed(st *site.State, r *site.Request) (site.Plan, error) {
	s, err := h.subscribe(st, r)
	if err != nil {
		return site.Plan{}, err
	}
	return site.Plan{Key: r.URL.Path + "?" + s.encoded, Dated: true, Render: func() (site.Answer, error) {
		entries, err := h.entries(r.Context(), st, r.Loc, &s)
		if err != nil {
			return site.Answer{}, err
		}
		f := feedData{title: s.title(st.Snap, r.Loc), entries: entries, loc: r.Loc, origin: h.site.Origin,
			self: r.URL.Path, page: r.Loc.Path("/changes"), updated: dayTime(st.Snap.Newest(), h.site.Today())}
		if s.encoded != "" {
			f.self += "?" + s.encoded
		}
		if s.card >= 0 {
			f.page = r.Loc.Path("/cards/" + st.Snap.Card(s.card).ID)
		}
		if strings.HasSuffix(r.URL.Path, ".json") {
			return f.json()
		}
		return f.atom()
	}}, nil
}

func (s *subscription) title(snap *catalog.Snapshot, l *locale.Locale) string {
	name := l.T("site.name")
	switch {
	case s.card >= 0:
		name = display.CardName(l, snap.Card(s.card))
	case !s.all:
		name = l.T("feed.searchtitle", s.query.Encode())
	}
	if s.below > 0 {
		return l.T("feed.belowtitle", name, display.AboutMoney(l, catalog.MoneyOf(s.below, s.pricing.Currency)))
	}
	return l.T("feed.title", name)
}

// entries are the news, the newest first.
func (h *Handler) entries(ctx context.Context, st *site.State, l *locale.Locale, s *subscription) ([]entry, error) {
	today := h.site.Today()
	rows := []int{s.card}
	if s.card < 0 {
		every := s.query
		every.Limit, every.Page = 0, 0
		rows = st.Snap.Select(&every, st.Snap.Len()+1).Rows
	}
	var out []entry
	if s.below == 0 {
		out = announcedEntries(st.Snap, l, rows, today)
	}
	if s.below > 0 || !s.all {
		out = append(out, s.priceEntries(st.Snap, l, rows, today)...)
	}
	if s.below == 0 && h.log != nil && (s.all || s.card >= 0) {
		more, err := h.stepEntries(ctx, st.Snap, l, s)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	sorting.Func(out, func(a, b entry) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.key, b.key))
	})
	return out[:min(len(out), mostEntries)], nil
}

// dayTime is the last day that a date may mean, not after today.
func dayTime(d catalog.Date, today string) time.Time {
	n := d.LastOrdinal()
	day := time.Date(n/10000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC)
	if now, err := time.Parse(time.DateOnly, today); err == nil && day.After(now) {
		return now
	}
	return day
}

// firstDay is the first day that a date may mean: what is known to the month does not move.
func firstDay(d catalog.Date) time.Time {
	day, _ := time.Parse(time.DateOnly[:len(d)], string(d))
	return day
}

func announcedEntries(s *catalog.Snapshot, l *locale.Locale, rows []int, today string) []entry {
	launched := display.MustQuantity("launched")
	kept := newest[int]{most: mostEntries}
	for _, row := range rows {
		// Known to the year alone it is no news of a day.
		if day, ok := s.Text(launched, row); ok && len(day) >= len("2026-01") {
			kept.add(catalog.Date(day), row)
		}
	}
	var out []entry
	for i, row := range kept.items {
		c := s.Card(row)
		out = append(out, entry{key: "card/" + c.ID, title: l.T("feed.announced", display.CardName(l, c)),
			text: display.Facts(l, s, row, "memory_gb", "memory_bandwidth_gb_s", "bf16_matrix_dense_tflops", "tdp_w"),
			path: l.Path("/cards/" + c.ID), at: firstDay(kept.dates[i])})
	}
	return out
}

// priceEntries are the latest prices of offers: of each one, or of those that cost no more than the bound and are
// current.
func (s *subscription) priceEntries(snap *catalog.Snapshot, l *locale.Locale, rows []int, today string) []entry {
	type offered struct {
		*catalog.PriceInfo
		amount string
	}
	kept := newest[offered]{most: mostEntries}
	for _, row := range rows {
		latest := snap.Latest(row)
		for i := range latest {
			p := &latest[i]
			if p.Kind == catalog.LaunchPrice || p.Date == "" || !kept.takes(p.Date) ||
				s.below > 0 && !slices.Contains(s.kinds, p.Kind) {
				continue
			}
			amount := ""
			if s.below > 0 {
				q := snap.ComputeQuote(*p, s.pricing)
				if !q.Freshness.Current() || q.In.IsZero() || q.In.Amount() > s.below {
					continue
				}
				if q.By != nil {
					amount = display.AboutMoney(l, q.In)
				}
			}
			kept.add(p.Date, offered{p, cmp.Or(amount, amountOf(l, p))})
		}
	}
	var out []entry
	for _, p := range kept.items {
		kind, c := l.T("prices.kinds."+string(p.Kind)), snap.Card(p.Row)
		out = append(out, entry{
			key: strings.Join([]string{"price", p.Card, string(p.Kind), p.Seller, p.Instance, p.Region, string(p.Unit),
				strconv.Itoa(p.Cards), strconv.Itoa(p.Term), string(p.Tax), string(p.Date)}, "/"),
			title: l.T("feed.price", display.CardName(l, c), kind, p.amount),
			text:  joinWords(l.T("comma"), p.Seller, p.Region, kind, amountOf(l, p.PriceInfo), string(p.Date)),
			path:  l.Path("/prices/" + c.ID), at: dayTime(p.Date, today)})
	}
	return out
}

// stepEntries are other revisions that began to be shown; of a card, those in which its figures differ.
func (h *Handler) stepEntries(
	ctx context.Context, snap *catalog.Snapshot, l *locale.Locale, s *subscription,
) ([]entry, error) {
	steps, err := h.log.Steps(ctx)
	if err != nil {
		return nil, err
	}
	steps = steps[max(0, len(steps)-mostDiffs):]
	titles := titlesOf(snap, l)
	var out []entry
	waiting := h.waiting(ctx)
	for _, step := range steps {
		title := cmp.Or(titles[step.Dataset], step.Dataset)
		e := entry{title: l.T("feed.step", title, step.To), path: l.Path("/changes"), at: step.At,
			key: fmt.Sprintf("step/%s/%d/%d/%s", step.Dataset, step.From, step.To, step.At.Format(time.RFC3339))}
		switch {
		case step.From == 0:
			e.text = l.T("feed.stepfirst", title)
		case step.To == 0:
			e.title, e.text = title, l.T("feed.stepgone", title)
		default:
			report, err := waiting.Difference(ctx, step.From, step.To)
			if errors.Is(err, changes.ErrComparing) {
				err = comparing(step)
			}
			if err != nil {
				return nil, err
			}
			e.path += "?" + question{before: step.From, after: step.To, limit: usualMost}.encode(1)
			figures := report.Figures[diff.Added] + report.Figures[diff.Changed] + report.Figures[diff.Removed]
			e.text = l.T("feed.stepnote", l.Count(len(report.Cards)), l.Count(figures), step.From)
			if s.card >= 0 {
				e.text = cardText(l, &report.Report, snap.Card(s.card).ID)
				e.title = l.T("feed.figure", display.CardName(l, snap.Card(s.card)))
			}
		}
		if s.card < 0 || e.text != "" && step.From != 0 && step.To != 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

// cardText is what differs of a card; empty for nothing.
func cardText(l *locale.Locale, report *diff.Report, id string) string {
	at := slices.IndexFunc(report.Cards, func(c diff.Card) bool { return c.ID == id })
	if at < 0 {
		return ""
	}
	var parts []string
	for i := range report.Cards[at].Figures {
		f := &report.Cards[at].Figures[i]
		q := display.MustQuantity(f.Quantity)
		before, after := cmp.Or(valueOf(l, q, f.Old), "—"), cmp.Or(valueOf(l, q, f.New), "—")
		parts = append(parts, display.Pick(l, q.Label)+l.T("colon")+before+" → "+after+" ("+f.Source+")")
	}
	return strings.Join(parts, "\n")
}

// feedData is a feed in a language.
type feedData struct {
	title      string
	entries    []entry
	loc        *locale.Locale
	origin     string // empty: addresses are relative
	self, page string
	updated    time.Time
}

// id is the same for the same key for ever, whatever the server is called.
func id(l *locale.Locale, key string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("tianti:"+l.Tag()+":"+key)).URN()
}

// newest is when the feed last changed.
func (f *feedData) newest() time.Time {
	if len(f.entries) > 0 {
		return f.entries[0].at
	}
	return f.updated
}

// The elements of Atom, RFC 4287.
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		Lang    string      `xml:"xml:lang,attr"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  string      `xml:"author>name"`
		Links   []atomLink  `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr,omitempty"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Link    atomLink `xml:"link"`
		Summary string   `xml:"summary"`
	}
)

func (f *feedData) atom() (site.Answer, error) {
	doc := atomFeed{Lang: f.loc.Tag(), ID: id(f.loc, f.self), Title: f.title, Updated: f.newest().Format(time.RFC3339),
		Author: f.loc.T("site.name"), Links: []atomLink{{"self", "application/atom+xml", f.origin + f.self},
			{"alternate", "text/html", f.origin + f.page}}}
	for _, e := range f.entries {
		doc.Entries = append(doc.Entries, atomEntry{ID: id(f.loc, e.key), Title: e.title,
			Updated: e.at.Format(time.RFC3339), Link: atomLink{"alternate", "text/html", f.origin + e.path},
			Summary: cmp.Or(e.text, e.title)})
	}
	body, err := xml.MarshalIndent(doc, "", " ")
	body = append([]byte(xml.Header), append(body, '\n')...)
	return site.Answer{ContentType: "application/atom+xml; charset=utf-8", Body: body}, err
}

// The objects of JSON Feed 1.1.
type (
	jsonFeed struct {
		Version  string       `json:"version"`
		Title    string       `json:"title"`
		Home     string       `json:"home_page_url"`
		Feed     string       `json:"feed_url"`
		Language string       `json:"language"`
		Authors  []jsonAuthor `json:"authors"`
		Items    []jsonItem   `json:"items"`
	}
	jsonAuthor struct {
		Name string `json:"name"`
	}
	jsonItem struct {
		ID       string `json:"id"`
		URL      string `json:"url"`
		Title    string `json:"title"`
		Text     string `json:"content_text"`
		Modified string `json:"date_modified"`
	}
)

func (f *feedData) json() (site.Answer, error) {
	doc := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: f.title, Home: f.origin + f.page,
		Feed: f.origin + f.self, Language: f.loc.Tag(), Items: []jsonItem{},
		Authors: []jsonAuthor{{f.loc.T("site.name")}}}
	for _, e := range f.entries {
		doc.Items = append(doc.Items, jsonItem{ID: id(f.loc, e.key), URL: f.origin + e.path, Title: e.title,
			Text: cmp.Or(e.text, e.title), Modified: e.at.Format(time.RFC3339)})
	}
	body, err := json.MarshalIndent(doc, "", " ")
	return site.Answer{ContentType: "application/feed+json; charset=utf-8", Body: append(body, '\n')}, err
}
