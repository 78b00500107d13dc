package store

import (
	"errors"
	"fmt"
	"slices"
	"unique"

	"github.com/parquet-go/parquet-go"
)

// A column is one column of a parquet file: how the values of its pages get into records.
type column[R any] struct {
	name  string
	kinds []parquet.Kind // it may be stored as
	later bool           // files of earlier builds do not have it: there it is zero
	fill  func(records []R, page parquet.Page) error
}

// number is a column of whole numbers, or of truth as 0 and 1.
func number[R any](name string, set func(*R, int64)) column[R] {
	fill := func(records []R, page parquet.Page) error {
		data := page.Data()
		if dictionary := page.Dictionary(); dictionary != nil {
			numbers := make([]int64, dictionary.Len())
			for i := range numbers {
				numbers[i] = dictionary.Index(int32(i)).Int64()
			}
			return place(records, data.Int32(), func(r *R, i int32) { set(r, numbers[i]) })
		}
		switch page.Type().Kind() {
		case parquet.Int64:
			return place(records, data.Int64(), set)
		case parquet.Int32:
			return place(records, data.Int32(), func(r *R, n int32) { set(r, int64(n)) })
		default:
			bits := data.Boolean()
			for i := range records {
				set(&records[i], int64(bits[i/8]>>(i%8)&1))
			}
			return nil
		}
	}
	return column[R]{name: name, kinds: []parquet.Kind{parquet.Int64, parquet.Int32, parquet.Boolean}, fill: fill}
}

// laterNumber is one that files of earlier builds do not have.
func laterNumber[R any](name string, set func(*R, int64)) column[R] {
	c := number(name, set)
	c.later = true
	return c
}

// word is a column of few different strings, each of which is in memory once.
func word[R any](name string, set func(*R, string)) column[R] {
	fill := func(records []R, page parquet.Page) error {
		dictionary := page.Dictionary()
		if dictionary == nil {
			return errors.New("it has no dictionary")
		}
		words := make([]string, dictionary.Len())
		for i := range words {
			words[i] = unique.Make(string(dictionary.Index(int32(i)).ByteArray())).Value()
		}
		data := page.Data()
		return place(records, data.Int32(), func(r *R, i int32) { set(r, words[i]) })
	}
	return column[R]{name: name, kinds: []parquet.Kind{parquet.ByteArray}, fill: fill}
}

// place sets a value of each record.
func place[R, V any](records []R, values []V, set func(*R, V)) error {
	if len(values) != len(records) {
		return fmt.Errorf("a page of %d rows has %d values", len(records), len(values))
	}
	for i, v := range values {
		set(&records[i], v)
	}
	return nil
}

// read fills in the column's value of the records of a row group, one each.
func (c column[R]) read(records []R, file *parquet.File, group parquet.RowGroup) error {
	leaf, known := file.Schema().Lookup(c.name)
	switch {
	case !known && c.later:
		return nil
	case !known:
		return fmt.Errorf("there is no column %s", c.name)
	}
	if err := guard(func() error { return c.readChunk(records, group.ColumnChunks()[leaf.ColumnIndex]) }); err != nil {
		return fmt.Errorf("column %s: %w", c.name, err)
	}
	return nil
}

func (c column[R]) readChunk(records []R, chunk parquet.ColumnChunk) error {
	if kind := chunk.Type().Kind(); !slices.Contains(c.kinds, kind) {
		return fmt.Errorf("it is stored as %s", kind)
	}
	pages := chunk.Pages()
	defer pages.Close()
	for len(records) > 0 {
		page, err := pages.ReadPage()
		if err != nil {
			return fmt.Errorf("it ends %d rows early: %w", len(records), err)
		}
		n := int(page.NumRows())
		if n > len(records) {
			return fmt.Errorf("it has %d values too many", n-len(records))
		}
		err = c.fill(records[:n], page)
		parquet.Release(page)
		if err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}
