package web_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"tianti/web"
)

func citeOf(form, page string) string { return "/cite/" + form + "?page=" + url.QueryEscape(page) }

func TestPagesSayHowToCiteThem(t *testing.T) {
	s := sizedServerWith(t, func(c *web.Config) { c.Origin = "https://cards.example" })
	for _, page := range []string{"/cards/" + h100, "/compare?card=" + h100 + "&card=" + a800,
		"/ladders/memory_gb", "/cards"} {
		for _, lang := range []string{"", "/zh"} {
			body := bodyOf(t, get(t, s, lang+page))
			for _, form := range []string{"bibtex", "csl", "ris", "text"} {
				link := regexp.MustCompile(`href="(`+lang+`/cite/`+form+`\?page=[^"]*)"`).FindAllStringSubmatch(body,
					-1)
				if len(link) != 1 {
					t.Fatalf("%s%s: %d links to %s, want one", lang, page, len(link), form)
				}
				r := get(t, s, link[0][1])
				text := bodyOf(t, r)
				if r.StatusCode != 200 || r.Header.Get("Etag") == "" {
					t.Fatalf("%s: status %d, ETag %q: %s", link[0][1], r.StatusCode, r.Header.Get("Etag"), text)
				}
				if !strings.Contains(text, "https://cards.example"+lang+page) {
					t.Errorf("%s has no address of the page: %s", link[0][1], text)
				}
			}
		}
	}
}

func TestACitationNamesPageRevisionDayAndSources(t *testing.T) {
	s := newServer(t, 3, func(c *web.Config) { c.Origin = "https://cards.example" })
	for target, want := range map[string][]string{
		citeOf("bibtex", "/r/7/cards/acme-x1-40gb"): {"@misc{tianti-cards-acme-x1-40gb-r7,", "year = ",
			"url = {https://cards.example/r/7/cards/acme-x1-40gb}", "Source: "},
		"/zh" + citeOf("text", "/r/7/zh/cards"): {"https://cards.example/r/7/zh/cards 访问于"},
		citeOf("bibtex", "/cards/acme-x1-40gb"): {"@misc{tianti-cards-acme-x1-40gb-r", "{{The Tianti Authors}}",
			"url = {https://cards.example/cards/acme-x1-40gb}", "urldate = {2026-", "Revision ", "Source: "},
		citeOf("text", "/cards?as_of=2026-10-01"): {"2026-10-01", "cards?as_of=2026-10-01 accessed 2026-"},
		citeOf("ris", "/cards"): {"TY  - DATA\r\n", "UR  - https://cards.example/cards\r\n",
			"ER  - \r\n"},
		citeOf("text", "/zh/cards/acme-x1-40gb"): {"The Tianti Authors. “",
			"https://cards.example/cards/acme-x1-40gb accessed 2026-"},
		"/zh" + citeOf("text", "/cards/acme-x1-40gb"): {"天梯作者：《", "https://cards.example/zh/cards/acme-x1-40gb " +
			"访问于 2026-", "来源："},
		"/zh" + citeOf("text", "/zh/cards/acme-x1-40gb"): {"天梯作者：《", "https://cards.example/zh/cards/acme-x1-40gb"},
	} {
		body := bodyOf(t, get(t, s, target))
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("%s: no %q in\n%s", target, part, body)
			}
		}
	}
	var items []struct {
		ID, Type, Title, Version string
		Issued, Accessed         struct {
			Parts [][]int `json:"date-parts"`
		}
	}
	if err := json.Unmarshal([]byte(bodyOf(t, get(t, s, citeOf("csl", "/cards/acme-x1-40gb")))), &items); err != nil {
		t.Fatal(err)
	}
	if len(items) != 1 || items[0].Type != "webpage" || !strings.Contains(items[0].Title, "X1 40GB") ||
		strings.Contains(items[0].Title, "Tianti") || items[0].Version == "" || len(items[0].Accessed.Parts[0]) != 3 {
		t.Errorf("got %+v", items)
	}
}

func TestOnlyPagesAreCited(t *testing.T) {
	s := newServer(t, 3, nil)
	for target, want := range map[string]int{
		"/cite/nope?page=/cards": 404, "/cite/bibtex": 400, citeOf("text", "/admin"): 400,
		citeOf("text", "https://x.example/cards"): 400,
		citeOf("text", "//x.example/cards"):       400, citeOf("text", "/cards/../admin"): 400,
		citeOf("text", "/cards/nope"): 404,
		citeOf("text", "/cards.json"): 400, citeOf("text", "/cards/acme-x1-40gb.json"): 404,
		citeOf("text", "/cite/text?page=/cards"): 400,
		citeOf("text", "/ladders?zz=1"):          400,
		citeOf("text", "/r/7/admin"):             400, citeOf("text", "/r/7/r/7/cards"): 400,
		citeOf("text", "/r/99/cards"): 410,
		"/cite/text?page=/cards&x=1":  400, "/cite/text?page=/cards&page=/cards": 400,
		"/cite/text.json?page=/cards": 404, "/cite/text.md?page=/cards": 404, "/citation.cff?x=1": 400,
		"/zh/citation.cff": 404,
	} {
		if r := get(t, s, target); r.StatusCode != want {
			t.Errorf("%s: got %d, want %d: %.300s", target, r.StatusCode, want, bodyOf(t, r))
		}
	}
	// Without a name of its own the server states the page, and no address that would lead nowhere.
	body := bodyOf(t, get(t, s, citeOf("bibtex", "/cards/acme-x1-40gb")))
	if strings.Contains(body, "url = ") || !strings.Contains(body, "page /cards/acme-x1-40gb") {
		t.Errorf("got %s", body)
	}
}

// TestTheCitationFileIsValid holds it against what the Citation File Format 1.2.0 requires.
func TestTheCitationFileIsValid(t *testing.T) {
	s := builtinServer(t, func(c *web.Config) { c.Origin = "https://cards.example" })
	body := bodyOf(t, get(t, s, "/citation.cff"))
	var f map[string]any
	if err := yaml.Unmarshal([]byte(body), &f); err != nil {
		t.Fatal(err)
	}
	text := func(key string) string {
		v, ok := f[key].(string)
		if !ok || v == "" {
			t.Errorf("%s is %#v, want a text, in\n%s", key, f[key], body)
		}
		return v
	}
	for _, key := range []string{"message", "title", "abstract", "version"} {
		text(key)
	}
	if text("cff-version") != "1.2.0" || text("type") != "dataset" || text("url") != "https://cards.example/" {
		t.Errorf("got\n%s", body)
	}
	if day := text("date-released"); !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(day) {
		t.Errorf("date-released is %q", day)
	}
	authors, _ := f["authors"].([]any)
	if len(authors) != 1 || authors[0].(map[string]any)["name"] != "The Tianti Authors" {
		t.Errorf("authors are %v", authors)
	}
	if words, _ := f["keywords"].([]any); len(words) == 0 {
		t.Error("keywords: none, and the format wants one at least where there are any")
	}
	known := []string{"cff-version", "message", "type", "title", "abstract", "authors", "version", "date-released",
		"url", "keywords"}
	for key := range f {
		if !slices.Contains(known, key) {
			t.Errorf("%s is no key of the format", key)
		}
	}
}
