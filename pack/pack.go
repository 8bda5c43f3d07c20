// Package pack keeps the embedded files of released programs small: as an archive whose files are compressed one by
// one, so that reading one of them decompresses no other. Values that take long to be read from their files can be
// written into it as they are in memory. Programs that are built without the tag packed embed the
// files as they are; program all beside it writes the archives.
package pack

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Write writes files, which have their names as keys, as an archive. The same files and comment give the same bytes.
func Write(w io.Writer, files map[string][]byte, comment string) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zstd.ZipMethodWinZip,
		zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1)))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zstd.ZipMethodWinZip})
		if err != nil {
			return err
		}
		if _, err := f.Write(files[name]); err != nil {
			return err
		}
	}
	if err := z.SetComment(comment); err != nil {
		return err
	}
	return z.Close()
}

// Open returns the files of an archive that Write has written, and its comment. It panics on any other: the archive is
// part of the program, whose build made it.
func Open(archive []byte) (files fs.FS, comment string) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(fmt.Sprintf("pack: %v", err))
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1)))
	return z, z.Comment
}
