package sizing

import (
	"strings"
	"testing"
)

func TestARowThatMeasuredMemoryAndSpeedIsOfWhatIsAsked(t *testing.T) {
	a := everything(t)
	const table = "id,model,task,gpu,n_gpus,batch,seq_len,framework,measured_peak_gb_per_gpu,measured_tokens_per_s\n" +
		"a,llama-3.1-8b,train-qlora,A100 SXM 80GB,1,4,2048,trl,20,3000\n" +
		"b,llama-3.1-8b,qlora,A100 SXM 80GB,1,4,2048,trl,20,3000\n" +
		"c,llama-3.1-8b,qlora,A100 SXM 80GB,1,4,2048,trl,20,\n" +
		"d,llama-3.1-8b,train-qlora,A100 SXM 80GB,1,4,2048,trl,,3000\n"
	for name, x := range map[string]struct {
		read func() ([]Case, []Problem)
		want string
		at   float64
	}{
		"memory": {func() ([]Case, []Problem) { return a.ReadMemory(strings.NewReader(table)) }, "abc", 20e9},
		"speed":  {func() ([]Case, []Problem) { return a.ReadSpeeds(strings.NewReader(table)) }, "abd", 3000},
	} {
		cases, problems := x.read()
		got := ""
		for _, c := range cases {
			got += c.ID
			if c.Measured != x.at {
				t.Errorf("%s: %s measured %g, want %g", name, c.ID, c.Measured, x.at)
			}
		}
		if got != x.want || len(problems) > 0 {
			t.Errorf("%s: rows %q, want %q; %v", name, got, x.want, problems)
		}
	}
}
