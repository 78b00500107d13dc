package layout

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestDigestsOfARelease(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("abc")); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{
		"programs/arm64/echo.gz":    {Data: packed.Bytes()},
		"programs/amd64/agent.gz":   {Data: packed.Bytes()},
		"programs/kind-config.yaml": {Data: []byte("kind: Cluster")},
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // by sha256sum
	want := []Digest{{"agent", "amd64", sum}, {"echo", "arm64", sum}}
	if diff := cmp.Diff(want, must(digests(files))(t)); diff != "" {
		t.Errorf("digests (-want +got):\n%s", diff)
	}

	files["programs/amd64/echo.gz"] = &fstest.MapFile{Data: packed.Bytes()[:12]}
	if _, err := digests(files); err == nil || !strings.Contains(err.Error(), "release: unpack programs/amd64/echo.gz: ") {
		t.Errorf("error %v of a program that was cut off", err)
	}
	if list := must(digests(programs))(t); list != nil {
		t.Errorf("this is not a release, and has %v", list)
	}
}
