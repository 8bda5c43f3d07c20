package refresh

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"tianti/catalog"
	"tianti/format"
	"tianti/importer"
)

// Limits of a file of feeds, and of a feed that does not say other ones.
const (
	MaxConfig = 256 << 10 // bytes
	maxTokens = 20_000    // of YAML; a token takes some hundred bytes
	maxFeeds  = 100

	defaultMB      = 64
	maxMB          = 1024
	defaultTimeout = time.Minute
	maxTimeout     = 10 * time.Minute
	defaultChange  = 30 // percent
	maxChange      = 1000
)

// Feeds is a file of feeds, as docs/import.md describes it.
type Feeds struct {
	Hosts    []string `yaml:"hosts"`    // that may be asked; "example.com" or "example.com:8443"
	Networks []string `yaml:"networks"` // private ones that their addresses may be in
	Apply    bool     `yaml:"apply"`    // of feeds that do not say
	Change   *float64 `yaml:"max_change"`
	Feeds    []Feed   `yaml:"feeds"`

	networks []netip.Prefix
}

// A Feed is a file that is read again and again.
type Feed struct {
	ID      string   `yaml:"id"`
	URL     string   `yaml:"url"`  // https; {yyyy}, {mm} and {dd} are those of the day in UTC
	File    string   `yaml:"file"` // a path, with the same
	MB      int      `yaml:"max_mb"`
	Timeout string   `yaml:"timeout"`    // a duration of Go, such as 90s
	Apply   *bool    `yaml:"apply"`      // prices within MaxChange are applied
	Change  *float64 `yaml:"max_change"` // percent

	Dataset string            `yaml:"dataset"` // the feed's id unless given
	Format  string            `yaml:"format"`
	Mode    string            `yaml:"mode"` // replace unless given: the file is all there is
	Rank    *int              `yaml:"rank"`
	Unknown string            `yaml:"unknown"`
	Names   map[string]string `yaml:"names"`
	Without []string          `yaml:"without"`
	Columns map[string]string `yaml:"columns"`

	Currency string `yaml:"currency"`
	Kind     string `yaml:"kind"`
	Seller   string `yaml:"seller"`
	DayOrder string `yaml:"day_order"`
	Decimal  string `yaml:"decimal"`
	Part     string `yaml:"part"`

	SourceURL   string `yaml:"source_url"`
	SourceTitle string `yaml:"source_title"`

	timeout time.Duration
}

// Parse reads a file of feeds; paths in it are relative to folder. The error names the field that is wrong and what is
// allowed.
func Parse(text []byte, folder string) (f *Feeds, err error) {
	if len(text) > MaxConfig {
		return nil, fmt.Errorf("the file has %d bytes; want at most %d", len(text), MaxConfig)
	}
	defer func() { // the parser is other people's code
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("the YAML cannot be read: %v", r)
		}
	}()
	if err := plainYAML(string(text)); err != nil {
		return nil, err
	}
	f = &Feeds{}
	dec := yaml.NewDecoder(bytes.NewReader(text), yaml.DisallowUnknownField())
	if err := dec.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the YAML cannot be read: %s", oneLine(yaml.FormatError(err, false, false)))
	}
	for i := range f.Feeds {
		if file := &f.Feeds[i].File; *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(folder, *file)
		}
	}
	if err := f.validate(); err != nil {
		return nil, err
	}
	return f, nil
}

// plainYAML refuses what grows when it is read, or nests without end.
func plainYAML(text string) error {
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens {
		return fmt.Errorf("the file has more than %d words and signs", maxTokens)
	}
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.DirectiveType:
			return fmt.Errorf("line %d: anchors, aliases, merge keys, tags and directives are refused",
				t.Position.Line)
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		}
		if depth > 4 {
			return fmt.Errorf("line %d: brackets are nested more than 4 deep", t.Position.Line)
		}
	}
	return nil
}

func (f *Feeds) validate() error {
	if len(f.Feeds) == 0 || len(f.Feeds) > maxFeeds {
		return fmt.Errorf("feeds: there are %d; want 1 to %d", len(f.Feeds), maxFeeds)
	}
	for i, h := range f.Hosts {
		f.Hosts[i] = strings.ToLower(h)
		if u, err := url.Parse("https://" + f.Hosts[i]); err != nil || u.Host != f.Hosts[i] || u.Hostname() == "" {
			return fmt.Errorf("hosts: %q is no host; want one such as example.com", catalog.Clip(h))
		}
	}
	for _, n := range f.Networks {
		p, err := netip.ParsePrefix(n)
		if err != nil {
			return fmt.Errorf("networks: %q is no network; want one such as 10.0.0.0/8", catalog.Clip(n))
		}
		f.networks = append(f.networks, p.Masked())
	}
	if err := validChange(f.Change); err != nil {
		return err
	}
	seen := map[string]string{} // of ids and datasets
	for i := range f.Feeds {
		feed := &f.Feeds[i]
		if err := f.complete(feed); err != nil {
			return fmt.Errorf("feed %d (%s): %w", i+1, catalog.Clip(feed.ID), err)
		}
		for _, key := range []string{"id " + feed.ID, "dataset " + feed.Dataset} {
			if seen[key] != "" {
				return fmt.Errorf("feed %d (%s): another feed has the %s; each feed has its own", i+1, feed.ID, key)
			}
			seen[key] = feed.ID
		}
	}
	return nil
}

func validChange(percent *float64) error {
	if percent != nil && !(*percent >= 0 && *percent <= maxChange) {
		return fmt.Errorf("max_change: %v; want percent, 0 to %d", *percent, maxChange)
	}
	return nil
}

// complete checks a feed and fills in what it leaves open.
func (f *Feeds) complete(feed *Feed) error {
	if len(feed.ID) > 60 || !catalog.IDPattern.MatchString(feed.ID) {
		return errors.New("id: want lower-case letters, digits and single hyphens, at most 60")
	}
	if feed.Dataset == "" {
		feed.Dataset = feed.ID
	}
	if feed.Apply == nil {
		feed.Apply = &f.Apply
	}
	if feed.Change == nil {
		feed.Change = f.Change
	}
	if feed.Change == nil {
		feed.Change = new(float64(defaultChange))
	}
	if err := errors.Join(validChange(feed.Change), f.validAddress(feed), feed.validLimits()); err != nil {
		return err
	}
	o := feed.reading()
	return o.Validate()
}

func (f *Feeds) validAddress(feed *Feed) error {
	switch address := feed.address(time.Now()); {
	case (feed.URL == "") == (feed.File == ""):
		return errors.New("want either url or file")
	case feed.File != "":
		return nil // whether it is there is seen when it is read
	default:
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
			return fmt.Errorf("url: %q is no address; want https://… without a name, password or fragment",
				catalog.Clip(feed.URL))
		}
		if !f.allows(u) {
			return fmt.Errorf("url: the host %s is not among hosts; add it there", catalog.Clip(u.Host))
		}
		return nil
	}
}

// allows reports whether a host may be asked.
func (f *Feeds) allows(u *url.URL) bool {
	host := strings.ToLower(u.Host)
	if u.Port() == "443" {
		host = strings.TrimSuffix(host, ":443")
	}
	return slices.Contains(f.Hosts, host)
}

func (f *Feed) validLimits() (err error) {
	if f.MB == 0 {
		f.MB = defaultMB
	}
	if f.MB < 1 || f.MB > maxMB {
		return fmt.Errorf("max_mb: %d; want 1 to %d", f.MB, maxMB)
	}
	f.timeout = defaultTimeout
	if f.Timeout != "" {
		f.timeout, err = time.ParseDuration(f.Timeout)
	}
	if err != nil || f.timeout < time.Second || f.timeout > maxTimeout {
		return fmt.Errorf("timeout: %q; want 1s to %s", catalog.Clip(f.Timeout), maxTimeout)
	}
	return nil
}

// address is the URL or path of a day.
func (f *Feed) address(day time.Time) string {
	day = day.UTC()
	return strings.NewReplacer("{yyyy}", day.Format("2006"), "{mm}", day.Format("01"), "{dd}", day.Format("02")).
		Replace(f.URL + f.File)
}

// reading are the options of the importer, without the day.
func (f *Feed) reading() importer.Options {
	o := importer.Options{
		Format: f.Format, Dataset: f.Dataset, Rank: f.Rank, Mode: importer.Mode(f.Mode),
		Unknown: importer.Policy(f.Unknown), Names: f.Names,
		Reading: format.Options{
			Currency: strings.ToUpper(f.Currency), Kind: catalog.PriceKind(f.Kind), Seller: f.Seller,
			Columns: f.Columns, DayOrder: f.DayOrder, Decimal: f.Decimal, Part: f.Part,
		},
	}
	if o.Mode == "" {
		o.Mode = importer.Replace
	}
	for _, g := range f.Without {
		o.Without = append(o.Without, importer.Group(g))
	}
	if f.SourceURL != "" || f.SourceTitle != "" {
		title := f.SourceTitle
		if title == "" {
			title = f.SourceURL
		}
		o.Reading.Source = &catalog.Source{URL: f.SourceURL, Title: title, Publisher: title, Kind: catalog.Community}
	}
	return o
}

// options are those for a file that was fetched: its prices are of the day on which it was changed last, as far as it
// does not say.
func (f *Feed) options(got *fetched, now time.Time) importer.Options {
	o := f.reading()
	day := now
	if !got.changed.IsZero() && got.changed.Before(now) {
		day = got.changed
	}
	o.Reading.Date = catalog.Date(day.UTC().Format(time.DateOnly))
	return o
}

// nameOf is a name for the file of an address, with its folders: some formats read a provider out of them.
func nameOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Scheme == "https" {
		return path.Join(u.Host, u.Path)
	}
	return address
}

// oneLine joins lines, and cuts what is long.
func oneLine(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
