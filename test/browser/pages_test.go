package browser

import (
	"slices"
	"strings"
)

// A kind is a kind of page with an address of one.
type kind struct {
	name string
	path string
}

// variant reports whether the page is built from what another kind has as well: the same page with something else on
// it, as its name says behind a comma. Tests that only look at what a page is built from leave variants to those at
// full size.
func (k kind) variant() bool { return strings.Contains(k.name, ",") }

// plain are the kinds that are no variants.
func plain() []kind {
	return slices.DeleteFunc(slices.Clone(kinds), kind.variant)
}

// variants are the others.
func variants() []kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !k.variant() })
}

// site is the address of the server that has the page: pages of what is live are
// looked at where there are devices.
func (k kind) site() string {
	if strings.HasPrefix(k.name, "with devices") {
		return siteWithDevices
	}
	return site
}

// kinds are one address of each kind of page.
var kinds = []kind{
	{"overview", "/"},
	{"cards", "/cards"},
	{"cards, sorted and filtered", "/cards?vendor=Intel,Google&memory_gb=>=16&sort=-tdp_w"},
	{"cards, none", "/cards?q=abacus&memory_gb=24..48"},
	{"cards, not understood", "/cards?tdp_w=lots&vendor=Huawei"},
	{"card", "/cards/" + rtx4090},
	{"comparison, empty", "/compare"},
	{"comparison", "/compare?card=" + strings.Join(three, "&card=")},
	{"ladders", "/ladders"},
	{"ladder", "/ladders/fp32_vector_tflops?segment=laptop,desktop"},
	{"ladder, not understood", "/ladders/fp32_vector_tflops?segment=moon"},
	{"plot", "/plot?x=bf16_matrix_dense_tflops&y=memory_bandwidth_gb_s&segment=datacenter"},
	{"plot, not understood", "/plot?x=beauty&y=memory_gb"},
	{"prices", "/prices?vendor=AMD"},
	{"prices of a card", "/prices/" + rtx4090},
	{"live, nothing to show", "/live"},
	{"with devices: live", "/live"},
	{"with devices, live and sorted", "/live?host=train-02&sort=-tensor"},
	{"with devices, cards here", "/cards?live=here"},
	{"with devices, card", "/cards/nvidia-h100-sxm5-80gb"},
	{"with devices, comparison", "/compare?card=nvidia-h100-sxm5-80gb&card=nvidia-a100-sxm4-80gb"},
	{"architectures", "/architectures"},
	{"architectures, side by side", "/architectures?id=nvidia-hopper&id=nvidia-blackwell"},
	{
		"recommender",
		"/recommend?model=7B&task=lora&context=4096&cards=4&destination=CN&as_of=2026-02-01&budget=60000&currency=CNY",
	},
	{"recommender, nothing asked", "/recommend"},
	{"recommender, not understood", "/recommend?model=7B&task=dance&rank=many"},
	{"estimate", "/recommend/" + rtx4090 + "?model=7B&task=lora&cards=2&tokens=1000000"},
	{"estimate, refused", "/recommend/nvidia-t4?model=7B&task=full&precision=bf16"},
	{
		"serve",
		"/serve?model=qwen3-32b&concurrency=500&prompt=1000&output=500&ttft_ms=1000&user_speed=20&destination=CN",
	},
	{"serve, nothing asked", "/serve"},
	{"serve, not understood", "/serve?model=7B&concurrency=many"},
	{"serve with a card", "/serve/nvidia-h100-sxm5-80gb?model=qwen3-32b&rate_rps=5&ttft_ms=1000"},
	{"owned cards", "/recommend/mine?own=" + rtx4090 + ":4"},
	{"export control", "/export-control?vendor=AMD"},
	{"export rule", "/export-control/US-BIS-2023-3A090"},
	{
		"what-if",
		"/export-control/worksheet?datacenter=yes&fp16_matrix_dense_tflops=312&nonplanar_die_mm2=826&memory_bandwidth_gb_s=2039",
	},
	{"accuracy", "/accuracy"},
	{"calculator", "/calculator?model=llama-3.1-8b&layer=dense&inputs=4096&outputs=14336"},
	{"calculator, not understood", "/calculator?layers=2&inputs=x&outputs=3"},
	{"ecosystem", "/ecosystem"},
	{"glossary", "/glossary"},
	{"sources", "/sources"},
	{"source", "/sources/ml-engineering-mamf"},
	{"data health", "/data-health"},
	{"changes", "/changes?from=2026-08-01&to=2026-11-20"},
	{"methodology", "/methodology"},
	{"API", "/api"},
	{"not found", "/cards/nvidia-h1000"},
}
