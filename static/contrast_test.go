package static

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tokens reads the custom properties that hold colours from each block of the
// style sheet that sets the paper: light, dark by the system, dark by choice.
func tokens(t *testing.T) []map[string]string {
	t.Helper()
	var themes []map[string]string
	block := regexp.MustCompile(`\{([^{}]*--paper:[^{}]*)\}`)
	token := regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{3,6})\b`)
	for _, m := range block.FindAllStringSubmatch(string(byName["style.css"].bodies()[""]), -1) {
		theme := map[string]string{}
		for _, kv := range token.FindAllStringSubmatch(m[1], -1) {
			theme[kv[1]] = kv[2]
		}
		themes = append(themes, theme)
	}
	return themes[:3] // the fourth is paper
}

// luminance is the relative luminance of WCAG 2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	digits := strings.TrimPrefix(colour, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 6 {
		t.Fatalf("colour %q: %v", colour, err)
	}
	linear := func(c uint64) float64 {
		v := float64(c&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}

func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func TestColoursContrastInBothThemes(t *testing.T) {
	grounds := []string{"paper", "surface", "sunk", "hover", "tint"}
	for i, theme := range tokens(t) {
		check := func(fore, ground string, want float64) {
			if got := contrast(t, theme[fore], theme[ground]); got < want {
				t.Errorf("theme %d: %s on %s has contrast %.2f, want at least %.1f", i, fore, ground, got, want)
			}
		}
		for _, ground := range grounds {
			for _, fore := range []string{"ink", "muted", "link", "accent"} {
				check(fore, ground, 4.5)
			}
		}
		check("on-accent", "accent", 4.5)
		check("paper", "ink", 4.5)
		check("warn", "warn-tint", 4.5)
		check("warn", "surface", 4.5)
		for _, line := range []string{"edge", "bar", "bar-dim"} {
			check(line, "surface", 3)
			check(line, "paper", 3)
		}
	}
}

func TestSeriesOfChartsContrastInBothThemes(t *testing.T) {
	for i, theme := range tokens(t) {
		for n := range 8 {
			name := "c" + strconv.Itoa(n)
			for _, ground := range []string{"paper", "surface", "sunk"} {
				if got := contrast(t, theme[name], theme[ground]); got < 3 {
					t.Errorf("theme %d: %s on %s has contrast %.2f, want at least 3", i, name, ground, got)
				}
			}
		}
	}
}

func TestBothWaysToTheDarkThemeAgree(t *testing.T) {
	themes := tokens(t)
	for name, colour := range themes[1] {
		if themes[2][name] != colour {
			t.Errorf("--%s is %s by the system and %s by choice", name, colour, themes[2][name])
		}
	}
}
