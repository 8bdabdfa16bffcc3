package conversations

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrDataset is what every error of this package is: a file that is missing or wrong.
var ErrDataset = errors.New("recorded conversations")

// FaultError contains all faults of a file; errors.As finds it.
type FaultError = fault.DatasetError

// OfficialName and OfficialSHA256 are of the official file, with 20 conversations and 1007 turns of the client.
const (
	OfficialName   = "agentic_coding_2.5h.jsonl"
	OfficialSHA256 = "b7da8c4ffbe1cabd79c4d8169e5201541e006364b4bfc016d01d893e20ee6f70"
)

// ConversationSet contains the conversations of a file.
type ConversationSet struct {
	Turns  []ClientTurn    // of the client, conversation by conversation in the file's order, each in its turns' order
	Rows   []*pyvalue.Dict // all rows, in the same order, as the file has them
	SHA256 string          // of the file
}

// ClientTurn is a turn of the client, either a user's message or answers of tools.
type ClientTurn struct {
	Conversation string
	Turn         int // of the row, from 1: the model's turns count as well
	// Messages are all that was said before, as it was recorded, and what is said now. Turns of a conversation share
	// them: they must not be changed.
	Messages []ChatMessage
	Tools    string  // a list in JSON; empty: there are none
	Delay    float64 // seconds that the tools took when it was recorded, 0 or more
	// Fields are those of a request that the row has itself, by the API's names: they win over a benchmark's own.
	Fields map[string]any
}

// ChatMessage is one turn of a chat.
type ChatMessage struct {
	Role      string // "system", "user", "assistant", "tool"
	Content   string
	NoContent bool // it has no content at all
	Name      string
	Reasoning string
	Calls     []string // of tools, each as JSON
	CallID    string   // that a tool answers
}

// maxBytes is of a file: the official one has 2 MB.
const maxBytes = 1 << 30

// Open reads and checks a file, or the official one of a folder. The error lists every fault: it is a [*FaultError],
// for which errors.Is(err, ErrDataset) holds.
func Open(path string) (*ConversationSet, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, OfficialName)
	}
	text, err := bounded.ReadFile(path, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w; want a file of JSON lines, or a folder with %s", ErrDataset, path, err,
			OfficialName)
	}
	return parseText(string(text), path)
}

// ParseConversations reads and checks the text of a file.
func ParseConversations(text string) (*ConversationSet, error) { return parseText(text, "the text") }

func parseText(text, path string) (*ConversationSet, error) {
	var faults fault.FaultList
	s := &ConversationSet{SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
	for _, c := range groupRows(readRows(text, &faults), &faults) {
		c.checkOrder(&faults)
		s.Turns = append(s.Turns, c.clientTurns(&faults)...)
		for _, r := range c.rows {
			s.Rows = append(s.Rows, r.Dict)
		}
	}
	if err := faults.Err(ErrDataset, path); err != nil {
		return nil, err
	}
	if len(s.Turns) == 0 {
		return nil, fmt.Errorf("%w: %s holds none", ErrDataset, path)
	}
	return s, nil
}

// chatRow is a row of a file.
type chatRow struct {
	*pyvalue.Dict
	where string
	id    string
	turn  int
	role  string
}

// readRows reads the rows of which it is known where they belong. Those that describe the file are dropped.
func readRows(text string, faults *fault.FaultList) (all []chatRow) {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		r := chatRow{where: fmt.Sprintf("row %d", n)}
		v, err := pyvalue.Decode(strings.TrimSuffix(line, "\r"))
		if err == nil {
			var ok bool
			if r.Dict, ok = v.(*pyvalue.Dict); !ok {
				err = fmt.Errorf("it is %s, want an object", pyvalue.Name(v))
			} else if r.textField("_type") == metadata {
				continue
			} else {
				err = r.readPosition()
			}
		}
		if err != nil {
			faults.Addf(r.where, "%v", err)
			continue
		}
		all = append(all, r)
	}
	return all
}

const metadata = "dataset_metadata"

// readPosition reads where a row belongs.
func (r *chatRow) readPosition() error {
	id, _ := r.Get("conversation_id")
	if r.id = pyvalue.Text(id); id == nil || r.id == "" || r.id == "nan" {
		return errors.New("it has no conversation_id")
	}
	if i := strings.IndexFunc(r.id, func(c rune) bool { return c < ' ' || c > '~' }); i >= 0 {
		return fmt.Errorf("conversation_id %.60q has characters beyond printable ASCII", r.id)
	}
	r.where = fmt.Sprintf("%s, conversation %s", r.where, r.id)
	turn, _ := r.Get("turn")
	n, err := pyvalue.Int(turn)
	if _, text := turn.(string); err != nil || text || !pyvalue.Whole(turn) || !n.IsInt64() || n.Int64() > 1<<31 {
		return fmt.Errorf("conversation %s: turn is %s, want a whole number", r.id, pyvalue.Name(turn))
	}
	r.turn = int(n.Int64())
	r.where = fmt.Sprintf("%s, turn %d", r.where, r.turn)
	r.role = r.textField("role")
	return nil
}

// textField is a field that is a text; empty where it is none.
func (r *chatRow) textField(name string) string {
	s, _ := pyvalue.Field[string](r.Dict, name)
	return s
}

// rowsInOrder is one with its rows in the order of their turns.
type rowsInOrder struct {
	id   string
	rows []chatRow
}

// groupRows makes conversations of rows, which must lie beside one another.
func groupRows(rows []chatRow, faults *fault.FaultList) (all []*rowsInOrder) {
	seen := map[string]*rowsInOrder{}
	apart := map[string]bool{}
	for i, r := range rows {
		c := seen[r.id]
		if c == nil {
			c = &rowsInOrder{id: r.id}
			seen[r.id] = c
			all = append(all, c)
		} else if rows[i-1].id != r.id && !apart[r.id] {
			apart[r.id] = true
			faults.Addf(r.where, "rows of other conversations lie between this one's: want them together")
		}
		c.rows = append(c.rows, r)
	}
	for _, c := range all {
		slices.SortStableFunc(c.rows, func(a, b chatRow) int { return cmp.Compare(a.turn, b.turn) })
	}
	return all
}

// official are the fields of a request that the endpoints harness takes from a row.
var official = []string{
	"model", "stream", "temperature", "seed", "top_p", "top_k", "repetition_penalty", "n", "presence_penalty",
	"frequency_penalty", "stop", "logit_bias", "user", "chat_template", "chat_template_kwargs", "tool_choice",
	"max_completion_tokens", "max_new_tokens",
}

// lasting are those of the first row of a user that hold for all rows without.
var lasting = []string{"model", "stream", "max_completion_tokens", "max_new_tokens"}

// clientTurns are those of the client.
func (c *rowsInOrder) clientTurns(faults *fault.FaultList) (all []ClientTurn) {
	var said []ChatMessage
	if i := slices.IndexFunc(c.rows, func(r chatRow) bool { return r.textField("system") != "" }); i >= 0 {
		said = append(said, ChatMessage{Role: "system", Content: c.rows[i].textField("system")})
	}
	first := slices.IndexFunc(c.rows, func(r chatRow) bool { return r.role == "user" })
	for i := range c.rows {
		r := &c.rows[i]
		said = append(said, r.parseMessages(faults)...)
		if r.role == "assistant" || first < 0 {
			continue
		}
		t := ClientTurn{
			Conversation: c.id, Turn: r.turn, Messages: said[:len(said):len(said)], Fields: r.requestFields(c.rows[first]),
		}
		tools, ok := r.Get("tools")
		if !ok || tools == nil {
			tools, _ = c.rows[first].Get("tools")
		}
		if _, ok := tools.([]any); ok {
			t.Tools = pyvalue.JSON(tools)
		} else if tools != nil {
			faults.Addf(r.where, "tools are %s, want a list", pyvalue.Name(tools))
		}
		delay, _ := r.Get("delay_seconds")
		if v, err := pyvalue.Float(delay); err == nil && v > 0 {
			t.Delay = v
		}
		all = append(all, t)
	}
	return all
}

// requestFields are those of a request that a row has, or else the first row of the user for all.
func (r *chatRow) requestFields(first chatRow) map[string]any {
	all := map[string]any{}
	for _, name := range official {
		if v, ok := r.Get(name); ok && v != nil {
			all[name] = v
		} else if v, ok := first.Get(name); ok && v != nil && slices.Contains(lasting, name) {
			all[name] = v
		}
	}
	return all
}

// parseMessages parses what a row says.
func (r *chatRow) parseMessages(faults *fault.FaultList) (all []ChatMessage) {
	if results, ok := r.Get("tool_results"); ok {
		list, _ := results.([]any)
		for _, v := range list {
			d, _ := v.(*pyvalue.Dict)
			content, _ := d.Get("content")
			m := ChatMessage{Role: "tool"}
			m.CallID, _ = pyvalue.Field[string](d, "tool_call_id")
			if m.Content, ok = content.(string); !ok && content != nil {
				faults.Addf(r.where, "the content of a result of a tool is %s, want a text", pyvalue.Name(content))
			}
			all = append(all, m)
		}
		if len(list) > 0 {
			return all
		}
	}
	m := ChatMessage{Role: r.role, Name: r.textField("name"), Reasoning: r.textField("reasoning_content"),
		Content: r.textField("content")}
	content, _ := r.Get("content")
	m.NoContent = content == nil
	if _, ok := content.(string); !ok && content != nil {
		faults.Addf(r.where, "content is %s, want a text", pyvalue.Name(content))
	}
	list, _ := pyvalue.Field[[]any](r.Dict, "tool_calls")
	for _, call := range list {
		m.Calls = append(m.Calls, pyvalue.JSON(call))
	}
	return []ChatMessage{m}
}
