// NVIDIA's nvml.h, which tests hold our declarations against, comes with this module.
// Nothing is built with it, and the program does not depend on it.
module tianti/cmd/tianti/internal/nvml/nvmltest/header

go 1.26.0

require github.com/NVIDIA/go-nvml v0.13.3-1
