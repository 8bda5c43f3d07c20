"""NF4 weights where bitsandbytes is not installed: as much of it as training adapters with PEFT asks for.

The bytes are laid out as there: two weights of four bits to a byte, a scale for 64 weights in eight bits, a scale for
256 of those in 32 bits. A product makes the matrix in 16 bits anew, once forward and once backward, by two kernels and
an addition, as there; the kernels are Triton's. install() makes it importable under the name of bitsandbytes.
"""
import importlib.machinery
import sys
import types

import torch
import triton
import triton.language as tl

# The sixteen values of NF4: QLoRA, arXiv 2305.14314, appendix E.
VALUES = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
          -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
          0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)
BLOCK, OUTER = 64, 256  # weights to a scale, scales to a scale of scales


@triton.jit
def _weights(packed, scales, values, out, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    two = tl.load(packed + at, mask=inside, other=0).to(tl.int32)
    scale = tl.load(scales + at // 32, mask=inside, other=0.0)
    first = tl.load(values + (two >> 4)) * scale
    second = tl.load(values + (two & 15)) * scale
    both = tl.program_id(0) * 2 * SIZE + tl.arange(0, 2 * SIZE)
    tl.store(out + both, tl.interleave(first, second).to(out.dtype.element_ty), mask=both < 2 * n)


@triton.jit
def _scales(packed, scales, values, out, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    code = tl.load(packed + at, mask=inside, other=0).to(tl.int32)
    tl.store(out + at, tl.load(values + code) * tl.load(scales + at // 256, mask=inside, other=0.0), mask=inside)


class State:
    """What a matrix of four bits is read with."""

    def __init__(self, scales, outer, mean, shape, dtype):
        self.scales, self.outer, self.mean, self.shape, self.dtype = scales, outer, mean, shape, dtype
        self.values = torch.tensor(VALUES, device=scales.device)
        self.values2 = torch.linspace(-1, 1, 256, device=scales.device)


def quantize(weight):
    blocks = weight.reshape(-1, BLOCK).float()
    scales = blocks.abs().amax(1)
    values = torch.tensor(VALUES, device=weight.device)
    codes = torch.bucketize(blocks / scales[:, None], (values[1:] + values[:-1]) / 2, out_int32=True).to(torch.uint8)
    codes = codes.reshape(-1, 2)
    packed = (codes[:, :1] << 4) | codes[:, 1:]
    mean = scales.mean()
    rest = torch.nn.functional.pad(scales - mean, (0, -len(scales) % OUTER)).reshape(-1, OUTER)
    outer = rest.abs().amax(1)
    inner = ((rest / outer[:, None] + 1) * 127.5).round().to(torch.uint8).reshape(-1)[:len(scales)].clone()
    return packed, State(inner, outer, mean, weight.shape, weight.dtype)


def dequantize(packed, s):
    n = s.scales.numel()
    scales = torch.empty(n, dtype=torch.float32, device=packed.device)
    _scales[(triton.cdiv(n, 1024),)](s.scales, s.outer, s.values2, scales, n, SIZE=1024)
    scales += s.mean
    out = torch.empty(s.shape, dtype=s.dtype, device=packed.device)
    n = packed.numel()
    _weights[(triton.cdiv(n, 1024),)](packed, scales, s.values, out, n, SIZE=1024)
    return out


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, packed, state):
        ctx.packed, ctx.state = packed, state
        return torch.nn.functional.linear(x, dequantize(packed, state).to(x.dtype))

    @staticmethod
    def backward(ctx, gradient):
        return torch.matmul(gradient, dequantize(ctx.packed, ctx.state).to(gradient.dtype)), None, None


class Params4bit(torch.nn.Parameter):
    """The weights; .to("cuda") makes four bits of them."""

    def __new__(cls, data, requires_grad=False, quant_type="nf4", compress_statistics=True, quant_state=None):
        self = torch.Tensor._make_subclass(cls, data, requires_grad)
        self.quant_type, self.compress_statistics, self.quant_state = quant_type, compress_statistics, quant_state
        return self

    def to(self, *where, **more):
        if self.quant_state is not None or self.device.type == "meta":
            return super().to(*where, **more)
        packed, state = quantize(self.data.to(*where, **more))
        return Params4bit(packed, quant_state=state)


class Linear4bit(torch.nn.Linear):
    def __init__(self, inputs, outputs, bias=True, compute_dtype=None, compress_statistics=True, quant_type="nf4",
                 device=None):
        super().__init__(inputs, outputs, bias, device)
        self.compute_dtype = compute_dtype

    def forward(self, x):
        y = _Product.apply(x.to(self.compute_dtype), self.weight, self.weight.quant_state).to(x.dtype)
        return y if self.bias is None else y + self.bias.to(y.dtype)


class Linear8bitLt(torch.nn.Linear):
    """Only a name that is asked for."""


def install():
    nn = types.ModuleType("bitsandbytes.nn")
    nn.Params4bit, nn.Linear4bit, nn.Linear8bitLt = Params4bit, Linear4bit, Linear8bitLt
    top = types.ModuleType("bitsandbytes")
    top.nn, top.__version__, top.__path__ = nn, "0", []
    for m in (top, nn):
        m.__spec__ = importlib.machinery.ModuleSpec(m.__name__, None, is_package=True)
        sys.modules[m.__name__] = m


if __name__ == "__main__":
    w = torch.randn(14336, 4096, device="cuda", dtype=torch.bfloat16)
    p = Params4bit(w).to("cuda")
    again = dequantize(p.data, p.quant_state)
    print("relative error of NF4:", ((again.float() - w.float()).norm() / w.float().norm()).item())
    us = 1000 * triton.testing.do_bench(lambda: dequantize(p.data, p.quant_state), return_mode="median")
    print(f"a matrix of 14336 x 4096 in 16 bits again: {us:.1f} us, {w.numel() * 2.5e-6 / us:.2f} TB/s")
