package job

import (
	"strings"

	"tianti/catalog"
	"tianti/sizing"
	"tianti/web/api"
)

// Params are the parameters of a use, from the advisor's own table. Names of
// models, frameworks and formats, which are data, are not listed.
func Params(u sizing.Use) []api.Param {
	nothing := &sizing.Estimator{Models: &sizing.Models{}, Formats: &sizing.Formats{}, Profiles: &sizing.Profiles{}}
	var out []api.Param
	for _, p := range nothing.Parameters(u) {
		q := api.Param{
			Name:    p.Name,
			Type:    map[sizing.Kind]string{sizing.Number: "number", sizing.Whole: "integer"}[p.Kind],
			Default: p.Default,
			Many:    p.Kind == sizing.List,
			Description: catalog.Text{
				En: sizingDoc(&p),
				Zh: sizingZh[p.Name],
			},
			Required: u == sizing.ForEstimate && p.Name == "card",
		}
		if q.Type == "" {
			q.Type = "string"
		}
		if p.Kind == sizing.Choice || p.Kind == sizing.Flag {
			q.Enum = p.Allowed
		}
		out = append(out, q)
	}
	return out
}

// sizingDoc is the text of a parameter with its unit.
func sizingDoc(p *sizing.Parameter) string {
	doc := p.Doc
	if p.Unit != "" {
		doc = strings.TrimSuffix(doc, ".") + " (" + p.Unit + ")."
	}
	return doc
}

// sizingZh are the texts of the parameters in Chinese.
var sizingZh = map[string]string{
	"model": "模型：预设的 id 或名称，7B 之类的规模（取最接近的稠密预设并等比缩放），或 config.json 的内容（至多 6000 字符）。推理时，带格式的仓库名（如 " +
		"Qwen3-32B-AWQ）同时设定 weights。未给出 params 或结构时必填。",
	"params":            "自定义模型的参数量（十亿）。单独给出时取最接近的稠密预设并等比缩放；与结构同时给出时为其实际参数量，与结构推算值相差不得超过 25%。",
	"layers":            "自定义结构的层数，须与 hidden、heads、intermediate、vocabulary 同时给出。",
	"hidden":            "隐藏维度。",
	"heads":             "查询头数，须能整除 hidden。",
	"kv_heads":          "KV 头数，须能整除 heads；未给出时与 heads 相同。",
	"intermediate":      "门控 MLP 的维度；有专家时为单个专家的维度。",
	"vocabulary":        "词表大小；输入与输出嵌入不共享。",
	"experts":           "每层专家数。",
	"experts_per_token": "每个 token 激活的专家数，须小于 experts。",
	"task":              "要做什么。对相应的模型，推理也可写作 embed、rerank、transcribe 或 generate。",
	"framework":         "运行任务的软件；未给出时由任务与权重格式决定。",
	"weights":           "权重格式；未给出时为 bf16，QLoRA 为 nf4。",
	"precision":         "计算精度；未给出时为 bf16，不支持 bf16 的卡为 fp16。",
	"kv_cache":          "KV 缓存的格式；未给出时为 16 位。",
	"batch":             "同时处理的序列数。推理：并发请求数、文档数（未给出时为 32）、图像或视频数；训练：单卡每个微步的序列数，DPO 为对数。未给出时为 1。",
	"context": "序列长度（token），推理时含提示与输出。未给出时训练为 2048、推理为 4096、文档为 512、GRPO 为 1024，超过模型上限须设 " +
		"allow_long_context=yes，否则报错。",
	"allow_long_context": "允许长度超过模型的设计上限（RoPE 缩放或长上下文版本）；否则报错。",
	"prompt":             "一次读入的 token 数，未给出时为 context 的一半，GRPO 为 512。",
	"optimizer":          "优化器；未给出时为 adamw，GaLore 为 galore。",
	"checkpointing":      "重计算而不保存的激活；未给出时为 full。",
	"fused_loss":         "分块计算损失，logits 不整体驻留显存。",
	"attention":          "注意力实现；未给出时为 flash，不支持的卡为 sdpa。",
	"packing":            "序列拼满至 context；否则多数序列较短。",
	"accumulation":       "优化器每步的微步数；未给出时为 1。",
	"rank":               "适配器或 GaLore 投影的秩；未给出时为 16，GaLore 为 128。",
	"targets":            "加适配器的矩阵；未给出时为 all（全部线性层）。",
	"dora":               "带幅度项的方向适配器（DoRA）。只估算显存；没有已知实测，不估算速度。",
	"expert_parallel":    "共同存放一层各专家的数据并行卡数；须整除 cards ÷ (tensor · pipeline) 与专家数。未给出时为 1。",
	"context_parallel":   "共同处理同一条序列的卡数；tensor · pipeline · context_parallel 须整除 cards。未给出时为 1。",
	"cards":              "共同承担任务的卡数上限；不给出时为 1，一张卡无法稳妥完成时最多 8 张。estimate 中为卡数。",
	"stage":              "ZeRO 阶段：0 每张卡保存全部，1 切分优化器状态，2 再切分梯度，3 再切分参数。未给出时取装得下的最低阶段。",
	"tensor":             "共同计算每一层的卡数；tensor · pipeline 须整除 cards，tensor 须整除 heads。未给出时自动选择。",
	"pipeline":           "依次存放各层的卡数。未给出时自动选择。",
	"offload": "放在主机内存中的部分。训练：optimizer（阶段 1 至 3）、parameters（含优化器，阶段 3）。推理：experts（专家层由主机计算）；扩散模型可用 " +
		"model（卡上一次只放一个组件）。",
	"resolution":            "图像或视频的宽与高（像素），如 1024x768，或正方形边长；未给出时取该模型常用值。",
	"frames":                "视频帧数；未给出时取该模型常用值。",
	"steps":                 "去噪步数；未给出时取该模型常用值。",
	"cached":                "扩散模型训练：是否事先算好文本嵌入与潜变量，使文本编码器与 VAE 不占用显存。",
	"tuning":                "策略模型的训练方式；未给出时为 full。",
	"reference":             "策略模型旁是否运行冻结的参考模型；用适配器时以其底座为参考。no 表示事先算好其概率或不使用。",
	"group":                 "每个提示词的回答数；未给出时为 8。",
	"prompts":               "每步的提示词数；未给出时 verl 为 1024，其余为 128。",
	"rollouts":              "生成引擎在每张卡上同时生成的回答数；未给出时至多 256。",
	"rollout_cards":         "cards 中只用于生成、不参与训练的卡数；0 表示生成与训练共用同一批卡。",
	"offload_layers":        "放在主机内存、由主机计算的层数。",
	"host_bandwidth":        "主机内存带宽（主机参与计算时）；未给出时为 89.6（双通道 DDR5-5600）；超过 PC 的 256 GiB 时为 307.2（八通道 DDR5-4800）。",
	"goal":                  "最佳方案的标准；cheapest 按整个任务的费用，未给出 tokens 时按每小时费用。",
	"tokens":                "整个任务的 token 数（训练或生成）。未给出时没有总量。",
	"min_rate":              "最低速度。",
	"max_hours":             "处理 tokens 的最长时间。",
	"budget":                "预算，以 currency 计：购卡金额，或整个任务的租金（须给出 tokens）。",
	"currency":              "budget、tariff、buy_price、rent_price 与结果的币种（ISO 4217）。",
	"acquire":               "获得卡的方式；未给出时取较便宜者，需要服务器的卡在没有预算、也非全天运行时取租用。",
	"tariff":                "电价；未给出时取购买地（未选则取币种所在地）的平均电价（已收录美国、中国、欧盟），0 表示购卡成本不含电费。",
	"pue":                   "电能利用效率：机房与设备的功率之比。未给出时，至多两张卡（PC）为 1，更多为 1.58（数据中心平均）。",
	"years":                 "购入的卡按直线法折旧的年限。",
	"residual":              "期满残值占价格的比例；未给出时为 0。",
	"host_share":            "购入的卡所在整机的价格占卡价的比例，为假设值；0 为不计。",
	"utilisation":           "购入的卡工作的时间比例。未给出时，至多两张卡为 0.24（每周 40 小时，系假设），更多为 0.54，服务为 1。",
	"carbon":                "每千瓦时电的二氧化碳排放；未给出时不计。",
	"buy_price":             "您得到的单卡报价，代替已记录的价格。",
	"rent_price":            "您得到的单卡每小时租金报价，代替已记录的价格。",
	"with":                  "同一主机中的其他型号的卡：名称或 id、id:数量 或 2 × 名称，以逗号分隔。",
	"measured_gb":           "您实测的峰值显存（占用最多的卡），与估算并列。以 GB（10⁹ 字节）计，或带单位：22.4 GiB、22937 MiB。",
	"measured_as":           "measured_gb 统计的范围：driver（nvidia-smi 所示）、reserved（框架分配器保留）、allocated（张量占用）。",
	"measured_tokens_per_s": "您实测的速度，与估算并列：所有卡与请求合计，生成或训练的 token；不输出文本的模型以估算的单位计。",
	"vendor":                "要考虑的厂商；未给出时为全部。",
	"segment":               "要考虑的用途；未给出时为全部。",
	"card":                  "要考虑的卡的 id；未给出时为全部。estimate 中必填一个。",
	"destination":           "卡的目的地（ISO 3166）：需要许可的卡会被排除并说明原因，信息不足的卡保留并标明。未给出时不检查。",
	"as_of":                 "该日的卡、价格与规则，YYYY-MM-DD；估算采用今天的方法与全部实测。今天之后的日期仅用于规则，并须给出 destination。",
}
