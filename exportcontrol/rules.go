package exportcontrol

import (
	"cmp"
	"slices"

	"tianti/catalog"
)

type text = catalog.Text

var (
	bis        = text{En: "US Bureau of Industry and Security (BIS)", Zh: "美国商务部工业与安全局（BIS）"}
	congress   = text{En: "US Congress", Zh: "美国国会"}
	whiteHouse = text{En: "President of the United States", Zh: "美国总统"}
)

func at(q Quantity, bound float64) Condition    { return Condition{q, AtOrAbove, bound} }
func above(q Quantity, bound float64) Condition { return Condition{q, Above, bound} }
func below(q Quantity, bound float64) Condition { return Condition{q, Below, bound} }

var (
	inDatacenters    = Condition{Datacenter, Is, 1}
	notInDatacenters = Condition{Datacenter, Is, 0}
)

func all(label string, c ...Condition) Limb { return Limb{label, c} }

// advanced is the scope of 3A090.a and .b.
var advanced = Scope{Groups: []string{"D:1", "D:4", "D:5"}, Except: []string{"A:5", "A:6"},
	Countries: []Member{{Country: "MO"}, {Country: "AE", From: "2026-07-10"}}, Headquarters: true}

var rules = inOrder(slices.Concat(embargoes(), rulesTo2025(), rulesFrom2026()))

// inOrder sorts rules by the day on which they took effect; bills stay at the end.
func inOrder(list []*Rule) []*Rule {
	slices.SortStableFunc(list, func(a, b *Rule) int {
		return cmp.Compare(cmp.Or(a.Effective, "9999"), cmp.Or(b.Effective, "9999"))
	})
	return list
}

// rulesTo2025 returns the rules that took effect or were put forward until the end of 2025, in that order.
func rulesTo2025() []*Rule {
	return []*Rule{{
		ID: "US-LETTER-2022-08-26", Kind: Letter, Authority: bis,
		Title: text{En: "US, August 2022: letters to NVIDIA and AMD (A100, H100, MI250)",
			Zh: "美国，2022 年 8 月：致 NVIDIA 与 AMD 的通知函（A100、H100、MI250）"},
		Summary: text{En: "A licence for China, Hong Kong and Russia for the A100, H100, MI250 and anything about " +
			"as fast in both compute and links.", Zh: "向中国内地、香港与俄罗斯出口 A100、H100、MI250，以及算力与互连均与之相当的产品，须申请许可。"},
		Effective: "2022-08-26", End: "2022-10-21",
		Scope:   Scope{Countries: []Member{{Country: "CN"}, {Country: "RU"}}},
		Vendors: []string{"NVIDIA", "AMD"},
		Named: []Named{{"nvidia-a100-", Controlled}, {"nvidia-h100-", Controlled},
			{"amd-instinct-mi250", Controlled}},
		Outcomes: []Outcome{{Status: Controlled, Verdict: LicenceRequired,
			Any: []Limb{all("≈ A100", at(IO, 600), at(TPP, 4800))}}},
		Otherwise: NotControlled,
		Read:      "2026-11-23",
		Certainty: Reading{Excerpt, Unverified},
		Citation:  "NVIDIA Form 8-K, 2022-08-31",
		Address:   "https://www.sec.gov/Archives/edgar/data/1045810/000104581022000146/nvda-20220826.htm",
		Notes: []text{
			{En: "The letter gives no numbers: “roughly equivalent to the A100” is read as the bounds of the " +
				"October 2022 rule.", Zh: "信函未给出数值：“大致相当于 A100”按 2022 年 10 月规则的门槛理解。"},
			{En: "AMD was informed around 2022-08-31. That the letters ended with the October rule is not verified.",
				Zh: "AMD 约于 2022-08-31 收到通知。信函随 10 月规则失效一事未经核实。"},
		},
	}, {
		ID: "US-BIS-2022-3A090", Kind: Regulation, Authority: bis,
		Title: text{En: "US, October 2022: advanced chips (first 3A090)",
			Zh: "美国，2022 年 10 月：先进计算芯片（最初的 3A090）"},
		Summary: text{En: "A licence for chips with 600 GB/s or more over all inputs and outputs and 4,800 or more " +
			"bits × TOPS.", Zh: "全部输入输出合计 600 GB/s 及以上，且位宽 × TOPS 达 4800 及以上的芯片，出口须申请许可。"},
		Announced: "2022-10-07", Effective: "2022-10-21", End: "2023-11-16",
		Scope: Scope{Countries: []Member{{Country: "CN"}, {Country: "MO", From: "2023-01-17"}}},
		Outcomes: []Outcome{{Status: Controlled, Verdict: LicenceRequired,
			Any: []Limb{all("3A090.a", at(IO, 600), at(TPP, 4800))}}},
		Otherwise: NotControlled,
		Read:      "2026-11-20",
		Certainty: Reading{Secondary, Secondary},
		Citation:  "87 FR 62186", Address: "https://www.govinfo.gov/content/pkg/FR-2022-10-13/html/2022-21658.htm",
		Notes: []text{
			{En: "Dense rates are assumed; the 2022 text on sparsity was not found, and the explicit note " +
				"came in 2023.", Zh: "按稠密算力计算；未找到 2022 年文本对稀疏的说明，明确的注释始于 2023 年。"},
			{En: "Links that are capped count as capped only when they cannot be programmed back.",
				Zh: "被限制的链路只有在无法通过编程恢复时，才按限制后的带宽计。"},
			{En: "Which of the staged dates (10-07, 10-12, 10-21) 3A090 belongs to, and the day of Macau’s addition, " +
				"are not verified.", Zh: "3A090 属于分批生效日期（10-07、10-12、10-21）中的哪一批，以及增列澳门的确切日期，均未核实。"},
		},
	}, {
		ID: "US-LETTER-2023-MIDDLE-EAST", Kind: Letter, Authority: bis,
		Title: text{En: "US, mid-2023: letter to NVIDIA on customers in the Middle East",
			Zh: "美国，2023 年年中：致 NVIDIA 的通知函（中东客户）"},
		Summary: text{
			En: "A licence for a part of the A100 and H100 products for certain customers and other regions, some " +
				"countries of the Middle East among them. Neither products, customers, countries nor day were " +
				"published.",
			Zh: "部分 A100 与 H100 产品销往特定客户及其他地区（包括中东部分国家）须许可。产品、客户、国家与日期均未公布。",
		},
		Announced: "2023-08-28", Effective: "2023-07-30", End: "2023-11-16", Vendors: []string{"NVIDIA"},
		Scope: middleEast(), Named: []Named{{"nvidia-a100-", Unknown}, {"nvidia-h100-", Unknown}},
		Otherwise: NotControlled,
		Read:      "2026-11-24",
		Certainty: Reading{Excerpt, Unverified},
		Citation:  "NVIDIA Form 10-Q for the quarter to 2023-07-30",
		Address:   "https://www.sec.gov/Archives/edgar/data/1045810/000104581023000175/nvda-20230730.htm",
		Notes: []text{
			{
				En: "The day shown is the end of the quarter in which NVIDIA was informed; that the letter ended " +
					"with the rule of November 2023, and which countries are meant, are assumptions: the answer " +
					"there is “not known”.",
				Zh: "所列日期为 NVIDIA 获知当季的季末；通知函随 2023 年 11 月规则失效，以及所指国家，均为假定，因此在这些国家的结论为“未知”。",
			},
		},
	}, {
		ID: "US-LETTER-2023-10-23", Kind: Letter, Authority: bis,
		Title: text{En: "US, October 2023: letter to NVIDIA, the new rule at once",
			Zh: "美国，2023 年 10 月：致 NVIDIA 的通知函，新规即刻适用"},
		Summary: text{En: "Pulls the 2023 rule forward for data-centre products with a TPP of 4,800 or more: A100, " +
			"A800, H100, H800 and L40S.", Zh: "将 2023 年新规提前适用于 TPP 达 4800 及以上的数据中心产品：A100、A800、H100、H800 与 L40S。"},
		Announced: "2023-10-24", Effective: "2023-10-23", End: "2023-11-16",
		Scope: advanced, Vendors: []string{"NVIDIA"},
		Named: []Named{{"nvidia-a100-", ControlledNow}, {"nvidia-a800-", ControlledNow},
			{"nvidia-h100-", ControlledNow},
			{"nvidia-h800-", ControlledNow}, {"nvidia-l40s", ControlledNow}},
		Outcomes: []Outcome{{Status: ControlledNow, Verdict: LicenceRequired,
			Any: []Limb{all("", inDatacenters, at(TPP, 4800))}}},
		Otherwise: NotInLetter,
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary},
		Citation:  "NVIDIA Form 8-K, 2023-10-24", Address: "https://www.smbom.com/news/13059",
		Notes: []text{{En: "The filing leaves the L40 and the RTX 4090 out.", Zh: "该文件未提及 L40 与 RTX 4090。"}},
	}, {
		ID: Rule3A090, Kind: Regulation, Authority: bis,
		Title: text{En: "US, October 2023: advanced chips (3A090)",
			Zh: "美国，2023 年 10 月：先进计算芯片（3A090）"},
		Summary: text{En: "Links no longer count. 3A090.a: a TPP of 4,800, or 1,600 with a density of 5.92. " +
			"3A090.b: the bands below. What is not for data centres and below 4,800 is outside.",
			Zh: "不再考察互连。3A090.a：TPP 达 4800，或 TPP 达 1600 且性能密度达 5.92；3A090.b：其下各区间。非数据中心产品且 TPP 低于 4800 者不在其列。"},
		Announced: "2023-10-17", Effective: "2023-11-17",
		Scope: advanced,
		Outcomes: []Outcome{
			{Status: Not3A090, Any: []Limb{all("Note 2", notInDatacenters, below(TPP, 4800))}},
			{Status: A, Verdict: LicenceRequired, Embargoed: PresumptionOfDenial, Any: []Limb{
				all("a.1", at(TPP, 4800)),
				all("a.2", at(TPP, 1600), at(PerformanceDensity, 5.92))}},
			{Status: B, Verdict: LicenceRequired, Embargoed: PresumptionOfDenial, Any: []Limb{
				all("b.1", at(TPP, 2400), below(TPP, 4800), at(PerformanceDensity, 1.6),
					below(PerformanceDensity, 5.92)),
				all("b.2", at(TPP, 1600), at(PerformanceDensity, 3.2), below(PerformanceDensity, 5.92))}},
		},
		Otherwise: Not3A090,
		Certainty: Reading{Quoted, Quoted},
		Citation:  "88 FR 73458; 15 CFR 742.6(a)(6)(iii) and part 774, supplement 1",
		Address:   "https://www.govinfo.gov/content/pkg/FR-2023-10-25/html/2023-23055.htm",
		Notes: []text{
			{
				En: "Destinations of D:5 and Macau, and buyers with headquarters there: presumption of denial. The " +
					"rest of D:1 and D:4: presumption of approval until 2025-01-12; for .b the text since then has " +
					"only the general test of 742.6(b)(1)(i), case by case.",
				Zh: "目的地属 D:5 或为澳门，或买方总部在此：推定拒绝。其余 D:1、D:4 国家：2025-01-12 及以前推定批准；此后文本对 .b 仅余 742.6(b)(1)(i) " +
					"的一般标准，即个案审查。",
			},
			{
				En: "Disputed: for items that licence exception NAC may cover, 744.23(d)(3)(i), the formula of 89 FR " +
					"23876 (2024-04-04), has case-by-case review for D:5 and Macau; 742.6(b)(10)(iii)(A)(1), since " +
					"90 FR 4544 (2025-01-13), has a presumption of denial without that exception. Which one is " +
					"applied is not settled by what was read; the stricter is shown.",
				Zh: "存在争议：对可适用许可例外 NAC 的物项，744.23(d)(3)(i)（沿用 2024-04-04 的 89 FR 23876）规定对 D:5 " +
					"与澳门个案审查；742.6(b)(10)(iii)(A)(1) 自 2025-01-13（90 FR 4544）起则为推定拒绝，且无该例外。所查文本无法确定适用哪一条，此处按较严者显示。",
			},
			{En: "Licence exception NAC (740.8): D:5 and Macau, and buyers with headquarters there anywhere; written " +
				"purchase order, notice to BIS at least 25 calendar days before, and BIS may answer that a " +
				"licence is required. ACA: the other destinations (until 2025-01-12 D:1 and D:4), and transfers " +
				"within D:5 and Macau. Neither is open under part 746. NVIDIA reports that the NAC process has led " +
				"to no approvals for China.",
				Zh: "许可例外 NAC（740.8）：适用于 D:5 与澳门，以及总部在此、身处任何地方的买方；须有书面订单，并至少提前 25 个日历日通知 BIS，BIS " +
					"可答复须申请许可。ACA：适用于其余目的地（2025-01-12 及以前仅 D:1、D:4）及 D:5、澳门境内转让。第 746 部分之下两者均不适用。NVIDIA 称 NAC " +
					"程序未使任何对华出口获准。"},
			{En: "A card is a 4A090 item when a chip on it meets 3A090; vendors may classify it as 4A090.a, " +
				"5A992.z and so on.", Zh: "卡上任一芯片达到 3A090 时，该卡即为 4A090 物项；厂商给出的编号可能是 4A090.a、5A992.z 等。"},
			{
				En: "United Arab Emirates from 2026-07-10: the text read keeps the requirement for 3A090.b. For " +
					"3A090.a it stands in the worldwide requirement, and whether BIS enforces that there is not " +
					"settled by what was read; the stricter is shown.",
				Zh: "阿联酋自 2026-07-10 起：已查文本对 3A090.b 保留许可要求；3A090.a 的要求见于面向所有目的地的条款，BIS 是否在此执行，所查文本无法确定，此处按较严者显示。",
			},
			{En: "An amendment of 742.6 of 2026-07-23 (91 FR 46260) was pending and has not been read.",
				Zh: "2026-07-23 对 742.6 的修订（91 FR 46260）当时尚待生效，内容未查到。"},
		},
	}, {
		ID: "US-BIS-2024-04-04", Kind: Regulation, Authority: bis,
		Title: text{En: "US, April 2024: exceptions NAC and ACA",
			Zh: "美国，2024 年 4 月：许可例外 NAC 与 ACA"},
		Summary: text{En: "The licence exception for what was only notified is split: NAC for D:5 and Macau, ACA " +
			"for the rest. No bound changes.", Zh: "通知类许可例外拆分为两项：NAC 适用于 D:5 与澳门，ACA 适用于其余目的地。门槛不变。"},
		Announced: "2024-04-04", Effective: "2024-04-04", Scope: advanced,
		Certainty: Reading{Secondary, Secondary},
		Citation:  "89 FR 23876, FR Doc 2024-07004",
		Address:   "https://www.federalregister.gov/citation/89-FR-23876",
	}, {
		ID: "US-BIS-2024-12-HBM", Kind: Regulation, Authority: bis,
		Title: text{En: "US, December 2024: high-bandwidth memory (3A090.c)",
			Zh: "美国，2024 年 12 月：高带宽存储器（3A090.c）"},
		Summary: text{En: "A licence for HBM with more than 2 GB/s per mm². HBM on the package of a processor is " +
			"not covered, so no card is.", Zh: "带宽密度高于 2 GB/s/mm² 的 HBM 出口须申请许可。与处理器同封装的 HBM 不在其列，因此不涉及任何加速卡。"},
		Announced: "2024-12-02", Effective: "2024-12-02",
		Scope:     Scope{Groups: []string{"D:5"}, Countries: []Member{{Country: "MO"}}, Headquarters: true},
		Certainty: Reading{Quoted, Secondary},
		Citation:  "89 FR 96790", Address: "https://www.govinfo.gov/content/pkg/FR-2024-12-05/html/2024-28270.htm",
		Notes: []text{{En: "Compliance from 2024-12-31. Licence exception HBM below 3.3 GB/s per mm².",
			Zh: "自 2024-12-31 起须遵守。低于 3.3 GB/s/mm² 可适用许可例外 HBM。"}},
	}, {
		ID: RuleWorldwide, Kind: Regulation, Authority: bis,
		Title: text{En: "US, January 2025: 3A090.a to any destination, not enforced",
			Zh: "美国，2025 年 1 月：3A090.a 面向所有目的地（不予执行）"},
		Summary: text{
			En: "A licence for 3A090.a items worldwide, with 18 partners and caps by country. BIS announced on " +
				"2025-05-13 that it does not enforce the rule and will rescind it; no rescission was published, and " +
				"the text stood in the regulations on 2026-09-24.",
			Zh: "3A090.a 物项出口至任何国家均须许可，另设 18 个伙伴国与各国配额。BIS 于 2025-05-13 宣布不予执行并将废止；未见废止文件公布，至 2026-09-24 文本仍在法规中。",
		},
		Announced: "2025-01-13", Effective: "2025-01-13", NotEnforced: true,
		Scope: Scope{Everywhere: true, Abroad: true}, Of3A090: true,
		Outcomes: []Outcome{{Status: NotEnforced, Verdict: NotEnforced, Any: []Limb{
			all("3A090.a.1", at(TPP, 4800)),
			all("3A090.a.2", at(TPP, 1600), at(PerformanceDensity, 5.92))}}},
		Otherwise: NotControlled,
		Certainty: Reading{Quoted, Quoted},
		Citation:  "90 FR 4544, FR Doc 2025-00636; 15 CFR 742.6(a)(6)(iii)(A)",
		Address:   "https://www.federalregister.gov/citation/90-FR-4544",
		Notes: []text{
			{En: "Compliance would have begun on 2025-05-15. Country cap: 790,000,000 TPP for 2025 to 2027.",
				Zh: "原定自 2025-05-15 起须遵守。国家配额：2025 至 2027 年合计 7.9 亿 TPP。"},
			{
				En: "The Government Accountability Office holds the press release itself to be a rule (B-337935, " +
					"2026-05-12).",
				Zh: "美国政府问责局认为该新闻稿本身即构成规则（B-337935，2026-05-12）。",
			},
			{
				En: "A buyer with headquarters or ultimate parent in D:5 or Macau needs a licence wherever it is: " +
					"BIS says that it has always enforced that (2026-05-31).",
				Zh: "总部或最终母公司位于 D:5 或澳门的买方，无论身处何地均须许可：BIS 称一直执行此项（2026-05-31）。",
			},
		},
	}, {
		ID: "US-BIS-2025-01-FOUNDRY", Kind: Regulation, Authority: bis,
		Title: text{En: "US, January 2025: foundry due diligence",
			Zh: "美国，2025 年 1 月：晶圆代工尽职调查"},
		Summary: text{En: "Makers and packagers must presume that a logic chip of 16/14 nm or below is 3A090.a and " +
			"for data centres, unless an approved designer attests otherwise or it has few transistors. It is about " +
			"fabrication, not about cards.", Zh: "代工与封测企业须推定 16/14 nm 及以下的逻辑芯片为 3A090.a " +
			"且用于数据中心，除非经认可的设计方另行声明，或晶体管数较少。规则针对制造环节，不针对加速卡。"},
		Announced: "2025-01-16", Effective: "2025-01-16", Scope: Scope{Everywhere: true},
		Certainty: Reading{Quoted, Quoted},
		Citation:  "90 FR 5298, amended by 91 FR 17851",
		Address:   "https://www.federalregister.gov/citation/90-FR-5298",
	}, {
		ID: "US-LETTER-2025-04", Kind: Letter, Authority: bis,
		Title: text{En: "US, April 2025: letters on H20 and MI308 (memory and links)",
			Zh: "美国，2025 年 4 月：H20 与 MI308 通知函（显存与互连）"},
		Summary: text{En: "A licence for chips with 1,400 GB/s of memory, 1,100 GB/s of links, or 1,700 GB/s of " +
			"both together.", Zh: "显存带宽达 1400 GB/s、互连带宽达 1100 GB/s，或两者合计达 1700 GB/s 的芯片，出口须申请许可。"},
		Announced: "2025-04-15", Effective: "2025-04-09",
		Scope:   Scope{Groups: []string{"D:5"}, Countries: []Member{{Country: "MO"}}, Headquarters: true},
		Vendors: []string{"NVIDIA", "AMD", "Intel"},
		Named:   []Named{{"nvidia-h20-", LicenceRequired}, {"amd-instinct-mi308x", LicenceRequired}},
		Outcomes: []Outcome{{Status: LicenceRequired, Verdict: LicenceRequired, Any: []Limb{
			all("", at(Memory, 1400)), all("", at(IO, 1100)), all("", at(MemoryAndIO, 1700))}}},
		Otherwise: NotCaught,
		Read:      "2026-11-23",
		Certainty: Reading{Excerpt, Secondary},
		Citation:  "NVIDIA Form 8-K, event of 2025-04-09; Intel’s notice to customers as reported on 2025-04-16",
		Address:   "https://www.sec.gov/Archives/edgar/data/1045810/000104581025000082/nvda-20250409.htm",
		Notes: []text{
			{En: "The letters are not public. The bounds are those of Intel’s notice, as the press gives them.",
				Zh: "信函未公开。门槛取自媒体报道的 Intel 客户通知。"},
			{En: "They speak of data-centre chips; for others a hit is likely, not certain (the RTX 5090 D was " +
				"replaced by a version below 1,400 GB/s).", Zh: "信函针对数据中心芯片；其他产品达到门槛时，很可能适用但不确定（RTX 5090 D 已被低于 " +
				"1400 GB/s 的版本取代）。"},
			{
				En: "Licences for H20 and MI308 were promised on 2025-07-15. NVIDIA reports about 60 million dollars " +
					"of H20 revenue over the licences’ life; AMD shipped some MI308 from the end of 2025.",
				Zh: "2025-07-15 官方表示将批准 H20 与 MI308 的许可。NVIDIA 称许可期内 H20 收入约 6000 万美元；AMD 自 2025 年底起少量交付 MI308。",
			},
			{En: "The bounds of 1,400, 1,100 and 1,700 GB/s stand in the press only.",
				Zh: "1400、1100 与 1700 GB/s 的门槛仅见于媒体报道。"},
			{En: "Whether a published rule has replaced the letters is not known; the regulations of September " +
				"2026 show none.", Zh: "信函是否已被公开规则取代尚不清楚；2026 年 9 月的法规中未见。"},
		},
	}, {
		ID: RuleGP10, Kind: Guidance, Authority: bis,
		Title: text{En: "US, May 2025: chips designed in China (General Prohibition 10)",
			Zh: "美国，2025 年 5 月：中国设计的芯片（一般禁令十）"},
		Summary: text{En: "Chips that meet 3A090 and whose designer has its headquarters in D:5 or Macau are " +
			"presumed to have been made in violation; the Ascend 910B, 910C and 910D are named.",
			Zh: "达到 3A090 且设计方总部位于 D:5 或澳门的芯片，推定其生产违规；点名昇腾 910B、910C 与 910D。"},
		Announced: "2025-05-13", Effective: "2025-05-13", Scope: Scope{Everywhere: true},
		Vendors:   chinese,
		Named:     []Named{{"huawei-ascend-910b", Controlled}, {"huawei-ascend-910c", Controlled}},
		Outcomes:  []Outcome{{Status: Controlled, Verdict: Prohibited, Any: []Limb{all("3A090")}}},
		Of3A090:   true,
		Otherwise: NotControlled,
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary},
		Citation:  "BIS guidance, 2025-05-13",
		Address:   "https://www.bis.gov/media/documents/general-prohibition-10-guidance-may-13-2025.pdf",
		Notes: []text{{En: "The words “anywhere in the world” were removed some days later.",
			Zh: "数日后，“在世界任何地方”的表述被删除。"}},
	}, {
		ID: "CN-CAC-MICRON-2023", Kind: Foreign, Authority: text{En: "Cyberspace Administration of China",
			Zh: "国家互联网信息办公室"},
		Title: text{En: "China, May 2023: Micron barred from critical infrastructure",
			Zh: "中国，2023 年 5 月：关键信息基础设施停止采购美光产品"},
		Summary: text{
			En: "Operators of critical infrastructure may not buy Micron’s products. It is about memory, not " +
				"about cards.",
			Zh: "关键信息基础设施运营者不得采购美光产品。针对存储器，不针对加速卡。",
		},
		Announced: "2023-05-21", Effective: "2023-05-21", Scope: Scope{Countries: []Member{{Country: "CN"}}},
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary}, Citation: "CAC notice of 2023-05-21",
	}, {
		ID: "CN-CAC-2025-07", Kind: Foreign, Authority: text{En: "Cyberspace Administration of China",
			Zh: "国家互联网信息办公室"},
		Title: text{En: "China, July 2025: NVIDIA summoned over the H20",
			Zh: "中国，2025 年 7 月：就 H20 约谈 NVIDIA"},
		Summary: text{
			En: "The authority asked NVIDIA about the security of the H20; in August 2025 firms were reported to " +
				"be advised against buying it.",
			Zh: "就 H20 安全问题约谈 NVIDIA；据报道，2025 年 8 月企业被建议不要采购。",
		},
		Announced: "2025-07-31", Effective: "2025-07-31", Scope: Scope{Countries: []Member{{Country: "CN"}}},
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary}, Citation: "CAC notice of 2025-07-31, as quoted by the press",
	}, {
		ID: "US-SHARE-2025-08", Kind: Letter, Authority: whiteHouse,
		Title: text{En: "US, August 2025: 15 % of revenue for licences to China",
			Zh: "美国，2025 年 8 月：对华许可与 15% 收入分成"},
		Summary: text{En: "The United States expects 15 % or more of the revenue of licensed H20 and MI308 sales. No " +
			"regulation was published; AMD calls it not in effect.",
			Zh: "美国期望从获许可的 H20 与 MI308 对华销售收入中取得 15% 或更多。未见法规公布；AMD 称尚未生效。"},
		Announced: "2025-08-11", Effective: "2025-08-11", Scope: Scope{Countries: []Member{{Country: "CN"}}},
		Read:      "2026-11-23",
		Certainty: Reading{Excerpt, Secondary}, Citation: "NVIDIA Form 10-K, fiscal year 2026",
		Address: "https://www.sec.gov/Archives/edgar/data/1045810/000104581026000021/nvda-20260125.htm",
	}, {
		ID: "CN-STATE-DC-2025-11", Kind: Foreign, Authority: text{En: "China", Zh: "中国"},
		Title: text{En: "China, November 2025: state-funded data centres",
			Zh: "中国，2025 年 11 月：国资数据中心只用国产芯片"},
		Summary: text{
			En: "Reported from two unnamed sources: state-funded data centres use home-made chips only, and those " +
				"less than 30 % complete remove foreign ones. No official text was found.",
			Zh: "据两名匿名人士：国家出资的数据中心只用国产芯片，完工不足 30% 者须移除外国芯片。未见官方文本。",
		},
		Announced: "2025-11-05", Effective: "2025-11-05", Scope: Scope{Countries: []Member{{Country: "CN"}}},
		Read:      "2026-11-23",
		Certainty: Reading{Unverified, Unverified}, Citation: "Reuters, 2025-11-05",
	}, {
		ID: "CN-MINERALS-2025", Kind: Foreign, Authority: text{En: "Ministry of Commerce of China", Zh: "中华人民共和国商务部"},
		Title: text{En: "China, 2025: gallium, germanium, rare earths",
			Zh: "中国，2025 年：镓、锗与稀土"},
		Summary: text{
			En: "The ban on gallium, germanium and antimony to the United States is paused until 2026-11-27; notices " +
				"55 to 58, 61 and 62 of 2025 were suspended until 2026-11-10; notice 18 on seven rare earths stays. " +
				"It is about materials, not about cards.",
			Zh: "对美镓、锗、锑禁令暂停至 2026-11-27；2025 年第 55 至 58、61、62 号公告暂停至 2026-11-10；关于七种稀土的第 18 号公告仍然有效。针对材料，不针对加速卡。",
		},
		Announced: "2025-04-04", Effective: "2025-04-04", Scope: Scope{Everywhere: true},
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary}, Citation: "MOFCOM notices 18, 55–58, 61, 62 and 70 of 2025",
		Address: "https://www.shine.cn/news/nation/2504042497/",
	}, {
		ID: "MY-STA-2025-07-14", Kind: Foreign, Authority: text{En: "Malaysia", Zh: "马来西亚"},
		Title: text{En: "Malaysia, July 2025: permit for US-origin AI chips",
			Zh: "马来西亚，2025 年 7 月：美国原产 AI 芯片许可"},
		Summary: text{En: "Export, transshipment and transit of US-origin high-performance AI chips from Malaysia " +
			"need a permit. No bounds are given.", Zh: "自马来西亚出口、转运或过境美国原产的高性能 AI 芯片须取得许可。未给出门槛。"},
		Announced: "2025-07-14", Effective: "2025-07-14", Scope: Scope{Everywhere: true},
		Read:      "2026-11-20",
		Certainty: Reading{Secondary, Secondary}, Citation: "Strategic Trade Act",
		Address: "https://www.brecorder.com/news/40372660/",
	}, {
		ID: "CN-CAC-2025-09", Kind: Foreign, Authority: text{En: "Cyberspace Administration of China",
			Zh: "国家互联网信息办公室"},
		Title: text{En: "China, September 2025: RTX PRO 6000D not to be bought",
			Zh: "中国，2025 年 9 月：要求停止采购 RTX PRO 6000D"},
		Summary: text{En: "Reported: large internet companies were told to end tests and orders of the " +
			"RTX PRO 6000D.", Zh: "据报道：要求大型互联网企业停止测试与采购 RTX PRO 6000D。"},
		Announced: "2025-09-17", Effective: "2025-09-17", Scope: Scope{Countries: []Member{{Country: "CN"}}},
		Named: []Named{{"nvidia-rtx-6000d", PurchaseStopped}}, Otherwise: Inapplicable,
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary}, Citation: "Financial Times, 2025-09-17",
		Address: "https://www.tomshardware.com/tech-industry/artificial-intelligence/china-bans-its-biggest-tech-" +
			"companies-from-acquiring-nvidia-chips-says-report-beijing-claims-its-homegrown-ai-processors-now-match-" +
			"h20-and-rtx-pro-6000d",
	}, {
		ID: "US-AFFILIATES", Kind: Regulation, Authority: bis,
		Title: text{En: "US, September 2025: affiliates rule (50 %)",
			Zh: "美国，2025 年 9 月：关联方规则（50%）"},
		Summary: text{En: "Extends list-based restrictions to companies owned to 50 % or more by listed ones. It " +
			"was stayed from 2025-11-10 to 2026-11-09. It is about buyers, not about cards.",
			Zh: "将清单限制延伸至被列名实体持股 50% 及以上的公司。2025-11-10 至 2026-11-09 暂停。规则针对买方，不针对加速卡。"},
		Announced: "2025-09-29", Effective: "2025-09-29", End: "2025-11-09", Scope: Scope{Everywhere: true},
		Read:      "2026-11-23",
		Certainty: Reading{Excerpt, Secondary}, Citation: "90 FR 47201; stayed by 90 FR 50857",
		Address: "https://www.federalregister.gov/citation/90-FR-47201",
	}, {
		ID: "US-AFFILIATES-2026", Kind: Regulation, Authority: bis,
		Title: text{En: "US, November 2026: affiliates rule after its stay",
			Zh: "美国，2026 年 11 月：关联方规则（暂停期满）"},
		Summary: text{
			En: "By its own words the stay ended on 2026-11-09, so that the rule applies again. No extension " +
				"was found. It is about buyers, not about cards.",
			Zh: "按其文本，暂停于 2026-11-09 届满，规则恢复适用；未找到延期文件。规则针对买方，不针对加速卡。",
		},
		Announced: "2025-11-10", Effective: "2026-11-10", Scope: Scope{Everywhere: true},
		Read:      "2026-11-23",
		Certainty: Reading{Excerpt, Unverified}, Citation: "90 FR 50857, FR Doc 2025-19846",
		Address: "https://www.federalregister.gov/citation/90-FR-50857",
	}, {
		ID: "CN-CUSTOMS-2026-01", Kind: Foreign, Authority: text{En: "China Customs", Zh: "中国海关"},
		Title: text{En: "China, January 2026: H200 held at customs",
			Zh: "中国，2026 年 1 月：H200 海关不予放行"},
		Summary: text{En: "Reported: customs officers were told that the H200 is not permitted. Conditional " +
			"approvals for some firms were reported from 2026-01-28.", Zh: "据报道：海关被告知 H200 不得进口。自 2026-01-28 " +
			"起，有报道称部分企业获有条件批准。"},
		Announced: "2026-01-14", Effective: "2026-01-14", Scope: Scope{Countries: []Member{{Country: "CN"}}},
		Named: []Named{{"nvidia-h200-", ImportBlocked}}, Otherwise: Inapplicable,
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary}, Citation: "Reuters, 2026-01-14",
		Address: "https://www.techloy.com/china-blocks-nvidia-h200-ai-chips-at-customs-despite-u-s-export-approval",
	}}
}

// middleEast are the countries of the region.
func middleEast() Scope {
	return inPlaces("AE", "BH", "EG", "IL", "IQ", "JO", "KW", "LB", "OM", "QA", "SA", "TR", "YE")
}

// ChineseDesigners are designers of the catalogue with headquarters in China.
func ChineseDesigners() []string { return slices.Clone(chinese) }

// chinese are designers of the catalogue with headquarters in China.
var chinese = []string{"Huawei", "HiSilicon", "Cambricon", "Moore Threads", "Biren", "Hygon", "Kunlunxin",
	"Iluvatar", "MetaX", "Horizon Robotics", "Enflame", "Alibaba", "ICT CAS"}
