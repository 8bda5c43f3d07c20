package exportcontrol

// rulesFrom2026 returns the rules that took effect or were put forward from 2026 on, in that order, then the bills.
func rulesFrom2026() []*Rule {
	return []*Rule{{
		ID: "US-BIS-2026-01-15-CN", Kind: Regulation, Authority: bis,
		Title: text{En: "US, January 2026: China and Macau, case by case or denial",
			Zh: "美国，2026 年 1 月：对华（含澳门）个案审查或推定拒绝"},
		Summary: text{En: "Exports from the United States of 3A090 items to China and Macau: case-by-case review " +
			"below a TPP of 21,000 and 6,500 GB/s of memory, otherwise presumption of denial.",
			Zh: "自美国向中国与澳门出口 3A090 物项：TPP 低于 21000 且显存带宽低于 6500 GB/s 者个案审查，其余推定拒绝。"},
		Effective: "2026-01-15",
		Scope:     Scope{Countries: []Member{{Country: "CN"}, {Country: "MO"}}}, Of3A090: true, Replaces: Rule3A090,
		Outcomes: []Outcome{{Status: CaseByCase, Verdict: CaseByCase,
			Any: []Limb{all("", below(TPP, 21000), below(Memory, 6500))}}},
		Otherwise: PresumptionOfDenial,
		Certainty: Reading{Quoted, Quoted},
		Citation:  "91 FR 1684; 15 CFR 742.6(b)(10)(iii)(A)(1)",
		Address:   "https://www.govinfo.gov/content/pkg/FR-2026-01-15/html/2026-00789.htm",
		Notes: []text{
			{
				En: "As codified, the application has to show (part 748, supplement 2(dd)): what was shipped to " +
					"customers in the United States; that supply there is enough; no foundry capacity taken from it; " +
					"aggregate TPP to China and Macau at most half of that shipped to US customers; no military or " +
					"weapons end use, remote access included; know-your-customer procedures; for clouds the remote " +
					"users in or of BY, CN, CU, IR, MO, KP, RU and VE; physical security; a test of each shipment by " +
					"an independent laboratory in the United States. Figures do not decide these.",
				Zh: "按法规文本（第 748 部分补编 2(dd)），申请须说明：在美出货量；美国供应充足；不占用其代工产能；对中国与澳门的 TPP " +
					"总量不超过对美国客户出货的一半；不作军事或武器用途，包括远程访问；有了解客户程序；云服务须列明位于或隶属 BY、CN、CU、IR、MO、KP、RU、VE " +
					"的远程用户；物理安全；每批由美国境内独立实验室检测。这些不由数值决定。",
			},
			{
				En: "Only in the rule’s preamble, not in the codified text: that the item was commercially available " +
					"in the United States on 2026-01-15.",
				Zh: "仅见于规则序言、未入法规文本：该物项在 2026-01-15 前已在美国市售。",
			},
			{En: "The interconnect bandwidth is disclosed, but is no limit.", Zh: "互连带宽须披露，但不设上限。"},
			{
				En: "Only exports of commodities: re-exports, transfers, software, technology and other destinations " +
					"keep the presumption of denial, and so does an application without these statements.",
				Zh: "仅限货物出口：再出口、转让、软件、技术及其他目的地仍为推定拒绝；申请缺少上述说明者亦同。",
			},
			{En: "A product that is sold only in China has no US volume and so cannot meet the volume condition (our " +
				"inference).", Zh: "仅在中国销售的产品没有美国销量，因而无法满足数量条件（本站推断）。"},
		},
	}, {
		ID: "US-232-2026-01-15", Kind: Tariff, Authority: whiteHouse,
		Title: text{En: "US, January 2026: tariff on some chips (section 232)",
			Zh: "美国，2026 年 1 月：部分芯片关税（232 条款）"},
		Summary: text{En: "25 % on entry into the United States for two bands of TPP and memory bandwidth, unless " +
			"for a listed use there. It reaches chips tested in the United States before export.",
			Zh: "TPP 与显存带宽落入两个区间的芯片，入境美国时加征 25% 关税，列明的国内用途除外。出口前须在美国检测的芯片因此受影响。"},
		Effective: "2026-01-15", Scope: Scope{Everywhere: true},
		Outcomes: []Outcome{
			{Status: Band1, Any: []Limb{all("1", above(TPP, 14000), below(TPP, 17500), above(Memory, 4500),
				below(Memory, 5000))}},
			{Status: Band2, Any: []Limb{all("2", above(TPP, 20800), below(TPP, 21100), above(Memory, 5800),
				below(Memory, 6200))}},
		},
		Otherwise: None,
		Read:      "2026-11-23",
		Certainty: Reading{Secondary, Secondary},
		Citation:  "Section 232 proclamation of 2026-01-14",
		Address: "https://www.whitehouse.gov/presidential-actions/2026/01/adjusting-imports-of-semiconductors-" +
			"semiconductor-manufacturing-equipment-and-their-derivative-products-into-the-united-states/",
	}, {
		ID: "CN-CUSTOMS-2026-05", Kind: Foreign, Authority: text{En: "China Customs", Zh: "中国海关"},
		Title: text{En: "China, May 2026: RTX 5090 D V2 imports halted",
			Zh: "中国，2026 年 5 月：RTX 5090 D V2 进口叫停"},
		Summary: text{En: "Reported by a single weak source: imports of the RTX 5090 D V2 were stopped.",
			Zh: "仅一个可靠性较低的来源报道：RTX 5090 D V2 的进口被叫停。"},
		Announced: "2026-05-15", Effective: "2026-05-15", Scope: Scope{Countries: []Member{{Country: "CN"}}},
		Named: []Named{{"nvidia-geforce-rtx-5090-d-v2", ImportBlocked}}, Otherwise: Inapplicable,
		Read:      "2026-11-20",
		Certainty: Reading{Unverified, Unverified}, Citation: "Press report, 2026-05-15",
		Address: "https://www.ainewshubs.com/article/china-blocks-nvidias-rtx-5090d-v2-imports-while-jensen-huang-" +
			"was-in-beijing",
	}, {
		ID: "US-BIS-2026-05-31-HQ", Kind: Guidance, Authority: bis,
		Title: text{En: "US, May 2026: headquarters count everywhere",
			Zh: "美国，2026 年 5 月：总部所在地规则在各地均适用"},
		Summary: text{En: "Confirms that 3A090.a and .b need a licence wherever they go when the buyer’s " +
			"headquarters or ultimate parent is in D:5 or Macau.", Zh: "确认：买方总部或最终母公司位于 D:5 或澳门时，3A090.a " +
			"与 .b 物项无论运往何处均须许可。"},
		Announced: "2026-05-31", Effective: "2026-05-31", Scope: Scope{Headquarters: true}, Of3A090: true,
		Outcomes:  []Outcome{{Status: LicenceRequired, Any: []Limb{all("3A090")}}},
		Otherwise: NotControlled,
		Read:      "2026-11-23",
		Certainty: Reading{Excerpt, Excerpt},
		Citation:  "BIS guidance, 2026-05-31",
		Address:   "https://www.bis.gov/media/documents/bis-guidance-may-31-2026.pdf",
	}, {
		ID: "US-BIS-2026-07-UAE", Kind: Regulation, Authority: bis,
		Title: text{En: "US, July 2026: United Arab Emirates to A:5",
			Zh: "美国，2026 年 7 月：阿联酋列入 A:5"},
		Summary: text{En: "Moves the United Arab Emirates from D:3 and D:4 to A:5; its government and listed " +
			"entities need no licence. 3A090.b still needs one otherwise.",
			Zh: "将阿联酋由 D:3、D:4 移至 A:5；其政府与列名实体免许可。其他情形下 3A090.b 仍须许可。"},
		Announced: "2026-07-10", Effective: "2026-07-10", Scope: Scope{Countries: []Member{{Country: "AE"}}},
		Certainty: Reading{Quoted, Quoted}, Citation: "91 FR 43034",
		Address: "https://www.govinfo.gov/content/pkg/FR-2026-07-14/html/2026-14132.htm",
	}, {
		ID: "US-BILL-SAFE-CHIPS", Kind: Proposed, Authority: congress,
		Title: text{En: "US bill: SAFE Chips Act",
			Zh: "美国法案：SAFE Chips 法案"},
		Summary: text{En: "Would deny data-centre chips at or above bounds on TPP, density, memory and links for " +
			"adversary countries.", Zh: "拟对达到 TPP、性能密度、显存或互连门槛的数据中心芯片，一律拒绝向对手国家出口。"},
		Announced: "2025-12-04", Scope: Scope{Groups: []string{"D:5"}, Countries: []Member{{Country: "MO"}}},
		Outcomes: []Outcome{
			{Status: NotControlled, Any: []Limb{all("", notInDatacenters)}},
			{Status: Controlled, Any: []Limb{
				all("", at(TPP, 4800)), all("", at(TPP, 2400), at(PerformanceDensity, 1.6)),
				all("", at(TPP, 1600), at(PerformanceDensity, 3.2)),
				all("", at(Memory, 4100)), all("", at(IO, 1100)), all("", at(MemoryAndIO, 5000))}},
		},
		Otherwise: NotControlled,
		Read:      "2026-11-20",
		Certainty: Reading{Quoted, Quoted}, Citation: "S. 3374, 119th Congress",
		Address: "https://www.congress.gov/bill/119th-congress/senate-bill/3374",
	}, {
		ID: "US-BILL-AI-OVERWATCH", Kind: Proposed, Authority: congress,
		Title: text{En: "US bill: AI OVERWATCH Act",
			Zh: "美国法案：AI OVERWATCH 法案"},
		Summary: text{En: "Would give Congress review of chip sales to adversaries. House Foreign Affairs, 42–2–1, " +
			"January 2026.", Zh: "拟由国会审查对对手国家的芯片销售。2026 年 1 月获众议院外交事务委员会通过（42–2–1）。"},
		Announced: "2026-01-21", Read: "2026-11-20", Certainty: Reading{Secondary, Secondary},
		Citation: "H.R. 6875, 119th Congress",
		Address:  "https://www.congress.gov/bill/119th-congress/house-bill/6875",
	}, {
		ID: "US-BILL-CHIP-SECURITY", Kind: Proposed, Authority: congress,
		Title: text{En: "US bill: Chip Security Act",
			Zh: "美国法案：芯片安全法案"},
		Summary: text{En: "Would require chips under export control to verify where they are. Committee, 42 to 0, " +
			"2026-03-26; no vote on the floor found.", Zh: "拟要求受控芯片具备位置验证功能。2026-03-26 以 42 比 0 获委员会通过；未见全院表决。"},
		Announced: "2026-03-26", Read: "2026-11-20", Certainty: Reading{Secondary, Secondary},
		Citation: "H.R. 3447, 119th Congress",
		Address:  "https://www.congress.gov/bill/119th-congress/house-bill/3447",
	}}
}
