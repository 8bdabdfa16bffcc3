package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// CollectedEnding is the extension of files that collect results: one document per line, the newest last.
const CollectedEnding = ".jsonl"

// AppendCollected appends runs to a file that collects results, as one line. It creates the file if necessary and
// changes no line. If the last line is incomplete, it begins a new one.
func AppendCollected(path, commit string, runs []record.Run) (err error) {
	d := record.NewDocument(runs)
	d.Commit = commit
	line, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("writing a line of results: %w", err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	last := []byte{'\n'}
	if info.Size() > 0 {
		if _, err := file.ReadAt(last, info.Size()-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	_, err = file.Write(append(line, '\n')) // in one write, so that lines of two writers do not mix
	return err
}

// readCollected reads a file that collects results, in the order of its lines. It omits invalid lines, such as
// truncated ones, and runs that an earlier line contains.
func readCollected(path string, seen map[string]bool) (Set, error) {
	var s Set
	if wasSeen(path, seen) {
		return s, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return s, err
	}
	defer file.Close()
	known := map[string]bool{}
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		text, end := readLine(lines)
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if fault := s.addCollected(path, text, known); fault != nil {
				s.Skipped = append(s.Skipped, fmt.Sprintf("%s, line %d: %v", path, n, fault))
			}
		}
		if errors.Is(end, io.EOF) {
			break
		}
		if end != nil {
			return s, end
		}
	}
	if len(s.Runs) == 0 {
		return s, fmt.Errorf("%s: no result in it; harness run and bench write them there with --append%s", path,
			prefixed("\n", strings.Join(s.Skipped, "\n")))
	}
	return s, nil
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// maxLineBytes limits the bytes of a line of collected results.
const maxLineBytes = 64 << 20

// readLine reads a line of any length but keeps only maxLineBytes bytes. A longer line is then invalid JSON.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) <= maxLineBytes {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// addCollected adds the runs of a line.
func (s *Set) addCollected(path string, text []byte, known map[string]bool) error {
	d, err := record.Parse(text)
	if err != nil {
		return err
	}
	for _, r := range d.Runs {
		key := fmt.Sprint(r.Name(), "\n", r.Dir, "\n", r.Started.UnixNano(), "\n", r.Duration)
		if known[key] {
			continue
		}
		known[key] = true
		s.Runs = append(s.Runs, FoundRun{Run: r, Out: outputFolder(path, r), File: path, Commit: d.Commit})
	}
	return nil
}
