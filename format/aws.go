package format

import "strings"

// awsForms are the cards of instance families whose names files leave open: AWS says itself which form its instances
// have.
var awsForms = map[string]struct{ names, form string }{
	"p3":      {"V100", "V100-SXM2-16GB"},
	"p3dn":    {"V100", "V100-SXM2-32GB"},
	"p4d":     {"A100", "A100-SXM4-40GB"},
	"p4de":    {"A100", "A100-SXM4-80GB"},
	"p5":      {"H100", "H100-SXM5-80GB"},
	"p5e":     {"H200", "H200-SXM-141GB"},
	"p5en":    {"H200", "H200-SXM-141GB"},
	"p6-b200": {"B200", "B200-SXM6-180GB"},
	"p6-b300": {"B300", "B300-SXM6-288GB"},
	"dl2q":    {"AI 100", "Qualcomm AI 100 Standard"},
	"g7e":     {"RTX PRO 6000", "RTX PRO 6000 Blackwell Server"},
}

// awsForm is what the card of an AWS instance is called in full, where the file's own name of it says no more than that
// it is one of several; nil otherwise.
func awsForm(instance, name string) []string {
	family, _, _ := strings.Cut(instance, ".")
	f, ok := awsForms[family]
	if !ok || !strings.Contains(strings.ToUpper(strings.ReplaceAll(name, "-", " ")), f.names) {
		return nil
	}
	return []string{f.form}
}

// awsHalf is the memory, in GB, of what AWS counts as a card in families whose boards hold two: a price for half a
// board is not taken for one of a board.
var awsHalf = map[string]float64{"g3": 8, "g3s": 8, "p2": 12}

// awsMemoryOr is a memory, or where it is not given that of half a board.
func awsMemoryOr(gb float64, instance string) float64 {
	if gb > 0 {
		return gb
	}
	family, _, _ := strings.Cut(instance, ".")
	return awsHalf[family]
}
