package usage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Value returns the value of a text: for @FILE, relative to a folder, the content of the file without newlines at its end; for $VARIABLE
// the environment variable; else the text itself. Errors never contain a value, as it may be a secret.
func Value(folder, text string) (value string, err error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		data, err := File(folder, name)
		return strings.TrimRight(string(data), "\r\n"), err
	}
	if name, ok := strings.CutPrefix(text, "$"); ok {
		value, set := os.LookupEnv(name)
		if !set {
			err = fmt.Errorf("the environment has no variable %s", name)
		}
		return value, err
	}
	return text, nil
}

// File reads a file whose name is relative to a folder or, if that is empty, to the working directory.
func File(folder, name string) ([]byte, error) {
	if name == "" {
		return nil, errors.New("no file is named")
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return data, nil
}
