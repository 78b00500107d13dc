package findings

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"example.com/rollcall/harness/verdict/phrase"
	"example.com/rollcall/reports/workflow"
)

// A level has the findings that a forge shows alike.
type level struct {
	name     string
	findings []Finding
}

// levels returns what is not ignored, by the names that a forge has for both lists.
func (r Result) levels(certain, question string) []level {
	return []level{{certain, r.Certain}, {question, r.Questions}}
}

// GitHub writes a result as annotations of a GitHub workflow: an error for what is certain, and a notice for a question.
func GitHub(w io.Writer, r Result) error {
	var b strings.Builder
	for _, part := range r.levels("error", "notice") {
		var all []workflow.Annotation
		for _, f := range part.findings {
			all = append(all, workflow.Annotation{Level: part.name, Title: f.Code + " " + f.ID + ": " + f.Object, File: f.File, Line: f.Line,
				Text: f.message()})
		}
		for _, a := range workflow.Few(all) {
			fmt.Fprintln(&b, a)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// message returns a finding as sentences.
func (f Finding) message() string {
	said := phrase.Capital(f.Says) + ". " + phrase.Capital(f.ends())
	if f.Tell != "" {
		return said + " " + f.Tell
	}
	return said
}

// GitLab writes a result as a code quality report (docs.gitlab.com, Code Quality, Code Quality report format).
func GitLab(w io.Writer, r Result) error {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	issues := []issue{}
	for _, part := range r.levels("major", "info") {
		for _, f := range part.findings {
			issues = append(issues, issue{f.message(), f.Code + " " + f.ID, f.fingerprint(), part.name, location{f.File, lines{f.Line}}})
		}
	}
	return write(w, issues)
}

// fingerprint names a finding whatever its file and line are, so that an edit above it, or a move, makes no new one.
func (f Finding) fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Code, f.Object, f.Field}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// SARIF writes a result in the Static Analysis Results Interchange Format (OASIS, SARIF 2.1.0). An ignored finding is a suppressed one.
func SARIF(w io.Writer, r Result, version string) error {
	type text struct {
		Text string `json:"text"`
	}
	type object = map[string]any
	rules, results, known := []object{}, []object{}, map[string]int{}
	add := func(level string, list []Finding) {
		for _, f := range list {
			if _, has := known[f.Code]; !has {
				known[f.Code] = len(rules)
				rules = append(rules, object{"id": f.Code, "name": f.ID, "shortDescription": text{strings.ReplaceAll(f.ID, "-", " ")},
					"help": text{"rollcall explain " + f.Code}})
			}
			result := object{"ruleId": f.Code, "ruleIndex": known[f.Code], "level": level, "message": text{f.message()},
				"partialFingerprints": object{"rollcall/v1": f.fingerprint()},
				"locations": []object{{
					"physicalLocation": object{"artifactLocation": object{"uri": f.File}, "region": object{"startLine": f.Line}},
					"logicalLocations": []object{{"fullyQualifiedName": f.Object}},
				}}}
			if f.Reason != "" {
				result["suppressions"] = []object{{"kind": "inSource", "justification": f.Reason}}
			}
			results = append(results, result)
		}
	}
	add("error", r.Certain)
	add("note", r.Questions)
	add("warning", r.Ignored)
	return write(w, object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool":    object{"driver": object{"name": "rollcall check", "semanticVersion": version, "rules": rules}},
		"results": results,
	}}})
}

func write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
