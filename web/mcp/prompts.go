package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A prompt is a question that people ask often, in both languages; {name} stands for an argument.
type prompt struct {
	name, title, zhTitle string
	en, zh               string
	arguments            []*sdk.PromptArgument
}

var prompts = []prompt{
	{
		name: "compare", title: "Which of these cards is better?", zhTitle: "这几张卡哪张更好？",
		en: "Compare {cards} for {purpose}. Resolve the names with resolve_name, call compare_cards, and answer in " +
			"a few sentences: which one for this purpose, by which figures and by how much, where sources disagree, " +
			"and what is unknown. Name the basis of each rate and the day of each price, and link the page.",
		zh: "请就“{purpose}”对比 {cards}。先用 resolve_name 确定卡的 id，再调用 compare_cards，用几句话回答：该用途选哪张、" +
			"依据哪些指标、差多少、哪些来源说法不一、哪些数据未知。写明每项算力的口径与每个价格的日期，并附上页面链接。",
		arguments: []*sdk.PromptArgument{
			{Name: "cards", Title: "Cards · 卡", Description: "names of two to eight cards", Required: true},
			{Name: "purpose", Title: "Purpose · 用途", Description: "what they are for, such as inference of a 70B model",
				Required: true},
		},
	}, {
		name: "choose", title: "Which card for this job?", zhTitle: "这个任务用什么卡？",
		en: "Find cards for this job: {job}. Budget and constraints: {constraints}. Call recommend with what is " +
			"said, list what you had to assume, and give the best option and one alternative, each with memory, " +
			"speed and cost as value and 90 % interval. Say why the obvious cards are not among them, and link the " +
			"page.",
		zh: "请为这个任务选卡：{job}。预算与限制：{constraints}。按已知条件调用 recommend，列出你代为假设的参数，给出最佳方案与" +
			"一个备选，各附显存、速度与成本的数值和 90% 区间。说明为何常见的卡没有入选，并附上页面链接。",
		arguments: []*sdk.PromptArgument{
			{Name: "job", Title: "Job · 任务", Description: "model, task, context, batch", Required: true},
			{Name: "constraints", Title: "Constraints · 限制", Description: "budget, power, vendor, destination",
				Required: true},
		},
	}, {
		name: "export", title: "May this card be shipped there?", zhTitle: "这张卡能否出口到该地？",
		en: "What do export rules say of {card} for {destination}? Call export_status, give the verdict with the " +
			"rules that decide it and the comparisons behind them, and repeat every caveat: this is an engineer's " +
			"reading and not legal advice. Link the page.",
		zh: "{card} 出口到 {destination} 的管制状态如何？调用 export_status，给出结论、起决定作用的规则及其逐项比较，并完整转述" +
			"所有 caveats：这只是工程师的解读，不是法律意见。附上页面链接。",
		arguments: []*sdk.PromptArgument{
			{Name: "card", Title: "Card · 卡", Description: "name of a card", Required: true},
			{Name: "destination", Title: "Destination · 目的地", Description: "country, such as CN", Required: true},
		},
	},
}

// addPrompts makes a server have each prompt twice: in English, and in Chinese under its name and _zh.
func addPrompts(s *sdk.Server) {
	for _, p := range prompts {
		for name, of := range map[string][2]string{p.name: {p.title, p.en}, p.name + "_zh": {p.zhTitle, p.zh}} {
			s.AddPrompt(&sdk.Prompt{Name: name, Title: of[0], Description: of[0], Arguments: p.arguments},
				func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
					var pairs []string
					for _, a := range p.arguments {
						pairs = append(pairs, "{"+a.Name+"}", req.Params.Arguments[a.Name])
					}
					text := strings.NewReplacer(pairs...).Replace(of[1])
					return &sdk.GetPromptResult{Description: of[0], Messages: []*sdk.PromptMessage{
						{Role: "user", Content: &sdk.TextContent{Text: text}},
					}}, nil
				})
		}
	}
}
