package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"

	"tianti/importer"
)

// filePart is how many bytes of a compressed file one row holds.
const filePart = 1 << 20

// StoreFile stores what r yields, compressed, once for each content. The file becomes part of the database only when r
// has come to its end.
func (s *Store) StoreFile(ctx context.Context, name string, r io.Reader) (importer.FileInfo, error) {
	attempt := fmt.Sprintf("keep file %q", name)
	f := importer.FileInfo{Name: path.Base(strings.ReplaceAll(name, `\`, "/"))}
	w := &partWriter{s: s, ctx: ctx}
	err := s.write(ctx, attempt, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "INSERT INTO uploads (owner, touched_at) VALUES (?, ?) RETURNING key",
			thisProcess(), s.opt.Now().Unix()).Scan(&w.upload)
	})
	if err != nil {
		return importer.FileInfo{}, err
	}
	stored := false
	f.SHA256, f.Size, err = compressInto(w, r)
	if err == nil {
		stored, err = s.storeUpload(ctx, f, w.upload)
	}
	w.reserve.release()
	if !stored {
		err = errors.Join(err, s.deleteUploadOrRetry(context.WithoutCancel(ctx), w.upload))
	}
	if err != nil {
		return importer.FileInfo{}, explain(ctx, s.path, attempt, err)
	}
	return f, nil
}

// compressInto copies r into w, compressed, and closes it.
func compressInto(w *partWriter, r io.Reader) (sum string, size int64, err error) {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20))
	if err != nil {
		return "", 0, err
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(z, hash), r)
	if err := errors.Join(err, z.Close()); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), size, w.flush()
}

// storeUpload makes an upload a file, unless its content is stored already.
func (s *Store) storeUpload(ctx context.Context, f importer.FileInfo, upload int64) (stored bool, err error) {
	err = s.write(ctx, "keep a file", func(tx *sql.Tx) error {
		stored = false
		var of int64
		err := tx.QueryRowContext(ctx, `INSERT INTO files (sha256, upload, name, size, stored_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (sha256) DO UPDATE SET name = excluded.name, stored_at = excluded.stored_at RETURNING upload`,
			f.SHA256, upload, f.Name, f.Size, s.opt.Now().Unix()).Scan(&of)
		if err != nil || of != upload {
			return err
		}
		stored = true
		_, err = tx.ExecContext(ctx, "UPDATE uploads SET owner = '' WHERE key = ?", upload)
		return err
	})
	return stored && err == nil, err
}

// deleteUpload deletes an upload that is no file. Whoever looked for such may have looked just before a process that
// was killed had its last change taken by a server: what has become a file meanwhile stays.
func (s *Store) deleteUpload(ctx context.Context, key int64) error {
	const noFile = " AND NOT EXISTS (SELECT 1 FROM files WHERE upload = ?1)"
	const query = "DELETE FROM file_parts WHERE upload = ?1 AND ordinal IN (SELECT ordinal FROM file_parts WHERE " +
		"upload = ?1 LIMIT 16)" + noFile
	for n := int64(1); n > 0; {
		err := s.write(ctx, "delete a file", func(tx *sql.Tx) error {
			res, err := tx.ExecContext(ctx, query, key)
			if err == nil {
				n, err = res.RowsAffected()
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.write(ctx, "delete a file", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM uploads WHERE key = ?1"+noFile, key)
		return err
	})
}

// partWriter writes parts of an upload, each in a transaction of its own.
type partWriter struct {
	s       *Store
	ctx     context.Context
	upload  int64
	ordinal int
	buffer  []byte
	reserve reserve
}

// Write implements io.Writer.
func (w *partWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(filePart-len(w.buffer), len(rest))
		w.buffer = append(w.buffer, rest[:n]...)
		rest = rest[n:]
		if len(w.buffer) == filePart {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (w *partWriter) flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	if len(w.buffer) == filePart && w.s.server == nil { // there may be many
		if err := w.reserve.hold(w.s.path); err != nil {
			return err
		}
	}
	err := w.s.write(w.ctx, "keep a part", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(w.ctx, "INSERT INTO file_parts (upload, ordinal, zstd) VALUES (?, ?, ?)", w.upload,
			w.ordinal, w.buffer); err != nil {
			return err
		}
		_, err := tx.ExecContext(w.ctx, "UPDATE uploads SET touched_at = ? WHERE key = ?", w.s.opt.Now().
			Unix(), w.upload)
		return err
	})
	w.buffer = w.buffer[:0]
	w.ordinal++
	return err
}

// OpenFile opens a stored file.
func (s *Store) OpenFile(ctx context.Context, sha256 string) (io.ReadCloser, importer.FileInfo, error) {
	f := importer.FileInfo{SHA256: sha256}
	r := &partReader{s: s, ctx: ctx}
	err := s.reader.QueryRowContext(ctx, "SELECT upload, name, size FROM files WHERE sha256 = ?", sha256).
		Scan(&r.upload, &f.Name, &f.Size)
	if errors.Is(err, sql.ErrNoRows) {
		err = noFile(sha256)
	}
	if err != nil {
		return nil, importer.FileInfo{}, explain(ctx, s.path, "open a file", err)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, importer.FileInfo{}, explain(ctx, s.path, "open a file", err)
	}
	return z.IOReadCloser(), f, nil
}

// partReader reads the parts of an upload one by one; between them the database is not read.
type partReader struct {
	s       *Store
	ctx     context.Context
	upload  int64
	ordinal int
	rest    []byte
}

// Read implements io.Reader.
func (r *partReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		err := r.s.reader.QueryRowContext(r.ctx, "SELECT zstd FROM file_parts WHERE upload = ? AND ordinal = ?",
			r.upload, r.ordinal).Scan(&r.rest)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, explain(r.ctx, r.s.path, "read a file", err)
		}
		r.ordinal++
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
