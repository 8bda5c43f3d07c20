"""Measures jobs of machine learning on the card of this host, as rows of a case file.

Training is the Trainer of Transformers, with adapters of PEFT; inference is the model's forward pass and generate.
Weights are drawn at random in the published shapes: neither memory nor speed of dense layers depends on their values,
so nothing is downloaded. Needs PyTorch, Transformers and PEFT; where bitsandbytes is missing, nf4.py stands for it.

    python runs.py OUT.csv [--smoke] [--only train,decode,embed,tune] [--budget SECONDS]

--smoke runs everything with two layers, to see that it runs. No job begins after the budget.
"""
import argparse
import csv
import gc
import os
import subprocess
import time
import traceback

os.environ["HF_HUB_OFFLINE"] = "1"
import torch

try:
    import bitsandbytes as bnb
except ImportError:
    import nf4

    nf4.install()
    import bitsandbytes as bnb
import peft
import transformers
from transformers import (AutoModel, AutoModelForCausalLM, BertConfig, GPT2Config, LlamaConfig, MistralConfig,
                          Qwen2Config, Qwen3Config, Trainer, TrainerCallback, TrainingArguments, XLMRobertaConfig)

GIB = 2**30
BEGAN = time.time()

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("out")
parser.add_argument("--smoke", action="store_true")
parser.add_argument("--only", default="train,decode,embed")
parser.add_argument("--budget", type=float, default=1e9)
options = parser.parse_args()


def driver(query):
    command = ["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader,nounits"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


IDLE = float(driver("memory.used"))
COMMON = {
    "framework": "transformers", "gpu": driver("name"), "n_gpus": 1, "score_ok": "yes", "attention": "sdpa",
    "source": "bench/card/runs.py " + time.strftime("%Y-%m-%d"),
    "notes": f"PyTorch {torch.__version__}, transformers {transformers.__version__}, PEFT {peft.__version__}, "
             f"driver {driver('driver_version')}",
}


def llama(h, i, layers, heads, kv, v, tied=False, **more):
    return LlamaConfig(hidden_size=h, intermediate_size=i, num_hidden_layers=layers, num_attention_heads=heads,
                       num_key_value_heads=kv, vocab_size=v, tie_word_embeddings=tied,
                       max_position_embeddings=131072, **more)


def qwen2(h, i, layers, heads, kv, v, tied=False):
    return Qwen2Config(hidden_size=h, intermediate_size=i, num_hidden_layers=layers, num_attention_heads=heads,
                       num_key_value_heads=kv, vocab_size=v, tie_word_embeddings=tied, max_position_embeddings=32768)


def qwen3(h, i, layers, heads, kv, v, tied=False):
    return Qwen3Config(hidden_size=h, intermediate_size=i, num_hidden_layers=layers, num_attention_heads=heads,
                       num_key_value_heads=kv, head_dim=128, vocab_size=v, tie_word_embeddings=tied,
                       max_position_embeddings=40960)


MODELS = {
    "Llama-3.2-1B": lambda: llama(2048, 8192, 16, 32, 8, 128256, True, head_dim=64),
    "Llama-3.2-3B": lambda: llama(3072, 8192, 28, 24, 8, 128256, True, head_dim=128),
    "Llama-3.1-8B": lambda: llama(4096, 14336, 32, 32, 8, 128256),
    "Llama-3.1-70B": lambda: llama(8192, 28672, 80, 64, 8, 128256),
    "Mistral-7B-v0.3": lambda: MistralConfig(
        hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32,
        num_key_value_heads=8, vocab_size=32768, max_position_embeddings=32768, sliding_window=None),
    "Qwen2.5-0.5B": lambda: qwen2(896, 4864, 24, 14, 2, 151936, True),
    "Qwen2.5-1.5B": lambda: qwen2(1536, 8960, 28, 12, 2, 151936, True),
    "Qwen2.5-7B": lambda: qwen2(3584, 18944, 28, 28, 4, 152064),
    "Qwen3-8B": lambda: qwen3(4096, 12288, 36, 32, 8, 151936),
    "Qwen3-14B": lambda: qwen3(5120, 17408, 40, 40, 8, 151936),
    "Qwen3-32B": lambda: qwen3(5120, 25600, 64, 64, 8, 151936),
    "gpt2": GPT2Config,
    "bge-large-en-v1.5": lambda: BertConfig(
        hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096),
    "bge-m3": lambda: XLMRobertaConfig(
        vocab_size=250002, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096,
        max_position_embeddings=8194, type_vocab_size=1),
    "Qwen3-Embedding-0.6B": lambda: qwen3(1024, 3072, 28, 16, 8, 151669, True),
    "Qwen3-Embedding-4B": lambda: qwen3(2560, 9728, 36, 32, 8, 151665, True),
    "Qwen3-Embedding-8B": lambda: qwen3(4096, 12288, 36, 32, 8, 151665),
}

FIELDS = ("id model params_b task precision optimizer batch seq_len prompt grad_ckpt rank targets attention packing "
          "framework gpu n_gpus measured_peak_gb_per_gpu mem_unit mem_kind fits measured_tokens_per_s source score_ok "
          "notes reserved_gib driver_mib way start_gib").split()
out = open(options.out, "w", newline="")
table = csv.DictWriter(out, FIELDS)
table.writeheader()


tried = {}  # cells of a job of training that began


def row(**cells):
    table.writerow(COMMON | cells)
    out.flush()
    print(cells, flush=True)


def shorten(config):
    if options.smoke:
        for name in ("num_hidden_layers", "n_layer"):
            if hasattr(config, name):
                setattr(config, name, 2)
        if getattr(config, "layer_types", None):
            config.layer_types = config.layer_types[:2]


def build(cls, config, dtype, training):
    shorten(config)
    with torch.device("cuda"):
        model = cls.from_config(config, dtype=dtype, attn_implementation="sdpa")
    return model.train() if training else model.eval()


def build_in_four_bits(config):
    """A model whose layers are NF4 with double quantisation, matrix by matrix: it never exists in 16 bits."""
    shorten(config)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, attn_implementation="sdpa")
    count = params(model)
    for parent in list(model.model.layers.modules()):
        for name, old in list(parent.named_children()):
            if isinstance(old, torch.nn.Linear):
                new = bnb.nn.Linear4bit(old.in_features, old.out_features, old.bias is not None, torch.bfloat16,
                                        True, "nf4", device="meta")
                weight = torch.randn(old.weight.shape, dtype=torch.bfloat16, device="cuda") * 0.02
                new.weight = bnb.nn.Params4bit(weight, requires_grad=False, quant_type="nf4",
                                               compress_statistics=True).to("cuda")
                setattr(parent, name, new)
    for module in model.modules():
        for name, p in module._parameters.items():
            if p is not None and p.is_meta:
                drawn = torch.randn(p.shape, dtype=torch.bfloat16, device="cuda") * 0.02 if p.dim() > 1 else \
                    torch.ones(p.shape, dtype=torch.bfloat16, device="cuda") * (name != "bias")
                module._parameters[name] = torch.nn.Parameter(drawn)
    model.tie_weights()
    model.model.rotary_emb = type(model.model.rotary_emb)(config, device="cuda")
    model.is_loaded_in_4bit = True
    return model.train(), count


def clean():
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def peaks():
    return {
        "measured_peak_gb_per_gpu": round(torch.cuda.max_memory_allocated() / GIB, 3), "mem_unit": "GiB",
        "mem_kind": "allocated", "fits": "yes", "reserved_gib": round(torch.cuda.max_memory_reserved() / GIB, 3),
        "driver_mib": float(driver("memory.used")) - IDLE,
    }


def params(model):
    return round(sum(p.numel() for p in model.parameters()) / 1e9, 4)


class Tokens(torch.utils.data.Dataset):
    def __init__(self, n, length, vocabulary):
        self.tokens = torch.randint(5, vocabulary - 5, (n, length))

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        x = self.tokens[i]
        return {"input_ids": x, "labels": x.clone(), "attention_mask": torch.ones_like(x)}


class Clock(TrainerCallback):
    def __init__(self):
        self.times = []

    def on_step_end(self, *args, **kwargs):
        torch.cuda.synchronize()
        self.times.append(time.perf_counter())


class Statistics(Trainer):
    """The Trainer with what the SFTTrainer of TRL does in compute_loss when Liger Kernel is off: it reads the entropy
    of the logits, 128 tokens at a time, and the share of tokens that were guessed right."""

    def compute_loss(self, model, inputs, return_outputs=False, **more):
        labels = inputs["labels"]
        loss, outputs = super().compute_loss(model, inputs | {"use_cache": False}, return_outputs=True, **more)
        with torch.no_grad():
            logits = outputs.logits
            entropies = []
            for rows in logits.reshape(-1, logits.shape[-1]).split(128):
                logs = rows.log_softmax(-1)
                entropies.append(-(logs.exp() * logs).sum(-1))
            mask = inputs["attention_mask"]
            ((torch.cat(entropies).view(mask.shape) * mask).sum() / mask.sum()).item()
            mask.sum().item()
            shifted, wanted = logits[..., :-1, :].contiguous(), labels[..., 1:].contiguous()
            counted = wanted != -100
            (((shifted.argmax(-1) == wanted) & counted).sum() / counted.sum()).item()
        return (loss, outputs) if return_outputs else loss


MATRICES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def train(name, model, task, batch, length, checkpointing, rank=16, targets=MATRICES, optim="adamw_torch_fused",
          master=False, steps=8, way="plain"):
    """A few steps of the Trainer; the first three are not timed. master: weights in 32 bits, arithmetic in 16.

    way: plain, the Trainer alone; prepared, after prepare_model_for_kbit_training of PEFT; trl, with what the
    SFTTrainer of TRL adds: adapters of 16 bits beside a base in four, and statistics of the logits.
    """
    clean()
    adapters = task != "full"
    precision = "bf16 mixed" if master else "bf16"
    cells = {
        "id": name, "model": model, "task": task, "precision": precision + " (base nf4-dq)" * (task == "qlora"),
        "optimizer": optim, "batch": batch, "seq_len": length, "grad_ckpt": "yes" if checkpointing else "no",
        "packing": "yes", "rank": rank if adapters else "", "framework": "trl" if way == "trl" else "transformers",
        "targets": ",".join(t.removesuffix("_proj") for t in targets) if adapters else "", "way": way,
    }
    tried.clear()
    tried.update(cells)
    if task == "qlora" and way != "prepared":
        cells["notes"] = "not prepared by PEFT; " + COMMON["notes"]
    config = MODELS[model]()
    checkpoints = {"use_reentrant": False} if checkpointing else None
    if task == "qlora":
        m, cells["params_b"] = build_in_four_bits(config)
        if way == "prepared":
            m = peft.prepare_model_for_kbit_training(m, checkpointing, checkpoints)
    else:
        m = build(AutoModelForCausalLM, config, torch.float32 if master else torch.bfloat16, True)
        cells["params_b"] = params(m)
    m.config.use_cache = False
    if adapters:
        m = peft.get_peft_model(m, peft.LoraConfig(r=rank, lora_alpha=2 * rank, lora_dropout=0.0,
                                                   target_modules=targets, task_type="CAUSAL_LM"))
        if way == "trl" and checkpointing:
            m.enable_input_require_grads()
        for p in m.parameters():
            if p.requires_grad and way == "trl" and task == "qlora":
                p.data = p.data.to(torch.bfloat16)
    clean()
    cells["start_gib"] = round(torch.cuda.memory_allocated() / GIB, 3)
    n, clock = 2 if options.smoke else 3 + steps, Clock()
    arguments = TrainingArguments(
        output_dir="/tmp/runs", per_device_train_batch_size=batch, max_steps=n, logging_strategy="no",
        save_strategy="no", report_to=[], bf16=True, gradient_checkpointing=checkpointing,
        gradient_checkpointing_kwargs=checkpoints, optim=optim,
        learning_rate=1e-5, disable_tqdm=True, dataloader_num_workers=0)
    (Statistics if way == "trl" else Trainer)(
        model=m, args=arguments, train_dataset=Tokens(batch * n, length, config.vocab_size), callbacks=[clock]).train()
    t = clock.times[2:] if len(clock.times) > 4 else clock.times
    if len(t) > 1:
        cells["measured_tokens_per_s"] = round(batch * length * (len(t) - 1) / (t[-1] - t[0]), 1)
    row(**cells, **peaks())
    tried.clear()


tuned = iter(range(1, 1000))


def tune(model, batch, length, way, task="qlora", checkpointing=True, rank=16, targets=MATRICES):
    """What people ask for most, as three frameworks do it."""
    train(f"T{next(tuned):02}", model, task, batch, length, checkpointing, rank, targets, way=way, steps=4)


def timed(f):
    torch.cuda.synchronize()
    began = time.perf_counter()
    f()
    torch.cuda.synchronize()
    return time.perf_counter() - began


def median(f, n):
    return sorted(timed(f) for _ in range(n))[n // 2]


def infer(name, model, jobs, prompts=(512, 4096, 16384)):
    """Prompts of one request, and generation of (requests, prompt, tokens)."""
    clean()
    config = MODELS[model]()
    m = build(AutoModelForCausalLM, config, torch.bfloat16, False)
    cells = {"model": model, "params_b": params(m), "precision": "bf16"}

    def tokens(batch, length):
        return torch.randint(5, config.vocab_size - 5, (batch, length), device="cuda")

    with torch.inference_mode():
        m(tokens(1, 64), use_cache=True, logits_to_keep=1)
        for length in prompts:
            if length > config.max_position_embeddings:
                continue
            clean()
            x = tokens(1, length)

            def read():
                m(x, use_cache=True, logits_to_keep=1)

            read()
            speed = round(length / median(read, 5), 1)
            row(id=f"{name}-p{length}", task="prefill", batch=1, seq_len=length, prompt=length,
                measured_tokens_per_s=speed, **cells, **peaks())
        for batch, length, count in jobs:
            clean()
            x = tokens(batch, length)

            def write(n):
                m.generate(x, attention_mask=torch.ones_like(x), max_new_tokens=n, eos_token_id=None,
                           do_sample=False, pad_token_id=0)

            write(count)  # attention is planned anew for each length that it has not seen, which takes tens of ms
            short = count // 8
            began = timed(lambda: write(short))
            speed = round(batch * (count - short) / (timed(lambda: write(count)) - began), 2)
            row(id=f"{name}-b{batch}-{length}+{count}", task="decode", batch=batch, seq_len=length + count,
                prompt=length, measured_tokens_per_s=speed, **cells, **peaks())


def embed(name, model, batch, length, dtype):
    """Documents of one length through an embedding model."""
    clean()
    config = MODELS[model]()
    m = build(AutoModel, config, dtype, False)
    x = torch.randint(5, config.vocab_size - 5, (batch, length), device="cuda")
    more = {"use_cache": False} if "qwen" in config.model_type else {}

    def read():
        m(input_ids=x, attention_mask=torch.ones_like(x), **more)

    with torch.inference_mode():
        read()
        read()
        speed = round(batch * length / median(read, 7), 1)
    row(id=name, model=model, params_b=params(m), task="embed", precision=str(dtype).removeprefix("torch."),
        batch=batch, seq_len=length, measured_tokens_per_s=speed, **peaks())


L8, Q7, Q14, Q32, L1, L3, M7 = ("Llama-3.1-8B", "Qwen2.5-7B", "Qwen3-14B", "Qwen3-32B", "Llama-3.2-1B", "Llama-3.2-3B",
                                "Mistral-7B-v0.3")
JOBS = {
    "train": (train, [
        ("C01", L8, "lora", 4, 2048, True), ("C02", L8, "lora", 1, 2048, True), ("C03", L8, "full", 2, 2048, True),
        ("C04", Q7, "lora", 4, 2048, True, 64), ("C05", L8, "lora", 2, 4096, False),
        ("C06", Q14, "lora", 2, 4096, True), ("C07", L3, "full", 4, 2048, True, {"master": True}),
        ("C08", Q32, "lora", 1, 2048, True), ("C09", Q7, "full", 4, 2048, True), ("C10", L1, "full", 8, 2048, False),
        ("C11", M7, "lora", 2, 8192, True, 32), ("C12", L8, "lora", 4, 512, False, 8, ["q_proj", "v_proj"]),
        ("C13", "Qwen2.5-1.5B", "full", 4, 2048, False, {"master": True}), ("C14", L3, "lora", 8, 2048, False),
        ("C15", L8, "lora", 1, 16384, True), ("C16", "Qwen2.5-0.5B", "full", 16, 1024, False, {"master": True}),
        ("C17", "Qwen3-8B", "full", 1, 4096, True), ("C18", M7, "full", 2, 2048, True, {"optim": "adafactor"}),
        ("C19", "gpt2", "full", 32, 1024, False, {"master": True}), ("C20", "Qwen3-8B", "lora", 16, 1024, True),
        ("C21", L8, "full", 1, 8192, True, {"optim": "adafactor"}), ("C22", Q32, "lora", 2, 4096, True, 32),
        ("C23", "Qwen2.5-1.5B", "lora", 8, 1024, False), ("C24", L1, "lora", 4, 2048, True),
        ("C25", Q14, "lora", 1, 1024, True), ("C26", "Qwen3-8B", "lora", 1, 512, True),
        ("C27", "Qwen2.5-0.5B", "lora", 4, 512, False), ("C28", Q7, "lora", 8, 1024, True, 8),
    ]),
    "tune": (tune, [
        (L8, 4, 4096, "trl"), (L8, 1, 2048, "trl"), (L8, 4, 2048, "trl"), (L8, 1, 4096, "trl"),
        (L8, 4, 4096, "prepared"), (L8, 1, 2048, "prepared"), (L8, 4, 4096, "plain"), (L8, 1, 2048, "plain"),
        (L8, 4, 2048, "prepared"), (L8, 4, 2048, "plain"), (L8, 1, 4096, "prepared"), (L8, 8, 1024, "plain"),
        ("Qwen3-8B", 4, 2048, "trl"), ("Qwen3-8B", 1, 2048, "plain"), (Q7, 4, 4096, "trl", {"rank": 64}),
        (Q7, 1, 2048, "prepared"), (L8, 1, 2048, "plain", {"rank": 64, "checkpointing": False}),
        (L8, 2, 2048, "trl", {"checkpointing": False}), (L8, 8, 1024, "trl", {"rank": 64}),
        (L8, 4, 4096, "trl", {"task": "lora"}), (L8, 1, 2048, "trl", {"task": "lora"}),
        (L8, 1, 4096, "plain", {"task": "lora"}), (L8, 4, 4096, "plain", {"task": "lora", "rank": 64}),
        (L1, 4, 4096, "plain", {"task": "full"}), (L3, 4, 2048, "plain", {"task": "full"}),
        (L3, 1, 4096, "plain", {"task": "full", "checkpointing": False}), (L1, 4, 2048, "trl", {"task": "full"}),
        (L8, 4, 2048, "plain", {"task": "full"}), (Q14, 2, 2048, "plain"), (Q14, 1, 4096, "trl"),
        (Q32, 1, 2048, "plain"), ("Llama-3.1-70B", 1, 2048, "plain"), (L3, 1, 2048, "trl"), (L3, 8, 2048, "trl"),
        ("Mistral-7B-v0.3", 4, 4096, "trl"), (L8, 2, 8192, "plain"), (L8, 1, 16384, "trl"), (L8, 1, 512, "plain"),
    ]),
    "again": (tune, [  # asked after what "tune" gave had been learnt from
        (L8, 1, 2048, "trl"), (L8, 1, 2048, "prepared"), (L8, 1, 2048, "plain"),
        (L8, 1, 2048, "plain", {"task": "lora"}),
        (L8, 2, 2048, "trl"), (L8, 2, 2048, "prepared"), (L8, 2, 1024, "trl"), (L8, 8, 2048, "trl"),
        (Q7, 2, 2048, "plain"), (Q7, 1, 4096, "trl"), (Q7, 4, 2048, "prepared"), ("Qwen3-8B", 2, 4096, "trl"),
        ("Qwen3-8B", 1, 8192, "plain"), (M7, 1, 2048, "trl"), (M7, 4, 2048, "prepared"),
        (L8, 2, 4096, "plain", {"rank": 32}),
        (L8, 4, 2048, "trl", {"task": "lora", "rank": 8, "targets": MATRICES[0:3:2]}),
        (L8, 2, 2048, "plain", {"task": "lora", "checkpointing": False}), (L8, 1, 4096, "plain", {"task": "full"}),
        (L3, 4, 2048, "plain", {"task": "lora"}), (L3, 8, 2048, "plain", {"task": "full"}), (Q14, 4, 2048, "trl"),
        (Q14, 1, 2048, "prepared"), ("Qwen2.5-1.5B", 8, 1024, "trl", {"task": "full"}), (L1, 4, 2048, "trl"),
        (Q32, 2, 2048, "trl"), (Q7, 2, 2048, "trl", {"task": "full"}), (M7, 1, 8192, "trl"), (L8, 1, 1024, "trl"),
    ]),
    "decode": (infer, [
        ("D08", L8, [(1, 512, 128), (16, 512, 64), (1, 8192, 64)]), ("D01", L1, [(1, 512, 128), (32, 512, 64)]),
        ("D07", Q7, [(1, 512, 128), (8, 2048, 64)]), ("D32", Q32, [(1, 512, 64), (8, 1024, 64)]),
        ("D14", Q14, [(1, 512, 64), (1, 16384, 48)]), ("D03", L3, [(1, 512, 128)]),
        ("D70", "Llama-3.1-70B", [(1, 512, 48)], (512, 4096)),
    ]),
    "embed": (embed, [
        ("E1", "bge-large-en-v1.5", 256, 449, torch.float16), ("E2", "bge-m3", 64, 512, torch.float16),
        ("E3", "bge-m3", 16, 4096, torch.float16), ("E4", "Qwen3-Embedding-0.6B", 64, 512, torch.bfloat16),
        ("E5", "Qwen3-Embedding-4B", 64, 512, torch.bfloat16), ("E6", "Qwen3-Embedding-8B", 32, 512, torch.bfloat16),
    ]),
}
for kind in options.only.split(","):
    measure, jobs = JOBS[kind]
    for job in jobs:
        if time.time() - BEGAN > options.budget:
            print("the budget is spent", flush=True)
            raise SystemExit
        named = job[-1] if isinstance(job[-1], dict) else {}
        try:
            measure(*job[:len(job) - bool(named)], **named)
        except torch.OutOfMemoryError:
            print(job[0], "does not fit", flush=True)
            if tried:
                row(**tried, mem_unit="GiB", mem_kind="allocated", fits="no")
        except Exception:
            print(job[0], traceback.format_exc(), flush=True)
