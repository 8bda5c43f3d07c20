package web

import (
	"bytes"
	"fmt"
	"testing"
)

func TestThePageCacheKeepsToItsBound(t *testing.T) {
	const bound = 1 << 20
	c := newPageCache(bound)
	body := bytes.Repeat([]byte("x"), 10_000)
	for i := range 1000 {
		c.put(fmt.Sprintf("/cards?memory_gb=%d", i), newPage(answer{body: body}, "/cards"))
	}
	c.pages.CleanUp()
	if n := c.pages.WeightedSize(); n > bound {
		t.Errorf("holds %d bytes, bound %d", n, bound)
	}
	if n := c.pages.EstimatedSize(); n == 0 {
		t.Error("holds nothing at all")
	}
}

func TestAPageAskedForOftenOutlastsPagesAskedForOnce(t *testing.T) {
	c := newPageCache(1 << 20)
	body := bytes.Repeat([]byte("x"), 10_000)
	c.put("/cards", newPage(answer{body: body}, "/cards"))
	for i := range 5000 {
		if c.find("/cards") == nil {
			t.Fatalf("gone after %d others", i)
		}
		c.put(fmt.Sprintf("/cards?q=%d", i), newPage(answer{body: body}, "/cards"))
	}
}
