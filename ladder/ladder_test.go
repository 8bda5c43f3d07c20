package ladder

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	gocmp "github.com/google/go-cmp/cmp"

	"tianti/catalog"
)

func entries(values ...float64) []Entry {
	out := make([]Entry, len(values))
	for i, v := range values {
		out[i] = Entry{Row: i, ID: fmt.Sprintf("card-%03d", i), Value: v, Confirmed: true}
	}
	return out
}

// randomEntries are up to 300 cards over some decades, with ties, limits of bands
// and cards without a value among them.
func randomEntries(r *rand.Rand) []Entry {
	out := entries(make([]float64, r.IntN(300))...)
	for i := range out {
		switch r.IntN(10) {
		case 0:
			out[i].Value = []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 1e31, 1e-31,
				5e-324}[r.IntN(9)]
		case 1:
			out[i].Value = 100 * math.Pow(math.Sqrt2, float64(r.IntN(20)-10)-0.5) // on a limit
		case 2:
			out[i].Value = []float64{100, 105}[r.IntN(2)] // just a tie
		default:
			out[i].Value = math.Exp(r.Float64()*12 - 3)
		}
	}
	return out
}

func ladders(t *testing.T, check func(t *testing.T, l *Ladder, given []Entry)) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		given := randomEntries(r)
		o := Options{Lower: r.IntN(2) == 0, Step: []float64{0, MinStep, 1.25, 2, MaxStep}[r.IntN(5)]}
		if len(given) > 0 && r.IntN(4) > 0 {
			o.Reference = given[r.IntN(len(given))]
		}
		l := Make(given, o)
		check(t, &l, given)
	}
}

func TestEveryCardIsPlacedOnceOrListedApartWithAReason(t *testing.T) {
	ladders(t, func(t *testing.T, l *Ladder, given []Entry) {
		var ids []string
		for _, p := range l.Places {
			ids = append(ids, p.ID)
		}
		for _, u := range l.Unplaced {
			ids = append(ids, u.ID)
			if u.Reason == "" {
				t.Errorf("%s is not placed without a reason", u.ID)
			}
		}
		slices.Sort(ids)
		var want []string
		for _, e := range given {
			want = append(want, e.ID)
		}
		if diff := gocmp.Diff(want, ids, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestTheOrderIsThatOfTheValues(t *testing.T) {
	ladders(t, func(t *testing.T, l *Ladder, _ []Entry) {
		sorted := slices.IsSortedFunc(l.Places, func(a, b Place) int {
			if l.Lower {
				a, b = b, a
			}
			return cmp.Compare(b.Value, a.Value)
		})
		ratios := slices.IsSortedFunc(l.Places, func(a, b Place) int { return cmp.Compare(b.Ratio, a.Ratio) })
		if !sorted || !ratios {
			t.Fatalf("sorted by value: %v, by ratio: %v", sorted, ratios)
		}
	})
}

func TestTiesAreSymmetricAndRanksCountThem(t *testing.T) {
	ladders(t, func(t *testing.T, l *Ladder, _ []Entry) {
		for i, p := range l.Places {
			better, notWorse := 0, 0
			var ties []int
			for j, q := range l.Places {
				tied := max(p.Value, q.Value) <= 1.05*min(p.Value, q.Value)
				if j < i && !tied {
					better++
				}
				if j < i || tied {
					notWorse++
				}
				if j != i && tied {
					ties = append(ties, j)
				}
			}
			if p.From != better+1 || p.To != notWorse {
				t.Fatalf("place %d: ranks %d to %d, want %d to %d", i, p.From, p.To, better+1, notWorse)
			}
			if got := l.Ties(i); !slices.Equal(got, ties) {
				t.Fatalf("place %d: ties %v, want %v", i, got, ties)
			}
		}
	})
}

func TestBandsCoverTheScaleAroundTheReference(t *testing.T) {
	ladders(t, func(t *testing.T, l *Ladder, _ []Entry) {
		n := 0
		for i := range l.Bands {
			b := &l.Bands[i]
			if b.Number != i+1 || b.From >= b.To || math.Abs(b.High/b.Low/l.Step-1) > 1e-9 {
				t.Fatalf("band %d: %+v", i, b)
			}
			if i > 0 && b.High != l.Bands[i-1].Low {
				t.Fatalf("band %d ends at %v, the one above begins at %v", i, b.High, l.Bands[i-1].Low)
			}
			for _, p := range l.Of(b) {
				if p.Band != i || p.Ratio < b.Low || p.Ratio >= b.High {
					t.Fatalf("%v does not lie in %v … %v", p.Ratio, b.Low, b.High)
				}
			}
			n += b.Count
		}
		if n != len(l.Places) {
			t.Fatalf("bands hold %d cards of %d", n, len(l.Places))
		}
		if i, ok := l.Find(l.Reference.ID); ok {
			b := l.Bands[l.Places[i].Band]
			if middle := math.Sqrt(b.Low * b.High); math.Abs(middle-1) > 1e-9 {
				t.Fatalf("the middle of the reference’s band is %v", middle)
			}
		}
	})
}

func TestLessIsBetterTurnsTheLadderRound(t *testing.T) {
	l := Make(entries(300, 75, 150), Options{Lower: true, Reference: entries(150)[0], Step: 2})
	var got []string
	for _, p := range l.Places {
		got = append(got, fmt.Sprintf("%v ×%v tier %d", p.Value, p.Ratio, l.Bands[p.Band].Number))
	}
	if diff := gocmp.Diff([]string{"75 ×2 tier 1", "150 ×1 tier 2", "300 ×0.5 tier 3"}, got); diff != "" {
		t.Error(diff)
	}
	if b := l.Bands[1]; math.Abs(b.From-150/math.Sqrt2) > 1e-9 || math.Abs(b.To-150*math.Sqrt2) > 1e-9 {
		t.Errorf("limits %v … %v", b.From, b.To)
	}
}

func TestWithoutAValueOfTheReferenceTheBestCardTakesItsPlace(t *testing.T) {
	l := Make(entries(1, 4, 2), Options{Reference: Entry{ID: "nobody"}})
	if !l.Replaced || l.Reference.Value != 4 {
		t.Errorf("got %+v, replaced %v", l.Reference, l.Replaced)
	}
	if l := Make(entries(0), Options{Reference: entries(1)[0]}); l.Reference.ID != "" || len(l.Bands) > 0 {
		t.Errorf("a ladder without places has the reference %+v", l.Reference)
	}
}

func TestTheUsualReferenceIsWellKnownOrInTheMiddle(t *testing.T) {
	list := entries(8, 1, 4, 0, 2)
	if e, known := Usual(list, []string{"desktop"}, false); known || e.Value != 4 {
		t.Errorf("got %+v, known %v", e, known)
	}
	if e, _ := Usual(list, nil, true); e.Value != 2 {
		t.Errorf("where less is better: got %+v", e)
	}
	list[1].ID = "nvidia-geforce-rtx-4060"
	if e, known := Usual(list, []string{"laptop", "desktop"}, false); !known || e.Value != 1 {
		t.Errorf("got %+v, known %v", e, known)
	}
	list[1].Value = 0
	if e, known := Usual(list, []string{"desktop"}, false); known || e.Value != 4 {
		t.Errorf("one without a value: got %+v, known %v", e, known)
	}
	if e, _ := Usual(nil, nil, false); e.Placeable() {
		t.Errorf("of nothing: got %+v", e)
	}
}

func TestAWellKnownCardIsTheReferenceWhereverItStands(t *testing.T) {
	ofAll := []string{"nvidia-h100-sxm5-80gb", "nvidia-geforce-rtx-4090", "nvidia-geforce-rtx-4060"}
	for _, c := range []struct {
		segments []string
		id       string
		known    bool
	}{
		{nil, ofAll[0], true}, {nil, ofAll[1], true}, {nil, ofAll[2], true}, {nil, "nvidia-t4", false},
		{[]string{"datacenter"}, "nvidia-t4", true}, {[]string{"datacenter"}, ofAll[1], false},
		{[]string{"edge", "cloud"}, "google-tpu-v5e", true}, {[]string{"desktop"}, "google-tpu-v5e", false},
	} {
		for at := range 4 {
			list := entries(8, 4, 2, 1)
			list[at].ID = c.id
			if e, known := Usual(list, c.segments, false); known != c.known || known && e.ID != c.id {
				t.Errorf(
					"%s at %d, segments %v: got %s, known %v, want known %v",
					c.id,
					at,
					c.segments,
					e.ID,
					known,
					c.known,
				)
			}
		}
	}
	list := entries(8, 4, 2)
	list[0].ID, list[1].ID, list[2].ID = ofAll[2], ofAll[1], ofAll[0]
	if e, _ := Usual(list, nil, false); e.ID != ofAll[0] {
		t.Errorf("of all well-known cards: got %s, want %s", e.ID, ofAll[0])
	}
}

func TestEveryPlaceIsFoundByTheIDOfItsCard(t *testing.T) {
	l := Make(entries(4, 2, 1, 0), Options{})
	for i, p := range l.Places {
		if got, ok := l.Find(p.ID); got != i || !ok {
			t.Errorf("%s: got place %d, %v, want %d", p.ID, got, ok, i)
		}
	}
	if _, ok := l.Find(l.Unplaced[0].ID); ok {
		t.Errorf("%s has a place", l.Unplaced[0].ID)
	}
}

func TestEveryBasisHasADirectionAndCanBeFound(t *testing.T) {
	for _, b := range Bases() {
		got, err := Find(b.ID)
		if err != nil || got.ID != b.ID || b.Label.En == "" || b.Label.Zh == "" || b.Group == "" ||
			(b.Quantity == nil) == (b.Job == Job{}) {
			t.Errorf("%+v: %v", b, err)
		}
		if b.Quantity != nil && b.Lower != (b.Quantity.Better == "lower") {
			t.Errorf("%s: direction", b.ID)
		}
	}
}

func TestWhatIsNoBasisIsNamed(t *testing.T) {
	for id, want := range map[string]catalog.ParamError{
		"bf16_matrix_dense_tflop": {Param: "basis", Value: "bf16_matrix_dense_tflop",
			Code: catalog.UnknownValue, Nearest: []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops",
				"fp6_matrix_dense_tflops"}},
		"bf16_matrix_dense_tflops,fp16_matrix_dense_tflops": {Param: "basis",
			Value: "bf16_matrix_dense_tflops,fp16_matrix_dense_tflops", Code: catalog.MixedBases,
			Nearest: []string{"bf16_matrix_dense_tflops", "fp16_matrix_dense_tflops"}},
		"process_nm": {Param: "basis", Value: "process_nm", Code: catalog.NoDirection},
		"": {Param: "basis", Code: catalog.UnknownValue,
			Allowed: strings.Join(ids()[:6], ", ") + ", …"},
	} {
		_, err := Find(id)
		if err == nil {
			t.Errorf("%q is a basis", id)
		} else if diff := gocmp.Diff(want, *err); diff != "" {
			t.Errorf("%q: %s", id, diff)
		}
	}
}

func TestBasesNameTheFormatAndTheInputsThatTheyNeed(t *testing.T) {
	for id, want := range map[string]string{"bf16_matrix_dense_tflops": "bf16", "fp8_acc16_matrix_dense_tflops": "fp8",
		"int4_matrix_sparse_tops": "int4", "bf16_tflops_per_w": "bf16",
		"price_per_bf16_tflops": "bf16", "rent_per_bf16_tflops_hour": "bf16", "fp32_gflops_per_w": "", "buy_price": "",
		"memory_gb": "", "fp32_vector_tflops": "", "decode_8b": ""} {
		b, _ := Find(id)
		got := ""
		if q := b.Feature(); q != nil {
			got = q.ID
		}
		if got != want {
			t.Errorf("%s: needs %q, want %q", id, got, want)
		}
	}
	b, _ := Find("bf16_tflops_per_w")
	var got []string
	for _, q := range b.Inputs() {
		got = append(got, q.ID)
	}
	if diff := gocmp.Diff([]string{"bf16_matrix_dense_tflops", "tdp_w"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestABasisIsPricedWhereItsValuesArePrices(t *testing.T) {
	priced := 0
	for _, b := range Bases() {
		want := b.Group == "price"
		if b.Priced() != want {
			t.Errorf("%s of the group %s: priced %v", b.ID, b.Group, b.Priced())
		}
		if want {
			priced++
		}
	}
	if priced == 0 {
		t.Error("no basis is of the group price")
	}
}

func TestAPlaceNeedsAValueWhoseRatiosAreFinite(t *testing.T) {
	for value, want := range map[float64]bool{
		1: true, 1e30: true, 1.0 / 1e30: true, 1.1e30: false, 0.9e-30: false,
		0: false, -1: false, math.Inf(1): false, math.Inf(-1): false,
	} {
		if e := (Entry{Value: value}); e.Placeable() != want {
			t.Errorf("%v: placeable %v, want %v", value, e.Placeable(), want)
		}
	}
	if e := (Entry{Value: math.NaN()}); e.Placeable() {
		t.Error("what is no number has a place")
	}
}

func BenchmarkMake(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	list := entries(make([]float64, 324)...)
	for i := range list {
		list[i].Value = math.Exp(r.Float64() * 8)
	}
	for b.Loop() {
		Make(list, Options{Reference: list[0]})
	}
}
