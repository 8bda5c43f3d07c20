package locale

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var update = flag.Bool("update", false, "write the names of regions that Unicode's data have")

// TestRegionsHaveTheNamesOfUnicode: regions.csv is what golang.org/x/text has in two of its languages, all of which it
// would bring into the program.
func TestRegionsHaveTheNamesOfUnicode(t *testing.T) {
	var want bytes.Buffer
	w := csv.NewWriter(&want)
	_ = w.Write([]string{"code", "en", "zh"})
	add := func(code string) {
		region, err := language.ParseRegion(code)
		if err != nil || region.String() != code {
			return
		}
		en, zh := display.English.Regions().Name(region), display.SimplifiedChinese.Regions().Name(region)
		if en != "" {
			_ = w.Write([]string{code, en, zh})
		}
	}
	for n := range 1000 {
		add(fmt.Sprintf("%03d", n))
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			add(string(a) + string(b))
		}
	}
	w.Flush()
	if *update {
		if err := os.WriteFile("regions.csv", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want.String() != regionsCSV {
		t.Error("regions.csv differs; go test ./locale -run Unicode -update writes it")
	}
	for _, c := range [][3]string{{"DE", "Germany", "德国"}, {"de", "Germany", "德国"}, {"USA", "United States", "美国"},
		{"UA-43", "Ukraine: Crimea", "乌克兰：克里米亚"}, {"us-east-1", "us-east-1", "us-east-1"}, {"", "", ""}} {
		if en, zh := Of("en").Region(c[0]), Of("zh").Region(c[0]); en != c[1] || zh != c[2] {
			t.Errorf("%q is %q and %q", c[0], en, zh)
		}
	}
}
