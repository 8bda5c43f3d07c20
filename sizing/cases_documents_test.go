package sizing

import (
	"strings"
	"testing"
)

// Documents are read as rows of cases, and estimated as a page estimates them.
func TestCasesOfDocuments(t *testing.T) {
	a := everything(t)
	cases, problems := a.ReadCases(strings.NewReader("id,model,task,precision,framework,gpu,batch,seq_len," +
		"measured_documents_per_s,measured_tokens_per_s\n" +
		"a,qwen3-embedding-0.6b,embed,bf16,sentence-transformers,H200 SXM5 141GB,64,512,403.6,\n" +
		"b,qwen3-embedding-0.6b,embed,bf16,sentence-transformers,H200 SXM5 141GB,64,512,,206650\n" +
		"c,bge-m3,rerank,,tei,L4,,,100,\n" +
		"d,Llama-3.1-8B,embed,bf16,vllm,L4,32,512,100,\n" +
		"e,bge-m3,embed,fp16,tei,L4,32,512,,\n" +
		"f,bge-m3,embed,fp16,tei,L4,32,512,fast,\n" +
		"g,bge-m3,embed,fp16,tei,L4 + RTX 3090,32,512,100,\n" +
		"h,bge-m3,embed,fp16,abacus,L4,32,512,100,\n"))
	fields := map[string]string{}
	for _, p := range problems {
		fields[p.ID] = p.Field
	}
	for id, field := range map[string]string{"d": "model", "e": "measured_documents_per_s",
		"f": "measured_documents_per_s", "g": "gpu", "h": "framework"} {
		if fields[id] != field {
			t.Errorf("%s: problem with %q, want %q", id, fields[id], field)
		}
	}
	if len(cases) != 3 {
		t.Fatalf("%d cases: %v", len(cases), problems)
	}
	results := a.Evaluate(cases, OutItself)
	for _, r := range results {
		if r.Skipped != "" || !(0 < r.Low && r.Low < r.Predicted && r.Predicted < r.High) || r.Tier != Formula {
			t.Errorf("%s: %+v", r.Case.ID, r)
		}
	}
	if documents, tokens := results[0].Predicted, results[1].Predicted; !near(documents*512, tokens, 1e-9) {
		t.Errorf("%v documents of 512 tokens, and %v tokens", documents, tokens)
	}
	e := estimateOf(t, a, "model=qwen3-embedding-0.6b&framework=sentence-transformers&context=512&batch=64"+
		"&weights=bf16&card=nvidia-h200-sxm5-141gb")
	if got := e.Output.Rate.Expected; !near(got, results[0].Predicted, 1e-9) {
		t.Errorf("a page says %v, a table %v", got, results[0].Predicted)
	}
}
