package kube

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestUpgradeImages(t *testing.T) {
	u := Upgrade{"v1.36.3", t.TempDir()}
	if err := os.Mkdir(filepath.Join(u.Folder, ImagesFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"etcd.tar", "pause.tar", "kube-proxy.tar"} {
		if err := os.WriteFile(filepath.Join(u.Folder, ImagesFolder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		sentence string
		names    []string
		want     []string
		err      string
	}{
		{"all, where none is named", nil, []string{"etcd.tar", "kube-proxy.tar", "pause.tar"}, ""},
		{"those that are named", []string{"pause", "kube-proxy"}, []string{"kube-proxy.tar", "pause.tar"}, ""},
		{"one that is missing is an error, and not left out", []string{"pause", "coredns"}, nil, "v1.36.3 has no image of coredns"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			var got []string
			images, err := u.Images(row.names...)
			for _, file := range images {
				got = append(got, filepath.Base(file))
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
			if (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
				t.Errorf("error %v, want %q", err, row.err)
			}
		})
	}
}
