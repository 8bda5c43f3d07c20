package search

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tianti/sizing"
)

// classes are sizes of models that people run on one card, in parameters; what is larger takes several.
var classes = []float64{8e9, 32e9}

const severalCards = 60e9

// version is the first number of a name: of "Qwen3.5-9B" 3.5.
var version = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`)

// representative are a few models of a large family that is named alone, "deepseek": of each class of sizes, and of
// what takes several cards the size that most of its models have; that with the most models first. Of those of one
// size the newest version is taken, and of one version the shortest name, which is that of no variant.
func representative(family []*sizing.Model, text string) (out []*sizing.Model) {
	family = slices.Clone(family)
	if !slices.ContainsFunc(family, (*sizing.Model).WritesText) { // of images, the newest
		slices.SortStableFunc(family, newest)
		return family[:mostModels]
	}
	family = slices.DeleteFunc(family, func(m *sizing.Model) bool {
		return !m.WritesText() || !strings.HasPrefix(strings.ToLower(m.Name), text)
	})
	alike := func(size, within float64) []*sizing.Model {
		return slices.DeleteFunc(slices.Clone(family), func(m *sizing.Model) bool {
			return math.Abs(math.Log(m.Parameters/size)) > within
		})
	}
	var groups [][]*sizing.Model
	for _, size := range classes {
		groups = append(groups, alike(size, 0.15))
	}
	var most []*sizing.Model
	for _, m := range family {
		if same := alike(m.Parameters, 0.01); m.Parameters > severalCards && len(same) > len(most) {
			most = same
		}
	}
	groups = append(groups, most)
	slices.SortStableFunc(groups, func(a, b []*sizing.Model) int { return len(b) - len(a) })
	for _, models := range groups {
		if len(models) > 0 {
			out = append(out, slices.MinFunc(models, newest))
		}
	}
	return out
}

// newest puts the newer version first, then the shorter name.
func newest(a, b *sizing.Model) int {
	number := func(m *sizing.Model) float64 {
		v, _ := strconv.ParseFloat(version.FindString(m.Name), 64)
		return v
	}
	return cmp.Or(cmp.Compare(number(b), number(a)), cmp.Compare(len(a.Name), len(b.Name)))
}
