package chart

import (
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// writePNG writes a painting. With a palette of more than 16 colours that is the format's plain case, a byte for each
// pixel and no filter, which image/png would compress with the standard library in twice the time; all others are left
// to it.
func writePNG(w io.Writer, im image.Image) error {
	p, ok := im.(*image.Paletted)
	if !ok || len(p.Palette) <= 16 {
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		return encoder.Encode(w, im)
	}
	c := pngChunks{w: w}
	c.raw([]byte("\x89PNG\r\n\x1a\n"))
	head := make([]byte, 13)
	binary.BigEndian.PutUint32(head, uint32(p.Rect.Dx()))
	binary.BigEndian.PutUint32(head[4:], uint32(p.Rect.Dy()))
	head[8], head[9] = 8, 3 // bits, indexed; compression, filters and interlacing know 0
	c.chunk("IHDR", head)
	var palette []byte
	for _, colour := range p.Palette {
		r, g, b, _ := colour.RGBA() // opaque, as pictures are
		palette = append(palette, uint8(r>>8), uint8(g>>8), uint8(b>>8))
	}
	c.chunk("PLTE", palette)
	z, _ := deflaters.Get().(*zlib.Writer)
	if z == nil {
		var err error
		if z, err = zlib.NewWriterLevel(&c, zlib.BestSpeed); err != nil {
			return err
		}
	}
	defer func() {
		z.Reset(io.Discard) // it keeps nothing of the picture
		deflaters.Put(z)
	}()
	z.Reset(&c)
	row := make([]byte, 1+p.Rect.Dx()) // begins with its filter: none
	for y := range p.Rect.Dy() {
		copy(row[1:], p.Pix[y*p.Stride:])
		if _, err := z.Write(row); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	c.flush()
	c.chunk("IEND", nil)
	return c.err
}

// deflaters keeps what compresses while there is work.
var deflaters sync.Pool

// pngChunks writes the chunks of a file, and what is written to it as chunks of compressed pixels.
type pngChunks struct {
	w      io.Writer
	pixels []byte // not written yet
	err    error  // the first
}

// chunkBytes is how many compressed pixels make a chunk.
const chunkBytes = 1 << 15

func (c *pngChunks) Write(b []byte) (int, error) {
	if c.pixels = append(c.pixels, b...); len(c.pixels) >= chunkBytes {
		c.flush()
	}
	return len(b), c.err
}

func (c *pngChunks) flush() {
	if len(c.pixels) > 0 {
		c.chunk("IDAT", c.pixels)
		c.pixels = c.pixels[:0]
	}
}

func (c *pngChunks) chunk(name string, data []byte) {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	head = append(head, name...)
	sum := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data)
	c.raw(head)
	c.raw(data)
	c.raw(binary.BigEndian.AppendUint32(nil, sum))
}

func (c *pngChunks) raw(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}
