package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearestFindsWhatWasMeant(t *testing.T) {
	var ids []string
	for _, q := range Quantities() {
		ids = append(ids, q.ID)
	}
	for _, tt := range []struct {
		name  string
		among []string
		want  []string
	}{
		{"memory_bandwith_gb_s", ids, []string{"memory_bandwidth_gb_s"}},
		{"tpd_w", ids, []string{"tdp_w"}}, // two neighbours swapped
		{"TDP_W", ids, []string{"tdp_w"}},
		{"int4_tops", ids, []string{"int4_matrix_dense_tops", "int4_matrix_sparse_tops"}},
		{"fp64_tflops", ids, []string{"fp64_vector_tflops", "fp64_matrix_dense_tflops"}},
		{"datacentre", Segments, []string{"datacenter"}},
		{"gpus", CardKinds, []string{"gpu", "npu"}},
		{"昇疼", []string{"昇腾"}, []string{"昇腾"}},
		{"weight_of_the_box", ids, nil},
		{"", ids, nil},
		{"_-_", ids, nil},
		{strings.Repeat("x", 100_000), ids, nil},
	} {
		if diff := cmp.Diff(tt.want, Nearest(tt.name, tt.among, 2)); diff != "" {
			t.Errorf("Nearest(%.30q): -want +got\n%s", tt.name, diff)
		}
	}
}

func TestNearestKeepsTheOrderOfEquallyNearNames(t *testing.T) {
	got := Nearest("a1", []string{"a3", "a2", "a4"}, 2)
	if diff := cmp.Diff([]string{"a3", "a2"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
