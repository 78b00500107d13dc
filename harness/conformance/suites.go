package conformance

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"rollcall/harness/command"
	"rollcall/harness/layout"
	"rollcall/harness/usage"
)

// selectSuites checks the suites asked for against those there are; none asked for is all.
func selectSuites(home layout.Layout, asked string) ([]string, error) {
	have, err := home.Suites()
	if err != nil {
		return nil, err
	}
	want := strings.FieldsFunc(asked, func(r rune) bool { return r == ',' || r == ' ' })
	if len(want) == 0 {
		return have, nil
	}
	var once []string
	for _, suite := range want {
		if !slices.Contains(have, suite) {
			return nil, usage.New("suite "+suite, "there is none of this name", "use some of "+strings.Join(have, ", "))
		}
		if !slices.Contains(once, suite) {
			once = append(once, suite)
		}
	}
	return once, nil
}

// compile makes a test program of each suite, where there are none; in one command, which links two at a time.
func compile(ctx context.Context, w io.Writer, home layout.Layout, suites []string) error {
	if home.Prebuilt {
		return nil
	}
	fmt.Fprintln(w, "compiling", strings.Join(suites, ", "))
	_, err := command.Command{
		Line: fmt.Sprintf("go test -c -o %q ./suites/%s", filepath.Dir(home.Program(suites[0]))+"/", strings.Join(suites, " ./suites/")),
		Dir:  home.Folder,
		Env:  []string{"GOGC=400"}, // as for the node image
	}.Run(ctx)
	return err
}
