package recommend

import (
	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
	"tianti/web/job"
)

var limitParam = api.Param{
	Name:    "limit",
	Type:    "integer",
	Default: "20",
	Description: catalog.Text{
		En: "1 to 1000 options, and as many cards that do not do the job",
		Zh: "1 至 1000 个方案；不合适的卡也至多列出这么多",
	},
	Example: "5",
}

var recommendOp = api.Operation{
	ID: "recommend", Path: "/api/v1/recommend", Answer: api.Recommendation{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Cards that do a job", Zh: "为任务选卡"},
	Description: catalog.Text{
		En: "Ranks the cards that do a job, and says of every other card why it does not and what would make it fit. " +
			"Memory, speed and cost come with their 90 % interval, the formula with the numbers put in, and the " +
			"measured cases that corrected it. What the address leaves open is chosen as documented and echoed in " +
			"assumptions. The first 20 options and those on the front of cost and speed are in full, the others brief.",
		Zh: "为一个任务给能胜任的卡排序，并说明其余每张卡为何不行、怎样才行。显存、速度与成本均附 90% 区间、代入数值的公式以及参与修正的实测案例。地址中未给出的参数按文档取默认值，并在 assumptions " +
			"中列出。前 20 个方案与成本–速度前沿上的方案给出完整估算，其余从简。",
	},
	Params:   append(job.Params(sizing.ForRecommend), limitParam),
	Examples: []string{"/api/v1/recommend?model=llama-3.1-8b&task=lora&batch=1&context=2048&limit=2"},
}
