package format

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// instancesCSV are names of instances with the cards that the buyer gets, each with the source that says so: one row
// for each name that was seen. cards is a fraction where the buyer gets a part of a card. basis is open where the
// source does not say which of card_ids it is. docs/import.md says how they are used.
//
//go:embed instances.csv
var instancesCSV string

// A listing is what a source says of an instance.
type listing struct {
	provider, name string
	ids            []string // of cards; several when the source leaves the form open
	part           bool     // the buyer gets a part of a card, or the cloud counts the GPUs of a board
	stated         bool     // the source says it in words; it does not follow from the family or a speed
	open           bool     // it may be any of ids, or another: the source leaves that open
}

// boards hold several GPUs, which clouds count one by one: their prices are not those of a card.
var boards = []string{"nvidia-tesla-k80", "nvidia-tesla-m60", "nvidia-a16"}

// instances find listings by name and by family.
type instances struct {
	byName   map[string][]listing // lower case
	byFamily map[string][]listing // provider, a space, the family
}

// known are the instances that sources list.
var known = sync.OnceValue(func() *instances {
	rows, err := csv.NewReader(strings.NewReader(instancesCSV)).ReadAll()
	if err != nil {
		panic("format: instances.csv: " + err.Error())
	}
	list := make([]listing, 0, len(rows))
	for _, row := range rows[1:] {
		n, err := strconv.ParseFloat(cmp.Or(row[2], "1"), 64)
		if err != nil {
			panic("format: instances.csv: " + strings.Join(row, ","))
		}
		l := listing{provider: row[0], name: strings.ToLower(row[1]), ids: strings.Fields(row[3]),
			stated: row[5] == "stated", open: row[5] == "open"}
		ofBoard := slices.ContainsFunc(l.ids, func(id string) bool { return slices.Contains(boards, id) })
		l.part = ofBoard || n != float64(int(n))
		list = append(list, l)
	}
	return newInstances(list)
})

func newInstances(list []listing) *instances {
	t := &instances{byName: map[string][]listing{}, byFamily: map[string][]listing{}}
	for _, l := range list {
		t.byName[l.name] = append(t.byName[l.name], l)
		for _, family := range familiesOf(l.provider, l.name) {
			t.byFamily[family] = append(t.byFamily[family], l)
		}
	}
	return t
}

// familyNames are how clouds make names of a family and a size: what the groups match is the family. Names that look
// alike mean other cards at other clouds.
var familyNames = []struct {
	provider string
	name     *regexp.Regexp
}{
	{"aws", regexp.MustCompile(`^([a-z0-9-]+)\.(?:metal(?:-\d+xl)?|\d*x?large)$`)},
	{"gcp", regexp.MustCompile(`^([a-z0-9]+-(?:high|mega|ultra|edge|max)[a-z]+)-\d+[gt](?:-.*)?$`)},
	{"gcp", regexp.MustCompile(`^((?:g|ct|tpu)[0-9a-z]+-standard)-\d+t?$`)},
	{"gcp", regexp.MustCompile(`^(tpu-v\d[a-z]*)-\d+$`)},
	{"azure", regexp.MustCompile(`^standard_(n[a-z]+?)\d+([a-z0-9_]*?)$`)},
	// parts of cards, too
	{"azure", regexp.MustCompile(`^standard_n[cv]\d+[a-z]*_(?:xl_)?(rtxpro6000bse_v\d|a10_v\d)$`)},
	{"oci", regexp.MustCompile(`^((?:bm|vm)\.gpu[a-z0-9.-]*?)\.\d+$`)},
	{"alibaba", regexp.MustCompile(`^(ecs\.[a-z0-9]+)[.-].*$`)},
	{"tencent", regexp.MustCompile(`^([a-z0-9]+)\.\d*x?large\d+$`)},
	{"open-telekom-cloud", regexp.MustCompile(`^([a-z0-9]+)\.\d*xlarge\.\d+$`)},
	{"huawei-modelarts", regexp.MustCompile(`^(modelarts\.[a-z0-9]+)\..*$`)},
	{"volcengine", regexp.MustCompile(`^((?:ml|ecs)\.[a-z0-9]+)\..*$`)},
	{"nebius", regexp.MustCompile(`^(gpu-[a-z0-9-]+)_.*$`)},
	{"cudo", regexp.MustCompile(`^(.*)_\d+x\d+v\d+gb$`)},
	{"lambda", regexp.MustCompile(`^gpu_\d+x_(.*)$`)},
	{"hyperstack", regexp.MustCompile(`^(n\d-.*)x\d+(?:-nvlink)?$`)},
	{"verda", regexp.MustCompile(`^\d+([a-z].*)\.\d+v$`)},
	{"shadeform", regexp.MustCompile(`^([a-z]+_.*?)(?:x\d+)?$`)},
	{"runpod", regexp.MustCompile(`^\d+x_(.*?)(?:_secure|_community)?$`)},
	{"crusoe", regexp.MustCompile(`^(.*)\.\d+x$`)},
	{"mithril", regexp.MustCompile(`^(.*)\.\d+x$`)},
	{"digitalocean", regexp.MustCompile(`^(gpu-.*?)x\d+-\d+gb(?:-.*)?$`)},
	{"scaleway", regexp.MustCompile(`^(.*)-\d+-(\d+g)$`)},
	{"vultr", regexp.MustCompile(`^(v[a-z]+-[a-z0-9]+)-.*$`)},
	{"upcloud", regexp.MustCompile(`^gpu-.*-\d+x([a-z0-9]+)$`)},
	{"ovh", regexp.MustCompile(`^([a-z0-9]+)-\d+$`)},
	{"ibm", regexp.MustCompile(`^(g[a-z0-9]+)-\d+x\d+x\d+([a-z0-9]+)$`)},
	{"coreweave", regexp.MustCompile(`^gd-\d+x([a-z0-9]+)-i\d+$`)},
	{"coreweave", regexp.MustCompile(`^([a-z0-9]+)-\d+x(?:-e)?$`)},
	{"lium", regexp.MustCompile(`^(.*)_\d+x$`)},
	{"jarvislabs", regexp.MustCompile(`^\d+x_(.+)_\d+v_\d+g$`)},
	{"paperspace", regexp.MustCompile(`^(.*?)(?:x\d+)?$`)},
	{"vast", regexp.MustCompile(`^\d+x-(.*)-\d+-\d+$`)},
	{"yotta", regexp.MustCompile(`^\d+x\d+v\d+g_(.*)$`)},
	{"yandex", regexp.MustCompile(`^(gpu-standard-v\d[a-z]*).*$`)},
	{"fluidstack", regexp.MustCompile(`^(.*)::\d+$`)},
	{"linode", regexp.MustCompile(`^(g\d-gpu-[a-z0-9-]+?)a\d+-[a-z]+$`)},
	{"samsung", regexp.MustCompile(`^(g\dv)\d+([a-z])\d+$`)},
}

// cardNames are how clouds make names of instances of the name of the card: what the group matches.
var cardNames = map[string]*regexp.Regexp{
	"lambda":     regexp.MustCompile(`^gpu_\d+x_(.+)$`),
	"hyperstack": regexp.MustCompile(`^n\d-(.+?)x\d+(?:-nvlink.*)?$`),
	"runpod":     regexp.MustCompile(`^\d+x_(.+?)(?:_secure|_community)?$`),
	"vast":       regexp.MustCompile(`^\d+x-(.+)-\d+-\d+$`),
	"verda":      regexp.MustCompile(`^\d+([a-z][a-z0-9]*)(?:\.\d+s)?\.\d+v$`),
	"crusoe":     regexp.MustCompile(`^(.+)\.\d+x$`),
	"lium":       regexp.MustCompile(`^(.+)_\d+x$`),
	"coreweave":  regexp.MustCompile(`^(?:gd-\d+x)?([a-z0-9]+?)(?:ib)?-(?:i\d+|\d+x)$`),
	"fluidstack": regexp.MustCompile(`^(.+)::\d+$`),
}

// memoryWord is a size of memory among the words of a name.
var memoryWord = regexp.MustCompile(`^(\d{1,3})gb?$`)

// cardIn is what the name of an instance calls its card: the words without those of memory and form, and the memory in
// GB, 0 where it has none. The name is "" at clouds that call instances otherwise.
func cardIn(provider, instance string) (name string, gb float64) {
	pattern := cardNames[provider]
	if pattern == nil {
		return "", 0
	}
	m := pattern.FindStringSubmatch(strings.ToLower(strings.TrimSpace(instance)))
	if m == nil {
		return "", 0
	}
	var kept []string
	for _, w := range words(m[1]) {
		if size := memoryWord.FindStringSubmatch(w); size != nil && len(kept) > 0 {
			gb, _ = strconv.ParseFloat(size[1], 64)
		} else if formOfText(w) == "" && w != "nvlink" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " "), gb
}

// familiesOf are the families that a name may be of: at a cloud, or at all of them where provider is "".
func familiesOf(provider, name string) []string {
	var out []string
	for _, f := range familyNames {
		if provider != "" && !atProvider(provider, f.provider) {
			continue
		}
		if m := f.name.FindStringSubmatch(name); m != nil {
			out = append(out, f.provider+" "+strings.Join(m[1:], "#"))
		}
	}
	return out
}

// atProvider reports whether instances of a list are those of a cloud. Huawei Cloud and Open Telekom Cloud have the
// same.
func atProvider(provider, listed string) bool {
	return provider == listed ||
		provider == "huawei" && (listed == "open-telekom-cloud" || listed == "huawei-modelarts")
}

// A Why is the evidence by which a name was matched to a card.
type Why string

// Evidence of matches, the surest first.
const (
	WhyChosen   Why = "chosen"   // the administrator said so
	WhyInstance Why = "instance" // a source lists the instance with its card
	WhyFamily   Why = "family"   // all instances of the family that sources list have the card
	WhyForm     Why = "form"     // the name means several cards, of which the instance or name tells the form
	WhyMemory   Why = "memory"   // the name means several cards, of which one has the memory
	WhyName     Why = "name"     // one card bears the name, or the id
)

// A saying is what sources say of an instance.
type saying struct {
	ids    []string
	why    Why
	stated bool
	open   bool // which of ids it is
	part   bool // of a card
}

// say is what sources say of an instance; false where they say nothing.
func (t *instances) say(provider, instance string) (saying, bool) {
	name := strings.ToLower(strings.TrimSpace(instance))
	if name == "" {
		return saying{}, false
	}
	for _, n := range spellings(name) {
		if s, ok := together(at(t.byName[n], provider), WhyInstance); ok {
			return s, true
		}
	}
	if provider == "" { // elsewhere a name that looks alike may mean another card
		return saying{}, false
	}
	var all []listing
	for _, n := range spellings(name) {
		for _, family := range familiesOf(provider, n) {
			all = append(all, t.byFamily[family]...)
		}
		if s, ok := together(all, WhyFamily); ok {
			s.stated = false
			return s, true
		}
	}
	return saying{}, false
}

// spellings are a name as written, and without what clouds put around it that does not change the card.
func spellings(name string) []string {
	out := []string{name}
	short := name
	for _, end := range []string{"_promo", "_spot", "-spot", "-contracted", ".public", "-nolssd", "_spot_pool"} {
		short = strings.TrimSuffix(short, end)
	}
	if rest, ok := strings.CutPrefix(short, "ml."); ok { // SageMaker
		short = rest
	}
	if strings.HasPrefix(short, "n") && strings.Contains(short, "_v") {
		short = "standard_" + short // of Azure, as its prices call it
	}
	if short != name {
		out = append(out, short)
	}
	return out
}

func at(list []listing, provider string) []listing {
	if provider == "" {
		return list
	}
	var out []listing
	for _, l := range list {
		if atProvider(provider, l.provider) {
			out = append(out, l)
		}
	}
	return out
}

// together is what several listings say with one another: all the cards that any of them names.
func together(list []listing, why Why) (saying, bool) {
	if len(list) == 0 {
		return saying{}, false
	}
	s := saying{why: why, stated: true}
	for _, l := range list {
		s.part, s.open = s.part || l.part, s.open || l.open
		s.stated = s.stated && l.stated
		for _, id := range l.ids {
			if !slices.Contains(s.ids, id) {
				s.ids = append(s.ids, id)
			}
		}
	}
	return s, true
}

// clouds are how sellers are called whose instances are listed, in letters and digits alone.
var clouds = []struct{ word, provider string }{
	{"amazon", "aws"}, {"aws", "aws"}, {"googlecloud", "gcp"}, {"google", "gcp"}, {"gcp", "gcp"}, {"azure", "azure"},
	{"microsoftazure", "azure"}, {"oracle", "oci"}, {"oci", "oci"}, {"alibaba", "alibaba"}, {"aliyun", "alibaba"},
	{"阿里云", "alibaba"}, {"tencent", "tencent"}, {"腾讯云", "tencent"}, {"huawei", "huawei"}, {"华为云", "huawei"},
	{"opentelekom", "open-telekom-cloud"}, {"volcengine", "volcengine"}, {"volcano", "volcengine"},
	{"火山", "volcengine"}, {"nebius", "nebius"}, {"cudo", "cudo"}, {"lambda", "lambda"}, {"hyperstack", "hyperstack"},
	{"verda", "verda"}, {"datacrunch", "verda"}, {"shadeform", "shadeform"}, {"runpod", "runpod"}, {"crusoe", "crusoe"},
	{"mithril", "mithril"}, {"digitalocean", "digitalocean"}, {"scaleway", "scaleway"}, {"vultr", "vultr"},
	{"upcloud", "upcloud"}, {"ovh", "ovh"}, {"ibm", "ibm"}, {"coreweave", "coreweave"}, {"lium", "lium"},
	{"jarvis", "jarvislabs"}, {"paperspace", "paperspace"}, {"vast", "vast"}, {"yotta", "yotta"}, {"yandex", "yandex"},
	{"fluidstack", "fluidstack"}, {"linode", "linode"}, {"akamai", "linode"}, {"samsung", "samsung"},
	{"tensordock", "tensordock"}, {"seeweb", "seeweb"}, {"primeintellect", "primeintellect"}, {"oblivus", "oblivus"},
	{"hyperbolic", "hyperbolic"}, {"together", "together"}, {"fal", "fal"}, {"latitude", "latitude"},
	{"hetzner", "hetzner"},
}

// cloudOf is the provider of a seller in the list of instances; "" for one whose instances are not listed, and for
// none.
func cloudOf(seller string) string {
	key := columnKey(seller)
	for _, c := range clouds {
		if strings.HasPrefix(key, c.word) {
			return c.provider
		}
	}
	return ""
}

// Instance returns the ids of the cards that a source says instances of a name have, whoever the provider is: of the
// name itself, or else of its family where it has one. It returns nil where no source says anything.
func Instance(name string) []string {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return nil
	}
	if s, ok := known().say("", name); ok {
		return s.ids
	}
	var all []listing
	for _, n := range spellings(name) {
		for _, family := range familiesOf("", n) {
			all = append(all, known().byFamily[family]...)
		}
	}
	s, _ := together(all, WhyFamily)
	return s.ids
}
