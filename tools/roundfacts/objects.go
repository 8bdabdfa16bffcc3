package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// gitObjects reads files of a git directory's newest commit.
type gitObjects struct {
	in     io.WriteCloser
	out    *bufio.Reader
	names  map[string]string // hashes by path
	finish func() error
}

func openObjects(dir string) (*gitObjects, error) {
	list, err := exec.Command("git", "--git-dir="+dir, "ls-tree", "-r", "-z", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: list the files of the newest commit: %w", dir, err)
	}
	o := &gitObjects{names: map[string]string{}}
	for entry := range strings.SplitSeq(string(list), "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); ok && len(fields) == 3 && fields[1] == "blob" {
			o.names[path] = fields[2]
		}
	}
	cmd := exec.Command("git", "--git-dir="+dir, "cat-file", "--batch")
	if o.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.out, o.finish = bufio.NewReaderSize(out, 1<<20), cmd.Wait
	return o, cmd.Start()
}

// read returns the content of a file. ok is false if the copy lacks the file.
func (o *gitObjects) read(path string) (text []byte, ok bool, err error) {
	hash, ok := o.names[path]
	if !ok {
		return nil, false, nil
	}
	if _, err := fmt.Fprintln(o.in, hash); err != nil {
		return nil, false, err
	}
	header, err := o.out.ReadString('\n')
	if err != nil {
		return nil, false, fmt.Errorf("git cat-file: %w", err)
	}
	fields := strings.Fields(header)
	if len(fields) != 3 {
		return nil, false, nil // the reply is "HASH missing"
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, false, fmt.Errorf("git cat-file says %q, want a size: %w", header, err)
	}
	text = make([]byte, size+1) // includes a line feed
	if _, err := io.ReadFull(o.out, text); err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	return text[:size], true, nil
}

func (o *gitObjects) close() error {
	return firstOf(o.in.Close(), o.finish())
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
