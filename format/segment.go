package format

import (
	"regexp"
	"strings"
)

// lines are product lines whose names say whom a card is for, the surer first.
var lines = []struct {
	name    *regexp.Regexp
	segment string
}{
	{regexp.MustCompile(`(?i)\b(quadro|rtx a?\d+|rtx pro|radeon pro|firepro|arc pro)\b.*\b(mobile|max-q|laptop)\b`),
		"mobile-workstation"},
	{regexp.MustCompile(`(?i)\b(geforce|radeon|arc)\b.*(\bmobile\b|\bmax-q\b|\blaptop\b|\d[mM]\b)`), "laptop"},
	{regexp.MustCompile(`(?i)\b(tesla|instinct|data center|hgx|dgxs?)\b`), "datacenter"},
	{regexp.MustCompile(`(?i)\b(geforce|titan|radeon (rx|vii|hd|r[579])|arc [ab]\d)\b`), "desktop"},
	{regexp.MustCompile(`(?i)\b(quadro|rtx a\d{3,4}|rtx pro|rtx \d{4} (ada|sff)|radeon pro|firepro|arc pro|nvs)\b`),
		"workstation"},
	{regexp.MustCompile(`(?i)\b(jetson|drive)\b`), "edge"},
}

// segmentOf is whom a card is for, where its product line says so; "" elsewhere.
func segmentOf(name string) string {
	for _, l := range lines {
		if l.name.MatchString(name) {
			return l.segment
		}
	}
	return ""
}

// generationSegment is whom the cards of a generation are for, as TechPowerUp names generations: "GeForce 40 Mobile",
// "Server Hopper".
func generationSegment(generation string) string {
	g := strings.ToLower(generation)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(g, w) {
				return true
			}
		}
		return false
	}
	professional := has("quadro", "workstation", "radeon pro", "firepro", "firegl", "arc pro", "fire gl")
	mobile := has("mobile", "mobility", "notebook", "laptop")
	switch {
	case has("server", "tesla", "instinct", "data center", "firestream"):
		return "datacenter"
	case has("igp", "integrated", "console", "embedded", "tegra", "playstation", "xbox"):
		return ""
	case professional && mobile:
		return "mobile-workstation"
	case professional:
		return "workstation"
	case mobile:
		return "laptop"
	case has("geforce", "radeon", "navi", "vega", "arctic", "volcanic", "polaris", "islands", "arc", "alchemist",
		"battlemage", "titan"):
		return "desktop"
	}
	return ""
}
