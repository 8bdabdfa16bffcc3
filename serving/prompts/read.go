package prompts

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// reader builds the rows of a file.
type reader struct {
	asked   *asked
	faults  *Faults
	names   *namer
	api     API
	apiLine int // where it was settled; 0: by the options
	rows    []row
	kept    int64
	said    bool             // that there is no room for more
	made    bool             // some prompts are made of lengths
	models  map[string]bool  // of batch files
	empty   int              // rows without a prompt
	all     int              // rows
	spoken  map[int32]spoken // by row, of lines of sessions

	conversations, unanswered int
	answers                   int             // chats whose last message is a recorded answer
	named                     map[string]bool // conversations by their names
}

// Read makes the set of requests of a file, or of lengths. Its error is an ErrOptions, or an ErrData: Faults where the
// file has some.
func Read(o Options) (*Set, error) {
	a, err := o.read()
	if err != nil {
		return nil, err
	}
	r := &reader{asked: a, faults: &Faults{File: o.File, Unit: "line"}, names: newNamer(a.columns), api: a.API,
		models: map[string]bool{}, spoken: map[int32]spoken{},
		named: map[string]bool{}}
	if o.File == "" {
		if r.made = true; r.api == "" {
			r.api = r.madeAPI()
		}
		return r.set()
	}
	if err := r.file(); err != nil {
		return nil, err
	}
	r.judge()
	if len(r.faults.List) > 0 {
		return nil, r.faults
	}
	return r.set()
}

// madeAPI is the API of prompts that are made: ids go to completions.
func (r *reader) madeAPI() API {
	if r.asked.image.n == 0 && (r.asked.vocabulary.size() > 0 || r.asked.Tokenizer != nil) {
		return Completions
	}
	return Chat
}

// file reads all rows.
func (r *reader) file() (err error) {
	s, err := open(r.asked.File, r.asked.Format)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch s.form {
	case inText:
		err = r.text(s)
	case inLines:
		err = lines(s.in, func(line int, text []byte) bool {
			return len(bytes.TrimSpace(text)) == 0 || r.value(line, text)
		})
	case inJSON:
		v := &values{in: s.in}
		if errJSON := v.each(r.value); errJSON != nil {
			r.faults.add(v.line, errJSON.Error())
		}
	case inCSV, inTSV:
		err = r.csv(s)
	case inTable:
		err = r.table()
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrData, r.asked.File, err)
	}
	return nil
}

// value builds the row of a value of JSON: an object, or a text, which is a prompt.
func (r *reader) value(line int, text []byte) bool {
	if !utf8.Valid(text) {
		r.fault(line, "the text is not UTF-8")
		return true
	}
	rec := &record{line: line}
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '"' && json.Valid(trimmed) {
		rec.cells[fPrompt] = trimmed
	} else if err := rec.object(line, text, r.names); err != nil {
		r.faults.add(line, err.Error())
		return true
	}
	return r.record(rec)
}

// record builds a row; false: there are too many.
func (r *reader) record(rec *record) bool {
	if r.all++; r.all > mostRows {
		r.fault(rec.line, "there are more than %d rows", mostRows)
		return false
	}
	r.row(rec)
	return !r.full(rec.line)
}

// full notes, once, that there is no room for more prompts.
func (r *reader) full(line int) bool {
	if r.kept <= r.asked.Most {
		return false
	}
	if !r.said {
		r.said = true
		r.fault(line, "the prompts up to here have more than %d bytes, with what was said before them: the most that is held",
			r.asked.Most)
	}
	return true
}

// text builds a row of each line that is not empty.
func (r *reader) text(s *source) error {
	return lines(s.in, func(line int, text []byte) bool {
		switch {
		case bytes.IndexByte(text, 0) >= 0:
			r.fault(line, "a byte is 0: want text, a prompt a line")
			return true
		case !utf8.Valid(text):
			r.fault(line, "the text is not UTF-8")
			return true
		case len(bytes.TrimSpace(text)) == 0:
			return true
		}
		rec := &record{line: line}
		rec.cells[fPrompt], _ = marshal(string(text))
		return r.record(rec)
	})
}

// csv builds a row of each record; the first has the names of columns.
func (r *reader) csv(s *source) error {
	comma := s.separator(r.names)
	metered := &metered{r: s.in}
	in := csv.NewReader(metered)
	in.ReuseRecord = true
	in.Comma, in.LazyQuotes = comma, comma == '\t'
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil
	}
	columns := make([]csvColumn, len(header))
	for i, name := range header {
		columns[i].name = bytes.TrimSpace([]byte(name))
		columns[i].place, columns[i].known = r.names.of(columns[i].name)
	}
	for err == nil {
		metered.n = 0
		var fields []string
		fields, err = in.Read()
		var syntax *csv.ParseError
		switch {
		case errors.Is(err, csv.ErrFieldCount):
			r.fault(syntaxLine(err), "%d fields under %d names of columns", len(fields), len(columns))
			err = nil
			continue
		case errors.As(err, &syntax):
			r.fault(syntax.Line, "column %d: %v", syntax.Column, syntax.Err)
			return nil // where the next record begins is not known
		case err != nil:
			continue
		}
		line, _ := in.FieldPos(0)
		if !r.fields(line, fields, columns) {
			return nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// csvColumn is what a name in the first line of CSV stands for.
type csvColumn struct {
	name  []byte
	place place
	known bool
}

// separator is what stands between the fields of CSV: what its first line "sep=;" says, which Excel takes and is passed
// over, else that of a comma, a semicolon and a tab which makes names of columns that are known. In TSV a tab is tried
// first.
func (s *source) separator(names *namer) rune {
	head, _ := s.in.Peek(1 << 16) // what there is
	line, _, _ := bytes.Cut(head, []byte("\n"))
	said, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r"), []byte("sep="))
	if ok && len(said) == 1 && len(line) < len(head) {
		_, _ = s.in.Discard(len(line) + 1) // they are there
		return rune(said[0])
	}
	all := []rune{',', ';', '\t'}
	if s.form == inTSV {
		all = []rune{'\t', ',', ';'}
	}
	best, most := all[0], 0
	for _, comma := range all {
		in := csv.NewReader(bytes.NewReader(line))
		in.Comma, in.LazyQuotes = comma, true
		header, _ := in.Read()
		known := 0
		for _, name := range header {
			if names.knows(strings.TrimSpace(name)) {
				known++
			}
		}
		if known > most {
			best, most = comma, known
		}
	}
	return best
}

// metered fails where a row has too many bytes.
type metered struct {
	r io.Reader
	n int // since the row began
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if m.n += n; m.n > mostRow {
		return 0, fmt.Errorf("a row has more than %d MiB, the most that it may have", mostRow>>20)
	}
	return n, err
}

func syntaxLine(err error) int {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return syntax.StartLine
	}
	return 0
}

// fields builds the row of a record of CSV. An empty field is none.
func (r *reader) fields(line int, fields []string, columns []csvColumn) bool {
	rec := &record{line: line}
	for i, text := range fields {
		if !utf8.ValidString(text) {
			r.fault(line, "the text is not UTF-8")
			return true
		}
		if !columns[i].known || text == "" {
			continue
		}
		raw, _ := marshal(text)
		rec.set(columns[i].place, raw, r.names, columns[i].name)
	}
	return r.record(rec)
}

// table builds the rows of a table.
func (r *reader) table() (err error) {
	r.faults.Unit = "row"
	if r.asked.Table == nil {
		return errors.New("a Parquet file cannot be read here; want JSON lines, JSON, CSV or text")
	}
	t, err := r.asked.Table(r.asked.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	n := 0
	want := func(column string) bool {
		_, known := r.names.of([]byte(column))
		return known
	}
	for text, err := range t.Rows(want) {
		n++
		if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		if !r.value(n, text) {
			break
		}
	}
	return nil
}

// rowSize is about what a row takes beside its prompt, in bytes.
const rowSize = 400

// keep takes a row.
func (r *reader) keep(rec *record, one row) {
	if r.asked.salted {
		if err := checkSalt(one.ask); err != nil {
			r.fault(rec.line, "%v", err)
			return
		}
	}
	if a := one.ask; a != nil {
		if r.asked.sessions && a.Session != "" && !rec.has(fConversations) {
			said := spoken{whole: rec.has(fMessages), hasAnswer: rec.has(fAnswer)}
			r.cell(rec, fAnswer, func(raw json.RawMessage) (err error) { said.answer, err = textOf(raw); return err })
			r.spoken[int32(len(r.rows))] = said
		}
		r.kept += rowSize + int64(len(a.Text)+len(a.Messages)+len(a.Input)+len(a.Documents)+len(a.Tools)+4*len(a.IDs))
		if a.Fields != nil && r.asked.body != nil {
			merged := maps.Clone(r.asked.body)
			maps.Copy(merged, a.Fields)
			a.Fields = merged
		}
	}
	r.kept += int64(8 * len(one.hashes))
	r.rows = append(r.rows, one)
}

// judge adds the faults of the file as a whole.
func (r *reader) judge() {
	columns := slices.Sorted(maps.Keys(r.names.found))
	for f, column := range r.asked.columns {
		if _, seen := r.names.found[column]; !seen && len(columns) > 0 {
			r.fault(0, "there is no column %q for --column %s=%s; there are %s", column, fieldNames[f][0], column,
				strings.Join(columns, ", "))
		}
	}
	switch {
	case r.all == 0 && len(r.faults.List) == 0:
		r.fault(0, "the file has no rows; want a prompt in each line, or objects of JSON")
	case r.empty > 0 && r.empty == r.all:
		r.faults.List = slices.DeleteFunc(r.faults.List, func(f Fault) bool { return f.Text == noPrompt })
		r.faults.More = 0
		r.fault(0, "no row has a prompt: the columns are %s; want one of %s, or --column prompt=NAME",
			strings.Join(columns, ", "), strings.Join(append(slices.Clone(fieldNames[fPrompt]), "messages",
				"prompt_token_ids", "conversations"), ", "))
	case len(r.rows) == 0 && r.conversations > 0 && len(r.faults.List) == 0:
		r.fault(0, "no conversation has a question with an answer")
	}
}

// mostTools is the size up to which a file of tools is read.
const mostTools = 16 << 20

func readTools(path string) (json.RawMessage, error) {
	if path == "" {
		return nil, nil
	}
	text, err := bounded.ReadFile(path, mostTools)
	if err != nil {
		return nil, fmt.Errorf("--tools: %w", err)
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '[' || !json.Valid(text) {
		return nil, fmt.Errorf(`--tools %s: want an array of JSON, [{"type": "function", "function": {...}}, ...]`, path)
	}
	return text, nil
}
