package calculator

import (
	"net/http"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
)

// modelKinds are the kinds of presets.
var modelKinds = sizing.ModelKinds

var readConfigOp = api.Operation{
	ID: "read-config", Method: http.MethodPost, Path: "/api/v1/models/config", Answer: api.ConfigAnswer{},
	Errors:  []int{400, 415},
	Body:    "application/json",
	Summary: catalog.Text{En: "A model from its config.json", Zh: "由 config.json 得出模型"},
	Description: catalog.Text{
		En: "The body is the config.json of a model, up to 1 MiB and 16 levels deep. The answer has its parameters, " +
			"counted, the bytes of a token and of a sequence, and the format of its weights. What is needed and " +
			"missing, or not known, is an error at config.FIELD; nothing is guessed, and nothing is kept. The field " +
			"config of the answer, where there is one, is what recommend and estimate take as model.",
		Zh: "请求体为模型的 config.json，至多 1 MiB、16 层嵌套。返回计算所得的参数量、每个 token 与每个序列的字节数，以及权重格式。缺失或无法识别之处以 config.字段 " +
			"报错，不作猜测，也不会保存。返回中的 config 字段（若有）可作为 recommend 与 estimate 的 model 参数。",
	},
}

var listModelsOp = api.Operation{
	ID: "list-models", Path: "/api/v1/models", Answer: api.ModelList{}, Errors: []int{400, 404},
	Summary: catalog.Text{En: "Models with a known architecture", Zh: "已知结构的模型"},
	Description: catalog.Text{
		En: "Presets for recommend and estimate: parameters, those that a token passes through, and the " +
			"architecture, with its source.",
		Zh: "recommend 与 estimate 可用的预设模型：参数量、每个 token 激活的参数量与结构，附来源。",
	},
	Params: []api.Param{
		{
			Name:        "q",
			Type:        "string",
			Description: catalog.Text{En: "words that must all occur in id, name or family", Zh: "须全部出现在 id、名称或系列中的词"},
			Example:     "qwen3",
		},
		{Name: "family", Type: "string", Description: catalog.Text{En: "family", Zh: "系列"}, Example: "Llama"},
		{Name: "kind", Type: "string", Enum: modelKinds, Description: catalog.Text{En: "kind of model", Zh: "模型类型"}},
		{
			Name:        "limit",
			Type:        "integer",
			Default:     "100",
			Description: catalog.Text{En: "1 to 1000 models", Zh: "1 至 1000 个"},
			Example:     "20",
		},
		{
			Name:        "cursor",
			Type:        "string",
			Description: catalog.Text{En: "opaque; taken from next of the page before", Zh: "不透明值，取自上一页的 next"},
		},
	},
	Examples: []string{"/api/v1/models?q=llama-3.1&limit=2"},
}
