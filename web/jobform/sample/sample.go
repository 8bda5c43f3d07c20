// Package sample makes forms of a job as they look with realistic content, for tests of several features.
package sample

import (
	"tianti/locale"
	"tianti/web/jobform"
	"tianti/web/ui"
)

// Form is a form with a sentence and two groups of options.
func Form(l *locale.Locale, path string) jobform.Form {
	control := func(name, value, hint string, options ...ui.Option) jobform.Field {
		return jobform.Field{
			Name: name, Label: l.T("sizing.field." + name), Value: value, Hint: hint, Options: options,
			Number: name != "model",
		}
	}
	task := control(
		"task", "lora", "",
		ui.Option{Label: l.T("sizing.tasks.inference")},
		ui.Option{Value: "lora", Label: l.T("sizing.tasks.lora"), Selected: true},
	)
	model := control("model", "7B", "")
	model.List = "models"
	batch, budget := control("batch", "", "1"), control("budget", "60000", l.T("sizing.any"))
	day := control("as_of", "2026-11-20", "")
	day.Kind = "date"
	tariff := control("tariff", "0.6", "")
	tariff.Unit = l.T("sizing.unit.tariff")
	return jobform.Form{
		Action: l.Path(path), Submit: l.T("sizing.submit"),
		Models: []ui.Option{
			{Value: "llama-2-7b", Label: "Llama-2-7B"},
			{Value: "llama-3.1-8b", Label: "Llama-3.1-8B"},
		},
		Sentence: []jobform.SentencePart{
			{Text: l.Pick("I want to ", "对 ")},
			{Field: &task},
			{Text: l.Pick(" a ", "，模型 ")},
			{Field: &model},
			{Text: l.Pick(" model, batch ", "，批大小 ")},
			{Field: &batch},
			{Text: l.Pick(", for at most ", "，预算至多 ")},
			{Field: &budget},
			{Text: l.Pick(".", "。")},
		},
		Groups: []jobform.FieldGroup{
			{
				Title: l.T("sizing.groups.training"),
				Fields: []jobform.Field{
					control(
						"optimizer", "", "adamw",
						ui.Option{Label: l.T("sizing.chosenis", "AdamW"), Selected: true},
						ui.Option{Value: "sgd", Label: "SGD"},
					),
					control("rank", "", "16"),
				},
			},
			{
				Title: l.T("sizing.groups.money"), Note: l.T("sizing.groupnotes.money"),
				Fields: []jobform.Field{tariff, day},
			},
		},
	}
}

// Assumed is what was chosen where the asker gave nothing.
func Assumed(l *locale.Locale) []jobform.Assumed {
	return []jobform.Assumed{
		{
			Label: l.T("sizing.field.framework"), Value: "Hugging Face Transformers",
			Why: l.T("sizing.why.usual_training"), Href: "#f-rank",
		},
		{Label: l.T("sizing.field.sharding"), Value: "DP 2", Why: l.T("sizing.why.usual_sharding")},
	}
}

// Words is a job in words.
func Words(l *locale.Locale) string {
	job := l.T("sizing.words.job", l.T("sizing.jobs.lora"), "7B", "7")
	return job + l.T("comma") + l.T("sizing.words.atmost", 4) + l.Pick(".", "。")
}
