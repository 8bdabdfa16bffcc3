package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// columnField is a field that a column can contain.
type columnField int

const (
	fPrompt columnField = iota
	fMessages
	fIDs
	fOutput
	fInputLength
	fTimestamp
	fDelay
	fSession
	fHashes
	fImage
	fSystem
	fTools
	fLoRA
	fExtra
	fID
	fQuery
	fDocuments
	fAnswer
	fConversations
	fTurns
	fURL
	fBody
	fInstruction
	nFields
)

// fieldNames contains the known names of columns by field. Option --column uses the first. If a row has several of
// them, the first one counts.
var fieldNames = [nFields][]string{
	fPrompt:   {"prompt", "text", "question", "input", "text_input", "texts"},
	fMessages: {"messages"},
	fIDs:      {"ids", "prompt_token_ids", "tok_input", "input_ids"},
	fOutput: {"output", "output_length", "max_tokens", "osl", "output_tokens", "max_completion_tokens",
		"max_output_tokens"},
	fInputLength:   {"input_length", "isl", "input_tokens"},
	fTimestamp:     {"timestamp"},
	fDelay:         {"delay"},
	fSession:       {"session", "session_id"},
	fHashes:        {"hash_ids"},
	fImage:         {"image", "images"},
	fSystem:        {"system"},
	fTools:         {"tools"},
	fLoRA:          {"lora"},
	fExtra:         {"extra"},
	fID:            {"id", "custom_id"},
	fQuery:         {"query"},
	fDocuments:     {"documents"},
	fAnswer:        {"answer", "response", "completion"},
	fConversations: {"conversations"},
	fTurns:         {"turns"},
	fURL:           {"url"},
	fBody:          {"body"},
	fInstruction:   {"instruction"},
}

// onlyNamed are names of fields that only --column can assign, because as names of columns they also have other
// meanings.
var onlyNamed = []string{"ids", "output", "session"}

// readColumns parses FIELD=COLUMN pairs.
func readColumns(pairs []string) (map[columnField]string, error) {
	columns := map[columnField]string{}
	var faults []error
	for _, p := range pairs {
		name, column, ok := strings.Cut(p, "=")
		f := slices.IndexFunc(fieldNames[:], func(names []string) bool { return slices.Contains(names, name) })
		switch {
		case !ok || column == "":
			faults = append(faults, fmt.Errorf("--column %s: want FIELD=COLUMN, as prompt=question", p))
		case f < 0:
			fields := make([]string, nFields)
			for i, names := range fieldNames {
				fields[i] = names[0]
			}
			faults = append(faults, fmt.Errorf("--column %s: there is no field %q; want one of %s", p, name,
				strings.Join(fields, ", ")))
		default:
			columns[columnField(f)] = column
		}
	}
	return columns, errors.Join(faults...)
}

// fieldNamer finds the field of a column.
type fieldNamer struct {
	known       map[string]fieldMatch
	named       map[columnField]string // assigned by --column
	seenColumns map[string]bool        // all columns seen; true if the column has a field
	keptColumns []string               // columns whose values the set stores
	preferences map[[2]string]bool     // pairs of columns of the same field in one row: the one used and the one ignored
}

type fieldMatch struct {
	field columnField
	rank  int // the column with the smallest rank is used
}

func newNamer(named map[columnField]string, keeps []string) *fieldNamer {
	n := &fieldNamer{known: map[string]fieldMatch{}, named: named, seenColumns: map[string]bool{}, keptColumns: keeps,
		preferences: map[[2]string]bool{}}
	taken := map[string]bool{}
	for f, column := range named {
		n.known[column] = fieldMatch{f, 0}
		taken[column] = true
	}
	for f, names := range fieldNames {
		if _, ok := named[columnField(f)]; ok {
			continue
		}
		for rank, name := range names {
			if !taken[name] && !slices.Contains(onlyNamed, name) {
				n.known[name] = fieldMatch{columnField(f), rank}
			}
		}
	}
	return n
}

// maxColumns is the maximum number of columns remembered for notes.
const maxColumns = 1000

// knowsColumn reports whether a column has a field.
func (n *fieldNamer) knowsColumn(column string) bool {
	_, ok := n.known[column]
	if !ok {
		_, ok = n.known[strings.ToLower(column)]
	}
	return ok
}

// fieldOf returns the field of a column, by its name or by its name in lower case.
func (n *fieldNamer) fieldOf(column []byte) (fieldMatch, bool) {
	p, ok := n.known[string(column)]
	if !ok {
		p, ok = n.known[strings.ToLower(string(column))]
	}
	if seen, known := n.seenColumns[string(column)]; (!known || ok && !seen) && len(n.seenColumns) < maxColumns &&
		len(column) < 200 {
		n.seenColumns[string(column)] = ok
	}
	return p, ok
}

// notePreference records that a row had two columns of a field, and which one was used.
func (n *fieldNamer) notePreference(taken, left string) {
	if len(n.preferences) < maxColumns {
		n.preferences[[2]string{taken, left}] = true
	}
}

// listPreferences lists the columns that were used if rows had several of a field.
func (n *fieldNamer) listPreferences() []string {
	var notes []string
	for pair := range n.preferences {
		p, _ := n.fieldOf([]byte(pair[0]))
		notes = append(notes, fmt.Sprintf("rows have both %s and %s: %s is used (--column %s=%s takes the other one)",
			pair[0], pair[1], pair[0], fieldNames[p.field][0], pair[1]))
	}
	slices.Sort(notes)
	return notes
}

// unusedColumns returns the columns without a field, sorted by name.
func (n *fieldNamer) unusedColumns() []string {
	var names []string
	for name, used := range n.seenColumns {
		if !used && !slices.Contains(n.keptColumns, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// sourceRow is an unprocessed row of a file. Its contents are valid until the next row.
type sourceRow struct {
	line    int
	cells   [nFields]json.RawMessage // nil: the row does not have the field
	ranks   [nFields]int
	columns [nFields][]byte // columns of the cells
	kept    map[string]json.RawMessage
}

func (r *sourceRow) hasField(f columnField) bool { return r.cells[f] != nil }

// keepValue stores the value of a column if the set keeps its values.
func (r *sourceRow) keepValue(n *fieldNamer, column []byte, raw json.RawMessage) {
	if n == nil || len(n.keptColumns) == 0 || !slices.Contains(n.keptColumns, string(column)) {
		return
	}
	if r.kept == nil {
		r.kept = map[string]json.RawMessage{}
	}
	r.kept[string(column)] = bytes.Clone(raw)
}

// setCell stores the cell of a column, unless it is null or a preferred column contains the field. If a row has two
// columns of a field with different values, the namer records which one is used. A nil namer means that the cells are
// not from columns.
func (r *sourceRow) setCell(p fieldMatch, raw json.RawMessage, n *fieldNamer, column []byte) {
	if bytes.Equal(raw, []byte("null")) {
		return
	}
	if p.field == fInputLength && len(raw) > 0 && raw[0] == '[' { // input_tokens of MLPerf Endpoints: ids
		p = fieldMatch{fIDs, len(fieldNames[fIDs]) - 1}
	}
	if has := r.cells[p.field]; has != nil {
		taken, left := r.columns[p.field], column
		if r.ranks[p.field] > p.rank {
			taken, left = left, taken
		}
		if n != nil && !bytes.Equal(has, raw) && !bytes.Equal(taken, left) {
			n.notePreference(string(taken), string(left))
		}
		if bytes.Equal(taken, r.columns[p.field]) {
			return
		}
	}
	r.cells[p.field], r.ranks[p.field], r.columns[p.field] = raw, p.rank, column
}

// readObject reads a JSON object into a row. Other values are an error.
func (r *sourceRow) readObject(line int, text []byte, n *fieldNamer) error {
	*r = sourceRow{line: line}
	if !json.Valid(text) {
		without := pyvalue.NullNaN(text)
		if !json.Valid(without) {
			return jsonFault(text)
		}
		text = without
	}
	ok := eachMember(text, func(name, value []byte) {
		r.keepValue(n, name, value)
		if p, known := n.fieldOf(name); known {
			r.setCell(p, value, n, name)
		}
	})
	if !ok {
		return fmt.Errorf("want an object {...}, not %s", firstChars(text))
	}
	return nil
}

// jsonFault describes why text is not valid JSON.
func jsonFault(text []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(text, &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("no JSON: byte %d: %w", syntax.Offset, err)
	}
	return fmt.Errorf("no JSON: %w", err)
}

// firstChars returns the beginning of a text.
func firstChars(text []byte) string {
	const enough = 40
	if len(text) > enough {
		return strconv.Quote(string(text[:enough])) + "..."
	}
	return strconv.Quote(string(text))
}

// textOf returns a cell as text: a string, or a number as written.
func textOf(raw json.RawMessage) (string, error) {
	switch raw[0] {
	case '"':
		return unquoteJSON(raw)
	case '{', '[', 't', 'f':
		return "", fmt.Errorf("want a text, not %s", firstChars(raw))
	}
	return string(raw), nil
}

// unquoteJSON decodes a JSON string.
func unquoteJSON(raw []byte) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// numberOf returns a cell as an integer from 0 to maxValue. It also accepts numbers in strings.
func numberOf(raw json.RawMessage, maxValue int64) (int64, error) {
	text := string(raw)
	if raw[0] == '"' {
		var err error
		if text, err = unquoteJSON(raw); err != nil {
			return 0, err
		}
		text = strings.TrimSpace(text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, errFloat := strconv.ParseFloat(text, 64)
		if errFloat != nil || f != float64(int64(f)) || f > 1<<53 {
			return 0, fmt.Errorf("want a whole number, not %s", firstChars([]byte(text)))
		}
		n = int64(f)
	}
	if n < 0 || n > maxValue {
		return 0, fmt.Errorf("want 0 to %d, not %d", maxValue, n)
	}
	return n, nil
}

// parseStructured returns a cell that contains an array or an object, possibly within a string, as in CSV. It is valid
// as long as the row.
func parseStructured(raw json.RawMessage, open byte) (json.RawMessage, error) {
	if raw[0] == open {
		return raw, nil
	}
	if raw[0] == '"' {
		text, err := unquoteJSON(raw)
		inner := bytes.TrimSpace([]byte(text))
		if err == nil && len(inner) > 0 && inner[0] == open && json.Valid(inner) {
			return inner, nil
		}
	}
	what := "an array [...]"
	if open == '{' {
		what = "an object {...}"
	}
	return nil, fmt.Errorf("want %s, not %s", what, firstChars(raw))
}
