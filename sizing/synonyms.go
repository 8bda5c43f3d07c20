package sizing

// synonyms are names that other programs give to parameters.
var synonyms = map[string]string{
	"concurrency": "batch", "batch_size": "batch", "micro_batch": "batch", "mbs": "batch", "users": "batch",
	"sequences": "batch",
	"seq_len":   "context", "sequence_length": "context", "max_model_len": "context", "ctx": "context",
	"seqlen": "context", "max_length": "context", "long_context": "allow_long_context",
	"gpus": "cards", "num_gpus": "cards", "n_gpus": "cards", "gpu": "card", "device": "card",
	"dtype": "precision", "quant": "weights", "quantization": "weights", "quantisation": "weights", "format": "weights",
	"ep": "expert_parallel", "expert_model_parallel_size": "expert_parallel",
	"cp": "context_parallel", "sequence_parallel": "context_parallel",
	"use_dora": "dora", "tp": "tensor", "tensor_parallel": "tensor", "pp": "pipeline",
	"pipeline_parallel": "pipeline", "zero": "stage",
	"zero_stage":             "stage",
	"gradient_checkpointing": "checkpointing", "recompute": "checkpointing", "gradient_accumulation": "accumulation",
	"lora_rank": "rank", "r": "rank", "lora_r": "rank", "target_modules": "targets", "liger": "fused_loss",
	"input_tokens": "prompt", "prompt_tokens": "prompt", "vocab": "vocabulary",
	"parameters": "params", "size": "params",
	"electricity": "tariff", "kwh_price": "tariff", "co2": "carbon", "utilization": "utilisation",
	"salvage": "residual", "measured_memory": "measured_gb", "measured_peak_gb_per_gpu": "measured_gb",
	"peak_memory": "measured_gb", "mem_kind": "measured_as", "measured_speed": "measured_tokens_per_s",
	"tokens_per_s": "measured_tokens_per_s", "throughput": "measured_tokens_per_s",
}
