package format_test

import (
	"cmp"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tianti/format"
)

// A listed is a row of a list of instances.
type listed struct {
	provider, name, count, card, basis string
	candidates                         []string
}

// listing reads a list of instances as it is shared, with what a reader of the row has to come to.
func listing(t *testing.T, path string) []listed {
	t.Helper()
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, column := range rows[0] {
		at[column] = i
	}
	var out []listed
	for _, row := range rows[1:] {
		out = append(out, listed{row[at["provider"]], row[at["instance"]], row[at["cards"]], row[at["card_id"]],
			row[at["confidence"]], strings.FieldsFunc(row[at["candidates"]], func(r rune) bool { return r == '|' })})
	}
	return out
}

// wanted is the card that a listing means; "" where it means none, several, or a part of one.
func (l listed) wanted() string {
	boards := []string{"nvidia-tesla-k80", "nvidia-tesla-m60", "nvidia-a16"}
	if strings.Contains(l.count, ".") || slices.Contains(boards, l.card) {
		return ""
	}
	return l.card
}

// A score counts what names come to.
type score struct{ right, open, wrong int }

func (s *score) add(t *testing.T, l listed, want string, got format.Match) {
	switch {
	case got.Card == want:
		s.right++
	case got.Card == "":
		s.open++
		t.Logf("open: %s %s: %v %v, want %s", l.provider, l.name, got.Outcome, got.Candidates, want)
	default:
		s.wrong++
		t.Errorf("wrong: %s %s (%s): got %s by %s, want %q", l.provider, l.name, l.count, got.Card, got.Why,
			cmp.Or(want, "none"))
	}
}

func TestListedInstancesMeanTheirCards(t *testing.T) {
	dir := shared()
	if dir == "" {
		t.Skip("no shared files beside the project")
	}
	list := listing(t, filepath.Join(dir, "reference", "cloud-instances.csv"))
	m := format.NewMatcher(builtin(t), nil)
	var total score
	for _, l := range list {
		total.add(t, l, l.wanted(), m.Match(format.Subject{Name: l.name, Cloud: l.provider}))
	}
	t.Logf("%d names: %+v", len(list), total)
	if total.wrong > 0 || total.right*100 < 98*len(list) {
		t.Errorf("got %+v of %d, want 98 %% right and none wrong", total, len(list))
	}
}

// TestUnlistedInstancesAreMatchedRightOrNotAtAll leaves each name out of the list in turn: what is known of its family
// must not make it another card.
func TestUnlistedInstancesAreMatchedRightOrNotAtAll(t *testing.T) {
	dir := shared()
	if dir == "" {
		t.Skip("no shared files beside the project")
	}
	list := listing(t, filepath.Join(dir, "reference", "cloud-instances.csv"))
	m := format.NewMatcher(builtin(t), nil)
	var total score
	open := 0
	for _, l := range list {
		restore := m.Hide(l.provider, strings.ToLower(l.name))
		got := m.Match(format.Subject{Name: l.name, Cloud: l.provider})
		restore()
		switch {
		case got.Card == l.wanted():
			total.right++
		case got.Card == "":
			open++
		default:
			total.add(t, l, l.wanted(), got)
		}
	}
	t.Logf("%d names that are not listed: %d right, %d left open, %d wrong", len(list), total.right, open, total.wrong)
	if total.right*100 < 60*len(list) {
		t.Errorf("got %d of %d right, want 60 %%", total.right, len(list))
	}
}

// TestFamiliesAreOfTheirCloud has a size that OVH does not list, at OVH and at a shop that is no cloud of the list.
func TestFamiliesAreOfTheirCloud(t *testing.T) {
	m := format.NewMatcher(builtin(t), nil)
	s := format.Subject{Name: "H100", Offer: "h100-5000", Cloud: "ovh"}
	if got := m.Match(s); got.Card != "nvidia-h100-pcie-80gb" || got.Why != format.WhyFamily {
		t.Errorf("at OVH: got %+v", got)
	}
	if s.Cloud = ""; m.Match(s).Card != "" || m.Tells("", s.Offer) || !m.Tells("ovh", s.Offer) {
		t.Errorf("elsewhere: got %+v, want an ambiguous name", m.Match(s))
	}
}

// A subject bears the name of a cloud, which is that cloud again: sellers that are none are told apart by nothing.
func TestACloudIsItself(t *testing.T) {
	for _, provider := range format.Providers() {
		if got := format.CloudOf(provider); got != provider {
			t.Errorf("got %q for %q", got, provider)
		}
	}
}
