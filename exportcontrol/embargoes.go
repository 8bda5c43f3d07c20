package exportcontrol

// anyItem is every item on the Commerce Control List, and with a note any other.
func anyItem(verdict Status) []Outcome {
	return []Outcome{{Status: verdict, Verdict: verdict, Any: []Limb{all("part 746")}}}
}

// inPlaces is the scope of an embargo.
func inPlaces(codes ...string) Scope {
	var s Scope
	for _, c := range codes {
		s.Countries = append(s.Countries, Member{Country: c})
	}
	return s
}

const part746 = "https://www.ecfr.gov/current/title-15/subtitle-B/chapter-VII/subchapter-C/part-746"

// before is said of rules that are older than the first day that can be asked for.
var before = text{En: "In force before 2022, the first year that can be asked for here.",
	Zh: "2022 年（本站可查询的最早年份）之前即已生效。"}

// embargoes are the rules of part 746 of the Export Administration Regulations on items
// such as cards. They need a licence for what is below 3A090, too: 3A991.p (8 TOPS, or 150
// GB/s to other chips), the boards with it (4A994.l), and mass-market items (5A992.c).
func embargoes() []*Rule {
	return []*Rule{{
		ID: "US-746-2-CU", Kind: Regulation, Authority: bis, Effective: FirstDay,
		Title: text{En: "US embargo: Cuba", Zh: "美国禁运：古巴"},
		Summary: text{En: "A licence for all items subject to the regulations; policy of denial.",
			Zh: "受条例管辖的一切物项均须许可；审批政策为拒绝。"},
		Scope: inPlaces("CU"), Outcomes: anyItem(PresumptionOfDenial), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{Quoted, Quoted}, Citation: "15 CFR 746.2", Address: part746 + "/section-746.2",
		Notes: []text{before, {En: "Exceptions for consumer devices, gifts and baggage exist (740.19 and others) and " +
			"are not evaluated here.", Zh: "消费类设备、礼品与行李有例外（740.19 等），此处不作判断。"}},
	}, {
		ID: "US-746-3-IQ", Kind: Regulation, Authority: bis, Effective: FirstDay,
		Title: text{En: "US, Iraq: items of 3A090", Zh: "美国，伊拉克：3A090 物项"},
		Summary: text{En: "A licence for items of 3A090, 4A090 and the .z paragraphs. Items controlled for " +
			"anti-terrorism reasons alone need none, unless for a military end use.",
			Zh: "3A090、4A090 与 .z 各款物项须许可；仅因反恐受管控的物项除军事最终用途外不须许可。"},
		Scope: inPlaces("IQ"), Of3A090: true, Embargo: true,
		Outcomes:  []Outcome{{Status: LicenceRequired, Verdict: LicenceRequired, Any: []Limb{all("3A090")}}},
		Otherwise: NotControlled,
		Certainty: Reading{Quoted, Quoted}, Citation: "15 CFR 746.3(a)(1)", Address: part746 + "/section-746.3",
		Notes: []text{before},
	}, {
		ID: "US-746-4-KP", Kind: Regulation, Authority: bis, Effective: FirstDay,
		Title: text{En: "US embargo: North Korea", Zh: "美国禁运：朝鲜"},
		Summary: text{En: "A licence for all items subject to the regulations but food and medicine.",
			Zh: "除食品与药品外，受条例管辖的一切物项均须许可。"},
		Scope: inPlaces("KP"), Outcomes: anyItem(LicenceRequired), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{Quoted, Quoted}, Citation: "15 CFR 746.4 and 742.19", Address: part746 + "/section-746.4",
		Notes: []text{before},
	}, {
		ID: "US-746-6-CRIMEA", Kind: Regulation, Authority: bis, Effective: FirstDay,
		Title: text{En: "US embargo: Crimea", Zh: "美国禁运：克里米亚"},
		Summary: text{En: "A licence for all items subject to the regulations but food, medicine and some software; " +
			"policy of denial.", Zh: "除食品、药品与部分软件外，受条例管辖的一切物项均须许可；审批政策为拒绝。"},
		Scope: inPlaces("UA-43"), Outcomes: anyItem(PresumptionOfDenial), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{Quoted, Quoted}, Citation: "15 CFR 746.6", Address: part746 + "/section-746.6",
		Notes: []text{before},
	}, {
		ID: "US-746-7-IR", Kind: Regulation, Authority: bis, Effective: FirstDay,
		Title: text{En: "US embargo: Iran", Zh: "美国禁运：伊朗"},
		Summary: text{En: "A licence for items of the Commerce Control List with an NS, RS or AT control, 3A991, " +
			"4A994 and 5A992 among them; policy of denial, no licence exceptions.",
			Zh: "《商业管制清单》中因 NS、RS 或 AT 受管控的物项均须许可，包括 3A991、4A994 与 5A992；审批政策为拒绝，不适用许可例外。"},
		Scope: inPlaces("IR"), Outcomes: anyItem(PresumptionOfDenial), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{Quoted, Quoted}, Citation: "15 CFR 746.7(a)(1) and (c)", Address: part746 + "/section-746.7",
		Notes: []text{before, {En: "EAR99 items: supplement 7 to part 746 (since 2023-02-24) and the Treasury’s " +
			"regulations (31 CFR 560), which are not evaluated here.",
			Zh: "EAR99 物项：适用第 746 部分补编 7（自 2023-02-24）与财政部规定（31 CFR 560），此处不作判断。"}},
	}, {
		ID: "US-746-9-SY", Kind: Regulation, Authority: bis, Effective: FirstDay, End: "2025-09-01",
		Title: text{En: "US embargo: Syria", Zh: "美国禁运：叙利亚"},
		Summary: text{En: "A licence for all items subject to the regulations but food and medicine; general policy " +
			"of denial.", Zh: "除食品与药品外，受条例管辖的一切物项均须许可；一般政策为拒绝。"},
		Scope: inPlaces("SY"), Outcomes: anyItem(PresumptionOfDenial), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{
			Quoted,
			Quoted,
		}, Citation: "15 CFR 746.9 as of January 2025", Address: part746 + "/section-746.9",
		Notes: []text{before},
	}, {
		ID: "US-746-8-RU", Kind: Regulation, Authority: bis, Effective: "2022-02-24",
		Title: text{En: "US embargo: Russia", Zh: "美国禁运：俄罗斯"},
		Summary: text{En: "A licence for items of categories 3 to 9 of the Commerce Control List, and since " +
			"2022-04-08 of the whole list; policy of denial with a short list of exceptions.",
			Zh: "《商业管制清单》第 3 至 9 类物项须许可，自 2022-04-08 起扩至全部清单；审批政策为拒绝，例外很少。"},
		Scope: inPlaces("RU"), Outcomes: anyItem(PresumptionOfDenial), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{Quoted, Quoted}, Citation: "15 CFR 746.8; 87 FR 12226 and 87 FR 22130",
		Address: part746 + "/section-746.8", Notes: russia,
	}, {
		ID: "US-746-6-DNR-LNR", Kind: Regulation, Authority: bis, Effective: "2022-02-24",
		Title: text{En: "US embargo: occupied Donetsk and Luhansk", Zh: "美国禁运：被占顿涅茨克与卢甘斯克地区"},
		Summary: text{En: "A licence for all items subject to the regulations but food, medicine and some software; " +
			"policy of denial.", Zh: "除食品、药品与部分软件外，受条例管辖的一切物项均须许可；审批政策为拒绝。"},
		Scope: inPlaces(
			"UA-09",
			"UA-14",
		), Outcomes: anyItem(PresumptionOfDenial), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{
			Quoted,
			Secondary,
		}, Citation: "15 CFR 746.6; 87 FR 12226", Address: part746 + "/section-746.6",
	}, {
		ID: "US-746-8-BY", Kind: Regulation, Authority: bis, Effective: "2022-03-02",
		Title: text{En: "US embargo: Belarus", Zh: "美国禁运：白俄罗斯"},
		Summary: text{En: "As for Russia: categories 3 to 9 of the Commerce Control List, and since 2022-04-08 the " +
			"whole list; policy of denial.", Zh: "与俄罗斯相同：《商业管制清单》第 3 至 9 类，自 2022-04-08 起扩至全部清单；审批政策为拒绝。"},
		Scope: inPlaces("BY"), Outcomes: anyItem(PresumptionOfDenial), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{Quoted, Quoted}, Citation: "15 CFR 746.8; 87 FR 13048 and 87 FR 22130",
		Address: part746 + "/section-746.8", Notes: russia,
	}, {
		ID: "US-746-9-SY-2025", Kind: Regulation, Authority: bis, Effective: "2025-09-02",
		Title: text{En: "US, Syria: after the embargo’s easing", Zh: "美国，叙利亚：放宽后的管制"},
		Summary: text{En: "A licence for items of the Commerce Control List; approval is presumed for commercial end " +
			"uses that help the people, otherwise case by case. EAR99 items may go under licence exception SPP.",
			Zh: "《商业管制清单》物项仍须许可；有利于民众的商业用途推定批准，其余个案审查。EAR99 物项可适用许可例外 SPP。"},
		Scope: inPlaces("SY"), Outcomes: anyItem(LicenceRequired), Otherwise: LicenceRequired, Embargo: true,
		Certainty: Reading{Quoted, Quoted}, Citation: "90 FR 42315; 15 CFR 746.9 and 740.5",
		Address: "https://lexbuild.dev/fr/2025/09/2025-16724",
		Notes: []text{{En: "Whether a card is EAR99 is not decided here: it is counted as on the list.",
			Zh: "此处不判断某卡是否属 EAR99，一律按清单物项计。"}},
	}}
}

var russia = []text{
	{
		En: "EAR99 computers, graphics boards and their parts need a licence as well (supplement 4 to part 746, " +
			"headings 8471 and 8473.30); the day on which each heading entered was not read.",
		Zh: "EAR99 的计算机、显卡及部件同样须许可（第 746 部分补编 4，税目 8471 与 8473.30）；各税目列入的日期未查到。",
	},
	{En: "Mass-market items for some subsidiaries of companies of partner countries are excluded (746.8(a)(12)(ii)); " +
		"that is not evaluated here.", Zh: "伙伴国企业部分子公司的大众市场物项除外（746.8(a)(12)(ii)），此处不作判断。"},
}
