package manifest

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.com/rollcall/harness/usage"
)

// AtRevision returns the same sources as they were at a revision of their git repository, in a folder that remove removes. Only git, and
// no working tree, is touched.
func AtRevision(ctx context.Context, s Sources, revision string) (at Sources, remove func(), err error) {
	flag := "--base=" + revision
	all := slices.DeleteFunc(slices.Concat(s.Files, []string{s.Kustomize, s.Chart}, s.Values), func(name string) bool { return name == "" })
	top := ""
	for _, name := range all {
		found, err := repository(ctx, name)
		if err != nil {
			return s, nil, usage.New(flag, fmt.Sprintf("%s is in no git repository", name),
				"name files and folders of one; git rev-parse --show-toplevel there says more")
		}
		if top != "" && found != top {
			return s, nil, usage.New(flag, fmt.Sprintf("%s is in another git repository than %s", name, all[0]), "check one repository at a time")
		}
		top = found
	}
	commit, err := git(ctx, top, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return s, nil, usage.New(flag, "the repository has no such revision", "fetch it first, or name one that git log shows")
	}
	folder, err := os.MkdirTemp("", "rollcall-base-")
	if err != nil {
		return s, nil, err
	}
	discard := func() { _ = os.RemoveAll(folder) } // what stays is in the folder for temporary files
	defer func() {
		if err != nil {
			discard()
		}
	}()
	if err := extract(ctx, top, commit, folder); err != nil {
		return s, nil, err
	}
	moved := func(name string) (string, error) {
		path, err := filepath.Abs(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err == nil {
			path, err = filepath.Rel(top, path)
		}
		if err != nil {
			return "", err
		}
		if path = filepath.Join(folder, path); exists(path) {
			return path, nil
		}
		return "", usage.New(flag, "it has no "+name, "name what both have")
	}
	at = s
	at.Files, at.Values = slices.Clone(s.Files), slices.Clone(s.Values)
	for _, list := range [][]string{at.Files, at.Values} {
		for i := range list {
			if list[i], err = moved(list[i]); err != nil {
				return s, nil, err
			}
		}
	}
	for _, name := range []*string{&at.Kustomize, &at.Chart} {
		if *name == "" {
			continue
		}
		if *name, err = moved(*name); err != nil {
			return s, nil, err
		}
	}
	if s.Chart != "" {
		err = copyDependencies(ctx, flag, s.Chart, at.Chart)
	}
	return at, discard, err
}

// copyDependencies copies what a chart has in charts/ and git does not, as helm dependency build has left it there, to the chart as it was
// at a revision, if that locks the same.
func copyDependencies(ctx context.Context, flag, from, to string) error {
	said, err := git(ctx, from, "ls-files", "-z", "--others", "--", "charts")
	if err != nil || said == "" { // an archive is no folder
		return nil
	}
	locks := [2]string{}
	for i, folder := range []string{from, to} {
		text, err := os.ReadFile(filepath.Join(folder, "Chart.lock"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		locks[i] = string(text)
	}
	if locks[0] != locks[1] {
		return usage.New(flag, "it locks other dependencies of chart "+from+", and charts/ is not in git",
			"commit charts/, or compare what helm template writes of both: -f OLD.yaml --to=NEW.yaml")
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for name := range strings.SplitSeq(strings.TrimRight(said, "\x00"), "\x00") {
		if err := copyInto(root, from, name); err != nil {
			return err
		}
	}
	return nil
}

// copyInto copies a file of a folder to the same path below a root.
func copyInto(root *os.Root, folder, name string) error {
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return write(root, name, file)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// repository returns the top folder of the git repository that has a file or a folder.
func repository(ctx context.Context, name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		path = filepath.Dir(path)
	}
	return git(ctx, path, "rev-parse", "--show-toplevel")
}

func git(ctx context.Context, folder string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// extract writes the files of a commit into a folder. A link is a link again.
func extract(ctx context.Context, top, commit, folder string) error {
	cmd := exec.CommandContext(ctx, "git", "-C", top, "archive", "--format=tar", commit)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	defer root.Close()
	if err := untar(root, out); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	return cmd.Wait()
}

func untar(root *os.Root, from io.Reader) error {
	for files := tar.NewReader(from); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(header.Name), 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(header.Linkname, header.Name) // as in the working tree: whoever reads it may leave the folder
		case tar.TypeReg:
			err = write(root, header.Name, files)
		}
		if err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, from io.Reader) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}
