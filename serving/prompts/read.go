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

// rowReader builds the rows of a file.
type rowReader struct {
	options      *parsedOptions
	faults       *Faults
	names        *fieldNamer
	api          API
	apiLine      int // line that determined api; 0: the options did
	rows         []promptRow
	keptBytes    int64
	reportedFull bool                         // the fault that there is no more room was reported
	hasGenerated bool                         // some prompts are generated from lengths
	models       map[string]bool              // models of batch files
	emptyRows    int                          // number of rows without a prompt
	rowCount     int                          // number of rows
	turnTexts    map[int32]turnTexts          // by row, for sessions whose turns are lines
	values       []map[string]json.RawMessage // values of the columns to keep, by row

	conversations, unanswered int
	answers                   int             // number of chats whose last message is a recorded answer
	numbers                   int             // number of rows whose prompt is a number
	conversationNames         map[string]bool // names of conversations
	userMark                  []int32         // ids that begin the user's part of prompts of ids; nil: not determined yet
}

// ReadSet returns the set of requests of a file or of lengths. The error is an ErrOptions or an ErrData; for faults of
// the file it is Faults.
func ReadSet(o PromptOptions) (*PromptSet, error) {
	a, err := o.parseOptions()
	if err != nil {
		return nil, err
	}
	r := &rowReader{options: a, faults: &Faults{File: o.File, Unit: "line"}, names: newNamer(a.columns, o.Keep),
		api:    a.API,
		models: map[string]bool{}, turnTexts: map[int32]turnTexts{},
		conversationNames: map[string]bool{}}
	if o.Form != nil && !r.names.knowsColumn(o.Form.Column) {
		r.names.known[o.Form.Column] = fieldMatch{fPrompt, len(fieldNames[fPrompt])}
	}
	if o.File == "" {
		if r.hasGenerated = true; r.api == "" {
			r.api = r.madeAPI()
		}
		return r.buildSet()
	}
	if err := r.readFile(); err != nil {
		return nil, err
	}
	r.checkWholeFile()
	if len(r.faults.List) > 0 {
		return nil, r.faults
	}
	return r.buildSet()
}

// madeAPI returns the endpoint for generated prompts. Prompts of ids go to completions.
func (r *rowReader) madeAPI() API {
	if r.options.image.n == 0 && (r.options.vocabulary.size() > 0 || r.options.Tokenizer != nil) {
		return Completions
	}
	return Chat
}

// readFile reads all rows.
func (r *rowReader) readFile() (err error) {
	s, err := openSource(r.options.File, r.options.Format)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	switch s.layout {
	case textLayout:
		err = r.readText(s)
	case linesLayout:
		err = eachLine(s.in, func(line int, text []byte) bool {
			return len(bytes.TrimSpace(text)) == 0 || r.addValue(line, text)
		})
	case jsonLayout:
		v := &jsonValues{in: s.in}
		if errJSON := v.eachValue(r.addValue); errJSON != nil {
			r.faults.addFault(v.line, errJSON.Error())
		}
	case csvLayout, tsvLayout:
		err = r.readCSV(s)
	case tableLayout:
		err = r.readTable()
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrData, r.options.File, err)
	}
	return nil
}

// addValue builds the row of a JSON value: an object, or a string, which is a prompt.
func (r *rowReader) addValue(line int, text []byte) bool {
	if !utf8.Valid(text) {
		r.addFaultf(line, "the text is not UTF-8")
		return true
	}
	rec := &sourceRow{line: line}
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '"' && json.Valid(trimmed) {
		rec.cells[fPrompt] = trimmed
	} else if err := rec.readObject(line, text, r.names); err != nil {
		r.faults.addFault(line, err.Error())
		return true
	}
	return r.addRecord(rec)
}

// addRecord builds a row. It returns false if there are too many rows.
func (r *rowReader) addRecord(rec *sourceRow) bool {
	if r.rowCount++; r.rowCount > maxRows {
		r.addFaultf(rec.line, "there are more than %d rows", maxRows)
		return false
	}
	r.buildRow(rec)
	return !r.noteFull(rec.line)
}

// noteFull adds a fault, once, that there is no room for more prompts.
func (r *rowReader) noteFull(line int) bool {
	if r.keptBytes <= r.options.Most {
		return false
	}
	if !r.reportedFull {
		r.reportedFull = true
		r.addFaultf(line, "the prompts up to here have more than %d bytes, with what was said before them: the most that "+
			"is held",
			r.options.Most)
	}
	return true
}

// readText builds a row from each line that is not empty.
func (r *rowReader) readText(s *openFile) error {
	return eachLine(s.in, func(line int, text []byte) bool {
		switch {
		case bytes.IndexByte(text, 0) >= 0:
			r.addFaultf(line, "a byte is 0: want text, a prompt a line")
			return true
		case !utf8.Valid(text):
			r.addFaultf(line, "the text is not UTF-8")
			return true
		case len(bytes.TrimSpace(text)) == 0:
			return true
		}
		rec := &sourceRow{line: line}
		rec.cells[fPrompt], _ = marshalPlain(string(text))
		return r.addRecord(rec)
	})
}

// readCSV builds a row from each record. The first record contains the names of columns.
func (r *rowReader) readCSV(s *openFile) error {
	comma := s.findSeparator(r.names)
	metered := &rowLimiter{r: s.in}
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
		columns[i].place, columns[i].known = r.names.fieldOf(columns[i].name)
	}
	for err == nil {
		metered.n = 0
		var fields []string
		fields, err = in.Read()
		var syntax *csv.ParseError
		switch {
		case errors.Is(err, csv.ErrFieldCount):
			r.addFaultf(syntaxLine(err), "%d fields under %d names of columns", len(fields), len(columns))
			err = nil
			continue
		case errors.As(err, &syntax):
			r.addFaultf(syntax.Line, "column %d: %v", syntax.Column, syntax.Err)
			return nil // the beginning of the next record is unknown
		case err != nil:
			continue
		}
		line, _ := in.FieldPos(0)
		if !r.addCSVRow(line, fields, columns) {
			return nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// csvColumn describes a name in the first line of a CSV file.
type csvColumn struct {
	name  []byte
	place fieldMatch
	known bool
}

// findSeparator determines the separator of CSV fields. If the first line is "sep=;" (as in Excel), it uses that
// separator and skips the line. Otherwise it uses the comma, semicolon or tab with which the line contains known names
// of columns. In TSV it tries the tab first.
func (s *openFile) findSeparator(names *fieldNamer) rune {
	head, _ := s.in.Peek(1 << 16) // a short file returns an error with its content
	line, _, _ := bytes.Cut(head, []byte("\n"))
	said, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r"), []byte("sep="))
	if ok && len(said) == 1 && len(line) < len(head) {
		_, _ = s.in.Discard(len(line) + 1) // the bytes are buffered
		return rune(said[0])
	}
	all := []rune{',', ';', '\t'}
	if s.layout == tsvLayout {
		all = []rune{'\t', ',', ';'}
	}
	best, most := all[0], 0
	for _, comma := range all {
		in := csv.NewReader(bytes.NewReader(line))
		in.Comma, in.LazyQuotes = comma, true
		header, _ := in.Read()
		known := 0
		for _, name := range header {
			if names.knowsColumn(strings.TrimSpace(name)) {
				known++
			}
		}
		if known > most {
			best, most = comma, known
		}
	}
	return best
}

// rowLimiter fails if a row has too many bytes.
type rowLimiter struct {
	r io.Reader
	n int // bytes since the beginning of the row
}

func (m *rowLimiter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if m.n += n; m.n > maxRow {
		return 0, fmt.Errorf("a row has more than %d MiB, the most that it may have", maxRow>>20)
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

// addCSVRow builds the row of a CSV record. An empty field counts as missing.
func (r *rowReader) addCSVRow(line int, fields []string, columns []csvColumn) bool {
	rec := &sourceRow{line: line}
	for i, text := range fields {
		if !utf8.ValidString(text) {
			r.addFaultf(line, "the text is not UTF-8")
			return true
		}
		if text == "" {
			continue
		}
		raw, _ := marshalPlain(text)
		rec.keepValue(r.names, columns[i].name, raw)
		if !columns[i].known {
			continue
		}
		rec.setCell(columns[i].place, raw, r.names, columns[i].name)
	}
	return r.addRecord(rec)
}

// readTable builds the rows of a table.
func (r *rowReader) readTable() (err error) {
	r.faults.Unit = "row"
	if r.options.Table == nil {
		return errors.New("a Parquet file cannot be read here; want JSON lines, JSON, CSV or text")
	}
	t, err := r.options.Table(r.options.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	n := 0
	want := func(column string) bool {
		_, known := r.names.fieldOf([]byte(column))
		return known || slices.Contains(r.names.keptColumns, column)
	}
	for text, err := range t.Rows(want) {
		n++
		if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
		if !r.addValue(n, text) {
			break
		}
	}
	return nil
}

// rowSize is the approximate size of a row without its prompt, in bytes.
const rowSize = 400

// keepRow stores a row.
func (r *rowReader) keepRow(rec *sourceRow, one promptRow) {
	if r.options.salted {
		if err := r.checkSalt(one.ask); err != nil {
			r.addFaultf(rec.line, "%v", err)
			return
		}
	}
	if a := one.ask; a != nil {
		if r.options.sessions && a.Session != "" && !rec.hasField(fConversations) {
			said := turnTexts{includesHistory: rec.hasField(fMessages), hasAnswer: rec.hasField(fAnswer)}
			r.readCell(rec, fAnswer, func(raw json.RawMessage) (err error) { said.answer, err = textOf(raw); return err })
			r.turnTexts[int32(len(r.rows))] = said
		}
		r.keptBytes += rowSize + int64(len(a.Text)+len(a.Messages)+len(a.Input)+len(a.Documents)+len(a.Tools)+4*len(a.IDs))
		if a.Fields != nil && r.options.body != nil {
			merged := maps.Clone(r.options.body)
			maps.Copy(merged, a.Fields)
			a.Fields = merged
		}
	}
	r.keptBytes += int64(8 * len(one.hashes))
	r.rows = append(r.rows, one)
	if len(r.names.keptColumns) > 0 {
		for _, raw := range rec.kept {
			r.keptBytes += int64(len(raw))
		}
		r.values = append(r.values, rec.kept)
	}
}

// checkWholeFile adds the faults that concern the file as a whole.
func (r *rowReader) checkWholeFile() {
	columns := slices.Sorted(maps.Keys(r.names.seenColumns))
	for f, column := range r.options.columns {
		if _, seen := r.names.seenColumns[column]; !seen && len(columns) > 0 {
			r.addFaultf(0, "there is no column %q for --column %s=%s; there are %s", column, fieldNames[f][0], column,
				strings.Join(columns, ", "))
		}
	}
	switch {
	case r.rowCount == 0 && len(r.faults.List) == 0:
		r.addFaultf(0, "the file has no rows; want a prompt in each line, or objects of JSON")
	case r.emptyRows > 0 && r.emptyRows == r.rowCount:
		r.faults.List = slices.DeleteFunc(r.faults.List, func(f Fault) bool { return f.Text == noPrompt })
		r.faults.More = 0
		r.addFaultf(0, "no row has a prompt: the columns are %s; want one of %s, or --column prompt=NAME",
			strings.Join(columns, ", "), strings.Join(append(slices.Clone(fieldNames[fPrompt]), "messages",
				"prompt_token_ids", "conversations"), ", "))
	case len(r.rows) == 0 && r.conversations > 0 && len(r.faults.List) == 0:
		r.addFaultf(0, "no conversation has a question with an answer")
	}
}

// maxTools is the maximum size of a file with tools, in bytes.
const maxTools = 16 << 20

func readTools(path string) (json.RawMessage, error) {
	if path == "" {
		return nil, nil
	}
	text, err := bounded.ReadFile(path, maxTools)
	if err != nil {
		return nil, fmt.Errorf("--tools: %w", err)
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '[' || !json.Valid(text) {
		return nil, fmt.Errorf(`--tools %s: want an array of JSON, [{"type": "function", "function": {...}}, ...]`, path)
	}
	return text, nil
}
