package uitest

import (
	"tianti/locale"
	"tianti/web/ui"
)

// Layout is the frame of a page without parameters.
func Layout(l *locale.Locale, active ui.Nav, title, path string) ui.Layout {
	return ui.Layout{
		Locale: l, Title: title, Active: active,
		Description: l.Pick("Figures of 214 accelerators with their sources.", "214 张加速卡的数据及其出处。"),
		Path:        l.Path(path), OtherPath: l.Other().Path(path), Canonical: l.Path(path),
		Origin: "https://tianti.example", Revision: "12", DataDate: "2026-11-20",
	}
}

// Alternates are the other formats of the page at a path.
func Alternates(l *locale.Locale, path string) ui.Alternates {
	return ui.Alternates{JSON: l.Path(path) + ".json", CSV: l.Path(path) + ".csv", Markdown: l.Path(path) + ".md"}
}

// Presets are filters that people ask for; none is active below 0.
func Presets(l *locale.Locale, active int) []ui.Link {
	links := []ui.Link{
		{
			Label: l.Pick("Training flagships", "训练旗舰"),
			Href:  l.Path("/cards?segment=datacenter&bf16_matrix_dense_tflops=900.."),
		},
		{Label: l.Pick("At least 80 GB", "显存 ≥ 80 GB"), Href: l.Path("/cards?memory_gb=80..")},
		{Label: l.Pick("Desktop cards", "台式机显卡"), Href: l.Path("/cards?segment=desktop")},
		{Label: l.Pick("At most 75 W", "功耗 ≤ 75 W"), Href: l.Path("/cards?tdp_w=..75")},
		{Label: l.Pick("Made for China", "中国特供"), Href: l.Path("/cards?q=china")},
	}
	if active >= 0 {
		links[active].Active = true
	}
	return links
}

// Pairs are comparisons that people ask for.
func Pairs(l *locale.Locale) []ui.Link {
	return []ui.Link{
		{
			Label: "H20 / H100", Href: l.Path("/compare?card=nvidia-h20&card=nvidia-h100-sxm5-80gb"),
			Note: l.Pick("what the export version lacks", "特供版少了什么"),
		},
		{
			Label: "RTX 4090 / A100 / H100",
			Href: l.Path(
				"/compare?card=nvidia-geforce-rtx-4090&card=nvidia-a100-sxm4-80gb&card=nvidia-h100-sxm5-80gb",
			),
			Note: l.Pick("a desktop card against two of the datacenter", "台式机显卡与数据中心卡"),
		},
		{Label: "Ascend 910B / A100", Href: l.Path("/compare?card=huawei-ascend-910b1&card=nvidia-a100-sxm4-80gb")},
		{
			Label: "V100 / T4 / L4", Href: l.Path("/compare?card=nvidia-v100&card=nvidia-t4&card=nvidia-l4"),
			Note: l.Pick("inference at low power", "低功耗推理"),
		},
	}
}

// PriceChoices are currencies and kinds of prices, as a page in that language has them.
func PriceChoices(l *locale.Locale) ui.PriceChoices {
	return ui.PriceChoices{
		Currencies: []ui.Option{
			{Value: l.Pick("", "USD"), Label: "USD", Selected: l.Code() == "en"},
			{Value: l.Pick("CNY", ""), Label: "CNY", Selected: l.Code() == "zh"},
		},
		Buy: []ui.Option{
			{Label: l.Pick("launch price", "首发价")},
			{Value: "street", Label: l.Pick("street price", "市场价"), Selected: true},
		},
		Rent: []ui.Option{
			{Label: l.Pick("on demand", "按需"), Selected: true},
			{Value: "spot", Label: l.Pick("spot", "竞价")},
		},
	}
}

// AccountFields are those of a form for a new account, both refused.
func AccountFields(l *locale.Locale) []ui.FormField {
	return []ui.FormField{
		{
			ID: "name", Label: l.T("signin.name"), Type: "text", Value: "an na", Autocomplete: "username",
			Help: l.T("setup.namehelp"), Problem: l.T("account.rule.name.form"),
		},
		{
			ID: "password", Label: l.T("signin.password"), Type: "password", Autocomplete: "new-password",
			Help: l.T("account.passwordhelp"), Problem: l.T("account.rule.password.short"),
		},
	}
}

// Drawing stands for a chart; how charts look is tested where they are made.
const Drawing = `<svg class="chart wide" viewBox="0 0 20 10" width="20" height="10" ` +
	`role="img" aria-labelledby="plotwide-title"><title id="plotwide-title">A plot</title>` +
	`<circle cx="5" cy="5" r="2"/></svg>`
