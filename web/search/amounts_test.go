package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// What a number counts is said beside it: cards, bits, watts, slots, tokens, hours and users are no money, and money of
// a currency without a rate is none of another.
func TestNumbersAreWhatTheyCount(t *testing.T) {
	for text, want := range map[string]string{
		"pretrain 8b on up to 512 rented gpus": "cards 512",
		"8-card server":                        "cards 8",
		"2x4090 cards":                         "cards 2",
		"two rtx cards":                        "cards 2",
		"rtx 3090 gpu":                         "",
		"两张 3090":                              "cards 2",
		"千卡集群":                                 "cards 1000",
		"万卡集群":                                 "cards 10000",
		"2048 张 h800":                          "cards 2048",
		"16384 gpus":                           "cards 16384",
		"rtx 6000 gpus":                        "",
		"sdxl 1024x1024 on 4090":               "resolution 1024x1024",
		"flux 20 steps, 768 × 512":             "resolution 768x512 steps 20",
		"81 帧 720p":                            "frames 81 resolution 1280x720",
		"2x3090":                               "cards 2",
		"70b in 4 bits":                        "format q4_k_m",
		"4 位 70B":                              "format q4_k_m",
		"qwen3-8b at 75W":                      "watts 75",
		"300 瓦以下的卡":                            "watts 300",
		"no power connector":                   "watts 75",
		"免供电显卡":                                "watts 75",
		"single-slot card":                     "slots 1",
		"双槽显卡":                                 "slots 2",
		"128k tokens of context":               "context 131072",
		"8b at 4,096 tokens":                   "context 4096",
		"上下文 32k":                              "context 32768",
		"10 万 token 上下文":                       "context 100000",
		"10 billion tokens within a day":       "tokens 1e+10 hours 24",
		"100 亿 token,三天内":                      "tokens 1e+10 hours 72",
		"20 tokens per second":                 "",
		"2 万个用户":                               "users 20000",
		"一千万篇文档":                               "",
		"10 万条对话":                              "",
		"一万的卡":                                 "10000 CNY",
		"under 50000 rubles":                   "unknown 50000 RUB",
		"₽300 000":                             "unknown 300000 RUB",
		"30 万卢布":                               "unknown 300000 RUB",
		"under HK$5000":                        "unknown 5000 HKD",
		"$5000":                                "5000 USD",
		"8b under 1.5 million krw":             "unknown 1.5e+06 KRW",
		"rtx 4090 trial: 8b under $900, no rubber gloves": "900 USD",
	} {
		a := read(text)
		got := ""
		add := func(name string, v float64, unit string) {
			if v == 0 {
				return
			}
			if got != "" {
				got += " "
			}
			if name != "" {
				got += name + " "
			}
			got += fmt.Sprint(v) + unit
		}
		add("cards", float64(a.count), "")
		if f := a.said[weights]; f != "" {
			got += "format " + f
		}
		for _, name := range slices.Sorted(maps.Keys(a.media)) {
			got = strings.TrimSpace(got + " " + name + " " + a.media.Get(name))
		}
		add("watts", float64(a.watts), "")
		add("slots", float64(a.slots), "")
		add("context", float64(a.context), "")
		add("tokens", a.tokens, "")
		add("hours", a.hours, "")
		add("users", float64(a.users), "")
		add("unknown", a.unknown, " "+a.unknownCode)
		add("", a.budget.Amount(), " "+a.budget.Currency)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
