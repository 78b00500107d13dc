package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"example.com/rollcall/harness/evidence"
)

// rowGroup is the most rows in a row group of a parquet file, which writing and reading keep in memory.
const rowGroup = 32 << 10

// writeParquet writes a stream as one parquet file, which plain readers such as DuckDB can open, and
// returns how many rows it has. A record that is invalid or out of order is an error.
func writeParquet[R, W any](w io.Writer, stream evidence.Stream[R], l layout[R, W]) (rows int, err error) {
	pw := parquet.NewGenericWriter[W](w, append(l.metadata, parquet.MaxRowsPerRowGroup(rowGroup))...)
	batch := make([]W, 0, 1024)
	var last key
	for r, err := range stream {
		if err != nil {
			return rows, err
		}
		if last, err = l.checkNext(last, r); err != nil {
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

// parquetStream returns the stream in the parquet file at path, which should have count rows. The file is
// open, and a row group of it in memory, only while the stream is read. An error names the file,
// without its folder, and the first row that was not read, counted from 0.
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

// readParquet yields every row before the first row group that cannot be read.
func readParquet[R, W any](path string, count int, l layout[R, W], yield func(R) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return withoutPath(err)
	}
	defer f.Close()
	file, err := openParquet(f)
	if err != nil {
		return err
	}
	columns, record := l.columns()
	row := 0
	var last key
	for _, group := range file.RowGroups() {
		if err := guard(func() error { return readGroup(columns, file, group) }); err != nil {
			return err
		}
		for i := range int(group.NumRows()) {
			r := record(i)
			if last, err = l.checkNext(last, r); err != nil {
				return err
			}
			if !yield(r) {
				return nil
			}
			row++
		}
	}
	if int64(row) != file.NumRows() {
		return fmt.Errorf("there are no more rows, the footer says %d", file.NumRows())
	}
	if row != count {
		return fmt.Errorf("there are no more rows, %s says %d", evidence.RunFile, count)
	}
	return nil
}

func openParquet(f *os.File) (file *parquet.File, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	// parquet-go allocates as much memory as the footer's length says, even beyond the file.
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
	// Some other codecs of parquet-go allocate memory without bound for data that they did not write.
	for _, group := range file.Metadata().RowGroups {
		for _, chunk := range group.Columns {
			if codec := chunk.MetaData.Codec; codec != format.Zstd {
				return nil, fmt.Errorf("it is compressed with %s", codec)
			}
		}
	}
	return file, nil
}

// readGroup reads all columns of a row group.
func readGroup(columns []column, file *parquet.File, group parquet.RowGroup) error {
	chunks := group.ColumnChunks()
	for _, c := range columns {
		var chunk parquet.ColumnChunk
		if leaf, known := file.Schema().Lookup(c.title()); known {
			chunk = chunks[leaf.ColumnIndex]
		} else if !c.optional() {
			return fmt.Errorf("there is no column %s", c.title())
		}
		if err := c.read(chunk, int(group.NumRows())); err != nil {
			return fmt.Errorf("column %s: %w", c.title(), err)
		}
	}
	return nil
}

// guard calls read and turns a panic into an error: parquet-go panics on some damaged pages, and damage is an error
// of the file, not of the program.
func guard(read func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged: %v", p)
		}
	}()
	return read()
}

// withoutPath returns a file's error without the path, which differs in a copy of the folder.
func withoutPath(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
