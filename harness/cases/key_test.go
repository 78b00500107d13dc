package cases

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"example.com/rollcall/harness/rollcall/commands"
)

// An entry of the key has what a reader found in a manifest, who read it before there was a check: from the manifest and the facts about
// Kubernetes alone.
type keyEntry struct {
	Manifest  string
	Certain   []string // such as RC3003 Deployment/web
	Questions []string
	Base      []string // what is certain only if app.yaml is compared with next.yaml, which follows it
	Other     []string // traps without a code
}

// disagreements has, by case, the findings that check and key do not share, and why.
var disagreements = map[string]map[string]string{
	"f8": {
		"certain RC3004 Deployment/web":  "a container without a port may only ship logs: only load can tell",
		"question RC3004 Deployment/web": "the same, as a question",
	},
	"n14":         electedLater,
	"n14-alone":   electedLater,
	"n14a":        electedLater,
	"n14b":        electedLater,
	"h7":          tracks,
	"h7-none":     tracks,
	"h7-workload": tracks,
}

var electedLater = map[string]string{
	"question RC3040 Service/safe-active": "the code is newer than the key, and the app sets the label at run time",
}

var tracks = map[string]string{
	"certain RC3026 Deployment/reviews-v1": "the label is a track that stays, although it is the image's tag today: the Service does not select it",
	"certain RC3021 Service/reviews":       "the other Deployment has the port of the Service, as a canary has: only load can tell",
	"question RC3021 Service/reviews":      "the same, as a question",
}

// TestCheckAgainstTheKey compares what check says of the manifests of all cases with the key.
func TestCheckAgainstTheKey(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "key.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []keyEntry
	if err := yaml.UnmarshalStrict(text, &entries); err != nil {
		t.Fatal(err)
	}
	of, found := 0, 0
	for _, c := range slices.Concat(tryCases, duringCases) {
		i := slices.IndexFunc(entries, func(e keyEntry) bool { return e.Manifest == c.name })
		if i < 0 {
			continue // a case that is newer than the key
		}
		folder := t.TempDir()
		file, next := c.manifests(t, folder)
		want, got := entries[i].lines(), checkedBy(t, file, "--namespace="+c.name)
		if next != "" {
			got = append(got, comparedBy(t, folder, file, next, "--namespace="+c.name)...)
		}
		for _, line := range want {
			if of++; slices.Contains(got, line) {
				found++
			} else if disagreements[c.name][line] == "" {
				t.Errorf("%s: check does not say what the key has: %s", c.name, line)
			}
		}
		for _, line := range got {
			if !slices.Contains(want, line) && disagreements[c.name][line] == "" {
				t.Errorf("%s: the key does not have what check says: %s", c.name, line)
			}
		}
	}
	t.Logf("check has %d of the %d findings of the key", found, of)
}

// lines returns the findings of an entry, each with its list.
func (e keyEntry) lines() (all []string) {
	for name, list := range map[string][]string{"certain ": e.Certain, "question ": e.Questions, "base ": e.Base} {
		for _, finding := range list {
			all = append(all, name+finding)
		}
	}
	return all
}

// comparedBy returns what check says of the next version of a file that it does not say of that version alone.
func comparedBy(t *testing.T, folder, file, next, namespace string) (base []string) {
	t.Helper()
	committed(t, folder, file, next)
	alone := checkedBy(t, file, namespace)
	for _, line := range checkedBy(t, file, namespace, "--base=HEAD") {
		if finding, certain := strings.CutPrefix(line, "certain "); certain && !slices.Contains(alone, line) {
			base = append(base, "base "+finding)
		}
	}
	return base
}

// checkedBy returns what check says of a file, as the key has it.
func checkedBy(t *testing.T, file string, flags ...string) (lines []string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := commands.Execute(append([]string{"check", "-f", file, "-o", "json"}, flags...), &out, &errs)
	type finding struct{ Code, Object string }
	var result struct{ Certain, Questions []finding }
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatalf("%v, exit code %d: %s", err, code, errs.String())
	}
	for list, all := range map[string][]finding{"certain ": result.Certain, "question ": result.Questions} {
		for _, f := range all {
			kind, name, _ := strings.Cut(f.Object, " ")
			lines = append(lines, list+f.Code+" "+kind+"/"+path.Base(name))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
