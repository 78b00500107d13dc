package nodeimage

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/usage"
)

// fakeDocker is an engine. Each file in the folder $IMAGES is an image with its id; those in $REGISTRY can be pulled.
const fakeDocker = `
file() { echo "$1" | tr /:@ ___; }
case "$*" in
"image inspect --format {{.Id}} "*) cat $IMAGES/$(file $5) ;;
"pull "*) cp $REGISTRY/$(file $2) $IMAGES/ && echo pulled ;;
"tag "*) cp $IMAGES/$(file $2) $IMAGES/$(file $3) ;;
*) echo "unexpected: docker $*" >&2; exit 1 ;;
esac
`

// fakeEngine returns functions that put an image into the engine and into the registry. The host has no apt-get, so nothing is built.
func fakeEngine(t *testing.T) (engine, registry func(name, id string)) {
	fakeTools(t, map[string]string{"docker": fakeDocker})
	bin := t.TempDir()
	for _, tool := range []string{"tr", "cat", "cp"} {
		if err := os.Symlink(filepath.Join("/usr/bin", tool), filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	fakes, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	t.Setenv("PATH", fakes+":"+bin)
	in := func(variable string) func(string, string) {
		dir := t.TempDir()
		t.Setenv(variable, dir)
		return func(name, id string) {
			file := strings.NewReplacer("/", "_", ":", "_", "@", "_").Replace(name)
			if err := os.WriteFile(filepath.Join(dir, file), []byte(id), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return in("IMAGES"), in("REGISTRY")
}

func writeRecord(t *testing.T, image, id string) {
	file, err := recordFile(image)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(id+"\n"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestEnsure(t *testing.T) {
	const kinds = "v1.37.0" // which kind publishes
	for _, row := range []struct {
		sentence string
		version  string
		prepare  func(t *testing.T, engine, registry func(name, id string))
		image    string   // empty: refused
		says     []string // in the output or the error
	}{
		{"an image that this host built is used", kube.Default, func(t *testing.T, engine, _ func(string, string)) {
			engine(tag(kube.Default), "sha256:built")
			writeRecord(t, tag(kube.Default), "sha256:built")
		}, tag(kube.Default), nil},
		{"one of its name is not", kube.Default, func(t *testing.T, engine, _ func(string, string)) {
			engine(tag(kube.Default), "sha256:other")
			writeRecord(t, tag(kube.Default), "sha256:built")
		}, "", []string{"not using " + tag(kube.Default), "kind publishes none of this version", "--k8s=v1.37.0"}},
		{"one that an earlier Rollcall built, without a record, is", kube.Default, func(_ *testing.T, engine, _ func(string, string)) {
			engine(tag(kube.Default), "sha256:earlier")
		}, tag(kube.Default), nil},
		{"a published one is pulled by its digest", kinds, func(_ *testing.T, _, registry func(string, string)) {
			registry(kube.PublishedImage(kinds), "sha256:kinds")
		}, pulled(kinds), []string{"pulled kindest/node@sha256:a1ed56cf"}},
		{"and not by its tag", kinds, func(_ *testing.T, engine, registry func(string, string)) {
			registry("kindest/node:"+kinds, "sha256:moved")
			engine("kindest/node:"+kinds, "sha256:moved")
		}, "", []string{"no registry gave it", "let the engine pull " + kube.PublishedImage(kinds)}},
		{"one that was pulled by its digest is there", kinds, func(_ *testing.T, engine, _ func(string, string)) {
			engine(kube.PublishedImage(kinds), "sha256:kinds")
			engine(pulled(kinds), "sha256:kinds")
		}, pulled(kinds), nil},
		{"its name at another image is not taken for it, and kind's is named without a registry", kinds,
			func(_ *testing.T, engine, _ func(string, string)) {
				engine(pulled(kinds), "sha256:other")
				engine(kube.PublishedImage(kinds), "sha256:kinds")
			}, pulled(kinds), []string{"not using " + pulled(kinds)}},
		{"nor with a record, when the engine no longer knows its digest", kinds, func(t *testing.T, engine, _ func(string, string)) {
			engine(pulled(kinds), "sha256:other")
			writeRecord(t, pulled(kinds), "sha256:kinds")
		}, "", []string{"not using " + pulled(kinds), "let the engine pull " + kube.PublishedImage(kinds)}},
		{"one that was loaded from a file and given the name is used", kinds, func(_ *testing.T, engine, _ func(string, string)) {
			engine(pulled(kinds), "sha256:loaded")
		}, pulled(kinds), nil},
		{"another that took its name is replaced", kinds, func(t *testing.T, engine, registry func(string, string)) {
			engine(pulled(kinds), "sha256:other")
			writeRecord(t, pulled(kinds), "sha256:kinds")
			registry(kube.PublishedImage(kinds), "sha256:kinds")
		}, pulled(kinds), []string{"not using " + pulled(kinds), "pulled"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			engine, registry := fakeEngine(t)
			row.prepare(t, engine, registry)
			var out bytes.Buffer
			image, err := Ensure(t.Context(), &out, row.version)
			if image != "" {
				id, _ := imageID(t.Context(), image)
				if want, err := expected(t.Context(), image, row.version); want != id || err != nil {
					t.Errorf("the image is %s, and %s is expected, error %v", id, want, err)
				}
			}
			if image != row.image || usage.Is(err) != (row.image == "") || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("image %q, want %q; error %v", image, row.image, err)
			}
			if err != nil {
				out.WriteString(err.Error())
			}
			for _, says := range row.says {
				if !strings.Contains(out.String(), says) {
					t.Errorf("%q is missing in:\n%s", says, &out)
				}
			}
			if row.says == nil && out.Len() > 0 {
				t.Errorf("it said:\n%s", &out)
			}
		})
	}
}

// What is built is recorded, under the id that the engine gave it; the first one of its name too.
func TestRecord(t *testing.T) {
	engine, _ := fakeEngine(t)
	for _, row := range []struct {
		sentence string
		id       string
		built    bool
		others   []string
	}{
		{"the first one of its name is recorded", "sha256:first", false, nil},
		{"another does not count", "sha256:other", false, []string{tag(kube.Default)}},
		{"unless this host builds it", "sha256:other", true, nil},
		{"and then the first no longer counts", "sha256:first", false, []string{tag(kube.Default)}},
	} {
		engine(tag(kube.Default), row.id)
		if row.built {
			if err := record(t.Context(), tag(kube.Default)); err != nil {
				t.Fatal(err)
			}
		}
		image, others, err := find(t.Context(), kube.Default)
		if (image == "") != (row.others != nil) || !slices.Equal(others, row.others) || err != nil {
			t.Errorf("%s: %q, others %q, error %v", row.sentence, image, others, err)
		}
	}
}
