package ui

// PriceChoices are the choices of how prices are converted: parameters "currency",
// "buy" and "rent".
type PriceChoices struct {
	Currencies []Option
	Buy        []Option
	Rent       []Option
}
