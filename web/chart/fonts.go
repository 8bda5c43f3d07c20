package chart

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// fonts are what texts are painted with: a Latin font that the program carries, and
// a Chinese one of the system. A font is safe for concurrent use, its faces are not.
type fonts struct {
	regular, bold *sfnt.Font
	chinese       func() *sfnt.Font // nil when there is none
}

// fontFiles are where systems keep fonts with Chinese characters.
var fontFiles = []string{
	"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/noto/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/opentype/source-han-sans/SourceHanSansSC-Regular.otf",
	"/usr/share/fonts/adobe-source-han-sans/SourceHanSansSC-Regular.otf",
	"/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
	"/usr/share/fonts/google-droid-sans-fonts/DroidSansFallbackFull.ttf",
	"/usr/share/fonts/droid/DroidSansFallbackFull.ttf",
	"/System/Library/Fonts/PingFang.ttc",
	"/System/Library/Fonts/STHeiti Light.ttc",
	`C:\Windows\Fonts\msyh.ttc`,
}

func loadFonts(file string) (*fonts, error) {
	f := &fonts{}
	for _, own := range []struct {
		at   **sfnt.Font
		data []byte
	}{{&f.regular, goregular.TTF}, {&f.bold, gobold.TTF}} {
		parsed, err := opentype.Parse(own.data)
		if err != nil {
			return nil, fmt.Errorf("embedded font: %w", err)
		}
		*own.at = parsed
	}
	if file != "" {
		chinese, err := openFont(file)
		if err != nil {
			return nil, fmt.Errorf("font %s: %w", file, err)
		}
		f.chinese = func() *sfnt.Font { return chinese }
		return f, nil
	}
	f.chinese = sync.OnceValue(ofSystem)
	return f, nil
}

// ofSystem is the font with Chinese characters that the system has; nil where it has none. To find the outlines of such
// a font takes milliseconds, which no start should wait for.
func ofSystem() *sfnt.Font {
	for _, name := range fontFiles {
		if chinese, err := openFont(name); err == nil {
			return chinese
		}
	}
	return nil
}

// openFont opens a font with Chinese characters; of a collection the one for
// simplified Chinese. The file stays open: glyphs are read from it when they are
// needed, because such fonts have tens of megabytes.
func openFont(name string) (chosen *sfnt.Font, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if chosen == nil {
			file.Close()
		}
	}()
	c, err := opentype.ParseCollectionReaderAt(file)
	if err != nil {
		return nil, err
	}
	for i := range c.NumFonts() {
		f, broken := c.Font(i)
		if broken != nil {
			err = broken
			continue
		}
		if !has(f, '图') {
			continue
		}
		if chosen == nil {
			chosen = f
		}
		// the faces of one width, such as "Noto Sans Mono CJK SC", come after it
		if family, _ := f.Name(nil, sfnt.NameIDFamily); strings.HasSuffix(family, " SC") {
			chosen = f
			break
		}
	}
	switch {
	case chosen != nil:
		return chosen, nil
	case err != nil:
		return nil, err
	}
	return nil, errors.New("the font has no Chinese characters")
}

func has(f *sfnt.Font, r rune) bool {
	i, err := f.GlyphIndex(nil, r)
	return err == nil && i != 0
}

// A run is a part of a text in one font.
type run struct {
	font   *sfnt.Font // nil for a space that no font has
	text   string
	width  float64
	strong bool // bold is wanted of a font that has none
}

// runs divides a text by the fonts that have its characters. What no font has is
// painted as the Latin font's sign for it; the narrow spaces, which few have, are
// only a distance.
func (f *fonts) runs(text string, bold bool) []run {
	latin := f.regular
	if bold {
		latin = f.bold
	}
	var out []run
	for _, r := range text {
		use := latin
		switch {
		case has(latin, r):
		case unicode.IsSpace(r):
			use = nil
		default:
			if chinese := f.chinese(); chinese != nil && has(chinese, r) {
				use = chinese
			}
		}
		if n := len(out); n > 0 && out[n-1].font == use {
			out[n-1].text += string(r)
		} else {
			out = append(out, run{font: use, text: string(r), strong: bold && use != nil && use != latin})
		}
	}
	return out
}
