package sizing

import (
	"slices"
	"testing"
)

// A model with two denoisers that take turns has one of them on the card where components are moved.
func TestDenoisersTakeTurns(t *testing.T) {
	a := all(t)
	part := func(query, part string) float64 {
		r := ask(t, a, query)
		lines := a.Estimate(r.Workload, mustCard(t, a, "nvidia-geforce-rtx-4090"), r).Memory.Lines
		if i := slices.IndexFunc(lines, func(l Line) bool { return l.Part == part }); i >= 0 {
			return lines[i].Value
		}
		return 0
	}
	const job = "model=wan2.2-t2v-a14b&weights=fp8&card=nvidia-geforce-rtx-4090&offload="
	one := a.Models.Find("wan2.2-t2v-a14b").Parameters / 2
	for offload, want := range map[string]float64{"none": 2 * one, "model": one, "blocks": one * 2 / 40} {
		if got := part(job+offload, "weights"); got != want {
			t.Errorf("%s: %.3g bytes of weights on the card, not %.3g", offload, got, want)
		}
	}
	// guidance is a pass of its own, not a larger batch
	wan, cog := a.Models.Find("wan2.1-t2v-14b").Pipeline, a.Models.Find("cogvideox-5b").Pipeline
	if wan.atOnce() != 1 || cog.atOnce() != 2 {
		t.Error("passes that are computed together are not those of the pipelines")
	}
	// the text encoder needs more than the denoiser of the small model: that is sure, and the interval narrow
	const small = "model=wan2.1-t2v-1.3b&card=nvidia-geforce-rtx-4090&offload=model"
	if got := part(small, "text_encoders"); got != 2*5.68e9 || part(small, "weights") != 0 {
		t.Errorf("%.3g bytes of text encoder count", got)
	}
	if got := part("model=wan2.2-t2v-a14b&task=lora&card=nvidia-geforce-rtx-4090", "weights"); got != 2*one {
		t.Errorf("training holds %.3g bytes of weights, not those of one denoiser", got)
	}
}

// What the denoiser's blocks are moved for costs time only where the card works for less time than that takes.
func TestBlocksAreMovedWhileOthersWork(t *testing.T) {
	a := all(t)
	wait := func(query string) float64 {
		r := ask(t, a, query)
		e := a.Estimate(r.Workload, mustCard(t, a, "nvidia-geforce-rtx-4090"), r)
		for _, l := range e.Output.Lines {
			if l.Part == "offload" {
				return l.Value
			}
		}
		return 0
	}
	if clip := wait("model=wan2.1-t2v-14b&card=nvidia-geforce-rtx-4090&offload=blocks"); clip > 2 {
		t.Errorf("a clip waits %.1f s for blocks", clip)
	}
	if image := wait("model=flux.1-dev&resolution=512&card=nvidia-geforce-rtx-4090&offload=blocks"); image < 2 {
		t.Errorf("an image waits %.1f s for blocks, of which 28 passes move 24 GB each", image)
	}
}

// Nobody is told to make clips on what PyTorch's wheels left behind, and a card that does it in minutes leads.
func TestWhatMakesClips(t *testing.T) {
	a := all(t)
	for _, query := range []string{"model=wan2.1-t2v-1.3b&cards=1&budget=600&acquire=buy",
		"model=wan2.2-t2v-a14b&cards=1&budget=5000&acquire=buy"} {
		out := a.Recommend(ask(t, a, query), a.Cards)
		if len(out.Options) == 0 {
			t.Fatalf("%s: nothing", query)
		}
		for _, o := range out.Options {
			if o.Card.isOf([]string{"Kepler", "Maxwell", "Pascal"}) {
				t.Errorf("%s: %s", query, o.Card.ID)
			}
		}
		if lead := out.Options[0].Card; lead.Unified {
			t.Errorf("%s: %s leads", query, lead.ID)
		}
	}
}
