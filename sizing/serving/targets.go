package serving

// What users of a service are promised where nobody says: what MLPerf Inference asks of one that answers with Llama 3.1
// 8B, 99 of 100 first tokens within two seconds and ten tokens a second, twice as fast as people read
// (mlcommons/inference loadgen/mlperf.conf, llama3_1-8b.Server). Long prompts may take longer: of Llama 3.1 405B it
// asks six seconds, whose prompts have 9,428 tokens on average (rocm.blogs.amd.com, "Slim Down Your Llama", 2025).
const (
	DefaultTTFT         = 2.0          // seconds
	DefaultTTFTPerToken = 6.0 / 9428.0 // seconds per token of prompt, where that is more
	DefaultTPOT         = 0.1          // seconds
)

// complete fills in the targets that nobody gave. A burst has nobody who waits for a single token.
func (t *Target) complete(l *Load) {
	if t.Unattended || l.Requests > 0 {
		return
	}
	if t.TTFT == 0 {
		t.TTFT, t.UsualTTFT = max(DefaultTTFT, DefaultTTFTPerToken*float64(l.Prompt)), true
	}
	if t.TPOT == 0 && t.UserSpeed == 0 {
		t.TPOT, t.UsualTPOT = DefaultTPOT, true
	}
}
