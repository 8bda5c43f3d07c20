package cards

import "tianti/web/ui"

// fitGridData says which jobs fit on a card.
type fitGridData struct {
	Sizes []fitSize
	Rows  []fitRow
	Note  string // what was assumed, and how much memory counts
	Best  string // the largest model that fits with most memory per parameter, in words; may be empty
	Serve string // address of the plans of a service with the card
}

// fitSize is a size of model with the preset that stands for it.
type fitSize struct {
	Size  string // "7B"
	Model string // "Llama-2-7B"
}

// fitRow is a task.
type fitRow struct {
	Task  string
	Cells []fitCellData // one for each of the sizes
}

// fitCellData is a task with a size of model.
type fitCellData struct {
	Verdict  ui.ExportWord
	Need     string // "16.2 GB"
	Interval string // of 90 %
	Cards    string // "from 2 cards"; empty where one does
	Href     string // to the recommender; may be empty
	Label    string // of the link, for those who do not see the table: "7B, LoRA: fits"
}
