package chart_test

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/manifest/chart"
	"example.com/rollcall/harness/usage"
)

//go:generate go test . -update

const shop = "../testdata/shop"

// of returns the chart of the tests, with edits: pairs of a file and its new text.
func of(t *testing.T, edits ...string) chart.Chart {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "shop")
	if err := os.CopyFS(folder, os.DirFS(shop)); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(edits); i += 2 {
		name := filepath.Join(folder, edits[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(edits[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return chart.Chart{Path: folder, Namespace: "staging", KubeVersion: "v1.36.3"}
}

// Each line of what a chart renders to, with the line of the template that it stands in.
func TestRender(t *testing.T) {
	files, err := chart.Chart{Path: shop, Values: []string{shop + "-staging.yaml"}, Namespace: "staging", KubeVersion: "v1.36.3"}.Render()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "# %s\n", strings.TrimPrefix(f.Name, "../testdata/"))
		for n, line := range strings.Split(strings.TrimSuffix(string(f.Text), "\n"), "\n") {
			at := ""
			switch {
			case f.Lines == nil:
				at = "="
			case f.Lines[n+1] > 0:
				at = fmt.Sprint(f.Lines[n+1])
			}
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%3s  %s", at, line), " "))
		}
	}
	golden.File(t, "testdata/shop.txt", b.String())
}

// An archive renders to the same, below its name; so does a chart in the archive that charts/ has.
func TestArchives(t *testing.T) {
	c := of(t)
	archive := c.Path + "-1.4.0.tgz"
	pack(t, c.Path, "shop", archive)
	same(t, c, archive)
	queue := filepath.Join(c.Path, "charts", "queue")
	pack(t, queue, "queue", queue+"-0.1.0.tgz")
	if err := os.RemoveAll(queue); err != nil {
		t.Fatal(err)
	}
	files, err := c.Render()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := files[1].Name, queue+"-0.1.0.tgz/templates/queue.yaml"; got != want {
		t.Errorf("the template of a chart in an archive is %s, want %s", got, want)
	}
}

func same(t *testing.T, c chart.Chart, archive string) {
	t.Helper()
	folder, err := c.Render()
	if err != nil {
		t.Fatal(err)
	}
	from := c.Path
	c.Path = archive
	packed, err := c.Render()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range folder {
		if want := strings.Replace(f.Name, from, archive, 1); packed[i].Name != want || string(packed[i].Text) != string(f.Text) {
			t.Errorf("%s is\n%s\nwant %s", packed[i].Name, packed[i].Text, want)
		}
	}
}

// pack writes a folder into an archive, below a name.
func pack(t *testing.T, folder, name, archive string) {
	t.Helper()
	file, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zip := gzip.NewWriter(file)
	files := tar.NewWriter(zip)
	err = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: name + strings.TrimPrefix(path, folder), Mode: 0o644, Size: int64(len(text))}
		if err := files.WriteHeader(header); err != nil {
			return err
		}
		_, err = files.Write(text)
		return err
	})
	for _, end := range []func() error{files.Close, zip.Close} {
		if err == nil {
			err = end()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A line that is not the same without marks stands in no line: marks have changed it.
func TestLinesThatAreNotKnown(t *testing.T) {
	files, err := of(t, "templates/config.yaml", "kind: ConfigMap\ndata:\n  n: {{ include \"shop.whole\" . | len }}\n"+
		"  d: {{ .Values.path }}\n",
		"templates/whole.yaml", "{{- define \"shop.whole\" }}{{ include (print $.Template.BasePath \"/config2.yaml\") . }}{{ end }}",
		"templates/config2.yaml", "text: long\n").Render()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name, "/config.yaml") {
			if got := fmt.Sprint(f.Lines[1:5]); got != "[1 2 0 4]" {
				t.Errorf("the lines are %s of\n%s", got, f.Text)
			}
		}
	}
}

func TestWhatDoesNotRender(t *testing.T) {
	const config, values = "templates/config.yaml", "values.yaml"
	const template, given = ": fix the template, or give it values: --values=FILE", ": give other values: --values=FILE"
	head := "apiVersion: v2\nname: shop\nversion: 1.4.0\n"
	for _, row := range []struct {
		sentence   string
		file, text string
		want       string // behind the chart's path
	}{
		{"a template that is none", config, "a: 1\nb: {{ if }}\n", "SHOP/templates/config.yaml:2: missing value for if" + template},
		{"a function that there is not", config, "a: {{ nosuch 1 }}\n", `SHOP/templates/config.yaml:1: function "nosuch" not defined` + template},
		{"a value below one that is missing", config, "a: 1\nb: {{ .Values.db.host }}\n",
			"SHOP/templates/config.yaml:2: .Values.db.host: nil pointer evaluating interface {}.host" + template},
		{"the same in a definition", "templates/_helpers.tpl", "{{ define \"shop.image\" }}i{{ end }}" +
			"{{ define \"shop.labels\" }}\na: {{ .Values.db.host }}{{ end }}",
			"SHOP/templates/_helpers.tpl:2: .Values.db.host: nil pointer evaluating interface {}.host" + template},
		{"the same in a text that is evaluated", config, `a: {{ tpl "{{ .Values.db.host }}" . }}`,
			"SHOP/templates/config.yaml:1: .Values.db.host: nil pointer evaluating interface {}.host" + template},
		{"a function that fails", config, "a: {{ index .Values.none 3 }}\n",
			"SHOP/templates/config.yaml:1: index .Values.none 3: index of untyped nil" + template},
		{"a chart that it depends on", "charts/queue/templates/queue.yaml", "a: {{ .Values.db.host }}\n",
			"SHOP/charts/queue/templates/queue.yaml:1: .Values.db.host: nil pointer evaluating interface {}.host" + template},
		{"what the template requires", "templates/seed.yaml", "a: {{ required \"name a host\" .Values.db }}\n",
			"SHOP/templates/seed.yaml:1: name a host" + template},
		{"values that its schema does not allow", values, "replicas: few\n", "values.schema.json of shop does not allow its values: " +
			"at the top: missing property 'path'; at '/replicas': got string, want integer" + given},
		{"a schema that is none", "values.schema.json", "{\n", "values.schema.json of shop does not allow its values: unexpected EOF" + given},
		{"a dependency that is not there", "Chart.yaml", head + "dependencies: [{name: db, version: 1.x.x}, {name: queue, version: 0.1.0}]\n",
			"charts/ lacks what Chart.yaml depends on: db: get it: helm dependency build SHOP"},
		{"another version of Kubernetes", "Chart.yaml", head + "kubeVersion: \">=1.37\"\n",
			"it needs Kubernetes >=1.37, and is rendered for v1.36.3: try it on such a version: --k8s"},
		{"a library", "Chart.yaml", head + "type: library\n", "it is a library, which renders nothing by itself: name a chart that uses it"},
		{"a chart without a version", "Chart.yaml", "apiVersion: v2\nname: shop\n",
			"validation: chart.metadata.version is required: see what this says: helm lint SHOP"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			c := of(t, row.file, row.text)
			_, err := c.Render()
			want := "chart SHOP: " + row.want
			if err == nil || !usage.Is(err) || strings.ReplaceAll(err.Error(), c.Path, "SHOP") != want {
				t.Errorf("it is %v\nwant %s", err, want)
			}
		})
	}
}

func TestWhatIsNoChart(t *testing.T) {
	for _, row := range []struct {
		sentence string
		c        chart.Chart
		want     string
	}{
		{"a folder without Chart.yaml", chart.Chart{Path: "testdata"},
			"chart testdata: it has no Chart.yaml, and is no archive: name the folder of a chart, or its .tgz"},
		{"a file with values that is not there", chart.Chart{Path: shop, Values: []string{"none.yaml"}},
			"--values=none.yaml: open none.yaml: no such file or directory: name a file with values"},
		{"one that is no YAML", chart.Chart{Path: shop, Values: []string{"chart_test.go"}},
			"--values=chart_test.go: cannot unmarshal yaml document: "},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_, err := row.c.Render()
			if err == nil || !usage.Is(err) || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("it is %v, want %s", err, row.want)
			}
		})
	}
}

// A dependency has another name, or values turn it off.
func TestDependencies(t *testing.T) {
	const head = "apiVersion: v2\nname: shop\nversion: 1.4.0\ndependencies:\n- {name: queue, version: 0.1.0, condition: queue.enabled"
	c := of(t, "Chart.yaml", head+", alias: jobs}\n")
	files, err := c.Render()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := files[1].Name, filepath.Join(c.Path, "charts/queue/templates/queue.yaml"); got != want {
		t.Errorf("the template of a chart with another name is %s, want %s", got, want)
	}
	off := of(t, "off.yaml", "queue: {enabled: false}\n")
	off.Values = []string{filepath.Join(off.Path, "off.yaml")}
	files, err = off.Render()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.Contains(f.Name, "queue") {
			t.Errorf("%s is rendered", f.Name)
		}
	}
}

func TestTheChartOfAFile(t *testing.T) {
	for _, row := range []struct{ sentence, file, want string }{
		{"a template", shop + "/templates/tests/connection.yaml", shop},
		{"one of a chart that it depends on", shop + "/charts/queue/templates/queue.yaml", shop + "/charts/queue"},
		{"a file beside it", shop + "-staging.yaml", ""},
		{"standard input", "-", ""},
	} {
		if got := chart.Of(row.file); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}
