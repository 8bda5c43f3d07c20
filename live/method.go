package live

// Methods are the keys of the messages that explain how readings are matched and
// rated, in the order to read them: each has a title and a text, "live.method.match."
// with "title" and "text" behind it.
var Methods = []string{
	"live.method.utilization.",
	"live.method.match.",
	"live.method.memory.",
	"live.method.activity.",
	"live.method.derived.",
	"live.method.power.",
	"live.method.links.",
	"live.method.errors.", // what NVIDIA says of them: https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/, https://docs.nvidia.com/deploy/xid-errors/
	"live.method.parts.",
	"live.method.idle.",
}
