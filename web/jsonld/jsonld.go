// Package jsonld describes pages for search engines: things of schema.org as JSON-LD. What is in it stands on the page,
// too; addresses are absolute.
package jsonld

// Context is the vocabulary.
const Context = "https://schema.org"

// A Document is what one page shows.
type Document struct {
	Context string `json:"@context"`
	Graph   []any  `json:"@graph"`
}

// NewDocument returns the things of a page.
func NewDocument(things ...any) Document { return Document{Context, things} }

// A BreadcrumbList is the way from the start page to a page.
type BreadcrumbList struct {
	Type  string     `json:"@type"`
	Items []ListItem `json:"itemListElement"`
}

// A ListItem is one page of the way.
type ListItem struct {
	Type     string `json:"@type"`
	Position int    `json:"position"`
	Name     string `json:"name"`
	Item     string `json:"item"` // its address
}

// Breadcrumbs are pages by name and address, the start page first.
func Breadcrumbs(pages [][2]string) BreadcrumbList {
	out := BreadcrumbList{Type: "BreadcrumbList"}
	for i, p := range pages {
		out.Items = append(out.Items, ListItem{"ListItem", i + 1, p[0], p[1]})
	}
	return out
}

// A Product is a card.
type Product struct {
	Type        string           `json:"@type"`
	ID          string           `json:"@id"` // address of its page
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	URL         string           `json:"url"`
	Image       string           `json:"image,omitempty"`
	Category    string           `json:"category,omitempty"`
	ReleaseDate string           `json:"releaseDate,omitempty"`
	Brand       Brand            `json:"brand"`
	Properties  []PropertyValue  `json:"additionalProperty,omitempty"`
	Offers      []AggregateOffer `json:"offers,omitempty"` // current ones only
}

// A Brand is who makes a card.
type Brand struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

// NewBrand is a vendor.
func NewBrand(name string) Brand { return Brand{"Brand", name} }

// A PropertyValue is a figure.
type PropertyValue struct {
	Type  string `json:"@type"`
	Name  string `json:"name"`
	Value any    `json:"value"` // a number or a text
	Unit  string `json:"unitText,omitempty"`
}

// NewProperty is a figure with its name.
func NewProperty(name string, value any, unit string) PropertyValue {
	return PropertyValue{"PropertyValue", name, value, unit}
}

// Conditions of what is offered.
const (
	NewCondition  = "https://schema.org/NewCondition"
	UsedCondition = "https://schema.org/UsedCondition"
)

// An AggregateOffer is the current offers of one condition.
type AggregateOffer struct {
	Type      string `json:"@type"`
	Low       string `json:"lowPrice"`
	High      string `json:"highPrice"`
	Currency  string `json:"priceCurrency"`
	Count     int    `json:"offerCount"`
	Condition string `json:"itemCondition"`
	URL       string `json:"url"` // the page that lists them
}

// A Dataset is the catalogue.
type Dataset struct {
	Type          string         `json:"@type"`
	ID            string         `json:"@id"`
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	URL           string         `json:"url"`
	Version       string         `json:"version,omitempty"`
	Modified      string         `json:"dateModified,omitempty"`
	License       string         `json:"license,omitempty"`
	Languages     []string       `json:"inLanguage"`
	Free          bool           `json:"isAccessibleForFree"`
	Creator       Organization   `json:"creator"`
	Keywords      []string       `json:"keywords"`
	Measured      []string       `json:"variableMeasured,omitempty"`
	Distributions []DataDownload `json:"distribution"`
}

// An Organization is who made something.
type Organization struct {
	Type string `json:"@type"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// NewOrganization is who runs a site.
func NewOrganization(name, url string) Organization { return Organization{"Organization", name, url} }

// A DataDownload is a file of a dataset.
type DataDownload struct {
	Type   string `json:"@type"`
	Format string `json:"encodingFormat"` // its media type
	URL    string `json:"contentUrl"`
}

// NewDownload is a file at an address.
func NewDownload(format, url string) DataDownload { return DataDownload{"DataDownload", format, url} }
