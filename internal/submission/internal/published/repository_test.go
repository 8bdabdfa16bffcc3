package published

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// repository is a git repository of a round, bare or a clone; its newest commit is read.
type repository struct {
	dir    string
	commit string
	files  []blob // of the commit, by path
}

// blob is a file of a commit.
type blob struct {
	mode, id, path string
	size           int64 // -1: the copy lacks it
}

// maxSize is the size in bytes from which on copies of repositories lack files. They are left out of every copy,
// so that the same is expected of all.
const maxSize = 4 << 20

// leftOut says whether the file is none that a test reads.
func (b blob) leftOut() bool { return b.size < 0 || b.size >= maxSize }

func (b blob) link() bool { return b.mode == "120000" }

// openRepository reads the list of files of a folder's newest commit.
func openRepository(t *testing.T, dir string) *repository {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		dir = filepath.Join(dir, ".git")
	}
	r := &repository{dir: dir}
	r.commit = strings.TrimSpace(string(r.git(t, nil, "rev-parse", "HEAD")))
	var ids bytes.Buffer
	for line := range strings.SplitSeq(string(r.git(t, nil, "ls-tree", "-r", "-z", "HEAD")), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		if fields := strings.Fields(head); ok && len(fields) == 3 && fields[1] == "blob" {
			r.files = append(r.files, blob{mode: fields[0], id: fields[2], path: name})
			fmt.Fprintln(&ids, fields[2])
		}
	}
	sizes := strings.Split(strings.TrimSpace(string(r.git(t, &ids, "cat-file", "--batch-check=%(objectsize)"))), "\n")
	if len(sizes) != len(r.files) {
		t.Fatalf("%s: git knows the sizes of %d files, want %d", dir, len(sizes), len(r.files))
	}
	for i := range r.files {
		if size, err := strconv.ParseInt(sizes[i], 10, 64); err == nil {
			r.files[i].size = size
		} else {
			r.files[i].size = -1 // "ID missing"
		}
	}
	return r
}

// git runs git, which fetches nothing.
func (r *repository) git(t *testing.T, input io.Reader, args ...string) []byte {
	t.Helper()
	c := r.command(args...)
	c.Stdin = input
	var fault bytes.Buffer
	c.Stderr = &fault
	out, err := c.Output()
	if err != nil {
		t.Fatalf("git %s in %s: %v: %s", args[0], r.dir, err, fault.Bytes())
	}
	return out
}

func (r *repository) command(args ...string) *exec.Cmd {
	c := exec.Command("git", append([]string{"--git-dir=" + r.dir}, args...)...)
	c.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1")
	return c
}

// each calls use with each of the blobs and its text.
func (r *repository) each(t *testing.T, blobs []blob, use func(blob, []byte)) {
	t.Helper()
	if len(blobs) == 0 {
		return
	}
	c := r.command("cat-file", "--batch=%(objectsize)")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for _, b := range blobs {
			fmt.Fprintln(in, b.id)
		}
		in.Close()
	}()
	texts := bufio.NewReaderSize(out, 1<<20)
	for _, b := range blobs {
		head, err := texts.ReadString('\n')
		if size, _ := strconv.ParseInt(strings.TrimSpace(head), 10, 64); err != nil || size != b.size {
			t.Fatalf("%s: git says %q of a file of %d bytes: %v", r.dir, head, b.size, err)
		}
		text := make([]byte, b.size+1)
		if _, err := io.ReadFull(texts, text); err != nil {
			t.Fatal(err)
		}
		use(b, text[:b.size])
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
}

// checkOut writes the files below a folder. Those of programs, and traces, are empty: only their names are looked at.
func (r *repository) checkOut(t *testing.T, root string) {
	t.Helper()
	var read []blob
	write := func(b blob, text []byte) {
		name := filepath.Join(root, filepath.FromSlash(b.path))
		err := os.MkdirAll(filepath.Dir(name), 0o777)
		switch {
		case err != nil:
		case b.link():
			err = os.Symlink(string(text), name)
		default:
			err = os.WriteFile(name, text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range r.files {
		switch {
		case b.leftOut():
		case program(b.path) && !b.link():
			write(b, nil)
		default:
			read = append(read, b)
		}
	}
	r.each(t, read, write)
}

// program says whether a file is one whose text no check reads.
func program(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) > 3 && (parts[2] == "code" || parts[2] == "src") || path.Base(name) == tree.TraceLog
}

// incomplete are the folders of results of which a log is left out, and the number of files that the copy lacks.
func (r *repository) incomplete() (folders []string, absent int) {
	logs := append([]string{tree.DetailLog, tree.SummaryLog, tree.AccuracyLog, tree.PowerSamples}, tree.PowerFiles()...)
	for _, b := range r.files {
		if b.size < 0 {
			absent++
		}
		parts := strings.Split(b.path, "/")
		if !b.leftOut() || !slices.Contains(logs, path.Base(b.path)) || len(parts) < 6 {
			continue
		}
		parts[2] = tree.ResultsDir // not compliance/
		folders = append(folders, strings.Join(parts[:6], "/"))
	}
	slices.Sort(folders)
	return slices.Compact(folders), absent
}
