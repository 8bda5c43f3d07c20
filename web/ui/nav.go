package ui

// A navGroup is a group of the main navigation; one without items is a link itself.
type navGroup struct {
	key   string
	path  string
	items []navItem
}

// navItem is one item of the main navigation.
type navItem struct {
	nav  Nav
	key  string
	path string
}

// navGroups lead to every page that is not about one card.
var navGroups = []navGroup{
	{key: "nav.cards", items: []navItem{
		{NavCards, "nav.allcards", "/cards"}, {NavCompare, "nav.compare", "/compare"}, {NavPlot, "nav.plot", "/plot"},
		{NavArchitecture, "nav.architectures", "/architectures"}, {NavSources, "nav.sources", "/sources"},
		{NavNone, "nav.health", "/data-health"}, {NavNone, "changes.title", "/changes"},
		{NavMethodology, "nav.methodology", "/methodology"},
		{NavNone, "nav.glossary", "/glossary"}, {NavAPI, "nav.api", "/api"},
	}},
	{key: "nav.ladders", items: []navItem{
		{NavLadders, "nav.allladders", "/ladders"}, {NavNone, "nav.measured.desktop", "/ladders/measured/desktop"},
		{NavNone, "nav.measured.blender", "/ladders/measured/blender-4.5"},
		{NavNone, "nav.measured.llama", "/ladders/measured/llama-cpp-7b-decode"},
		{NavNone, "nav.bf16", "/ladders/bf16_matrix_dense_tflops"},
	}},
	{key: "nav.choose", items: []navItem{
		{
			NavRecommend,
			"nav.recommend",
			"/recommend",
		}, {NavNone, "serve.link", "/serve"}, {NavNone, "sizing.mine", "/recommend/mine"},
		{NavNone, "nav.calculator", "/calculator"}, {NavNone, "nav.accuracy", "/accuracy"},
	}},
	{key: "nav.market", items: []navItem{
		{NavPrices, "nav.prices", "/prices"}, {NavExport, "nav.export", "/export-control"},
		{NavNone, "nav.worksheet", "/export-control/worksheet"},
	}},
	{key: "nav.live", path: "/live"},
}

// holds reports whether a page that belongs to an item is in the group.
func (g navGroup) holds(active Nav) bool {
	if active == NavLive {
		return g.path == "/live"
	}
	for _, item := range g.items {
		if item.nav != NavNone && item.nav == active {
			return true
		}
	}
	return false
}
