"""Keeps the card busy in one way after the other and prints the rate that each reaches.

    python load.py copy,fp32,tf32,bf16,fp16,fp8,int8,fp64 SECONDS [FILE]

Products are of 8192 × 8192 matrices, drawn at random; a copy is of 8 GiB, counted as read and written. FILE holds the
kind at work, for whoever reads the card's monitors meanwhile.
"""
import json
import sys
import time

import torch

N = 8192
PRODUCT = 2 * N**3


def product(dtype):
    a, b = (torch.randn(N, N, device="cuda", dtype=dtype) for _ in range(2))
    c = torch.empty(N, N, device="cuda", dtype=dtype)
    return lambda: torch.mm(a, b, out=c)


def eight_bits():
    a, b = (torch.randn(N, N, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    one = torch.tensor(1.0, device="cuda")
    return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)


def integers():
    a, b = (torch.randint(-127, 127, (N, N), device="cuda", dtype=torch.int8) for _ in range(2))
    return lambda: torch._int_mm(a, b.t())


def work(kind):
    """What to do again and again, and how many operations, or bytes, each time is."""
    if kind == "copy":
        a = torch.empty(8 << 30, device="cuda", dtype=torch.uint8).random_()
        b = torch.empty_like(a)
        return lambda: b.copy_(a), 2 * (8 << 30)
    if kind == "fp8":
        return eight_bits(), PRODUCT
    if kind == "int8":
        return integers(), PRODUCT
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    types = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16,
             "fp64": torch.float64}
    return product(types[kind]), PRODUCT


def load(kind, seconds, now):
    f, each = work(kind)
    began, ended = torch.cuda.Event(True), torch.cuda.Event(True)

    def timed(n):
        began.record()
        for _ in range(n):
            f()
        ended.record()
        torch.cuda.synchronize()
        return began.elapsed_time(ended) / 1e3

    timed(3)
    n = max(1, int(0.25 / max(1e-3, timed(1))))
    if now:
        with open(now, "w") as file:
            file.write(kind)
    until, rates = time.time() + seconds, []
    while time.time() < until:
        rates.append(each * n / timed(n) / 1e12)
    median = sorted(rates)[len(rates) // 2]
    print(json.dumps({"kind": kind, "tera_per_s_median": median, "first": rates[0], "last": rates[-1]}), flush=True)


torch.manual_seed(0)
for kind in sys.argv[1].split(","):
    load(kind, float(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
    torch.cuda.empty_cache()
