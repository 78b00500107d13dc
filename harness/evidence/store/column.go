package store

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// A column is one column of a parquet file during reading: the values of one row group, in memory that is reused for the next.
type column interface {
	title() string
	optional() bool
	// read reads the values of a row group; chunk is nil for a file without the column, whose values are zero.
	read(chunk parquet.ColumnChunk, rows int) error
}

// values is a column of values of type V, which decode appends for each page.
type values[V any] struct {
	name   string
	kinds  []parquet.Kind // types that it may be stored as
	later  bool           // files of earlier builds do not have it
	decode func(page parquet.Page, to []V) ([]V, error)
	group  []V // of the row group
}

// newNumbers returns a column of integers, or of booleans as 0 and 1.
func newNumbers(name string) *values[int64] {
	return &values[int64]{name: name, kinds: []parquet.Kind{parquet.Int64, parquet.Int32, parquet.Boolean}, decode: decodeNumbers}
}

// newLaterNumbers returns a column of integers that files of earlier builds do not have.
func newLaterNumbers(name string) *values[int64] {
	v := newNumbers(name)
	v.later = true
	return v
}

// newWords returns a column of few different strings, each of which is allocated once and kept in known.
func newWords(name string, known map[string]string) *values[string] {
	decode := func(page parquet.Page, into []string) ([]string, error) { return decodeWords(page, into, known) }
	return &values[string]{name: name, kinds: []parquet.Kind{parquet.ByteArray}, decode: decode}
}

// at returns the value of the row group's i-th row.
func (v *values[V]) at(i int) V { return v.group[i] }

func (v *values[V]) title() string  { return v.name }
func (v *values[V]) optional() bool { return v.later }

func (v *values[V]) read(chunk parquet.ColumnChunk, rows int) error {
	if chunk == nil {
		v.group = slices.Grow(v.group[:0], rows)[:rows]
		clear(v.group)
		return nil
	}
	if kind := chunk.Type().Kind(); !slices.Contains(v.kinds, kind) {
		return fmt.Errorf("it is stored as %s", kind)
	}
	pages := chunk.Pages()
	defer pages.Close()
	v.group = v.group[:0]
	for {
		page, err := pages.ReadPage()
		switch {
		case errors.Is(err, io.EOF) && len(v.group) == rows:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("it has %d values for %d rows", len(v.group), rows)
		case err != nil:
			return err
		}
		v.group, err = v.decode(page, v.group)
		parquet.Release(page)
		if err != nil {
			return err
		}
		if len(v.group) > rows {
			return fmt.Errorf("it has more than %d values for %d rows", rows, rows)
		}
	}
}

func decodeNumbers(page parquet.Page, into []int64) ([]int64, error) {
	data := page.Data()
	if dictionary := page.Dictionary(); dictionary != nil {
		numbers := make([]int64, dictionary.Len())
		for i := range numbers {
			numbers[i] = dictionary.Index(int32(i)).Int64()
		}
		return lookUp(numbers, data.Int32(), into)
	}
	switch page.Type().Kind() {
	case parquet.Int64:
		return append(into, data.Int64()...), nil
	case parquet.Int32:
		for _, n := range data.Int32() {
			into = append(into, int64(n))
		}
		return into, nil
	default:
		bits := data.Boolean()
		for i := range int(page.NumRows()) {
			into = append(into, int64(bits[i/8]>>(i%8)&1))
		}
		return into, nil
	}
}

func decodeWords(page parquet.Page, into []string, known map[string]string) ([]string, error) {
	dictionary := page.Dictionary()
	if dictionary == nil {
		return nil, errors.New("it has no dictionary")
	}
	words := make([]string, dictionary.Len())
	for i := range words {
		raw := dictionary.Index(int32(i)).ByteArray()
		word, met := known[string(raw)]
		if !met {
			word = string(raw)
			known[word] = word
		}
		words[i] = word
	}
	data := page.Data()
	return lookUp(words, data.Int32(), into)
}

func lookUp[V any](dictionary []V, indexes []int32, into []V) ([]V, error) {
	into = slices.Grow(into, len(indexes))
	for _, i := range indexes {
		if i < 0 || int(i) >= len(dictionary) {
			return nil, fmt.Errorf("index %d into a dictionary of %d", i, len(dictionary))
		}
		into = append(into, dictionary[i])
	}
	return into, nil
}
