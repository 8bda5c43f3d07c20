package uitest

import (
	"fmt"
	"strings"
	"testing"

	"tianti/locale"
)

type findings struct {
	*testing.T
	found []string
}

func (f *findings) Error(args ...any) { f.found = append(f.found, fmt.Sprint(args...)) }

func (f *findings) Errorf(format string, args ...any) {
	f.found = append(f.found, fmt.Sprintf(format, args...))
}

func TestWhatIsNotSoundIsFound(t *testing.T) {
	for main, want := range map[string]string{
		`<h1>A</h1><p id="a"><a href="#a">b</a>`:        "",
		`<p>no heading`:                                 "0 h1 elements",
		`<h1>A</h1><h1>B</h1>`:                          "2 h1 elements",
		`<h1>A</h1><p id="a"><p id="a">`:                `id "a" is there twice`,
		`<h1>A</h1><p style="x">`:                       "content security policy",
		`<h1>A</h1><p onclick="x">`:                     "content security policy",
		`<h1>A</h1><script>x</script>`:                  "content security policy",
		`<h1>A</h1><img src="https://x.example">`:       "another host",
		`<h1>A</h1><input name="a">`:                    "has no label",
		`<h1>A</h1><label><input name="a">A</label>`:    "",
		`<h1>A</h1><button></button>`:                   "has no text",
		`<h1>A</h1><table><tr><th>A</table>`:            "scope",
		`<h1>A</h1><table><tr><th scope="col"></table>`: "is empty",
		`<h1>A</h1><a href="#b">b</a>`:                  `nothing has the id "b"`,
		`<h1>A</h1><p aria-describedby="b">`:            `nothing has the id "b"`,
		`<h1>A</h1><p>cards.title</p>`:                  "a message is missing",
		`<h1>A</h1><p>cards.title of</p>`:               "",
		`<h1>A</h1><p>%!d(string=x) cards</p>`:          "badly formatted",
		`<h1>A</h1><p><code>cards.title</code></p>`:     "",
		`<h1>A</h1><p>装得下。 可用</p>`:                      "a space stands",
		`<h1>A</h1><p>装得下。可用</p>`:                       "",
	} {
		f := &findings{T: t}
		isSound(f, locale.Of("en"), []byte(`<html lang="en"><head><title>A</title></head><body>`+main))
		if got := strings.Join(f.found, "; "); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", main, got, want)
		}
	}
}

func TestThePageIsInItsLanguage(t *testing.T) {
	f := &findings{T: t}
	isSound(f, locale.Of("zh"), []byte(`<html lang="en"><head><title></title></head><body><h1>A</h1>`))
	if len(f.found) != 2 {
		t.Errorf("got %q, want the language and the title", f.found)
	}
}
