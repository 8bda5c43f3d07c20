// Package api is the JSON contract of Tianti: the shapes of its answers, how
// they are computed from a snapshot, and the OpenAPI document that describes
// them. Fields are only ever added.
package api

import "tianti/catalog"

// Envelope is what every answer carries.
type Envelope struct {
	Snapshot string    `json:"snapshot" doc:"revision of the catalogue that the answer was computed from" example:"1"`
	AsOf     string    `json:"as_of,omitempty" doc:"day to which the catalogue was put back, where the address names one" example:"2024-06-30"`
	Loading  *Progress `json:"loading,omitempty" doc:"present while the catalogue is still being read: the answer covers only the cards loaded so far"`
}

// Progress says how much of the catalogue an answer covers.
type Progress struct {
	Loaded int `json:"loaded" doc:"cards the answer was computed from"`
	Total  int `json:"total" doc:"cards there will be"`
}

// cardItem is a card in a list.
type cardItem struct {
	ID           string             `json:"id" doc:"never changes" example:"nvidia-h100-sxm5-80gb"`
	Name         string             `json:"name" doc:"without the vendor" example:"H100 SXM5 80GB"`
	Vendor       string             `json:"vendor" example:"NVIDIA"`
	Kind         string             `json:"kind" enum:"gpu,npu,tpu,lpu,ipu,wse,soc"`
	Segment      string             `json:"segment" enum:"datacenter,workstation,desktop,mobile-workstation,laptop,edge,cloud,research"`
	Architecture string             `json:"architecture,omitempty" example:"Hopper"`
	FormFactor   string             `json:"form_factor,omitempty" example:"SXM5"`
	Launched     string             `json:"launched,omitempty" doc:"YYYY, YYYY-MM or YYYY-MM-DD" example:"2022-03-22"`
	Standing     string             `json:"standing" doc:"announced is not sold yet, cancelled was given up before, internal is used by its maker alone, built-in is sold only inside phones and cars" enum:"sold,announced,cancelled,internal,built-in"`
	Announced    string             `json:"announced,omitempty" doc:"of a card that is not sold: since when it is announced"`
	Figures      map[string]float64 `json:"figures" doc:"shown value by metric id, in the metric's unit; what no source states is absent"`
	Attributes   map[string]any     `json:"attributes,omitempty" doc:"text or true/false by attribute id"`
}

// CardList is a page of cards.
type CardList struct {
	Envelope
	Pricing *pricing   `json:"pricing,omitempty" doc:"how prices are reckoned; present where fields name any"`
	Items   []cardItem `json:"items"`
	Total   int        `json:"total" doc:"cards that match, on all pages"`
	Next    *string    `json:"next" doc:"address of the next page, or null"`
}

// CardDetail is everything known of one card.
type CardDetail struct {
	Envelope
	ID           string                 `json:"id" example:"nvidia-h100-sxm5-80gb"`
	Name         string                 `json:"name"`
	Vendor       string                 `json:"vendor"`
	Kind         string                 `json:"kind"`
	Segment      string                 `json:"segment"`
	Architecture string                 `json:"architecture,omitempty"`
	FormFactor   string                 `json:"form_factor,omitempty"`
	Launched     string                 `json:"launched,omitempty" doc:"date of the announcement"`
	Available    string                 `json:"available,omitempty" doc:"since when it can be bought or rented, where a source says so"`
	Standing     string                 `json:"standing" doc:"announced is not sold yet, cancelled was given up before, internal is used by its maker alone, built-in is sold only inside phones and cars" enum:"sold,announced,cancelled,internal,built-in"`
	Announced    string                 `json:"announced,omitempty" doc:"of a card that is not sold: since when it is announced"`
	Aliases      []string               `json:"aliases" doc:"names that drivers and people use"`
	PCIIDs       []string               `json:"pci_ids" doc:"vendor:device, with :subvendor:subdevice where the subsystem matters"`
	Features     map[string]bool        `json:"features" doc:"what the hardware computes in at all; what no source states is absent"`
	Figures      map[string]Figure      `json:"figures" doc:"by metric id; derived values have no source"`
	Attributes   map[string]Attribute   `json:"attributes" doc:"texts and dates by attribute id"`
	Prices       []priceObservation     `json:"prices" doc:"dated prices to buy: by kind, the latest first"`
	Offers       []priceObservation     `json:"offers" doc:"dated prices to rent: by kind, the latest first"`
	Benchmarks   []struct{}             `json:"benchmarks" doc:"speed of whole jobs; none are recorded yet"`
	Measured     []measuredFigure       `json:"measured" doc:"rates that somebody reached, beside the rated ones"`
	Claims       []claim                `json:"claims" doc:"what people say of the card in words; no figure rests on them"`
	Sources      map[string]SourceEntry `json:"sources" doc:"the sources named above, by key"`
}

// Figure is one number with where it comes from and what others say.
type Figure struct {
	Value   float64       `json:"value"`
	Unit    string        `json:"unit,omitempty"`
	Source  string        `json:"source,omitempty" doc:"key in sources; absent for derived values"`
	Dataset string        `json:"dataset,omitempty"`
	AsOf    string        `json:"as_of,omitempty" doc:"date of the source"`
	Note    *catalog.Text `json:"note,omitempty"`
	Formula string        `json:"formula,omitempty" doc:"of derived values"`
	Standing
	Sources int           `json:"sources,omitempty" doc:"how many sources give this value; weak and calculated ones do not count"`
	Origins []string      `json:"origins,omitempty" doc:"of those sources, each once: copies of one origin count once"`
	Physics *Physics      `json:"physics,omitempty" doc:"arithmetic that agrees within 1 %; no source"`
	Others  []otherFigure `json:"others" doc:"what other sources say, best first"`
}

// otherFigure is a value that is not the one shown.
type otherFigure struct {
	Value      float64       `json:"value"`
	Source     string        `json:"source"`
	Dataset    string        `json:"dataset"`
	Note       *catalog.Text `json:"note,omitempty"`
	Superseded *catalog.Text `json:"superseded,omitempty" doc:"why it is not the value shown"`
	Standing
}

// Standing is what a value rests on.
type Standing struct {
	Standing catalog.FigureStanding `json:"standing,omitempty" enum:"vendor,calculated,measured,press,community,before-launch,full-die,estimate" doc:"what the value rests on; the last three are shown only where there is no other"`
}

// Physics is what units, clock, bus and data rate of a card come to.
type Physics struct {
	Formula string  `json:"formula"`
	Value   float64 `json:"value"`
}

// Attribute is a text or date with where it comes from.
type Attribute struct {
	Value   string        `json:"value"`
	Source  string        `json:"source"`
	Dataset string        `json:"dataset"`
	AsOf    string        `json:"as_of,omitempty"`
	Note    *catalog.Text `json:"note,omitempty"`
	Standing
	Others []otherAttribute `json:"others"`
}

// otherAttribute is a text that is not the one shown.
type otherAttribute struct {
	Value      string        `json:"value"`
	Source     string        `json:"source"`
	Dataset    string        `json:"dataset"`
	Superseded *catalog.Text `json:"superseded,omitempty"`
	Standing
}

// SourceEntry describes a document or dataset.
type SourceEntry struct {
	Publisher string             `json:"publisher"`
	Title     string             `json:"title"`
	URL       string             `json:"url,omitempty"`
	Kind      catalog.SourceKind `json:"kind" enum:"datasheet,whitepaper,documentation,filing,press,measured,community"`
	Published string             `json:"published,omitempty"`
	Retrieved string             `json:"retrieved,omitempty"`
	Origin    string             `json:"origin,omitempty" doc:"what it copies or reads out, where that is not its publisher"`
}

// sourceItem is a source in the list of all.
type sourceItem struct {
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	SourceEntry
	Figures int `json:"figures" doc:"facts that name it"`
	Cards   int `json:"cards" doc:"cards with such a fact"`
	Prices  int `json:"prices" doc:"price observations that it states"`
	Rates   int `json:"rates" doc:"exchange rates that it states"`
}

// SourceList is every source of the active datasets.
type SourceList struct {
	Envelope
	Items []sourceItem `json:"items"`
	Total int          `json:"total"`
	Next  *string      `json:"next"`
}

// metricItem is one quantity of the registry.
type metricItem struct {
	ID         string       `json:"id" example:"bf16_matrix_dense_tflops"`
	Type       string       `json:"type" enum:"number,text,boolean,date"`
	Unit       string       `json:"unit,omitempty" example:"TFLOPS"`
	Group      string       `json:"group" example:"compute"`
	Better     string       `json:"better" enum:"higher,lower,none"`
	Label      catalog.Text `json:"label"`
	Definition catalog.Text `json:"definition"`
	Formula    string       `json:"formula,omitempty" doc:"of derived values, in terms of other ids"`
	Cards      int          `json:"cards" doc:"cards that have a value"`
}

// MetricList is the registry of quantities.
type MetricList struct {
	Envelope
	Items []metricItem `json:"items"`
	Total int          `json:"total"`
	Next  *string      `json:"next"`
}

// CardRef names a card.
type CardRef struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Vendor string `json:"vendor"`
	Unsold string `json:"unsold,omitempty" doc:"announced, cancelled, internal or built-in, as standing says of a card; absent where it is sold"`
}

// Peak is the rate to divide by for model FLOPS utilisation.
type Peak struct {
	Envelope
	Card      CardRef `json:"card"`
	Device    string  `json:"device" doc:"what was asked for"`
	Match     string  `json:"match" doc:"how the device was recognised" enum:"card_id,name,pci_id"`
	Part      string  `json:"part,omitempty" doc:"the device is this part of the card, a MIG slice or a virtual GPU: the rate is that of the whole card" example:"1g.5gb"`
	Precision string  `json:"precision" example:"bf16"`
	Metric    string  `json:"metric" doc:"the metric the value is of: dense, matrix units" example:"bf16_matrix_dense_tflops"`
	Value     float64 `json:"value" example:"989.4"`
	Unit      string  `json:"unit" example:"TFLOPS"`
	OpsPerS   float64 `json:"ops_per_s" doc:"the value in operations per second" example:"989400000000000"`
	Source    string  `json:"source"`
	SourceURL string  `json:"source_url,omitempty"`
	Standing
	Note *catalog.Text `json:"note,omitempty" doc:"what the source, or who calculated from it, says beside the value"`
}

// pricing is how the prices of an answer are converted.
type pricing struct {
	Currency string `json:"currency" doc:"ISO 4217; ¤ in units stands for it"`
	Buy      string `json:"buy" doc:"kind of price to buy: launch, street, used, computer or server"`
	Rent     string `json:"rent" doc:"kind of price to rent: on_demand, spot, reserved or monthly"`
	AsOf     string `json:"as_of" doc:"day to which prices are current or too old"`
}

// pricingOf is a pricing as answers show it.
func pricingOf(p catalog.Pricing) pricing {
	return pricing{p.Currency, string(p.Buy), string(p.Rent), string(p.Today)}
}
