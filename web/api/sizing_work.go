package api

import (
	"fmt"
	"strconv"

	"tianti/sizing"
)

// workItem is what only some kinds of jobs have.
type workItem struct {
	Resolution string  `json:"resolution,omitempty" doc:"width and height in pixels" example:"1024x1024"`
	Frames     int     `json:"frames,omitempty" doc:"of a clip"`
	Steps      int     `json:"steps,omitempty" doc:"of denoising"`
	Uncached   bool    `json:"text_encoders_on_card,omitempty" doc:"training of models of diffusion with text encoders and VAE on the card"`
	Tuning     string  `json:"tuning,omitempty" doc:"what of the policy is trained" enum:"full,lora,qlora"`
	Group      int     `json:"group,omitempty" doc:"answers of a prompt"`
	Prompts    int     `json:"prompts,omitempty" doc:"of a step"`
	Rollouts   int     `json:"rollouts,omitempty" doc:"answers that engines write at once on each of their cards"`
	Apart      int     `json:"rollout_cards,omitempty" doc:"cards of engines that do not train"`
	HostLayers int     `json:"offload_layers,omitempty" doc:"layers that the host computes"`
	Host       float64 `json:"host_bandwidth,omitempty" doc:"GB/s of the host’s memory"`
}

func workOf(w *sizing.Workload) workItem {
	out := workItem{Frames: w.Media.Frames, Steps: w.Media.Steps, Uncached: w.Media.Uncached,
		Tuning: string(w.Preference.Tuning), Group: w.Preference.Group, Prompts: w.Preference.Prompts,
		Rollouts: w.Preference.Rollouts, Apart: w.Preference.Apart, HostLayers: w.Host.Layers, Host: w.Host.Bandwidth}
	if w.Media.Width > 0 {
		out.Resolution = fmt.Sprintf("%dx%d", w.Media.Width, w.Media.Height)
	}
	return out
}

// fillWork puts an assumption of some kinds of jobs where the request has nothing; false
// where it is one of all jobs.
func fillWork(w *sizing.Workload, field, value string) bool {
	count := map[string]*int{"frames": &w.Media.Frames, "steps": &w.Media.Steps, "group": &w.Preference.Group,
		"prompts": &w.Preference.Prompts, "rollouts": &w.Preference.Rollouts, "rollout_cards": &w.Preference.Apart}
	if at := count[field]; at != nil {
		if *at == 0 {
			*at, _ = strconv.Atoi(value)
		}
		return true
	}
	switch field {
	case "resolution":
		_, _ = fmt.Sscanf(value, "%dx%d", &w.Media.Width, &w.Media.Height)
	case "tuning":
		w.Preference.Tuning = sizing.Task(value)
	case "host_bandwidth":
		w.Host.Bandwidth, _ = strconv.ParseFloat(value, 64)
	default:
		return false
	}
	return true
}

// expenseOf is an expense with its million in the unit of the estimate’s rate.
func expenseOf(e *sizing.Estimate, x *sizing.Expense) ExpenseItem {
	out := expenseItem(x)
	if s := e.Rate(); s != nil && s.Unit != sizing.Tokens {
		out.PerUnits, out.PerMillion = out.PerMillion, 0
	}
	return out
}
