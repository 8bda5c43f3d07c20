package serving

import (
	"tianti/catalog"
	"tianti/sizing"
)

// Outline is the plan that [Make] makes, without memory, costs, options and commands.
func Outline(a *sizing.Estimator, r Request) (Plan, []catalog.ParamError) {
	if errs := Check(a, &r); len(errs) > 0 {
		return Plan{Request: r}, errs
	}
	x := planner{a: a, r: &r, make: a.Server}
	return x.plan(), nil
}
