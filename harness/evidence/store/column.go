package store

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// A column is one column of a parquet file during reading: the values of one page at a
// time, in memory that is reused for the next page.
type column interface {
	title() string
	// open starts reading the chunk of a row group.
	open(chunk parquet.ColumnChunk) error
	// openAbsent is open for a file without the column; false: every file must have it.
	openAbsent(rows int64) bool
	// load makes sure that there are unread values, and reads the next page if needed. It returns io.EOF
	// after the last page of the chunk.
	load() error
	left() int
	skip(n int)
	close() error
}

// values is a column of values of type V, which decode returns for each page.
type values[V any] struct {
	name   string
	kinds  []parquet.Kind // types that it may be stored as
	later  bool           // files of earlier builds do not have it: its values are zero there
	decode func(page parquet.Page, into []V) ([]V, error)

	pages  parquet.Pages
	absent int64 // zero values left to return in place of pages
	unread []V
	buffer []V
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

// at returns the i-th unread value.
func (v *values[V]) at(i int) V { return v.unread[i] }

func (v *values[V]) title() string { return v.name }
func (v *values[V]) left() int     { return len(v.unread) }
func (v *values[V]) skip(n int)    { v.unread = v.unread[n:] }

func (v *values[V]) open(chunk parquet.ColumnChunk) error {
	if kind := chunk.Type().Kind(); !slices.Contains(v.kinds, kind) {
		return fmt.Errorf("it is stored as %s", kind)
	}
	v.pages, v.unread, v.absent = chunk.Pages(), nil, 0
	return nil
}

// absentBatch is how many zero values of an absent column are made at once.
const absentBatch = 8 << 10

func (v *values[V]) openAbsent(rows int64) bool {
	v.pages, v.unread, v.absent = nil, nil, rows
	return v.later
}

func (v *values[V]) load() error {
	for len(v.unread) == 0 {
		if v.pages == nil {
			n := min(v.absent, absentBatch)
			if n == 0 {
				return io.EOF
			}
			v.absent -= n
			v.buffer = slices.Grow(v.buffer[:0], int(n))[:n]
			clear(v.buffer)
			v.unread = v.buffer
			continue
		}
		page, err := v.pages.ReadPage()
		if err != nil {
			return err
		}
		v.buffer, err = v.decode(page, v.buffer[:0])
		want := page.NumRows()
		parquet.Release(page)
		if err != nil {
			return err
		}
		if int64(len(v.buffer)) != want {
			return fmt.Errorf("a page of %d rows has %d values", want, len(v.buffer))
		}
		v.unread = v.buffer
	}
	return nil
}

func (v *values[V]) close() error {
	if v.pages == nil {
		return nil
	}
	pages := v.pages
	v.pages = nil
	return pages.Close()
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

// checkEnd returns an error if a column's chunk has more values.
func checkEnd(c column) error {
	if c.left() > 0 {
		return fmt.Errorf("it has %d values too many", c.left())
	}
	switch err := c.load(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	default:
		return errors.New("it has a page too many")
	}
}
