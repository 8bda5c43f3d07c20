package sizing_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/seed"
	"tianti/sizing"
)

// names are the built-in tables; every framework is known by its own name.
var names = sync.OnceValues(func() (sizing.Names, error) {
	var n sizing.Names
	files := seed.Sizing()
	models, err := readFile(files, "models.csv", sizing.ReadModels)
	if err != nil {
		return n, err
	}
	formats, err := readFile(files, "formats.csv", sizing.ReadFormats)
	if err != nil {
		return n, err
	}
	usable, err := readFile(files, "usable.csv", sizing.ReadUsable)
	if err != nil {
		return n, err
	}
	variants, err := readFile(files, "variants.csv", sizing.ReadVariants)
	if err != nil {
		return n, err
	}
	d, err := seed.Builtin()
	if err != nil {
		return n, err
	}
	r := sizing.NewResolver(catalog.NewSnapshot(1, d), usable, nil, variants, sizing.Links{})
	return sizing.Names{Models: models, Formats: formats, Cards: r.Cards, Suggest: r.Suggest,
		Frameworks: func(name string) string { return strings.ToLower(name) }}, nil
})

func mustNames(t testing.TB) sizing.Names {
	t.Helper()
	n, err := names()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func builtinCases(t testing.TB, file string) ([]sizing.Case, []sizing.Problem) {
	t.Helper()
	f, err := seed.Sizing().Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return sizing.ReadCases(f, mustNames(t))
}

func TestNearlyAllTrustedBuiltinCasesAreUnderstood(t *testing.T) {
	for _, file := range []string{"memory.csv", "speed.csv"} {
		f, err := seed.Sizing().Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		id, flag := slices.Index(rows[0], "id"), slices.Index(rows[0], "score_ok")
		trusted := map[string]bool{}
		for _, r := range rows[1:] {
			if r[flag] == "yes" {
				trusted[r[id]] = true
			}
		}
		cases, problems := builtinCases(t, file)
		for _, c := range cases {
			delete(trusted, c.ID)
		}
		lost := map[string]bool{}
		for _, p := range problems {
			if trusted[p.ID] {
				lost[p.ID] = true
				t.Log(p)
			}
		}
		if len(lost) != len(trusted) {
			t.Errorf("%s: %d trusted rows are missing, %d of them with a problem", file, len(trusted), len(lost))
		}
		all := len(trusted)
		for _, c := range cases {
			if c.Trusted {
				all++
			}
		}
		t.Logf("%s: %d of %d trusted rows; %d cases, %d problems in all", file, all-len(trusted), all, len(cases),
			len(problems))
		if float64(len(trusted)) > 0.03*float64(all) {
			t.Errorf("%s: %d of %d trusted rows are not understood, want 3%% at most", file, len(trusted), all)
		}
	}
}

// found is the case of a built-in table with an id.
var read = map[string][]sizing.Case{}

func found(t *testing.T, id string) sizing.Case {
	t.Helper()
	for _, file := range []string{"memory.csv", "speed.csv"} {
		if read[file] == nil {
			read[file], _ = builtinCases(t, file)
		}
		for _, c := range read[file] {
			if c.ID == id {
				return c
			}
		}
	}
	t.Fatalf("no case %s", id)
	panic("unreachable")
}

func TestConfigurationIsReadFromColumnsAndNotes(t *testing.T) {
	check := func(id, what string, got, want any) {
		t.Helper()
		if !cmp.Equal(got, want) {
			t.Errorf("%s: %s is %v, want %v", id, what, got, want)
		}
	}
	c := found(t, "M0010")
	check(c.ID, "weights", c.Workload.Weights, "nf4")
	check(c.ID, "arithmetic", c.Workload.Compute, "bf16")
	check(c.ID, "rank", c.Workload.Rank, 16)
	check(c.ID, "targets", c.Workload.Targets, "q,k,v,o,gate,up,down,head")
	check(c.ID, "peak", c.Measured, 17.18e9)

	c = found(t, "M0183")
	check(c.ID, "targets", c.Workload.Targets, "q,k,v,o,gate,up,down")
	check(c.ID, "trained embeddings", c.Workload.TrainEmbeddings, true)
	check(c.ID, "accumulation", c.Workload.Accumulation, 8)

	c = found(t, "M0302")
	check(c.ID, "context", c.Workload.Context, 2048+c.Workload.Prompt)
	check(c.ID, "attention", c.Workload.Attention, "flash")
	check(c.ID, "unit", c.Unit, "GiB")

	c = found(t, "M0806")
	check(c.ID, "offload", c.Workload.Sharding.Offload, "parameters")
	check(c.ID, "stage", c.Workload.Sharding.Stage, 3)

	c = found(t, "M0952")
	check(c.ID, "usable memory", c.Card.Usable, 49140.0*(1<<20))

	c = found(t, "S5091")
	check(c.ID, "attention", c.Workload.Attention, "flash-3")

	c = found(t, "S2296")
	check(c.ID, "limit of power", c.Card.Power, 500.0)
	check(c.ID, "bandwidth", c.Card.Bandwidth, 2.4e12)

	c = found(t, "S2306")
	check(c.ID, "sharding", c.Workload.Sharding, sizing.Sharding{Data: 8, Tensor: 8, Pipeline: 8, Stage: 3})
	check(c.ID, "speed of all cards", c.Measured, 100.0*512)
	check(c.ID, "speed in its unit", c.InUnit(c.Measured), 100.0)
	check(c.ID, "checkpointing", c.Workload.Checkpointing, "full")

	c = found(t, "S2859")
	check(c.ID, "sharding", c.Workload.Sharding, sizing.Sharding{Data: 16, Tensor: 2, Pipeline: 8, Stage: 1,
		Sequence: 2})
	check(c.ID, "global batch", c.GlobalBatch, 1536)
	check(c.ID, "version", c.Workload.Version, "26.06")

	c = found(t, "S3071")
	check(c.ID, "minutes", c.Minutes, 5.505)
	check(c.ID, "global batch", c.GlobalBatch, 768)
	check(c.ID, "unit", c.Unit, "minutes")
}

const header = "id,model,params_b,task,precision,optimizer,batch,seq_len,n_gpus,gpu,measured_peak_gb_per_gpu,fits,source,mem_unit,framework,score_ok,notes\n"

func TestBadRowsAreNamedAndTheRestKept(t *testing.T) {
	cases, problems := sizing.ReadCases(strings.NewReader("\ufeff"+strings.ReplaceAll(header+
		"a,Llama-3-8B,8.03,lora,bf16,AdamW,1,512,1,RTX 4090,17.5,yes,me,GB,litgpt,yes,\n"+
		"b,Llama-3-8B,8.03,lora,bf16,AdamW,many,512,1,RTX 4090,17.5,yes,me,GB,litgpt,yes,\n"+
		"c,Llama-3-8B,8.03,lora,bf17,AdamW,1,512,1,RTX 3080,17.5,yes,me,GB,litgpt,yes,\n"+
		"d,Nobody-Knows,,lora,bf16,AdamW,1,512,1,RTX 4099,17.5,maybe,me,TB,litgpt,yes,\n"+
		"e,short\n"+
		"a,Llama-3-8B,8.03,lora,bf16,AdamW,1,512,1,RTX 4090,17.5,yes,me,GB,litgpt,yes,\n"+
		"f,New-9B-A1B,9,inference,Q4_K_M,,1,4096,1,RTX 4090,,no,me,,llama.cpp,no,\n", "\n", "\r\n")), mustNames(t))
	var ids []string
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids, []string{"a", "f"}) {
		t.Errorf("kept %q, want a and f", ids)
	}
	if f := cases[1].Workload.Model; f.CompletedFrom == "" || f.Active != 1e9 || cases[1].Ran {
		t.Errorf("got %+v, ran %v", f, cases[1].Ran)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.Field))
	}
	want := []string{"3 batch", "4 precision", "4 gpu", "5 model", "5 gpu", "5 mem_unit", "5 fits", "6 ", "7 id"}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
}

func FuzzReadCases(f *testing.F) {
	f.Add(
		header + "a,Llama-3-8B,8.03,lora,bf16 (base nf4-dq),AdamW,1,512,1,RTX 4090,17.5,yes,me,GB,litgpt,yes,GBS 32 " +
			"TP2 PP1 CP1\n",
	)
	f.Add(
		"\ufeffid,model,params_b,quant/precision,task,gpu,n_gpus,batch,seq_len,measured_tokens_per_s,minutes_to_train,source,tps_scope,framework,score_ok,notes\r\nS1,7B,7,Q4_K_M,decode,M2 Ultra 192GB,1,1,512,72.79,,x,total,llama.cpp,yes,\"2048 generated after 6144 input, FA\"\r\n",
	)
	f.Add("id\n\"")
	f.Add("")
	n := mustNames(f)
	f.Fuzz(func(t *testing.T, table string) {
		cases, problems := sizing.ReadCases(strings.NewReader(table), n)
		if len(cases)+len(problems) == 0 && strings.Count(strings.TrimSpace(table), "\n") > 1000 {
			t.Error("rows vanished")
		}
		for _, c := range cases {
			w := c.Workload
			if c.ID == "" || w.Model == nil || c.Card == nil && c.Quantity != sizing.MemoryPerCard || w.Cards < 1 ||
				w.Batch < 0 || w.Context < 0 || w.Prompt < 0 || !(c.Measured >= 0) || !(w.Model.Parameters > 0) {
				t.Errorf("got %+v", c)
			}
		}
	})
}

func readFile[T any](files fs.FS, name string, read func(io.Reader) (T, error)) (T, error) {
	f, err := files.Open(name)
	if err != nil {
		var zero T
		return zero, err
	}
	defer f.Close()
	return read(f)
}

func TestTheExampleOfTheDocumentIsRead(t *testing.T) {
	text, err := os.ReadFile("../docs/cases.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```csv\n")
	example, _, _ = strings.Cut(example, "```")
	cases, problems := sizing.ReadCases(strings.NewReader(example), mustNames(t))
	if len(cases) != 2 || len(problems) > 0 {
		t.Fatalf("%d cases, problems %v", len(cases), problems)
	}
	if c := cases[0]; c.Workload.Targets != "q,k,v,o" || c.Workload.Optimizer != "paged-adamw-8bit" ||
		c.Workload.Rank != 16 || cases[1].Ran {
		t.Errorf("got %+v, the second ran: %v", c, cases[1].Ran)
	}
}
