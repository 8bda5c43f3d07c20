package live

// Methods are the keys of the messages that explain matching and rating, in reading order. Each is a prefix of two
// keys, such as "live.method.match.title" and "live.method.match.text".
var Methods = []string{
	"live.method.utilization.",
	"live.method.match.",
	"live.method.memory.",
	"live.method.activity.",
	"live.method.derived.",
	"live.method.power.",
	"live.method.links.",
	// https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/, https://docs.nvidia.com/deploy/xid-errors/
	"live.method.errors.",
	"live.method.parts.",
	"live.method.idle.",
}
