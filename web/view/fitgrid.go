package view

// FitGrid says which jobs fit on a card.
type FitGrid struct {
	Sizes []FitSize
	Rows  []FitRow
	Note  string // what was assumed, and how much memory counts
}

// FitSize is a size of model with the preset that stands for it.
type FitSize struct {
	Size  string // "7B"
	Model string // "Llama-2-7B"
}

// FitRow is a task.
type FitRow struct {
	Task  string
	Cells []FitCell // one for each of the sizes
}

// FitCell is a task with a size of model.
type FitCell struct {
	Verdict  ExportWord
	Need     string // "16.2 GB"
	Interval string // of 90 %
	Cards    string // "from 2 cards"; empty where one does
	Href     string // to the recommender; may be empty
	Label    string // of the link, for those who do not see the table: "7B, LoRA: fits"
}
