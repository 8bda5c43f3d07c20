package web_test

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"tianti/locale"
	"tianti/sizing"
)

func TestAnOptionLeadsToTheSameEstimateInFull(t *testing.T) {
	s := sizedServer(t)
	for _, query := range []string{jobs[0], jobs[1], jobs[2], jobs[3], jobs[4],
		"model=7B&task=full&cards=8&offload=optimizer&vendor=NVIDIA",
		"model=7B&task=lora&tensor=2&cards=4&framework=megatron-lm"} {
		r := get(t, s, "/recommend?"+query)
		page := bodyOf(t, r)
		if r.StatusCode != 200 {
			continue
		}
		rows := regexp.MustCompile(`<td class="num">\d+</td><th scope="row"><a href="(/recommend/[^"]+)".*?</td></tr>`).
			FindAllStringSubmatch(page, -1)
		for _, row := range rows[:min(8, len(rows))] {
			values := regexp.MustCompile(`<td class="num"[^>]*><b>([^<]*)</b>`).FindAllStringSubmatch(row[0], -1)
			target := html.UnescapeString(row[1])
			full := get(t, s, target)
			body := bodyOf(t, full)
			if full.StatusCode != 200 {
				t.Errorf("%s: %d", target, full.StatusCode)
				continue
			}
			tiles, _, _ := strings.Cut(body, "</dl>")
			if want := ">" + values[0][1] + " GB<"; !strings.Contains(tiles, want) {
				t.Errorf("%s: the row says %s GB", target, values[0][1])
			}
			if want := ">" + values[1][1] + " tokens/s<"; values[1][1] != "—" && !strings.Contains(tiles, want) {
				t.Errorf("%s: the row says %s tokens/s", target, values[1][1])
			}
		}
		if len(rows) == 0 && !strings.Contains(query, "megatron") {
			t.Errorf("%s: no rows", query)
		}
	}
}

func TestAnEstimateIsTheSameInAllFormats(t *testing.T) {
	s := sizedServer(t)
	const path, query = "/recommend/nvidia-geforce-rtx-4090", "?model=7B&task=qlora&context=2048"
	var item struct {
		Card   struct{ ID string }
		Memory struct {
			Verdict  string
			Per_card struct{ Expected, Low, High float64 }
			Ledger   []struct {
				Part  string
				Value float64
			}
		}
	}
	if err := json.NewDecoder(get(t, s, path+".json"+query).Body).Decode(&item); err != nil {
		t.Fatal(err)
	}
	l := locale.Of("en")
	page, document := bodyOf(t, get(t, s, path+query)), bodyOf(t, get(t, s, path+".md"+query))
	sum := 0.0
	for _, line := range item.Memory.Ledger {
		sum += line.Value
		name := l.T("sizing.part." + line.Part)
		if !strings.Contains(page, ">"+name+"<") || !strings.Contains(document, "| "+name+" |") {
			t.Errorf("%s is not in all formats", line.Part)
		}
	}
	if expected := item.Memory.Per_card.Expected; item.Card.ID != "nvidia-geforce-rtx-4090" || sum < expected*0.999 ||
		sum > expected*1.001 {
		t.Errorf("the parts sum to %v, the memory is %v", sum, expected)
	}
	if m := item.Memory.Per_card; !(m.Low < m.Expected && m.Expected < m.High) {
		t.Errorf("interval %v", m)
	}
	for _, address := range []string{path + ".csv" + query, "/recommend/nvidia-h1000" + query,
		"/recommend/nvidia-h1000.json"} {
		if r := get(t, s, address); r.StatusCode != 404 {
			t.Errorf("%s: got %d, want 404", address, r.StatusCode)
		}
	}
	for _, bad := range []string{"?model=7B&task=lora&stage=3", "?model=7B&card=nvidia-h20", "?task=lora",
		"?model=7B&cards=0"} {
		for _, prefix := range []string{"", "/zh"} {
			if r := get(t, s, prefix+path+bad); r.StatusCode != 400 || !strings.Contains(bodyOf(t, r), `role="alert"`) {
				t.Errorf("%s: got %d, want 400 that says why", bad, r.StatusCode)
			}
		}
		if r := get(t, s, path+".json"+bad); r.StatusCode != 400 {
			t.Errorf("%s: got %d, want 400", bad, r.StatusCode)
		}
	}
	if r := get(t, s, path); r.StatusCode != 200 {
		t.Errorf("the form alone: got %d", r.StatusCode)
	}
}

// What the estimates say in keys has a text in both languages.
func TestEveryWordOfAnEstimateHasAText(t *testing.T) {
	s := sizedServer(t)
	adv, _ := sized()
	l := locale.Of("zh")
	seen := map[string]bool{}
	want := func(key string) {
		if !seen[key] && !l.Has(key) {
			t.Errorf("no text %s", key)
		}
		seen[key] = true
	}
	for _, query := range jobs {
		answer := readRecommendation(t, s, query)
		for _, a := range answer.Assumptions {
			want("sizing.field." + a.Parameter)
			want("sizing.why." + a.Why)
		}
		for _, j := range answer.Rejected {
			want("sizing.reason." + j.Reason)
			for _, m := range j.Remedies {
				for field := range m.Changes {
					want("sizing.remedy." + field)
				}
			}
		}
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		asked, errs := adv.ParseRequest(values)
		if errs != nil {
			t.Fatalf("%s: %v", query, errs)
		}
		found := adv.Recommend(asked, adv.Cards)
		for i := range found.Options[:min(40, len(found.Options))] {
			e := adv.Estimate(found.Options[i].Workload, found.Options[i].Card, asked)
			for _, line := range e.Memory.Lines {
				want("sizing.part." + line.Part)
			}
			for _, speed := range []*sizing.Speed{e.Training, e.Decode, e.Prefill} {
				if speed != nil {
					for _, line := range speed.Lines {
						want("sizing.part." + line.Part)
					}
					if speed.Limit != "" {
						want("sizing.limits." + speed.Limit)
					}
					if speed.Basis != "" {
						want("sizing.basis." + speed.Basis)
					}
				}
			}
			for _, x := range e.Expenses {
				for _, line := range x.Lines {
					want("sizing.part." + line.Part)
				}
			}
			for _, a := range e.Assumptions {
				want("sizing.why." + a.Why)
			}
			for _, a := range adv.Host(&e) {
				want("sizing.advice." + a.Part)
				want("sizing.advicewhy." + a.Reason)
			}
			if recipe, ok := adv.Verify(&e); ok {
				for _, c := range recipe.Replace {
					want("sizing.replace." + c.Value)
				}
			}
		}
	}
	for _, p := range append(adv.Parameters(sizing.ForRecommend), adv.Parameters(sizing.ForInverse)...) {
		want("sizing.field." + p.Name)
	}
	if len(seen) < 80 {
		t.Errorf("%d words looked at", len(seen))
	}
}
