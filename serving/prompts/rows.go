package prompts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// promptRow is a row of the data, ready to be sent. It is small for a row of a trace, because traces can have millions
// of rows.
type promptRow struct {
	ask     *Ask // nil: the row contains only lengths
	hashes  []uint64
	due     time.Duration
	in, out int32 // lengths; in 0: ask contains the prompt
	line    int32
	hasDue  bool
	exact   bool // the answer must have the length out
}

// buildRow builds the row of a record.
func (r *rowReader) buildRow(rec *sourceRow) {
	switch {
	case rec.hasField(fConversations):
		r.buildConversation(rec)
	case rec.hasField(fTurns):
		r.buildListedTurns(rec)
	case rec.hasField(fURL) && rec.hasField(fBody):
		r.buildBatchLine(rec)
	default:
		switch r.options.Format {
		case "sharegpt":
			r.addFaultf(rec.line, "no conversations: want rows of ShareGPT")
		case "batch":
			r.addFaultf(rec.line, "no url and body: want rows of a batch file")
		default:
			r.buildPlain(rec, &Ask{})
		}
	}
}

// buildListedTurns builds the rows of a session with a list of turns, each a text or an object like a row. Without
// sessions it uses only the first turn.
func (r *rowReader) buildListedTurns(rec *sourceRow) {
	session := rec.cells[fSession]
	if session == nil {
		session, _ = marshalPlain(fmt.Sprintf("#%d", r.rowCount))
	}
	r.readCell(rec, fTurns, func(raw json.RawMessage) error {
		list, err := parseStructured(raw, '[')
		if err != nil {
			return err
		}
		n := 0
		eachElement(list, func(value []byte) bool {
			n++
			turn := sourceRow{line: rec.line}
			if value[0] == '"' {
				turn.cells[fPrompt] = value
			} else if err = turn.readObject(rec.line, value, r.names); err != nil {
				err = fmt.Errorf("turn %d: %w", n, err)
				return false
			}
			if r.options.sessions {
				turn.cells[fSession] = session
			}
			for _, f := range []columnField{fSystem, fTimestamp, fLoRA, fTools, fID} { // set once for the whole session
				if n == 1 && !turn.hasField(f) {
					turn.cells[f] = rec.cells[f]
				}
			}
			r.buildPlain(&turn, &Ask{})
			return r.options.sessions && !r.noteFull(rec.line)
		})
		if err == nil && n == 0 {
			err = errors.New("there is no turn")
		}
		return err
	})
}

func (r *rowReader) addFaultf(line int, format string, args ...any) {
	r.faults.addFault(line, fmt.Sprintf(format, args...))
}

// readCell calls read with the cell of a field, if there is one, and adds its fault.
func (r *rowReader) readCell(rec *sourceRow, f columnField, read func(raw json.RawMessage) error) {
	if !rec.hasField(f) {
		return
	}
	if err := read(rec.cells[f]); err != nil {
		name := fieldNames[f][rec.ranks[f]]
		if column, ok := r.options.columns[f]; ok {
			name = column
		}
		r.addFaultf(rec.line, "%s: %v", name, err)
	}
}

// buildPlain sets a from a row with a column for each field.
func (r *rowReader) buildPlain(rec *sourceRow, a *Ask) {
	before := len(r.faults.List) + r.faults.More
	row := promptRow{ask: a, line: int32(min(rec.line, math.MaxInt32))}
	r.readCommonFields(rec, &row)
	if cell := rec.cells[fPrompt]; rec.hasField(fPrompt) && (cell[0] == '-' || cell[0] >= '0' && cell[0] <= '9') {
		r.numbers++
	}
	r.buildInstruction(rec)
	r.buildForm(rec, a)
	if !r.chooseAPI(rec) {
		return
	}
	if a.API = r.api; r.hasOnlyLengths(rec) {
		r.buildTraceRow(rec, &row)
	} else {
		r.buildPrompt(rec, a)
		r.answerLength(rec, &row)
	}
	if len(r.faults.List)+r.faults.More > before {
		return
	}
	r.keepRow(rec, row)
}

// buildInstruction builds the prompt of rows with a column for the instruction, as in alpaca: the instruction and,
// after an empty line, the input if there is one.
func (r *rowReader) buildInstruction(rec *sourceRow) {
	r.readCell(rec, fInstruction, func(raw json.RawMessage) error {
		text, err := textOf(raw)
		if err != nil || rec.hasField(fPrompt) && rec.cells[fPrompt][0] != '"' {
			return err
		}
		if rec.hasField(fPrompt) {
			about, err := textOf(rec.cells[fPrompt])
			if err != nil {
				return err
			}
			if strings.TrimSpace(about) != "" {
				text += "\n\n" + about
			}
		}
		rec.cells[fPrompt], err = marshalPlain(text)
		return err
	})
}

// buildForm builds the prompt of rows with the column of the form.
func (r *rowReader) buildForm(rec *sourceRow, a *Ask) {
	form := r.options.Form
	if form == nil || !rec.hasField(fPrompt) || string(rec.columns[fPrompt]) != form.Column {
		return
	}
	r.readCell(rec, fPrompt, func(raw json.RawMessage) error {
		text, err := promptText(raw)
		if err != nil {
			return err
		}
		if rec.cells[fPrompt], err = marshalPlain(strings.Replace(form.Text, "{}", text, 1)); err != nil {
			return err
		}
		if len(form.Fields) > 0 {
			fields := maps.Clone(form.Fields)
			maps.Copy(fields, a.Fields)
			a.Fields = fields
		}
		return nil
	})
}

// readCommonFields reads the fields that rows of all endpoints may contain.
func (r *rowReader) readCommonFields(rec *sourceRow, row *promptRow) {
	a := row.ask
	r.readCell(rec, fID, func(raw json.RawMessage) (err error) { a.ID, err = textOf(raw); return err })
	r.readCell(rec, fLoRA, func(raw json.RawMessage) (err error) { a.Model, err = textOf(raw); return err })
	r.readCell(rec, fTools, func(raw json.RawMessage) error {
		tools, err := parseStructured(raw, '[')
		a.Tools = bytes.Clone(tools)
		return err
	})
	r.readCell(rec, fSession, func(raw json.RawMessage) (err error) { a.Session, err = textOf(raw); return err })
	r.readCell(rec, fOutput, func(raw json.RawMessage) error {
		n, err := numberOf(raw, maxLength)
		if err == nil && n == 0 {
			err = errors.New("want 1 or more, not 0")
		}
		a.MaxTokens = int(n)
		return err
	})
	r.readCell(rec, fTimestamp, func(raw json.RawMessage) (err error) {
		row.due, err = parseMoment(raw)
		row.hasDue = true
		return err
	})
	r.readCell(rec, fDelay, func(raw json.RawMessage) (err error) { a.Think, err = parseMilliseconds(raw); return err })
	r.readCell(rec, fExtra, func(raw json.RawMessage) error {
		text, err := parseStructured(raw, '{')
		if err == nil {
			r.takeExtraFields(text, a)
		}
		return err
	})
}

// takeExtraFields adds the members of an object as fields of a request. The limit of tokens becomes MaxTokens.
func (r *rowReader) takeExtraFields(object json.RawMessage, a *Ask) {
	eachMember(object, func(name, value []byte) {
		key := string(name)
		if slices.Contains(fieldNames[fOutput], key) && key != "output" {
			if n, err := numberOf(value, maxLength); err == nil && n > 0 {
				a.MaxTokens = int(n)
				return
			}
		}
		if a.Fields == nil {
			a.Fields = map[string]json.RawMessage{}
		}
		a.Fields[key] = bytes.Clone(value)
	})
}

// parseMilliseconds parses a time in ms.
func parseMilliseconds(raw json.RawMessage) (time.Duration, error) {
	text := strings.Trim(string(raw), `" `)
	var ms float64
	if err := json.Unmarshal([]byte(text), &ms); err != nil {
		return 0, fmt.Errorf("want milliseconds, not %s", firstChars(raw))
	}
	if ms < 0 || ms > float64(math.MaxInt64/int64(time.Millisecond)) {
		return 0, fmt.Errorf("want milliseconds from 0 on, not %v", ms)
	}
	return time.Duration(math.Round(ms * float64(time.Millisecond))), nil
}

// parseMoment parses a time in ms from any origin, or a date with a time of day.
func parseMoment(raw json.RawMessage) (time.Duration, error) {
	due, err := parseMilliseconds(raw)
	if err == nil || raw[0] != '"' {
		return due, err
	}
	text, errText := unquoteJSON(raw)
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, errTime := time.Parse(layout, strings.TrimSpace(text)); errText == nil && errTime == nil {
			return time.Duration(t.UnixNano()), nil
		}
	}
	return 0, fmt.Errorf("want milliseconds or a time as 2026-11-23T10:00:00Z, not %s", firstChars(raw))
}

// chooseAPI determines the endpoint from the first row, unless it was requested.
func (r *rowReader) chooseAPI(rec *sourceRow) bool {
	if r.api != "" {
		return true
	}
	switch {
	case r.hasOnlyLengths(rec):
		r.api = r.madeAPI()
	case rec.hasField(fQuery) && rec.hasField(fDocuments):
		r.api = Rerank
	case rec.hasField(fIDs) && r.options.PreferIDs:
		r.api = Completions
	case rec.hasField(fMessages), rec.hasField(fPrompt):
		r.api = Chat
	case rec.hasField(fIDs):
		r.api = Completions
	default:
		r.noteNoPrompt(rec)
		return false
	}
	r.apiLine = rec.line
	return true
}

// noteNoPrompt counts a row without a prompt.
func (r *rowReader) noteNoPrompt(rec *sourceRow) {
	r.emptyRows++
	r.addFaultf(rec.line, "%s", noPrompt)
}

const noPrompt = "no prompt"

// hasOnlyLengths reports whether a row contains the length of a prompt but not the prompt.
func (r *rowReader) hasOnlyLengths(rec *sourceRow) bool {
	if r.options.lengths.traceIn {
		return true
	}
	return rec.hasField(fInputLength) && !rec.hasField(fPrompt) && !rec.hasField(fMessages) && !rec.hasField(fIDs) &&
		!rec.hasField(fQuery)
}

// buildTraceRow builds a row of a trace.
func (r *rowReader) buildTraceRow(rec *sourceRow, row *promptRow) {
	if !rec.hasField(fInputLength) && r.options.Tokenizer != nil && rec.hasField(fPrompt) {
		r.countLengths(rec, row)
	} else if !rec.hasField(fInputLength) {
		r.addFaultf(rec.line, "no length of the prompt: want a column input_length or --column input_length=NAME, or a "+
			"prompt "+
			"and --tokenizer")
		return
	}
	r.readCell(rec, fInputLength, func(raw json.RawMessage) error {
		n, err := numberOf(raw, maxLength)
		if err == nil && n == 0 {
			err = errors.New("want 1 or more, not 0")
		}
		row.in = int32(n)
		return err
	})
	r.readCell(rec, fHashes, func(raw json.RawMessage) (err error) {
		row.hashes, err = r.parseBlockHashes(raw, int(row.in))
		return err
	})
	row.out, row.exact = int32(row.ask.MaxTokens), row.ask.MaxTokens > 0
	r.hasGenerated = true
	if a := row.ask; a.ID == "" && a.Model == "" && a.Tools == nil && a.Session == "" && a.Fields == nil && a.Think == 0 {
		row.ask = nil
	}
}

// parseBlockHashes returns the hashes of a prompt's blocks. Their number must correspond to the prompt's length.
func (r *rowReader) parseBlockHashes(raw json.RawMessage, length int) ([]uint64, error) {
	list, err := parseStructured(raw, '[')
	if err != nil {
		return nil, err
	}
	hashes := make([]uint64, 0, bytes.Count(list, []byte(","))+1)
	eachElement(list, func(value []byte) bool {
		var n int64
		n, err = numberOf(value, math.MaxInt64)
		hashes = append(hashes, uint64(n))
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	size := r.options.Block
	if want := (length + size - 1) / size; len(hashes) > 0 && length > 0 && want != len(hashes) {
		return nil, fmt.Errorf("%d blocks of %d tokens are not %d tokens; want %d of them, or --block N", len(hashes), size,
			length, want)
	}
	return hashes, nil
}

// answerLength determines the requested length of the answer to a prompt of the data, from its column or from the
// recorded answer.
func (r *rowReader) answerLength(rec *sourceRow, row *promptRow) {
	if !r.options.lengths.traceOut {
		return
	}
	if a := row.ask; a.MaxTokens == 0 && r.options.Tokenizer != nil {
		r.readCell(rec, fAnswer, func(raw json.RawMessage) error {
			text, err := textOf(raw)
			a.MaxTokens = len(r.options.Tokenizer.EncodePlain(nil, text))
			return err
		})
	}
	if row.out, row.exact = int32(row.ask.MaxTokens), true; row.out == 0 {
		r.addFaultf(rec.line, "no length of the answer: want a column output_length or --column output=NAME, or a column "+
			"answer "+
			"and --tokenizer")
	}
}

// countLengths counts the tokens of the texts of a row.
func (r *rowReader) countLengths(rec *sourceRow, row *promptRow) {
	for f, into := range map[columnField]func(n int){
		fPrompt: func(n int) { row.in = int32(n) },
		fAnswer: func(n int) {
			row.ask.MaxTokens = cmp.Or(row.ask.MaxTokens, n)
		},
	} {
		r.readCell(rec, f, func(raw json.RawMessage) error {
			text, err := textOf(raw)
			if err != nil {
				return err
			}
			n := len(r.options.Tokenizer.EncodePlain(nil, text))
			if n == 0 {
				return errors.New("the text is empty")
			}
			into(n)
			return nil
		})
	}
}

// buildPrompt builds the prompt of a row.
func (r *rowReader) buildPrompt(rec *sourceRow, a *Ask) {
	switch r.api {
	case Chat, Responses:
		r.buildChat(rec, a)
	case Completions:
		r.buildCompletion(rec, a)
	case Embeddings:
		r.buildEmbedding(rec, a)
	case Rerank:
		r.buildRerank(rec, a)
	}
}

func (r *rowReader) buildCompletion(rec *sourceRow, a *Ask) {
	switch {
	case rec.hasField(fIDs):
		r.readTokenIDs(rec, fIDs, a)
	case rec.hasField(fPrompt) && rec.cells[fPrompt][0] == '[':
		r.readTokenIDs(rec, fPrompt, a)
	case rec.hasField(fPrompt):
		r.readCell(rec, fPrompt, func(raw json.RawMessage) (err error) { a.Text, err = promptText(raw); return err })
		r.readCell(rec, fSystem, func(raw json.RawMessage) error {
			system, err := textOf(raw)
			system += "\n\n"
			a.Text, a.user = system+a.Text, len(system)
			return err
		})
	case rec.hasField(fMessages):
		r.addFaultf(rec.line, "messages are of chats: want --api chat or responses, not completions")
	default:
		r.noteNoPrompt(rec)
	}
}

// promptText returns a prompt, which must not be empty.
func promptText(raw json.RawMessage) (string, error) {
	text, err := textOf(raw)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("the prompt is empty")
	}
	return text, err
}

func (r *rowReader) readTokenIDs(rec *sourceRow, f columnField, a *Ask) {
	r.readCell(rec, f, func(raw json.RawMessage) error {
		list, err := parseStructured(raw, '[')
		if err != nil {
			return err
		}
		a.IDs = make([]int32, 0, bytes.Count(list, []byte(","))+1)
		eachElement(list, func(value []byte) bool {
			var n int64
			n, err = numberOf(value, math.MaxInt32)
			a.IDs = append(a.IDs, int32(n))
			return err == nil
		})
		if err == nil && len(a.IDs) == 0 {
			err = errors.New("the prompt is empty")
		}
		a.InputTokens = len(a.IDs)
		return err
	})
}

func (r *rowReader) buildEmbedding(rec *sourceRow, a *Ask) {
	f := fPrompt
	if rec.hasField(fIDs) {
		f = fIDs
	}
	if !rec.hasField(f) {
		r.noteNoPrompt(rec)
		return
	}
	r.readCell(rec, f, func(raw json.RawMessage) error {
		if raw[0] != '[' {
			if _, err := promptText(raw); err != nil {
				return err
			}
			if raw[0] != '"' { // a number as written
				raw = json.RawMessage(`"` + string(raw) + `"`)
			}
		} else if bytes.Equal(bytes.TrimSpace(raw[1:len(raw)-1]), nil) {
			return errors.New("the list is empty")
		}
		a.Input = bytes.Clone(raw)
		return nil
	})
	a.MaxTokens = 0
}

func (r *rowReader) buildRerank(rec *sourceRow, a *Ask) {
	if !rec.hasField(fQuery) || !rec.hasField(fDocuments) {
		r.addFaultf(rec.line, "want query and documents for --api rerank")
		return
	}
	r.readCell(rec, fQuery, func(raw json.RawMessage) (err error) { a.Query, err = promptText(raw); return err })
	r.readCell(rec, fDocuments, func(raw json.RawMessage) error {
		documents, err := parseStructured(raw, '[')
		a.Documents = bytes.Clone(documents)
		if err == nil && len(bytes.TrimSpace(a.Documents[1:len(a.Documents)-1])) == 0 {
			err = errors.New("the list is empty")
		}
		return err
	})
	a.MaxTokens = 0
}
