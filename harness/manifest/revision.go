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
	"strings"

	"example.com/rollcall/harness/usage"
)

// AtRevision returns the same sources as they were at a revision of their git repository, in a folder that remove removes. Only git, and
// no working tree, is touched.
func AtRevision(ctx context.Context, s Sources, revision string) (at Sources, remove func(), err error) {
	flag := "--base=" + revision
	all := append([]string{}, s.Files...)
	if s.Kustomize != "" {
		all = append(all, s.Kustomize)
	}
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
	at.Files = nil
	for _, name := range s.Files {
		path, err := moved(name)
		if err != nil {
			return s, nil, err
		}
		at.Files = append(at.Files, path)
	}
	if s.Kustomize != "" {
		at.Kustomize, err = moved(s.Kustomize)
	}
	return at, discard, err
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
