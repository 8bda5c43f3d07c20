package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// window is how far back the compression looks, in bytes: a reader needs as much memory.
const window = 8 << 20

// pack compresses a file into another. Equal files give equal bytes.
func pack(ctx context.Context, from, to string) (sum string, size, unpacked int64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", 0, 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", 0, 0, err
	}
	hash := sha256.New()
	counted := &counter{w: io.MultiWriter(out, hash)}
	z, err := zstd.NewWriter(counted, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err == nil {
		unpacked, err = io.Copy(z, readWhile{ctx, in})
		err = errors.Join(err, z.Close())
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return "", 0, 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), counted.n, unpacked, nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// readWhile reads as long as ctx lasts.
type readWhile struct {
	ctx context.Context
	r   io.Reader
}

func (r readWhile) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(b)
}

// unpack writes what a compressed file holds into a new file: exactly size bytes, or it is an error and there is none.
func unpack(ctx context.Context, from, to string, size int64) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := zstd.NewReader(readWhile{ctx, in}, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window),
		zstd.WithDecoderLowmem(true))
	if err != nil {
		return err
	}
	defer z.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(z, size+1))
	if err == nil && n != size {
		err = fmt.Errorf("it holds another database than %s says: want %d bytes", currentKey, size)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// sumOf is the hash of a file, and its size.
func sumOf(ctx context.Context, path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	hash := sha256.New()
	size, err = io.Copy(hash, readWhile{ctx, f})
	return hex.EncodeToString(hash.Sum(nil)), size, err
}
