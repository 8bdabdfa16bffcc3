package truncate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/checksum"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/python"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	own "github.com/plumbline-ml/plumbline/internal/submission/truncate"
)

// Options contains the options of the official tool. Either Output or Backup must be set.
type Options struct {
	Input     string
	Submitter string
	Output    string   // new tree with the truncated logs; empty: truncate in Input
	Backup    string   // folder for the originals; a relative path is inside the tree
	Skip      []string // scenarios to skip
}

// ErrOutputExists reports that Output exists already.
var ErrOutputExists = errors.New("output directory already exists")

// TruncateTree truncates a tree like the official tool. It skips the same logs, repeats the same work, stops at the
// same places and writes the same files. An error means that the tool would have died.
func TruncateTree(o Options) (lines []python.Line, err error) {
	t := truncation{root: o.Input, options: o}
	if o.Output != "" {
		if _, err := os.Stat(o.Output); err == nil {
			return nil, ErrOutputExists
		}
		t.root = o.Output
		if err := copySubmitter(o.Input, o.Output, o.Submitter); err != nil {
			return nil, err
		}
	}
	if err := t.truncateResults(); err != nil {
		return t.Lines, err
	}
	t.AddLine(python.LevelInfo, "Make sure you keep a backup of %s in case mlperf wants to see the original accuracy logs",
		cmp.Or(o.Output, o.Backup))
	return t.Lines, nil
}

// truncation is the state of Run. Paths are slash-separated and relative to the tree's root.
type truncation struct {
	root    string
	options Options

	python.Log
}

func (t *truncation) pathTo(name string) string {
	return filepath.Join(t.root, filepath.FromSlash(name))
}

// exists reports whether a path exists, following links.
func (t *truncation) exists(name string) bool {
	_, err := os.Stat(t.pathTo(name))
	return err == nil
}

// truncateResults processes the results of a submitter.
func (t *truncation) truncateResults() error {
	for _, division := range tree.Divisions() {
		submitter := path.Join(division, t.options.Submitter)
		if !isFolder(t.pathTo(submitter)) {
			continue
		}
		results := path.Join(submitter, "results")
		if !t.exists(results) {
			t.AddLine(python.LevelError, "no submission in %s", results)
			continue
		}
		if err := t.walkFolders(results, 3); err != nil {
			return err
		}
	}
	return nil
}

// walkFolders descends to the scenario folders and processes each folder in them.
func (t *truncation) walkFolders(dir string, levels int) error {
	names, err := foldersIn(t.pathTo(dir))
	if err != nil {
		return err
	}
	for _, name := range names {
		switch {
		case levels == 0:
			err = t.truncateFor(dir, name)
		case levels == 1 && slices.Contains(t.options.Skip, name):
		default:
			err = t.walkFolders(path.Join(dir, name), levels-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var testName = regexp.MustCompile(`^TEST`)

// truncateFor processes a scenario's log once for each folder of the scenario, and the logs of three audits.
func (t *truncation) truncateFor(scenario, name string) error {
	bare := name == "TEST07" || name == "TEST09"
	dir := scenario
	if testName.MatchString(name) {
		if !bare && name != "TEST01" {
			return nil
		}
		dir = path.Join(scenario, name)
	}
	return t.truncateLog(dir, bare)
}

// truncateLog truncates the log of a scenario or an audit. If bare is set, accuracy.txt contains only the hash.
func (t *truncation) truncateLog(dir string, bare bool) error {
	accuracy := path.Join(dir, "accuracy")
	log, score := path.Join(accuracy, tree.AccuracyLog), path.Join(accuracy, tree.AccuracyText)
	switch {
	case !t.exists(log) && (t.exists(dir+"/config.yaml") || t.exists(dir+"/config.yml")):
		t.AddLine(python.LevelInfo, "%s is an endpoints submission; nothing to truncate", dir)
		return nil
	case !t.exists(log):
		t.AddLine(python.LevelError, "%s missing", log)
		return nil
	case !bare && !t.exists(score):
		t.AddLine(python.LevelError, "%s missing, generate to continue", score)
		return nil
	}
	if done, err := t.isDone(log, score, bare); done || err != nil {
		if done {
			t.AddLine(python.LevelInfo, "%s already has hash and size seems truncated", accuracy)
		}
		return err
	}
	if saved, err := t.backUpLog(log); !saved || err != nil {
		return err
	}
	if err := t.changeFiles(t.pathTo(log), t.pathTo(score), bare); err != nil {
		return err
	}
	t.AddLine(python.LevelInfo, "%s truncated", log)
	return nil
}

// isDone reports whether a log is small and its hash has been recorded.
func (t *truncation) isDone(log, score string, bare bool) (bool, error) {
	if bare {
		return false, nil
	}
	text, err := os.ReadFile(t.pathTo(score))
	if err != nil {
		return false, err
	}
	if !utf8.Valid(text) {
		return false, fmt.Errorf("%s is not UTF-8", score)
	}
	info, err := os.Stat(t.pathTo(log))
	if err != nil || info.Size() >= own.MinTruncated {
		return false, err
	}
	return slices.ContainsFunc(strings.Split(string(unixLines(text)), "\n"), func(line string) bool {
		_, ok := result.ParseHash(line)
		return ok
	}), nil
}

// backUpLog copies the log to the backup folder. saved is false if a file with that name exists there.
func (t *truncation) backUpLog(log string) (saved bool, err error) {
	if t.options.Backup == "" {
		return true, nil
	}
	name := filepath.Join(t.options.Backup, filepath.FromSlash(log))
	target := name
	if !filepath.IsAbs(target) {
		target = filepath.Join(t.root, target)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return false, err
	}
	if _, err := os.Stat(target); err == nil {
		t.AddLine(python.LevelError, "not processing %s because %s already exist", log, filepath.ToSlash(name))
		return false, nil
	}
	return true, treefiles.CopyFile(context.Background(), t.pathTo(log), target)
}

// changeFiles writes the hash and then the log.
func (t *truncation) changeFiles(log, score string, bare bool) error {
	f, err := os.Open(log)
	if err != nil {
		return err
	}
	defer f.Close()
	sum, size, err := checksum.Contents(f)
	if err != nil {
		return err
	}
	if err := writeHash(score, sum, bare); err != nil || size < own.KeptBytes {
		return err
	}
	short, err := truncatedText(f, size)
	if err != nil {
		return fmt.Errorf("%s: %w", log, err)
	}
	return os.WriteFile(log, short, 0o644)
}

func writeHash(score, sum string, bare bool) error {
	flag, text := os.O_APPEND, "\nhash="+sum+"\n"
	if bare {
		flag, text = os.O_TRUNC, "hash="+sum+"\n"
	}
	f, err := os.OpenFile(score, os.O_CREATE|os.O_WRONLY|flag, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// truncatedText returns the truncated log like a reader of text: the first 4096 characters, the gap, and the characters
// in the last 4096 bytes. All line ends become line feeds.
func truncatedText(f io.ReaderAt, size int64) ([]byte, error) {
	head, err := readCharacters(io.NewSectionReader(f, 0, size))
	if err != nil {
		return nil, err
	}
	tail, err := readCharacters(io.NewSectionReader(f, size-own.KeptBytes, own.KeptBytes))
	return append(append(head, own.GapText...), tail...), err
}

// readSize is the number of bytes that a reader of text reads and decodes at a time, including characters that are not
// used.
const readSize = 8192

var errNotText = errors.New("it is not UTF-8")

// readCharacters reads the first View characters.
func readCharacters(r io.Reader) (text []byte, err error) {
	var raw []byte
	for {
		chunk := make([]byte, readSize)
		n, err := io.ReadFull(r, chunk)
		raw = append(raw, chunk[:n]...)
		end := err != nil
		if end && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
		whole := len(raw) - unfinishedBytes(raw)
		if !utf8.Valid(raw[:whole]) || end && whole < len(raw) && utf8.RuneCount(unixLines(raw[:whole])) < own.KeptBytes {
			return nil, errNotText
		}
		text := unixLines(raw[:whole])
		if end || utf8.RuneCount(text) > own.KeptBytes { // a carriage return at the end can be half of a line end
			return firstCharacters(text), nil
		}
	}
}

// unfinishedBytes returns the number of bytes of an incomplete character at the end of text.
func unfinishedBytes(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(text[len(text)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// firstCharacters returns the first View characters of text.
func firstCharacters(text []byte) []byte {
	count := 0
	for i := range string(text) {
		if count == own.KeptBytes {
			return text[:i]
		}
		count++
	}
	return text
}

// unixLines converts all line ends to line feeds.
func unixLines(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// foldersIn lists the folders in a folder by name, including links to folders.
func foldersIn(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if isFolder(filepath.Join(dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// copySubmitter copies a submitter's folders in all divisions into a new tree.
func copySubmitter(from, to, submitter string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, division := range tree.Divisions() {
		source := filepath.Join(from, division, submitter)
		if !isFolder(source) {
			continue
		}
		if err := treefiles.CopyFolder(context.Background(), source, filepath.Join(to, division, submitter)); err != nil {
			return err
		}
	}
	return nil
}
