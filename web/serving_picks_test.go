package web_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tianti/web/api"
)

var fastestServed = regexp.MustCompile(`<p class="note">Fastest per user</p><h2><a href="/serve/([^?"]+)\?`)

// Nobody pays ten times as much for a speed that cannot be told from another's.
func TestTheFastestIsTheCheapestOfThoseAsFast(t *testing.T) {
	s := sizedServer(t)
	const query = "model=gpt-oss-120b&concurrency=100"
	found := fastestServed.FindStringSubmatch(bodyOf(t, get(t, s, "/serve?"+query)))
	if found == nil {
		t.Fatal("got no fastest card, want one")
	}
	f := readServed(t, s, query+"&sort=tpot")
	at := slices.IndexFunc(f.Options, func(o servedOption) bool { return o.Card.ID == found[1] })
	if at < 0 {
		t.Fatalf("%s is no option", found[1])
	}
	pick, first := &f.Options[at], &f.Options[0]
	if pick.TPOT > 1.1*first.TPOT {
		t.Errorf("%s: got %.1f ms, and %s takes %.1f", pick.Card.ID, pick.TPOT, first.Card.ID, first.TPOT)
	}
	for _, o := range f.Options {
		if o.PriceCurrent && !o.SecondChoice && !o.Unsure && o.TPOT <= 1.1*first.TPOT && o.PerHour < pick.PerHour {
			t.Errorf("%s for %.2f an hour: got %s in its place, for %.2f", o.Card.ID, o.PerHour,
				pick.Card.ID, pick.PerHour)
		}
	}
}

var firstServed = regexp.MustCompile(`<p class="note">(Lowest cost per hour|Our first choice)</p>`)

func TestTheFirstIsCalledCheapestOnlyWhereItIs(t *testing.T) {
	s := sizedServer(t)
	said := map[string]int{}
	for _, query := range []string{"model=qwen3-8b&concurrency=1&acquire=buy", "model=gpt-oss-120b&concurrency=100",
		"model=llama-3.1-8b&rate_rps=10&acquire=rent", "model=llama-3.1-70b&concurrency=10&acquire=rent"} {
		found := firstServed.FindStringSubmatch(bodyOf(t, get(t, s, "/serve?"+query)))
		if found == nil {
			t.Fatalf("%s: got no first card, want one", query)
		}
		f, want := readServed(t, s, query), "Lowest cost per hour"
		for _, o := range f.Options {
			if o.PriceCurrent && o.PerHour < f.Options[0].PerHour {
				want = "Our first choice"
			}
		}
		if said[want]++; found[1] != want {
			t.Errorf("%s: got %q, want %q", query, found[1], want)
		}
	}
	if len(said) < 2 {
		t.Errorf("got %v, want questions of both kinds", said)
	}
}

// What nobody sells leads over nothing that has a price, unless people who run such services would not begin with that,
// or nobody measured it.
func TestACardWithoutAPriceLeadsOverNoneWithOne(t *testing.T) {
	s := sizedServer(t)
	for _, query := range []string{"model=deepseek-v3&concurrency=40&destination=CN",
		"model=qwen3-235b-a22b&concurrency=60&destination=CN",
		"model=deepseek-v3&concurrency=40&destination=CN&sort=million"} {
		none := ""
		for _, o := range readServed(t, s, query).Options {
			switch {
			case o.SecondChoice || o.Unsure:
				none = ""
			case o.PerHour == 0:
				none = o.Card.ID
			case none != "":
				t.Errorf("%s: %s without a price stands before %s for %.2f an hour", query, none, o.Card.ID, o.PerHour)
				none = ""
			}
		}
	}
}

// What was published in FP8 runs on hardware without it in INT8, for which its maker converts such models.
func TestModelsInFP8AreServedInINT8WhereTheMakerConvertsThem(t *testing.T) {
	s := sizedServer(t)
	const query = "model=deepseek-v3&concurrency=40&destination=CN"
	first := readServed(t, s, query).Options[0]
	if !strings.HasPrefix(first.Card.ID, "huawei-") || first.SecondChoice {
		t.Errorf("got %d × %s first, want a card of Huawei", first.Cards, first.Card.ID)
	}
	for card, want := range map[string]string{"huawei-ascend-910c": "int8", "nvidia-h200-sxm5-141gb": "fp8"} {
		var plan api.ServePlan
		r := get(t, s, "/api/v1/serve/plan?card="+card+"&model=deepseek-v3&concurrency=40")
		if err := json.Unmarshal([]byte(bodyOf(t, r)), &plan); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range plan.Assumptions {
			if a.Parameter == "weights" {
				got += a.Value
			}
		}
		if got != want {
			t.Errorf("%s: got weights %q, want %q", card, got, want)
		}
	}
	if body := bodyOf(t, get(t, s, "/zh/serve?"+query)); !strings.Contains(body, "此类服务的常用卡，暂无现价") {
		t.Error("the first card is not said to be the usual one")
	}
}

var known = regexp.MustCompile(`(?s)id="known-title".*?</section>`)

// In China people think of the cards that are made for it.
func TestInChinaTheCardsThatAreMadeForItAreTold(t *testing.T) {
	s := sizedServer(t)
	told := known.FindString(bodyOf(t, get(t, s, "/recommend?model=qwen2.5-14b&task=qlora&destination=CN")))
	for _, name := range []string{"GeForce RTX 4090 D", "GeForce RTX 5090 D V2", "Huawei"} {
		if !strings.Contains(told, name) {
			t.Errorf("%s is not told of in %q", name, told)
		}
	}
	if told = known.FindString(bodyOf(t, get(t, s,
		"/recommend?model=qwen2.5-14b&task=qlora&destination=DE"))); strings.Contains(told, "4090 D") {
		t.Error("in Germany a card for China is told of")
	}
}
