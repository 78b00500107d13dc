package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"rollcall/harness/evidence"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A parquet file is written by rowGroup rows, so many of which writing and reading hold in memory. Earlier builds wrote more of them at
// once, up to maxRowGroup.
const (
	rowGroup    = 16 << 10
	maxRowGroup = 128 << 10
)

// writeParquet streams a stream into one parquet file, which plain readers such as DuckDB open, and
// returns how many rows it has. A record that is not valid, or not in its place, is an error.
func writeParquet[R, W any](w io.Writer, stream evidence.Stream[R], l layout[R, W]) (rows int, err error) {
	pw := parquet.NewGenericWriter[W](w, append(l.metadata, parquet.MaxRowsPerRowGroup(rowGroup))...)
	batch := make([]W, 0, 1024)
	var last key
	for r, err := range stream {
		if err != nil {
			return rows, err
		}
		if last, err = l.follow(last, r); err != nil {
			return rows, fmt.Errorf("row %d: %w", rows, err)
		}
		rows++
		if batch = append(batch, l.row(r)); len(batch) == cap(batch) {
			if _, err := pw.Write(batch); err != nil {
				return rows, err
			}
			batch = batch[:0]
		}
	}
	if _, err := pw.Write(batch); err != nil {
		return rows, err
	}
	return rows, pw.Close()
}

// parquetStream is the stream in the parquet file at path, which should have count rows. The file is
// open, and a part of it in memory, only while the stream is read. An error names the file,
// without its folder, and the row, from 0.
func parquetStream[R, W any](path string, count int, l layout[R, W]) evidence.Stream[R] {
	return func(yield func(R, error) bool) {
		row, more := 0, true
		err := readParquet(path, count, l, func(r R) bool {
			row++
			more = yield(r, nil)
			return more
		})
		if more && err != nil {
			var none R
			yield(none, fmt.Errorf("%s: row %d: %w", filepath.Base(path), row, err))
		}
	}
}

// readParquet gives every row up to the first that cannot be read.
func readParquet[R, W any](path string, count int, l layout[R, W], yield func(R) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return bare(err)
	}
	defer f.Close()
	file, err := openParquet(f)
	if err != nil {
		return err
	}
	row := 0
	var last key
	var records []R
	for _, group := range file.RowGroups() {
		if records, err = readGroup(records, l.columns, file, group); err != nil {
			return err
		}
		for _, r := range records {
			if last, err = l.follow(last, r); err != nil {
				return err
			}
			if !yield(r) {
				return nil
			}
			row++
		}
	}
	if int64(row) != file.NumRows() {
		return fmt.Errorf("these are all, the footer says %d", file.NumRows())
	}
	if row != count {
		return fmt.Errorf("these are all, %s says %d", evidence.RunFile, count)
	}
	return nil
}

// readGroup reads the records of a row group, in the memory of those of the group before.
func readGroup[R any](records []R, columns []column[R], file *parquet.File, group parquet.RowGroup) ([]R, error) {
	rows := group.NumRows()
	if rows < 0 || rows > maxRowGroup {
		return nil, fmt.Errorf("a group of %d rows, there are at most %d in one", rows, maxRowGroup)
	}
	records = slices.Grow(records[:0], int(rows))[:rows]
	clear(records)
	for _, c := range columns {
		if err := c.read(records, file, group); err != nil {
			return nil, err
		}
	}
	return records, nil
}

func openParquet(f *os.File) (file *parquet.File, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, bare(err)
	}
	// A length beyond the file would make parquet-go ask for as much memory.
	var tail [8]byte
	if _, err := f.ReadAt(tail[:], info.Size()-int64(len(tail))); err != nil || string(tail[4:]) != "PAR1" {
		return nil, fmt.Errorf("its %d bytes do not end as a parquet file does: it was cut off", info.Size())
	}
	if footer := int64(binary.LittleEndian.Uint32(tail[:])); footer > info.Size()-12 {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d", footer, info.Size())
	}
	err = guard(func() error {
		file, err = parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
		return err
	})
	if err != nil {
		return nil, err
	}
	// Some other codecs of parquet-go look for room without end in what they did not write.
	for _, group := range file.Metadata().RowGroups {
		for _, chunk := range group.Columns {
			if codec := chunk.MetaData.Codec; codec != format.Zstd {
				return nil, fmt.Errorf("it is compressed with %s", codec)
			}
		}
	}
	return file, nil
}

// guard calls read, which may panic: parquet-go does on some damaged pages, and damage is an error
// of the file, not of the program.
func guard(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return read()
}

// bare is a file's error without its path, which is not the same in a copy of the folder.
func bare(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
