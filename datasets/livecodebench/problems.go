// Package livecodebench reads the problems of LiveCodeBench in their official form, JSON lines with one problem each.
// The public tests are a string of JSON. The private tests are such a string, or its pickle, compressed by zlib and
// encoded in base64.
//
// In scope: files and folders of a release, one problem at a time. Out of scope: interpreting the tests, and running
// programs with them (package internal/programs).
package livecodebench

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// Errors of this package; errors.Is finds them.
var (
	ErrDataset = errors.New("problems of LiveCodeBench")
	ErrUnknown = errors.New("no such problem")
)

// FaultError contains all faults of the files; errors.As finds it.
type FaultError = fault.DatasetError

// Limits of tests. All forms of the official tests are below 300 MB.
const (
	maxLineBytes     = 1 << 30
	maxInflatedBytes = 2 << 30
)

// CodeProblem contains the tests of a problem.
type CodeProblem struct {
	ID string
	// Function is the function that is called with each input; each line of an input is an argument in JSON. Empty:
	// programs read the input from stdin and print the output.
	Function        string
	Inputs, Outputs []string // all tests, public ones first
}

// ProblemSet finds problems by ID. It stores their positions and reads each problem on demand, since the tests of a
// release amount to gigabytes. It is safe for concurrent use.
type ProblemSet struct{ positions map[string]linePosition }

// linePosition is the position of a line in a file.
type linePosition struct {
	path         string
	line         int // from 1
	start, bytes int64
}

func (p linePosition) String() string { return fmt.Sprintf("%s:%d", p.path, p.line) }

// problemRow contains the fields of a line that are read.
type problemRow struct {
	ID       *string `json:"question_id"`
	Public   *string `json:"public_test_cases"`
	Private  *string `json:"private_test_cases"`
	Metadata *string `json:"metadata"`
}

// Open indexes the problems of a file, or of all *.jsonl files of a folder in the order of their names. If lines share
// an ID, the last one counts. Open parses each line as JSON but does not read tests. The error is a [*FaultError] that
// lists every fault; it wraps ErrDataset.
func Open(path string) (*ProblemSet, error) {
	files, err := findFiles(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	s := &ProblemSet{map[string]linePosition{}}
	var faults fault.FaultList
	for _, file := range files {
		if err := s.indexFile(file, &faults); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrDataset, file, err)
		}
	}
	if err := faults.Err(ErrDataset, path); err != nil {
		return nil, err
	}
	if len(s.positions) == 0 {
		return nil, fmt.Errorf("%w: %s holds none", ErrDataset, path)
	}
	return s, nil
}

func findFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	files, err := filepath.Glob(filepath.Join(path, "*.jsonl"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no file *.jsonl, want those of a release, such as test.jsonl and test2.jsonl", path)
	}
	slices.Sort(files)
	return files, err
}

// indexFile adds the problems of a file.
func (s *ProblemSet) indexFile(path string, faults *fault.FaultList) error {
	f, err := bounded.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	r := bufio.NewReaderSize(f, 1<<20)
	at := linePosition{path: path}
	for {
		line, err := readLine(r)
		at.line, at.bytes = at.line+1, int64(len(line))
		if len(bytes.TrimSpace(line)) > 0 {
			if r, _, err := checkLine(line); err != nil {
				faults.Addf(fmt.Sprintf("%s, line %d", filepath.Base(path), at.line), "%v", err)
			} else {
				s.positions[*r.ID] = at
			}
		}
		at.start += at.bytes
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// readLine reads a line including its line end.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLineBytes:
			return nil, fmt.Errorf("a line has more than %d bytes", maxLineBytes)
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// checkLine parses a line, without its tests, and returns the name of the function.
func checkLine(line []byte) (r problemRow, function string, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, "", fmt.Errorf("no problem in JSON: %w", err)
	}
	var without []string
	for _, x := range []struct {
		name string
		text *string
	}{
		{"question_id", r.ID}, {"public_test_cases", r.Public}, {"private_test_cases", r.Private}, {"metadata", r.Metadata},
	} {
		if x.text == nil {
			without = append(without, x.name)
		}
	}
	if without != nil {
		return r, "", fmt.Errorf("it has no text in %s", strings.Join(without, ", "))
	}
	function, err = r.functionName()
	return r, function, err
}

func (r problemRow) functionName() (string, error) {
	var m struct {
		Function string `json:"func_name"`
	}
	if err := json.Unmarshal([]byte(*r.Metadata), &m); err != nil {
		return "", fmt.Errorf("metadata: %w", err)
	}
	return m.Function, nil
}

// Len returns the number of problems.
func (s *ProblemSet) Len() int { return len(s.positions) }

// Problem reads a problem. The error wraps ErrUnknown if there is no problem with this ID; other errors wrap
// ErrDataset.
func (s *ProblemSet) Problem(id string) (CodeProblem, error) {
	at, ok := s.positions[id]
	if !ok {
		return CodeProblem{}, fmt.Errorf("%w: %q is not among %d", ErrUnknown, id, len(s.positions))
	}
	line, err := at.readLine()
	if err != nil {
		return CodeProblem{}, fmt.Errorf("%w: %v: %w", ErrDataset, at, err)
	}
	p, err := parseProblem(line)
	if err != nil {
		return CodeProblem{}, fmt.Errorf("%w: %v: problem %s: %w", ErrDataset, at, id, err)
	}
	return p, nil
}

func (p linePosition) readLine() ([]byte, error) {
	f, err := bounded.Open(p.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	line := make([]byte, p.bytes)
	_, err = f.ReadAt(line, p.start)
	return line, err
}

// codeTest is a test in its JSON form.
type codeTest struct {
	Input  *string `json:"input"`
	Output *string `json:"output"`
	Type   string  `json:"testtype"`
}

func parseProblem(line []byte) (CodeProblem, error) {
	r, function, err := checkLine(line)
	if err != nil {
		return CodeProblem{}, err
	}
	p := CodeProblem{ID: *r.ID, Function: function}
	var public []codeTest
	if err := json.Unmarshal([]byte(*r.Public), &public); err != nil {
		return CodeProblem{}, fmt.Errorf("public_test_cases: %w", err)
	}
	private, err := parsePrivateTests(*r.Private)
	if err != nil {
		return CodeProblem{}, fmt.Errorf("private_test_cases: %w", err)
	}
	for i, t := range append(public, private...) {
		if t.Input == nil || t.Output == nil {
			return CodeProblem{}, fmt.Errorf("test %d has no text as input or output", i+1)
		}
		if t.Type == "functional" && function == "" {
			return CodeProblem{}, fmt.Errorf("test %d is functional, but metadata has no func_name", i+1)
		}
		p.Inputs, p.Outputs = append(p.Inputs, *t.Input), append(p.Outputs, *t.Output)
	}
	return p, nil
}

// parsePrivateTests parses tests from JSON, or from a str of JSON that is pickled, compressed by zlib and encoded in
// base64.
func parsePrivateTests(text string) (tests []codeTest, err error) {
	if json.Unmarshal([]byte(text), &tests) == nil {
		return tests, nil
	}
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("neither JSON nor base64: %w", err)
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	pickled, err := readLimited(z, maxInflatedBytes)
	if err != nil {
		return nil, err
	}
	v, err := pickle.ObjectReader{}.Load(pickled)
	if err != nil {
		return nil, err
	}
	inner, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("a pickle of a %T, want a str", v)
	}
	tests = nil
	if err := json.Unmarshal([]byte(inner), &tests); err != nil {
		return nil, fmt.Errorf("in the pickle: %w", err)
	}
	return tests, nil
}

// readLimited reads r to its end. More than maxBytes bytes are an error.
func readLimited(r io.Reader, maxBytes int64) ([]byte, error) {
	all, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && int64(len(all)) > maxBytes {
		return nil, fmt.Errorf("more than %d bytes inflated", maxBytes)
	}
	return all, err
}
