package pack_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/submission/pack"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

func put(t *testing.T, root, name, text string, perm os.FileMode) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

// lab makes a tree with files of its own that are no part of it.
func lab(t *testing.T) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "tree")
	put(t, root, "closed/Lab/results/box/a.txt", strings.Repeat("a line\n", 1000), 0o644)
	put(t, root, "network/Lab/src/run.sh", "#!/bin/sh\n", 0o755)
	put(t, root, "open/Größe 💡/x", "", 0o600)
	put(t, root, "notes.txt", "mine", 0o644)
	if err := os.MkdirAll(filepath.Join(root, "closed", "Lab", "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func write(t *testing.T, root, file string) (pack.Packed, error) {
	t.Helper()
	found, err := tree.Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	return pack.WriteArchive(context.Background(), found, file)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPackAndUnpack(t *testing.T) {
	root, dir := lab(t), t.TempDir()
	file := filepath.Join(dir, "a.tar.gz")
	p, err := write(t, root, file)
	if err != nil {
		t.Fatal(err)
	}
	if p.Files != 3 || p.Bytes != 7010 || strings.Join(p.LeftOut, " ") != "notes.txt" {
		t.Errorf("%+v", p)
	}
	sum := sha256.Sum256([]byte(read(t, file)))
	if want := hex.EncodeToString(sum[:]) + "  a.tar.gz\n"; read(t, file+".sha256") != want || p.SHA256 != want[:64] {
		t.Errorf("checksum %s, %s, want %s", p.SHA256, read(t, file+".sha256"), want)
	}
	out := filepath.Join(dir, "out")
	if got, err := pack.Unpack(context.Background(), file, "", out); err != nil || got != p.SHA256 {
		t.Fatalf("%s, %v", got, err)
	}
	for _, name := range []string{"closed/Lab/results/box/a.txt", "network/Lab/src/run.sh", "open/Größe 💡/x"} {
		if read(t, filepath.Join(out, name)) != read(t, filepath.Join(root, name)) {
			t.Errorf("%s differs", name)
		}
	}
	if info, err := os.Stat(filepath.Join(out, "network/Lab/src/run.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("%v, %v: want it executable", info, err)
	}
	if info, err := os.Stat(filepath.Join(out, "closed/Lab/empty")); err != nil || !info.IsDir() {
		t.Errorf("the empty folder: %v", err)
	}
}

// Times, modes beyond execution, and files at the root make no difference.
func TestArchivesAreEqual(t *testing.T) {
	dir := t.TempDir()
	first, err := write(t, lab(t), filepath.Join(dir, "a.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	other := lab(t)
	put(t, other, "more/notes", "x", 0o644)
	for _, name := range []string{"closed/Lab/results/box/a.txt", "open"} {
		if err := os.Chtimes(filepath.Join(other, name), time.Unix(1, 0), time.Unix(2, 0)); err != nil {
			t.Fatal(err)
		}
	}
	second, err := write(t, other, filepath.Join(dir, "b.tar.gz"))
	if err != nil || first.SHA256 != second.SHA256 {
		t.Errorf("%s, %s, %v", first.SHA256, second.SHA256, err)
	}
}

func TestPackRefuses(t *testing.T) {
	root, dir := lab(t), t.TempDir()
	put(t, dir, "there", "precious", 0o644)
	for file, want := range map[string]string{
		filepath.Join(dir, "there"): "is there already", filepath.Join(root, "closed", "x.tar.gz"): "is in the tree",
	} {
		if _, err := write(t, root, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if _, err := write(t, t.TempDir(), filepath.Join(dir, "empty.tar.gz")); err == nil {
		t.Error("an empty folder was packed")
	}
	if err := os.Symlink("a.txt", filepath.Join(root, "closed/Lab/results/box/link")); err != nil {
		t.Skip(err)
	}
	if _, err := write(t, root, filepath.Join(dir, "new")); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 || read(t, left[0]) != "precious" {
		t.Errorf("left: %v", left)
	}
}

// TestPackRefusesWhatUnpackRefuses: what is packed can be taken out again.
func TestPackRefusesWhatUnpackRefuses(t *testing.T) {
	deep := "closed/" + strings.Repeat("d/", 70) + "x"
	for want, change := range map[string]func(root string) (file string){
		`a\b`:               func(root string) string { put(t, root, `closed/Lab/a\b`, "x", 0o644); return "a.tar.gz" },
		"lies in more than": func(root string) string { put(t, root, deep, "x", 0o644); return "a.tar.gz" },
		"is not a folder":   func(root string) string { put(t, root, "network", "x", 0o644); return "a.tar.gz" },
		"line break":        func(string) string { return "a\nb.tar.gz" },
	} {
		root, dir := filepath.Join(t.TempDir(), "tree"), t.TempDir()
		put(t, root, "closed/Lab/results/box/a.txt", "x", 0o644)
		if _, err := write(t, root, filepath.Join(dir, change(root))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("%s: left %q", want, left)
		}
	}
	found, err := tree.Open(lab(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	if faults := pack.Unpackable(found, "a.tar.gz", fetch.Limits{Files: 3, Bytes: 1 << 20}); len(faults) != 1 {
		t.Errorf("more files than can be unpacked: %v", faults)
	}
	if faults := pack.Unpackable(found, "a.tar.gz", fetch.Limits{Files: 100, Bytes: 7009}); len(faults) != 1 {
		t.Errorf("more bytes than can be unpacked: %v", faults)
	}
}

func TestPackEndsWithItsContext(t *testing.T) {
	found, err := tree.Open(lab(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	dir := t.TempDir()
	if _, err := pack.WriteArchive(ctx, found, filepath.Join(dir, "a.tar.gz")); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// archive makes a tar.gz with its checksum beside it.
func archive(t *testing.T, headers ...*tar.Header) (file string) {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for _, h := range headers {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close() // some say that they are longer than they are
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sum := sha256.Sum256(b.Bytes())
	put(t, dir, "a.tar.gz", b.String(), 0o644)
	put(t, dir, "a.tar.gz.sha256", hex.EncodeToString(sum[:])+"  a.tar.gz\n", 0o644)
	return filepath.Join(dir, "a.tar.gz")
}

func TestUnpackRefuses(t *testing.T) {
	regular := func(name string) *tar.Header { return &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644} }
	for name, headers := range map[string][]*tar.Header{
		"outside":      {regular("../x")},
		"absolute":     {regular("/closed/x")},
		"device":       {{Typeflag: tar.TypeChar, Name: "closed/x"}},
		"link out":     {{Typeflag: tar.TypeSymlink, Name: "closed/x", Linkname: "/etc/passwd"}},
		"link":         {regular("closed/y"), {Typeflag: tar.TypeSymlink, Name: "closed/x", Linkname: "y"}},
		"other folder": {regular("closed/x"), regular("home/.profile")},
		"twice":        {regular("closed/x"), regular("closed/x")},
		"pipe":         {regular("closed/y"), {Typeflag: tar.TypeFifo, Name: "closed/x"}},
		"nothing":      nil,
	} {
		t.Run(name, func(t *testing.T) {
			file := archive(t, headers...)
			out := filepath.Join(t.TempDir(), "out")
			if _, err := pack.Unpack(context.Background(), file, "", out); err == nil {
				t.Error("it was unpacked")
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestUnpackWantsTheChecksum(t *testing.T) {
	file := archive(t, &tar.Header{Typeflag: tar.TypeReg, Name: "closed/x", Mode: 0o644})
	out := filepath.Join(t.TempDir(), "out")
	right := strings.Fields(read(t, file+".sha256"))[0]
	if _, err := pack.Unpack(context.Background(), file, strings.Repeat("0", 64), out); err == nil {
		t.Error("a wrong checksum")
	}
	for text, want := range map[string]string{
		strings.Repeat("0", 64) + "  a.tar.gz\n": "damaged or another", "rubbish": "want one line",
		right + "\n" + right: "want one line",
	} {
		put(t, filepath.Dir(file), "a.tar.gz.sha256", text, 0o644)
		if _, err := pack.Unpack(context.Background(), file, "", out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.Remove(file + ".sha256"); err != nil {
		t.Fatal(err)
	}
	_, err := pack.Unpack(context.Background(), file, "", out)
	if err == nil || !strings.Contains(err.Error(), "give the sha256") {
		t.Errorf("no checksum: %v", err)
	}
	if _, err := pack.Unpack(context.Background(), file, strings.ToUpper(right), out); err != nil {
		t.Error(err)
	}
	_, err = pack.Unpack(context.Background(), file, right, out)
	if err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second time: %v", err)
	}
}

// TestUnpackIsBounded: what an archive of some bytes says that it becomes is not begun.
func TestUnpackIsBounded(t *testing.T) {
	for name, size := range map[string]int64{"more than its size lets expect": 1<<30 + 1<<20, "more than any": 1 << 40} {
		file := archive(t, &tar.Header{Typeflag: tar.TypeReg, Name: "closed/x", Mode: 0o644, Size: size})
		out := filepath.Join(t.TempDir(), "out")
		_, err := pack.Unpack(context.Background(), file, "", out)
		if !errors.Is(err, fetch.ErrUnsafe) || !strings.Contains(err.Error(), "its contents are more than") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPackKeepsToTheRatio: nothing is packed that Unpack would take for a bomb.
func TestPackKeepsToTheRatio(t *testing.T) {
	draft := filepath.Join(t.TempDir(), "draft")
	put(t, filepath.Dir(draft), "draft", strings.Repeat("x", 100), 0o644)
	for bytes, fits := range map[int64]bool{1<<30 + 100*100: true, 1<<30 + 100*100 + 1: false} {
		if err := (pack.Packed{Bytes: bytes}).Fits(draft); (err == nil) != fits {
			t.Errorf("%d bytes in 100: %v", bytes, err)
		}
	}
}

// TestInterruptedPack ends packing and unpacking at each moment in which they could end: nothing is left of either.
func TestInterruptedPack(t *testing.T) {
	root, done := lab(t), filepath.Join(t.TempDir(), "done.tar.gz")
	if _, err := write(t, root, done); err != nil {
		t.Fatal(err)
	}
	found, err := tree.Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for name, do := range map[string]func(ctx context.Context, to string) error{
		"pack": func(ctx context.Context, to string) error {
			_, err := pack.WriteArchive(ctx, found, to)
			return err
		},
		"unpack": func(ctx context.Context, to string) error {
			_, err := pack.Unpack(ctx, done, "", to)
			return err
		},
	} {
		ends := 0
		for {
			dir := t.TempDir()
			if err := do(treeops.ContextEndingAfter(ends), filepath.Join(dir, "to")); err == nil {
				break
			} else if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", name, err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("%s, ended at moment %d: %v is left", name, ends, entries)
			}
			ends++
		}
		if ends < 3 {
			t.Errorf("%s can end at %d moments alone", name, ends)
		}
	}
}
