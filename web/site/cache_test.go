package site

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
		c.put(fmt.Sprintf("/cards?memory_gb=%d", i), NewPage(Answer{Body: body}, "/cards"))
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
	c := newPageCache(1 << 20) // room for about eighty pages
	body := bytes.Repeat([]byte("x"), 10_000)
	const others = 5000
	missed := 0
	for i := range others {
		if i%200 < 100 && c.find("/cards") == nil {
			missed++
			c.put("/cards", NewPage(Answer{Body: body}, "/cards"))
		}
		c.put(fmt.Sprintf("/cards?q=%d", i), NewPage(Answer{Body: body}, "/cards"))
	}
	if missed > others/100 {
		t.Errorf("missed %d times", missed)
	}
}
