package admin

import (
	"image/color"
	"strconv"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quiet is how many modules around a QR code stay empty, as ISO/IEC 18004 asks for.
const quiet = 4

// qrCode is a QR code as a path of SVG, one unit a module.
type qrCode struct {
	Box  string // viewBox
	Path string
}

func newQRCode(text string) (qrCode, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return qrCode{}, err
	}
	dark := func(x, y int) bool {
		return x < code.Bounds().Dx() && color.GrayModel.Convert(code.At(x, y)).(color.Gray).Y < 128
	}
	var b strings.Builder
	for y := range code.Bounds().Dy() {
		for x := 0; x < code.Bounds().Dx(); x++ {
			n := 0
			for dark(x+n, y) {
				n++
			}
			if n > 0 {
				w := strconv.Itoa(n)
				b.WriteString("M" + strconv.Itoa(x+quiet) + " " + strconv.Itoa(y+quiet) + "h" + w + "v1h-" + w + "z")
			}
			x += n
		}
	}
	size := strconv.Itoa(code.Bounds().Dx() + 2*quiet)
	return qrCode{Box: "0 0 " + size + " " + size, Path: b.String()}, nil
}
