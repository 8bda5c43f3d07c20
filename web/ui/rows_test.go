package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

func TestAppendRowEscapesWhatItIsGiven(t *testing.T) {
	evil := `<b onclick="x">&'`
	row := appendRow(nil, Row{
		ID: evil, Name: evil, Sub: evil, Cells: []Cell{{Text: evil}, {Missing: evil}, {Text: evil, Note: evil}},
	})
	doc, err := html.Parse(strings.NewReader("<table>" + string(row) + "</table>"))
	if err != nil {
		t.Fatal(err)
	}
	var attributes, texts []string
	for n := range doc.Descendants() {
		if n.Data == "b" {
			t.Errorf("the name became an element: %s", row)
		}
		for _, key := range []string{"value", "aria-label", "title"} {
			attributes = append(attributes, attrs(n, key)...)
		}
		isText := n.Data == "td" && n.FirstChild != nil && n.FirstChild.Type == html.TextNode
		if n.Data == "a" || n.Data == "small" || isText {
			texts = append(texts, textOf(n))
		}
	}
	if diff := cmp.Diff([]string{evil, evil, evil}, attributes); diff != "" {
		t.Errorf("attributes -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{evil, evil, evil, "—", evil + " " + evil, evil}, texts); diff != "" {
		t.Errorf("texts -want +got:\n%s", diff)
	}
}

func TestAppendRowHoldsEverythingOfTheRow(t *testing.T) {
	got := string(
		appendRow(nil, Row{
			ID: "nvidia-t4", Name: "T4", Sub: "NVIDIA · PCIe", Selected: true,
			Cells: []Cell{{Text: "16"}, {Missing: "No source states it."}, {}},
		}),
	)
	want := `<tr><td><input type="checkbox" name="card" value="nvidia-t4" aria-label="T4" checked>` +
		`<th scope="row"><a href="cards/nvidia-t4">T4</a>` +
		`<small>NVIDIA · PCIe</small><td>16<td title="No source states it.">—<td>—` + "\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// attrs are the values of the attributes of that name, one at most.
func attrs(n *html.Node, name string) (values []string) {
	for _, a := range n.Attr {
		if a.Key == name {
			values = append(values, a.Val)
		}
	}
	return values
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}
