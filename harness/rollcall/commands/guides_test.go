package commands

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	called  = regexp.MustCompile(`(?:^|[^-/\w])(?:out/bin/|kubectl )?rollcall ([a-z][a-z-]* ?[^\n]*)`)
	named   = regexp.MustCompile("`--([a-z][a-z0-9-]*)[^`]*`")
	code    = regexp.MustCompile("(?s)```(sh|yaml)\n.*?```|`[^`\n]+`")
	comment = regexp.MustCompile(`(?m)(^| )#.*`)
	made    = regexp.MustCompile(`\bmake ([a-z][a-z-]*)((?: [A-Z_0-9]+=\S*)*)`)
)

// A commandLine is a call of rollcall in a guide or in a help.
type commandLine struct {
	at    string // file
	words []string
	whole bool // it is a line of an example, and so can be called as it is
}

// Every command line in the guides and the helps can be called, as far as it needs no cluster: folders, files and standard input are ours.
func TestCommandLinesOfGuides(t *testing.T) {
	lines := commandLines(t)
	var ran []string
	ours := newStandIns(t)
	for _, line := range lines {
		text := strings.Join(line.words, " ")
		cmd, rest, err := rootCommand().Find(line.words)
		if err != nil || !cmd.HasParent() {
			t.Errorf("%s: there is no rollcall %s", line.at, text)
			continue
		}
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultCompletionCmd()
		err = cmd.ParseFlags(rest)
		if nameAlone := errors.As(err, new(*pflag.ValueRequiredError)) || errors.Is(err, errEmpty); err != nil && (line.whole || !nameAlone) {
			t.Errorf("%s: rollcall %s: %v", line.at, text, err)
			continue
		}
		if !line.whole {
			continue
		}
		if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
			t.Errorf("%s: rollcall %s: %v", line.at, text, err)
		}
		args := ours.args(cmd, line.words)
		if args == nil {
			continue
		}
		ran = append(ran, text)
		t.Run(text, func(t *testing.T) {
			ours.input(t)
			var stderr bytes.Buffer
			if code := Execute(args, io.Discard, &stderr); code == exitUsage {
				t.Errorf("%s: as rollcall %s: %s", line.at, strings.Join(args, " "), &stderr)
			}
		})
	}
	if len(lines) < 100 || len(ran) < 30 {
		t.Errorf("%d lines were found, and %d were called: %q", len(lines), len(ran), ran)
	}
}

// commandLines returns the calls in the guides and in the helps.
func commandLines(t *testing.T) (lines []commandLine) {
	t.Helper()
	add := func(at, text string, whole bool) {
		for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
			for _, call := range called.FindAllStringSubmatch(line, -1) {
				if words, placeholder := shellWords(call[1]); len(words) > 0 {
					lines = append(lines, commandLine{at, words, whole && !placeholder})
				}
			}
		}
	}
	for path, text := range guides(t) {
		for _, part := range code.FindAllStringSubmatch(text, -1) {
			add(path, comment.ReplaceAllString(strings.Trim(part[0], "`"), ""), part[1] == "sh")
		}
	}
	help, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range help {
		text, err := helpTexts.ReadFile("help/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		_, examples, _ := strings.Cut(string(text), "\nExamples:\n")
		add("help/"+file.Name(), examples, true)
	}
	slices.SortStableFunc(lines, func(a, b commandLine) int { return strings.Compare(a.at, b.at) })
	return lines
}

// guides returns the text of every guide, by its path.
func guides(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "out" || entry.Name() == ".git"):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// shellWords splits the rest of a line as a shell does, up to the end of the command, and reports whether a word stands for another.
func shellWords(line string) (words []string, placeholder bool) {
	word, quote, begun := "", rune(0), false
	end := func() {
		if begun {
			words = append(words, word)
			placeholder = placeholder || strings.Contains(word, "...") || strings.ContainsRune(word, '…') || strings.ContainsRune(word, '<')
		}
		word, begun = "", false
	}
	for _, r := range line {
		switch {
		case r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t' || r == '\n':
			end()
		case strings.ContainsRune("|&;)>", r) && !strings.Contains(word, "<"), r == '#' && !begun, r == '`':
			end()
			return words, placeholder
		default:
			word, begun = word+string(r), true
		}
	}
	end()
	return words, placeholder
}

// standIns has files and folders of ours in place of those that a command line names.
type standIns struct {
	run, history, manifests, policy string
}

func newStandIns(t *testing.T) standIns {
	t.Helper()
	artifacts := t.TempDir()
	t.Setenv("ARTIFACTS", artifacts)
	for _, name := range []string{"IMAGES", "TOKEN", "PROFILE", "SUITES", "MODES"} {
		t.Setenv(name, "")
	}
	dir := filepath.Join(artifacts, "20261128-000000")
	if err := os.CopyFS(dir, os.DirFS(watched(t, runFolder(t, 60)))); err != nil {
		t.Fatal(err)
	}
	recorded := filepath.Join(dir, "evidence", "iptables")
	if err := os.CopyFS(filepath.Join(dir, "evidence", "nftables"), os.DirFS(recorded)); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"iptables", "nftables"} {
		undrained := filepath.Join(dir, "evidence", mode, "control", "undrained-rolling-update")
		if err := os.CopyFS(undrained, os.DirFS("../../../reports/testdata/recorded/"+mode+"-undrained")); err != nil {
			t.Fatal(err)
		}
	}
	history := filepath.Join(artifacts, "history.jsonl")
	if code := Execute([]string{"report", dir}, io.Discard, io.Discard); code == exitUsage {
		t.Fatal("no report")
	}
	if code := Execute([]string{"trend", dir, "--history=" + history}, io.Discard, io.Discard); code != 0 {
		t.Fatal("no history")
	}
	manifests := filepath.Join(t.TempDir(), "web.yaml")
	for _, err := range []error{
		os.WriteFile(manifests, []byte(strings.ReplaceAll(read(t, "../../../harness/try/testdata/shop.yaml"), "front", "web")), 0o600),
		os.WriteFile(filepath.Join(filepath.Dir(manifests), "kustomization.yaml"), []byte("resources: [web.yaml]\n"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return standIns{dir, history, manifests, policy(t, "rollout/drained")}
}

// args returns how a command line is called: with --dry-run where there is one, and our files. It is nil where nothing may be called.
func (s standIns) args(cmd *cobra.Command, words []string) []string {
	flags := cmd.Flags()
	switch name := cmd.Name(); {
	case flags.Changed("context") || flags.Changed("lab") || flags.Changed("help") ||
		flags.Changed("base"): // a cluster, a machine, or a revision that is there already
		return nil
	case slices.Contains([]string{"begin", "mark", "end", "clean", "image", "preflight"}, name),
		(name == "during" || name == "wait") && !flags.Changed("print-rights"):
		return nil
	case flags.Changed("html"):
		words = slices.DeleteFunc(slices.Clone(words), func(word string) bool {
			return strings.HasPrefix(word,
				"--html") || strings.HasSuffix(word, ".html")
		})
	}
	args := []string{}
	flag := ""
	for _, word := range words {
		name, value, joined := strings.Cut(word, "=")
		if !strings.HasPrefix(word, "-") || !joined {
			name, value = flag, word
		}
		replaced := s.instead(cmd.Name(), name, value)
		if joined && name != flag {
			replaced = name + "=" + replaced
		}
		args = append(args, replaced)
		if flag = ""; strings.HasPrefix(word, "-") && !joined {
			flag = word
		}
	}
	if cmd.Name() == "run" || cmd.Name() == "try" {
		if !flags.Changed("dry-run") {
			args = append(args, "--dry-run")
		}
	}
	return args
}

// instead returns what stands for the value of a flag, or for an argument where there is no flag.
func (s standIns) instead(command, flag, value string) string {
	reads := command == "try" || command == "check"
	switch {
	case flag == "--history":
		return s.history
	case flag == "--policy":
		return s.policy
	case strings.HasPrefix(value, "out/") || value == "$run" || flag == "--baseline" || flag == "--candidate":
		return s.run
	case reads && (flag == "-k" || flag == "--kustomize"):
		return filepath.Dir(s.manifests)
	case reads && (flag == "-f" || flag == "--filename") && value != "-":
		return s.manifests
	case reads && flag == "--chart", command == "try" && flag == "--to" && strings.HasSuffix(value, ".tgz"):
		return "../../manifest/testdata/shop"
	case reads && flag == "--values":
		return "../../manifest/testdata/shop-staging.yaml"
	case command == "try" && flag == "--to" && strings.HasSuffix(value, "/"):
		return s.manifests
	}
	return value
}

// input has standard input give the manifests, for a pipe into rollcall try -f -.
func (s standIns) input(t *testing.T) {
	t.Helper()
	manifests, err := os.Open(s.manifests)
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = manifests
	t.Cleanup(func() {
		os.Stdin = before
		manifests.Close()
	})
}

// Every option that a guide names alone is there, and so are make's targets and variables.
func TestGuidesNameOptionsThatAreThere(t *testing.T) {
	known := map[string]bool{"help": true, "version": true}
	var each func(*cobra.Command)
	each = func(cmd *cobra.Command) {
		for name := range strings.FieldsSeq(strings.NewReplacer("[", " ", "=", " ").Replace(byTopic(cmd.Flags()))) {
			known[strings.TrimPrefix(name, "--")] = true
		}
		for _, sub := range cmd.Commands() {
			each(sub)
		}
	}
	each(rootCommand())
	makefile := read(t, "../../../Makefile")
	variables := map[string]bool{"ARTIFACTS": true}
	runCommand().Flags().VisitAll(func(f *pflag.Flag) { variables[strings.ReplaceAll(strings.ToUpper(f.Name), "-", "_")] = true })
	texts := guides(t)
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		for _, part := range code.FindAllString(texts[path], -1) {
			for _, name := range named.FindAllStringSubmatch(part, -1) {
				if !known[name[1]] {
					t.Errorf("%s: no command has an option --%s", path, name[1])
				}
			}
			for _, call := range made.FindAllStringSubmatch(part, -1) {
				if !strings.Contains(makefile, "\n"+call[1]+":") {
					t.Errorf("%s: there is no make %s", path, call[1])
				}
				for set := range strings.FieldsSeq(call[2]) {
					name, _, _ := strings.Cut(set, "=")
					if !variables[name] && !regexp.MustCompile(`\$[({]\w* ?`+name+`\b|\b`+name+` \?=`).MatchString(makefile) {
						t.Errorf("%s: make %s knows no %s", path, call[1], name)
					}
				}
			}
		}
	}
}
