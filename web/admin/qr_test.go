package admin

import (
	"image"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"tianti/account"
)

// painted draws the path of a QR code.
func painted(t *testing.T, c qrCode) image.Image {
	t.Helper()
	const scale = 4
	size, err := strconv.Atoi(c.Box[strings.LastIndexByte(c.Box, ' ')+1:])
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, size*scale, size*scale))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`).FindAllStringSubmatch(c.Path, -1) {
		x, _ := strconv.Atoi(m[1])
		y, _ := strconv.Atoi(m[2])
		w, _ := strconv.Atoi(m[3])
		for py := y * scale; py < (y+1)*scale; py++ {
			for px := x * scale; px < (x+w)*scale; px++ {
				img.SetGray(px, py, color.Gray{})
			}
		}
	}
	return img
}

// TestAQRCodeIsReadByAnothersReader reads what is drawn with a reader of another project.
func TestAQRCodeIsReadByAnothersReader(t *testing.T) {
	for _, name := range []string{"anna", "张伟", strings.Repeat("长", account.MaxName)} {
		text, err := account.FactorURL("Tianti cards.example:8080", name, account.NewFactorSecret())
		if err != nil {
			t.Fatal(err)
		}
		c, err := newQRCode(text)
		if err != nil {
			t.Fatal(err)
		}
		bits, err := gozxing.NewBinaryBitmapFromImage(painted(t, c))
		if err != nil {
			t.Fatal(err)
		}
		// Nothing is photographed: a reader that estimates how large a module is may be wrong by one in a code of this
		// size.
		got, err := qrcode.NewQRCodeReader().Decode(bits, map[gozxing.DecodeHintType]any{
			gozxing.DecodeHintType_PURE_BARCODE: true})
		if err != nil || got.GetText() != text {
			t.Errorf("%s: got %v, %v, want %s", name, got, err, text)
		}
	}
}
