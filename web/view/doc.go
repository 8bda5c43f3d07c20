// Package view renders the pages of Tianti as HTML. There is one struct for
// each page, shaped like the page; its leaves are strings and numbers that are
// ready to be shown: figures are formatted, addresses complete, labels in the
// language of [Layout.Locale]. Fixed texts of the pages come from the message
// catalogues of package locale.
//
// Every page works without JavaScript and holds no inline style or script.
package view

//go:generate go tool templ generate
