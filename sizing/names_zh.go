package sizing

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// inLatin are the names that families have in Chinese, as their makers write them beside the Latin ones. Where the
// maker stands before the family, it says nothing that the family does not. The longer come first.
var inLatin = strings.NewReplacer(
	"通义千问", "Qwen", "千问", "Qwen", "混元", "Hunyuan-", "文心一言", "ERNIE-", "文心", "ERNIE-", "盘古", "Pangu-",
	"深度求索", "", "智谱清言", "", "智谱", "", "月之暗面", "", "阶跃星辰", "", "通义", "",
)

// spelled is a name of a model in plain width and Latin letters: "通义千问3-32B" is Qwen3-32B, and so is
// "通义千问 Qwen3-32B".
func spelled(name string) string {
	name = strings.TrimSpace(norm.NFKC.String(name))
	out := strings.TrimSpace(inLatin.Replace(name))
	if out == "" {
		return name
	}
	for _, twice := range []string{"Qwen", "Hunyuan-", "ERNIE-", "Pangu-"} { // its name stands there twice
		if rest, ok := strings.CutPrefix(out, twice); ok && strings.Contains(strings.ToLower(rest),
			strings.ToLower(strings.TrimSuffix(twice, "-"))) {
			out = strings.TrimLeft(rest, " -")
		}
	}
	return out
}
