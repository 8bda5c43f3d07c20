package refresh_test

import (
	"strings"
	"testing"

	"tianti/refresh"
)

func TestAFileOfFeedsSaysWhatIsWrong(t *testing.T) {
	feed := func(rest string) string { return "hosts: [example.com]\nfeeds:\n- {id: a, " + rest + "}\n" }
	for text, want := range map[string]string{
		"":                                                   "feeds: there are 0",
		"feeds: []":                                          "feeds: there are 0",
		"hosts: [a b]\nfeeds: [{}]":                          `hosts: "a b"`,
		"hosts: [a/b]\nfeeds: [{}]":                          `hosts: "a/b"`,
		"networks: [10]\nfeeds: [{}]":                        `networks: "10"`,
		"max_change: -1\nfeeds: [{}]":                        "max_change: -1",
		"max_change: .nan\nfeeds: [{}]":                      "max_change: NaN",
		"colour: red\nfeeds: [{}]":                           "colour",
		"a: &x 1\nfeeds: *x":                                 "anchors",
		"feeds: [[[[[[1]]]]]]":                               "nested",
		"feeds: {{":                                          "cannot be read",
		"feeds: [{id: A}]":                                   "feed 1 (A): id:",
		feed("kind: spot"):                                   "either url or file",
		feed("url: 'https://example.com', file: /x"):         "either url or file",
		feed("url: 'http://example.com/x'"):                  "want https",
		feed("url: 'https://a:b@example.com/x'"):             "without a name",
		feed("url: 'https://example.org/x'"):                 "not among hosts",
		feed("url: 'https://example.com:8443/x'"):            "not among hosts",
		feed("file: /x, max_mb: 4096"):                       "max_mb: 4096",
		feed("file: /x, timeout: 1h"):                        "timeout: \"1h\"",
		feed("file: /x, timeout: soon"):                      "timeout: \"soon\"",
		feed("file: /x, max_change: 2000"):                   "max_change: 2000",
		feed("file: /x, format: nonsense"):                   "format: \"nonsense\"",
		feed("file: /x, dataset: builtin"):                   "dataset:",
		feed("file: /x, kind: cheap"):                        "reading.kind",
		feed("file: /x") + "- {id: a, file: /y}":             "another feed has the id a",
		feed("file: /x") + "- {id: b, file: /y, dataset: a}": "another feed has the dataset a",
		strings.Repeat("#", refresh.MaxConfig+1):             "bytes; want at most",
	} {
		if _, err := refresh.Parse([]byte(text), "/srv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: got %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{feed("url: 'https://EXAMPLE.com:443/{yyyy}/{mm}/{dd}.csv'"),
		feed("file: '/srv/{yyyy}.csv'"),
		"hosts: ['example.com:8443']\nnetworks: [10.0.0.0/8, 'fd00::/8']\napply: true\nmax_change: 50\nfeeds:\n" +
			"- {id: a, url: 'https://example.com:8443/x', apply: false, max_mb: 5, timeout: 90s, names: {X: " +
			"nvidia-x, Y: ''}}"} {
		if _, err := refresh.Parse([]byte(text), "/srv"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("hosts: [example.com]\nfeeds:\n- {id: a, url: 'https://example.com/x.csv', kind: street}\n")
	f.Add("feeds:\n- id: b\n  file: /srv/{yyyy}-{mm}.csv\n  columns: {GPU: card}\n  names: {X: ''}\n")
	f.Add("max_change: 1e400\nfeeds: [{id: c, file: /x, rank: 99999999999}]")
	f.Fuzz(func(t *testing.T, text string) {
		feeds, err := refresh.Parse([]byte(text), "/srv")
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		for i := range feeds.Feeds {
			f := &feeds.Feeds[i]
			if *f.Change < 0 || f.MB < 1 || f.Dataset == "" || f.Dataset == "builtin" ||
				(f.URL == "") == (f.File == "") {
				t.Errorf("passes: %+v", f)
			}
			if f.URL != "" && (!strings.HasPrefix(strings.ToLower(f.URL), "https://") || len(feeds.Hosts) == 0) {
				t.Errorf("%q passes with hosts %q", f.URL, feeds.Hosts)
			}
		}
	})
}
