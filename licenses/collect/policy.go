package main

import (
	"crypto/sha256"
	"fmt"
)

// allowed are the licences that parts of the program may have, with what they ask for
// besides that their text and the names of the authors go along. Another one has to be
// read before it is added.
var allowed = map[string]string{
	"Apache-2.0":               "notices go along; who sues over patents loses those of the licence",
	"BSD-2-Clause":             "",
	"BSD-3-Clause":             "no endorsement",
	"BSL-1.0":                  "not even its text in compiled form",
	"FTL":                      "credit in the documentation",
	"LicenseRef-public-domain": "nothing",
	"MIT":                      "",
	"MIT-0":                    "nothing",
	"MPL-2.0":                  "its files stay under it: we change none, and module and version say where they are",
	"SunPro":                   "",
}

// leftOut are texts that do not hold for the program.
var leftOut = map[string]string{
	"github.com/golang/freetype licenses/gpl.txt": "the module may be used under one licence of two, " +
		"and the FreeType Licence is ours",
	"modernc.org/memory LICENSE-LOGO": "where a picture of the repository comes from",
}

// A reading is what a person found in a text that licensecheck does not recognise.
type reading struct {
	sum      string // of the text that was read, as sumOf gives it
	licenses []string
	why      string
}

// readByPeople are such texts, by module and file.
var readByPeople = map[string]reading{
	"github.com/golang/freetype LICENSE": {
		"d3ba056adc2b", []string{"FTL"}, "offers the choice that leftOut makes",
	},
	"github.com/modelcontextprotocol/go-sdk LICENSE": {
		"af679003d933", []string{"Apache-2.0", "MIT"},
		"older parts are under MIT and newer ones under Apache-2.0; its CC-BY-4.0 is of documents, which are not " +
			"linked in",
	},
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/Bogaert-LICENSE": {
		"19912b29acb8", nil, "a disclaimer; of integrate/quad, which is not linked in",
	},
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/MT19937-64-LICENSE": {
		"c9c37150f4da", []string{"BSD-3-Clause"}, "after an introduction; of mathext/prng, which is not linked in",
	},
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/MT19937-LICENSE": {
		"b92dad20b731", []string{"BSD-3-Clause"}, "after an introduction; of mathext/prng, which is not linked in",
	},
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/Sun-LICENSE": {
		"1fad26590385", []string{"SunPro"}, "",
	},
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/W3C-TestSuite-LICENSE": {
		"aa82ad47b727", nil, "of tests of graph/formats/rdf",
	},
	"modernc.org/libc LICENSE-3RD-PARTY.md": {
		"f597097efe3d", []string{"BSD-2-Clause", "BSD-3-Clause", "LicenseRef-public-domain", "MIT"},
		"Go, musl with the authors of its parts, go-netdb, nixpkgs",
	},
	"modernc.org/sqlite LICENSE-3RD-PARTY.md": {
		"b4366b9c27a9", []string{"BSD-3-Clause", "LicenseRef-public-domain", "MIT"},
		"the first of its tables, of what is linked in; the others are about its tests and tools",
	},
	"modernc.org/sqlite LICENSE-SQLITE": {
		"8438c9c89b84", []string{"LicenseRef-public-domain"}, "",
	},
}

// sumOf is the beginning of a text's hash.
func sumOf(body []byte) string { return fmt.Sprintf("%x", sha256.Sum256(body))[:12] }
