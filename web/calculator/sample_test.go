package calculator

import (
	"tianti/locale"
	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func sampleCalculator(l *locale.Locale) pageData {
	row := func(label, value string) countRow { return countRow{Label: label, Value: value} }
	parts := countRow{
		Label: l.T("calc.part.attention"), Value: "1.342 B", Active: "1.342 B", Exact: l.Number(1342177280),
		Share: 0.17, Formula: "L · (h · (a + 2·kv) · d + a · d · h)", Numbers: "L = 32, h = " + l.Number(4096),
	}
	p := pageData{
		Layout: uitest.Layout(l, ui.NavNone, l.T("calc.title"), "/calculator"),
		Models: []ui.OptionGroup{
			{Options: []ui.Option{{Label: l.T("calc.none")}}},
			{Label: "Llama", Options: []ui.Option{{Value: "llama-3.1-8b", Label: "Llama-3.1-8B", Selected: true}}},
		},
		Shape:    []fieldData{{ID: "layers", Label: l.T("calc.field.layers")}},
		Setting:  []fieldData{{ID: "context", Label: l.T("calc.field.context"), Value: "4096"}},
		Examples: []ui.Link{{Label: "Llama-3.1-8B", Href: l.Path("/calculator?model=llama-3.1-8b"), Active: true}},
		Result: &countedData{
			Name: "Llama-3.1-8B", Source: "litgpt", Parameters: "8.03 B", Active: "8.03 B",
			Recommend: ui.Link{Label: l.T("calc.recommend"), Href: l.Path("/recommend?model=llama-3.1-8b")},
			Parts:     []countRow{parts}, Operations: []countRow{row(l.T("calc.operation.forward"), "16.08 GFLOP")},
			Cache: []countRow{row(l.T("calc.cachetoken"), l.T("calc.bytes", l.Number(131072)))},
			Weights: []weightRow{{
				Format: "NF4", Bits: "4.5", Size: "6.027", SizeGiB: "5.613", Note: l.T("calc.linear"),
			}},
			StatesNote: l.T("calc.statesnote", "8"), States: []countRow{row(l.T("calc.stage", "3"), "16.06 GB")},
		},
		Kinds: []ui.Option{
			{Value: "dense", Label: l.T("calc.dense")},
			{Value: "convolution", Label: l.T("calc.convolution"), Selected: true},
		},
		Layer: []fieldData{{ID: "inputs", Label: l.T("calc.field.inputs"), Value: "3"}},
		Sums:  &countedLayer{Rows: []countRow{row(l.T("calc.layerparameters"), l.Number(9408))}},
		Keep:  []ui.Param{{Name: "model", Value: "llama-3.1-8b"}}, KeepBy: []ui.Param{{Name: "inputs", Value: "3"}},
	}
	return p
}

func sampleCalculatorBad(l *locale.Locale) pageData {
	p := sampleCalculator(l)
	p.Result, p.Sums = nil, nil
	p.Shape[0].Value, p.Shape[0].Invalid = "<x>", true
	p.Problems = []string{l.T("param.bad_number", "layers", "<x>") + l.T("param.allowed", "1 … 1000")}
	return p
}
