package prompts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// row is one of the data, ready to be asked. It is small for a row of a trace, of which there can be millions.
type row struct {
	ask     *Ask // nil: lengths alone
	hashes  []uint64
	due     time.Duration
	in, out int32 // lengths; in 0: ask has the prompt
	line    int32
	hasDue  bool
	exact   bool // the answer is as long as out
}

// ask builds a row of a record.
func (r *reader) row(rec *record) {
	switch {
	case rec.has(fConversations):
		r.conversation(rec)
	case rec.has(fTurns):
		r.listed(rec)
	case rec.has(fURL) && rec.has(fBody):
		r.batch(rec)
	default:
		switch r.asked.Format {
		case "sharegpt":
			r.fault(rec.line, "no conversations: want rows of ShareGPT")
		case "batch":
			r.fault(rec.line, "no url and body: want rows of a batch file")
		default:
			r.plain(rec, &Ask{})
		}
	}
}

// listed builds the rows of a session whose turns are a list: of texts, or of objects as rows are. Without sessions it
// is the first of them.
func (r *reader) listed(rec *record) {
	session := rec.cells[fSession]
	if session == nil {
		session, _ = marshal(fmt.Sprintf("#%d", r.all))
	}
	r.cell(rec, fTurns, func(raw json.RawMessage) error {
		list, err := structured(raw, '[')
		if err != nil {
			return err
		}
		n := 0
		eachElement(list, func(value []byte) bool {
			n++
			turn := record{line: rec.line}
			if value[0] == '"' {
				turn.cells[fPrompt] = value
			} else if err = turn.object(rec.line, value, r.names); err != nil {
				err = fmt.Errorf("turn %d: %w", n, err)
				return false
			}
			if r.asked.sessions {
				turn.cells[fSession] = session
			}
			for _, f := range []field{fSystem, fTimestamp, fLoRA, fTools, fID} { // said once, of the whole session
				if n == 1 && !turn.has(f) {
					turn.cells[f] = rec.cells[f]
				}
			}
			r.plain(&turn, &Ask{})
			return r.asked.sessions && !r.full(rec.line)
		})
		if err == nil && n == 0 {
			err = errors.New("there is no turn")
		}
		return err
	})
}

func (r *reader) fault(line int, format string, args ...any) {
	r.faults.add(line, fmt.Sprintf(format, args...))
}

// cell runs read on the cell of a field, if there is one, and notes its fault.
func (r *reader) cell(rec *record, f field, read func(raw json.RawMessage) error) {
	if !rec.has(f) {
		return
	}
	if err := read(rec.cells[f]); err != nil {
		name := fieldNames[f][rec.ranks[f]]
		if column, ok := r.asked.columns[f]; ok {
			name = column
		}
		r.fault(rec.line, "%s: %v", name, err)
	}
}

// plain builds a row that has each thing in a column of its own, into a.
func (r *reader) plain(rec *record, a *Ask) {
	before := len(r.faults.List) + r.faults.More
	row := row{ask: a, line: int32(min(rec.line, math.MaxInt32))}
	r.common(rec, &row)
	r.instruct(rec)
	if !r.choose(rec) {
		return
	}
	if a.API = r.api; r.lengthsAlone(rec) {
		r.lengths(rec, &row)
	} else {
		r.prompt(rec, a)
		r.answerLength(rec, &row)
	}
	if len(r.faults.List)+r.faults.More > before {
		return
	}
	r.keep(rec, row)
}

// instruct makes the prompt of rows that say what is to be done in a column of its own, as alpaca's do: the
// instruction, and behind an empty line what it is about, where there is anything.
func (r *reader) instruct(rec *record) {
	r.cell(rec, fInstruction, func(raw json.RawMessage) error {
		text, err := textOf(raw)
		if err != nil || rec.has(fPrompt) && rec.cells[fPrompt][0] != '"' {
			return err
		}
		if rec.has(fPrompt) {
			about, err := textOf(rec.cells[fPrompt])
			if err != nil {
				return err
			}
			if strings.TrimSpace(about) != "" {
				text += "\n\n" + about
			}
		}
		rec.cells[fPrompt], err = marshal(text)
		return err
	})
}

// common reads what rows of all APIs may have.
func (r *reader) common(rec *record, row *row) {
	a := row.ask
	r.cell(rec, fID, func(raw json.RawMessage) (err error) { a.ID, err = textOf(raw); return err })
	r.cell(rec, fLoRA, func(raw json.RawMessage) (err error) { a.Model, err = textOf(raw); return err })
	r.cell(rec, fTools, func(raw json.RawMessage) error {
		tools, err := structured(raw, '[')
		a.Tools = bytes.Clone(tools)
		return err
	})
	r.cell(rec, fSession, func(raw json.RawMessage) (err error) { a.Session, err = textOf(raw); return err })
	r.cell(rec, fOutput, func(raw json.RawMessage) error {
		n, err := numberOf(raw, most)
		if err == nil && n == 0 {
			err = errors.New("want 1 or more, not 0")
		}
		a.MaxTokens = int(n)
		return err
	})
	r.cell(rec, fTimestamp, func(raw json.RawMessage) (err error) {
		row.due, err = moment(raw)
		row.hasDue = true
		return err
	})
	r.cell(rec, fDelay, func(raw json.RawMessage) (err error) { a.Think, err = milliseconds(raw); return err })
	r.cell(rec, fExtra, func(raw json.RawMessage) error {
		text, err := structured(raw, '{')
		if err == nil {
			r.extra(text, a)
		}
		return err
	})
}

// extra takes the members of an object as fields of a request; its limit of tokens is the request's.
func (r *reader) extra(object json.RawMessage, a *Ask) {
	eachMember(object, func(name, value []byte) {
		key := string(name)
		if slices.Contains(fieldNames[fOutput], key) && key != "output" {
			if n, err := numberOf(value, most); err == nil && n > 0 {
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

// milliseconds reads a time in ms.
func milliseconds(raw json.RawMessage) (time.Duration, error) {
	text := strings.Trim(string(raw), `" `)
	var ms float64
	if err := json.Unmarshal([]byte(text), &ms); err != nil {
		return 0, fmt.Errorf("want milliseconds, not %s", glimpse(raw))
	}
	if ms < 0 || ms > float64(math.MaxInt64/int64(time.Millisecond)) {
		return 0, fmt.Errorf("want milliseconds from 0 on, not %v", ms)
	}
	return time.Duration(math.Round(ms * float64(time.Millisecond))), nil
}

// moment reads a time in ms from any zero, or a date with a time of day.
func moment(raw json.RawMessage) (time.Duration, error) {
	due, err := milliseconds(raw)
	if err == nil || raw[0] != '"' {
		return due, err
	}
	text, errText := unquote(raw)
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, errTime := time.Parse(layout, strings.TrimSpace(text)); errText == nil && errTime == nil {
			return time.Duration(t.UnixNano()), nil
		}
	}
	return 0, fmt.Errorf("want milliseconds or a time as 2026-11-23T10:00:00Z, not %s", glimpse(raw))
}

// choose settles the API by the first row, unless it was asked for.
func (r *reader) choose(rec *record) bool {
	if r.api != "" {
		return true
	}
	switch {
	case r.lengthsAlone(rec):
		r.api = r.madeAPI()
	case rec.has(fQuery) && rec.has(fDocuments):
		r.api = Rerank
	case rec.has(fMessages), rec.has(fPrompt):
		r.api = Chat
	case rec.has(fIDs):
		r.api = Completions
	default:
		r.nothing(rec)
		return false
	}
	r.apiLine = rec.line
	return true
}

// nothing notes a row without a prompt.
func (r *reader) nothing(rec *record) {
	r.empty++
	r.fault(rec.line, "%s", noPrompt)
}

const noPrompt = "no prompt"

// lengthsAlone tells whether a row says how long a prompt is, and not what it is.
func (r *reader) lengthsAlone(rec *record) bool {
	if r.asked.lengths.traceIn {
		return true
	}
	return rec.has(fInputLength) && !rec.has(fPrompt) && !rec.has(fMessages) && !rec.has(fIDs) && !rec.has(fQuery)
}

// lengths builds a row of a trace.
func (r *reader) lengths(rec *record, row *row) {
	if !rec.has(fInputLength) && r.asked.Tokenizer != nil && rec.has(fPrompt) {
		r.count(rec, row)
	} else if !rec.has(fInputLength) {
		r.fault(rec.line, "no length of the prompt: want a column input_length or --column input_length=NAME, or a prompt "+
			"and --tokenizer")
		return
	}
	r.cell(rec, fInputLength, func(raw json.RawMessage) error {
		n, err := numberOf(raw, most)
		if err == nil && n == 0 {
			err = errors.New("want 1 or more, not 0")
		}
		row.in = int32(n)
		return err
	})
	r.cell(rec, fHashes, func(raw json.RawMessage) (err error) {
		row.hashes, err = r.blocks(raw, int(row.in))
		return err
	})
	row.out, row.exact = int32(row.ask.MaxTokens), row.ask.MaxTokens > 0
	r.made = true
	if a := row.ask; a.ID == "" && a.Model == "" && a.Tools == nil && a.Session == "" && a.Fields == nil && a.Think == 0 {
		row.ask = nil
	}
}

// blocks are the hashes of a prompt's blocks, which are as many as its length says.
func (r *reader) blocks(raw json.RawMessage, length int) ([]uint64, error) {
	list, err := structured(raw, '[')
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
	size := r.asked.Block
	if want := (length + size - 1) / size; len(hashes) > 0 && length > 0 && want != len(hashes) {
		return nil, fmt.Errorf("%d blocks of %d tokens are not %d tokens; want %d of them, or --block N", len(hashes), size,
			length, want)
	}
	return hashes, nil
}

// answerLength settles how long the answer to a prompt of the data is, where that was asked for: by its column, or by
// the recorded answer.
func (r *reader) answerLength(rec *record, row *row) {
	if !r.asked.lengths.traceOut {
		return
	}
	if a := row.ask; a.MaxTokens == 0 && r.asked.Tokenizer != nil {
		r.cell(rec, fAnswer, func(raw json.RawMessage) error {
			text, err := textOf(raw)
			a.MaxTokens = len(r.asked.Tokenizer.EncodePlain(nil, text))
			return err
		})
	}
	if row.out, row.exact = int32(row.ask.MaxTokens), true; row.out == 0 {
		r.fault(rec.line, "no length of the answer: want a column output_length or --column output=NAME, or a column answer "+
			"and --tokenizer")
	}
}

// count takes the lengths of the texts of a row.
func (r *reader) count(rec *record, row *row) {
	for f, into := range map[field]func(n int){
		fPrompt: func(n int) { row.in = int32(n) },
		fAnswer: func(n int) {
			row.ask.MaxTokens = cmp.Or(row.ask.MaxTokens, n)
		},
	} {
		r.cell(rec, f, func(raw json.RawMessage) error {
			text, err := textOf(raw)
			if err != nil {
				return err
			}
			n := len(r.asked.Tokenizer.EncodePlain(nil, text))
			if n == 0 {
				return errors.New("the text is empty")
			}
			into(n)
			return nil
		})
	}
}

// prompt builds what a row asks.
func (r *reader) prompt(rec *record, a *Ask) {
	switch r.api {
	case Chat, Responses:
		r.chat(rec, a)
	case Completions:
		r.completion(rec, a)
	case Embeddings:
		r.embedding(rec, a)
	case Rerank:
		r.rerank(rec, a)
	}
}

func (r *reader) completion(rec *record, a *Ask) {
	switch {
	case rec.has(fIDs):
		r.ids(rec, fIDs, a)
	case rec.has(fPrompt) && rec.cells[fPrompt][0] == '[':
		r.ids(rec, fPrompt, a)
	case rec.has(fPrompt):
		r.cell(rec, fPrompt, func(raw json.RawMessage) (err error) { a.Text, err = promptText(raw); return err })
		r.cell(rec, fSystem, func(raw json.RawMessage) error {
			system, err := textOf(raw)
			system += "\n\n"
			a.Text, a.user = system+a.Text, len(system)
			return err
		})
	case rec.has(fMessages):
		r.fault(rec.line, "messages are of chats: want --api chat or responses, not completions")
	default:
		r.nothing(rec)
	}
}

// promptText is a prompt, which is not empty.
func promptText(raw json.RawMessage) (string, error) {
	text, err := textOf(raw)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("the prompt is empty")
	}
	return text, err
}

func (r *reader) ids(rec *record, f field, a *Ask) {
	r.cell(rec, f, func(raw json.RawMessage) error {
		list, err := structured(raw, '[')
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

func (r *reader) embedding(rec *record, a *Ask) {
	f := fPrompt
	if rec.has(fIDs) {
		f = fIDs
	}
	if !rec.has(f) {
		r.nothing(rec)
		return
	}
	r.cell(rec, f, func(raw json.RawMessage) error {
		if raw[0] != '[' {
			if _, err := promptText(raw); err != nil {
				return err
			}
			if raw[0] != '"' { // a number as it is written
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

func (r *reader) rerank(rec *record, a *Ask) {
	if !rec.has(fQuery) || !rec.has(fDocuments) {
		r.fault(rec.line, "want query and documents for --api rerank")
		return
	}
	r.cell(rec, fQuery, func(raw json.RawMessage) (err error) { a.Query, err = promptText(raw); return err })
	r.cell(rec, fDocuments, func(raw json.RawMessage) error {
		documents, err := structured(raw, '[')
		a.Documents = bytes.Clone(documents)
		if err == nil && len(bytes.TrimSpace(a.Documents[1:len(a.Documents)-1])) == 0 {
			err = errors.New("the list is empty")
		}
		return err
	})
	a.MaxTokens = 0
}
