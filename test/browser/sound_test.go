package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"tianti/test/slow"
)

// moving counts what is animated, or would be by a change, on a page.
const moving = `document.getAnimations().length + [...document.querySelectorAll("*")].filter(e => {
	const s = getComputedStyle(e);
	return [...s.animationDuration.split(","), ...s.transitionDuration.split(",")].some(d => parseFloat(d) > 0.01);
}).length + (getComputedStyle(document.documentElement).scrollBehavior === "smooth" ? 1 : 0)`

// TestFullPagesLookSoundAtEachSize looks at every kind of page in both languages, on a desk and on a phone, in both
// schemes: nothing sticks out, nothing moves for who wants no motion, the heading is on the first screen, controls are
// large enough to be touched, and none lies on another. With TIANTI_SHOTS it keeps pictures.
func TestFullPagesLookSoundAtEachSize(t *testing.T) {
	slow.Only(t)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			p := newTabAt(t, k.site())
			for _, l := range languages {
				p.visit(l.path(k.path))
				for _, width := range []int64{1440, 390} {
					call(p, emulation.SetDeviceMetricsOverride,
						emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 844, DeviceScaleFactor: 1})
					for _, scheme := range []string{"light", "dark"} {
						p.scheme(scheme)
						p.shot(fmt.Sprintf("%s-%s-%d", strings.NewReplacer(" ", "-", ",", "").Replace(k.name),
							scheme, width), l)
						where := fmt.Sprintf("%s, %d px, %s", p.address(), width, scheme)
						if out := js[[]string](p, sideways); len(out) > 0 {
							t.Errorf("%s: %q", where, out)
						}
						if n := js[int](p, moving); n > 0 {
							t.Errorf("%s: %d elements move", where, n)
						}
						if bottom := js[float64](p,
							`document.querySelector("h1").getBoundingClientRect().bottom + scrollY`); bottom > 844 {
							t.Errorf("%s: the heading ends at %v px", where, bottom)
						}
						if small := js[[]string](p, tiny); len(small) > 0 {
							t.Errorf("%s: too small to touch: %q", where, small)
						}
						if over := js[[]string](p, overlapping); len(over) > 0 {
							t.Errorf("%s: lie on each other: %q", where, over)
						}
						if n := js[int](p, `document.querySelectorAll("*").length`); n > 2500 {
							t.Errorf("%s has %d nodes", where, n)
						}
					}
				}
			}
		})
	}
}

// tiny are controls of less than 24 × 24 px that do not stand in a line of text.
const tiny = `[...document.querySelectorAll("button, select, input:not([type=hidden], [type=checkbox]), summary, .btn")].filter(e => {
	const r = e.getBoundingClientRect();
	return e.checkVisibility({ visibilityProperty: true }) && r.width && (r.width < 23.5 || r.height < 23.5) &&
		!e.closest("label") && !e.closest("svg, .vh");
}).map(e => e.outerHTML.slice(0, 100)).slice(0, 4)`

// overlapping are pairs of controls of which one lies on another.
const overlapping = `(() => {
	const all = [...document.querySelectorAll("main :is(button, select, input:not([type=hidden]):not([type=range]), summary, .btn)")]
		.filter(e => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".vh, .panel")).map(e => [e, e.getBoundingClientRect()]).filter(([, r]) => r.width);
	const out = [];
	for (let i = 0; i < all.length; i++) for (let j = i + 1; j < all.length; j++) {
		const [a, p] = all[i], [b, q] = all[j];
		if (a.contains(b) || b.contains(a)) continue;
		if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2)
			out.push(a.outerHTML.slice(0, 80) + " and " + b.outerHTML.slice(0, 80));
	}
	return out.slice(0, 3);
})()`
