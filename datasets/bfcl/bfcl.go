package bfcl

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/records"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("data set of function calls")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// Table is the official file name, without extension, of the table that the endpoints harness makes.
const Table = "bfcl_v4_single_turn"

// FunctionSample is a question with the available functions and the right calls.
type FunctionSample struct {
	ID, Subset string
	Messages   []ChatMessage
	Tools      string // a list of Tool in JSON
	Functions  string // a list of descriptions in JSON, unchanged from the data set
	Answers    string // a JSON list of calls, each with the possible values of its arguments; [] if no call is right
}

// ChatMessage is one message of a chat.
type ChatMessage struct{ Role, Content string }

// Open reads and checks all samples. path is a folder of bfcl-eval (the package's folder, its data folder, or the
// parent of bfcl_eval/data), or the table in Parquet or JSON lines. The error is a [*FaultError] that lists every
// fault; it wraps ErrDataset.
func Open(path string) ([]FunctionSample, error) {
	var faults fault.FaultList
	read := readTable
	for _, inner := range []string{"", "data", "bfcl_eval/data"} {
		dir := filepath.Join(path, filepath.FromSlash(inner))
		if entries, _ := os.ReadDir(dir); slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return strings.HasPrefix(e.Name(), "BFCL_v") && strings.HasSuffix(e.Name(), ".json")
		}) {
			path, read = dir, readFolder
			break
		}
	}
	all, err := read(path, &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	return all, faults.Err(ErrDataset, path)
}

// readTable reads the table of the endpoints harness.
func readTable(path string, faults *fault.FaultList) ([]FunctionSample, error) {
	names := []string{"messages", "tools", "ground_truth", "func_description", "subset", "sample_id"}
	columns := make([]records.TableColumn, len(names))
	for i, name := range names {
		columns[i] = records.TableColumn{Name: name,
			Required: true}
	}
	t, err := records.ReadTable(path, Table, columns, 0, faults)
	if err != nil {
		return nil, fmt.Errorf("%w; or want a folder with BFCL_v4_simple_python.json and so on, that of bfcl-eval", err)
	}
	all := make([]FunctionSample, t.Len())
	for i := range all {
		all[i] = FunctionSample{
			ID: t.Text("sample_id", i), Subset: t.Text("subset", i), Tools: t.Text("tools", i),
			Functions: t.Text("func_description", i), Answers: t.Text("ground_truth", i),
		}
		where := records.RecordLabel(i)
		messages, err := pyvalue.Decode(t.Text("messages", i))
		if err == nil {
			all[i].Messages, err = parseMessages(messages)
		}
		if err != nil {
			faults.Addf(where, "messages: %v", err)
		}
		for name, text := range map[string]string{
			"tools": all[i].Tools, "func_description": all[i].Functions, "ground_truth": all[i].Answers,
		} {
			if _, err := asList(pyvalue.Decode(text)); err != nil {
				faults.Addf(where, "%s: %v", name, err)
			}
		}
	}
	return all, nil
}

func asList(v any, err error) ([]any, error) {
	all, ok := v.([]any)
	if err == nil && !ok {
		err = fmt.Errorf("it is %s, want a list", pyvalue.Name(v))
	}
	return all, err
}

// readFolder reads the files in bfcl-eval's data folder.
func readFolder(dir string, faults *fault.FaultList) (all []FunctionSample, err error) {
	for _, subset := range Subsets() {
		name := "BFCL_v4_" + subset + ".json"
		rows, err := readLines(filepath.Join(dir, name), faults)
		if err != nil {
			faults.Addf(name, "%v; want the data of bfcl-eval 2026.3.23, with 13 subsets of version 4", err)
			continue
		}
		answers := readAnswers(dir, subset, name, faults)
		for _, row := range rows {
			where := fmt.Sprintf("%s, line %d", name, row.line)
			s, err := parseQuestion(row.Dict)
			if err != nil {
				faults.Addf(where, "%v", err)
				continue
			}
			s.Subset, s.Answers = subset, "[]"
			if answers != nil {
				ok := false
				if s.Answers, ok = answers[s.ID]; !ok {
					faults.Addf(where, "%s has no ground truth in possible_answer/%s: by an empty one silence would be right", s.ID,
						name)
				}
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// readAnswers reads the possible answers of a subset, by question ID. It returns nil for subsets in which no call is
// right.
func readAnswers(dir, subset, name string, faults *fault.FaultList) map[string]string {
	if strings.Contains(subset, "relevance") {
		return nil
	}
	path := filepath.Join(dir, "possible_answer", name)
	rows, err := readLines(path, faults)
	if err != nil {
		faults.Addf("possible_answer/"+name, "%v: without ground truths silence would be right", err)
		return nil
	}
	answers := map[string]string{}
	for _, row := range rows {
		id, _ := pyvalue.Field[string](row.Dict, "id")
		truth, err := asList(row.fieldValue("ground_truth"))
		if err != nil {
			faults.Addf(fmt.Sprintf("possible_answer/%s, line %d", name, row.line), "ground_truth: %v", err)
		}
		answers[id] = pyvalue.JSON(truth)
	}
	return answers
}

// jsonLine is an object from a line of a file of JSON lines.
type jsonLine struct {
	*pyvalue.Dict
	line int // from 1
}

func (l jsonLine) fieldValue(key string) (any, error) {
	v, ok := l.Get(key)
	if !ok {
		return nil, errors.New("it is missing")
	}
	return v, nil
}

const maxBytes = 1 << 28 // of a file; the largest official file has 4 MB

func readLines(path string, faults *fault.FaultList) (all []jsonLine, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = errors.New("it is missing")
		}
		return nil, err
	}
	defer func() { err = cmp.Or(err, f.Close()) }()
	text, err := pyvalue.ReadText(f, maxBytes)
	if err != nil {
		return nil, err
	}
	n := 0
	for part := range strings.SplitSeq(text, "\n") {
		n++
		if strings.TrimSpace(part) == "" {
			continue
		}
		v, err := pyvalue.Decode(part)
		d, ok := v.(*pyvalue.Dict)
		switch {
		case err != nil:
			faults.Addf(fmt.Sprintf("%s, line %d", filepath.Base(path), n), "%v", err)
		case !ok:
			faults.Addf(fmt.Sprintf("%s, line %d", filepath.Base(path), n), "it is %s, want an object", pyvalue.Name(v))
		default:
			all = append(all, jsonLine{d, n})
		}
	}
	return all, nil
}

// ParseSample parses a line of a subset's file of questions and the matching line of possible answers. An empty answer
// means that the subset has no answers.
func ParseSample(subset, question, answer string) (FunctionSample, error) {
	v, err := pyvalue.Decode(question)
	row, ok := v.(*pyvalue.Dict)
	if err != nil || !ok {
		return FunctionSample{}, fmt.Errorf("%w: a question is no object of JSON: %w", ErrDataset, err)
	}
	s, err := parseQuestion(row)
	s.Subset, s.Answers = subset, "[]"
	if err == nil && answer != "" {
		v, err = pyvalue.Decode(answer)
		d, _ := v.(*pyvalue.Dict)
		var truth []any
		if err == nil {
			truth, err = asList(jsonLine{Dict: d}.fieldValue("ground_truth"))
		}
		s.Answers = pyvalue.JSON(truth)
	}
	if err != nil {
		return FunctionSample{}, fmt.Errorf("%w: %s: %w", ErrDataset, s.ID, err)
	}
	return s, nil
}

// parseQuestion converts a line of a file of questions.
func parseQuestion(row *pyvalue.Dict) (s FunctionSample, err error) {
	var ok bool
	if s.ID, ok = pyvalue.Field[string](row, "id"); !ok {
		return s, errors.New("it has no id")
	}
	turns, ok := pyvalue.Field[[]any](row, "question")
	if !ok {
		return s, fmt.Errorf("%s: question is no list of turns", s.ID)
	}
	var flat []any
	for _, turn := range turns {
		messages, ok := turn.([]any)
		if !ok {
			return s, fmt.Errorf("%s: a turn of question is %s, want a list of messages", s.ID, pyvalue.Name(turn))
		}
		flat = append(flat, messages...)
	}
	if s.Messages, err = parseMessages(flat); err != nil {
		return s, fmt.Errorf("%s: question: %w", s.ID, err)
	}
	functions, ok := pyvalue.Field[[]any](row, "function")
	if !ok {
		return s, fmt.Errorf("%s: function is no list", s.ID)
	}
	tools := []any{}
	for _, f := range functions {
		tool, err := ServerTool(f)
		if err != nil {
			return s, fmt.Errorf("%s: %w", s.ID, err)
		}
		tools = append(tools, tool)
	}
	s.Tools, s.Functions = pyvalue.JSON(tools), pyvalue.JSON(functions)
	return s, nil
}

// parseMessages converts a list of objects to messages. An object may contain only role and content. Each may be
// missing or null.
func parseMessages(v any) (all []ChatMessage, err error) {
	messages, err := asList(v, nil)
	if err != nil {
		return nil, err
	}
	for _, item := range messages {
		d, _ := item.(*pyvalue.Dict)
		role, ok := pyvalue.Field[string](d, "role")
		if !ok {
			return nil, errors.New("a message has no role")
		}
		content, _ := d.Get("content")
		text, ok := content.(string)
		if !ok && content != nil {
			return nil, fmt.Errorf("the content of a message is %s, want a text", pyvalue.Name(content))
		}
		all = append(all, ChatMessage{role, text})
	}
	return all, nil
}
