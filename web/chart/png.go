package chart

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// writePNG writes a painting: with a palette a byte for each pixel, without one three, and no filter. image/png would
// compress with the standard library, in twice the time.
func writePNG(w io.Writer, im image.Image) error {
	const indexed, colours = 3, 2
	c := pngChunks{w: w}
	c.raw([]byte("\x89PNG\r\n\x1a\n"))
	head := make([]byte, 13)
	size := im.Bounds().Size()
	binary.BigEndian.PutUint32(head, uint32(size.X))
	binary.BigEndian.PutUint32(head[4:], uint32(size.Y))
	head[8] = 8 // bits; compression, filters and interlacing know 0
	var row func(y int, into []byte)
	bytes := 0
	switch im := im.(type) {
	case *image.Paletted:
		head[9], bytes = indexed, size.X
		c.chunk("IHDR", head)
		var palette []byte
		for _, colour := range im.Palette {
			r, g, b, _ := colour.RGBA() // opaque, as pictures are
			palette = append(palette, uint8(r>>8), uint8(g>>8), uint8(b>>8))
		}
		c.chunk("PLTE", palette)
		row = func(y int, into []byte) { copy(into, im.Pix[y*im.Stride:]) }
	case *image.RGBA:
		head[9], bytes = colours, 3*size.X
		c.chunk("IHDR", head)
		row = func(y int, into []byte) {
			for from := im.Pix[y*im.Stride:]; len(into) > 0; from, into = from[4:], into[3:] {
				copy(into[:3], from)
			}
		}
	default:
		return fmt.Errorf("a picture of %T is not written", im)
	}
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
	line := make([]byte, 1+bytes) // begins with its filter: none
	for y := range size.Y {
		row(y, line[1:])
		if _, err := z.Write(line); err != nil {
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
