package usage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Value returns the value of a text: for @FILE the content of the file without newlines at its end; for $VARIABLE the environment variable;
// else the text itself. It is an error if the file or the variable is empty. Errors never contain a value, as it may be a secret.
func Value(text string) (value string, err error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		data, err := File(name)
		if value = strings.TrimRight(string(data), "\r\n"); err == nil && value == "" {
			err = fmt.Errorf("file %s is empty", name)
		}
		return value, err
	}
	if name, ok := strings.CutPrefix(text, "$"); ok {
		if value = os.Getenv(name); value == "" {
			err = fmt.Errorf("the environment variable %s is not set, or is empty", name)
		}
		return value, err
	}
	return text, nil
}

// Refers reports whether a text names a file or a variable, so that Value returns what is there.
func Refers(text string) bool { return strings.IndexAny(text, "@$") == 0 }

// File reads a file.
func File(name string) ([]byte, error) {
	if name == "" {
		return nil, errors.New("no file is named")
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	defer file.Close()
	data, err := ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return data, nil
}

// mostInput is the most bytes of a file that a person gives us: our own choice. etcd takes 1.5 MiB for an object.
const mostInput = 64 << 20

// ReadAll reads to the end of a file or a reply, which may be endless.
func ReadAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostInput+1))
	if err == nil && len(data) > mostInput {
		err = fmt.Errorf("it is longer than %d MiB", mostInput>>20)
	}
	return data, err
}
