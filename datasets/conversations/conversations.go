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

// ErrDataset is wrapped by every error of this package. It means that a file is missing or invalid.
var ErrDataset = errors.New("recorded conversations")

// FaultError contains all faults of a file; errors.As finds it.
type FaultError = fault.DatasetError

// Name and checksum of the official file, which contains 20 conversations with 1007 turns of the client.
const (
	OfficialName   = "agentic_coding_2.5h.jsonl"
	OfficialSHA256 = "b7da8c4ffbe1cabd79c4d8169e5201541e006364b4bfc016d01d893e20ee6f70"
)

// ConversationSet contains the conversations of a file.
type ConversationSet struct {
	Turns  []ClientTurn    // the client's turns, by conversation in the file's order, then by turn
	Rows   []*pyvalue.Dict // all rows unchanged, in the same order
	SHA256 string          // of the file
}

// ClientTurn is a turn of the client: a user's message or the results of tools.
type ClientTurn struct {
	Conversation string
	Turn         int // number of the row in its conversation, from 1; the model's turns count as well
	// Messages contains the recorded messages before this turn, and those of this turn. Turns of a conversation share the
	// underlying array, so it must not be changed.
	Messages []ChatMessage
	Tools    string  // a JSON list; empty: no tools
	Delay    float64 // seconds that the tools took in the recording, 0 or more
	// Fields contains the row's own fields of a request, by the API's names. They override a benchmark's fields.
	Fields map[string]any
}

// ChatMessage is one message of a chat.
type ChatMessage struct {
	Role      string // "system", "user", "assistant", "tool"
	Content   string
	NoContent bool // the message has no content field
	Name      string
	Reasoning string
	Calls     []string // tool calls, each as JSON
	CallID    string   // ID of the call that this message answers
}

// maxBytes limits the size of a file; the official file has 2 MB.
const maxBytes = 1 << 30

// Open reads and checks path, which is a file or the folder of the official file. The error is a [*FaultError] that
// lists every fault; it wraps ErrDataset.
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

// ParseConversations parses and checks the content of a file.
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

// readRows reads the rows that have a conversation and a turn. It leaves out rows that describe the file.
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
			} else if r.textField("_type") == metadataField {
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

const metadataField = "dataset_metadata"

// readPosition reads the conversation, turn and role of a row.
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
	if _, text := turn.(string); err != nil || text || !pyvalue.IsUTF8(turn) || !n.IsInt64() || n.Int64() > 1<<31 {
		return fmt.Errorf("conversation %s: turn is %s, want a whole number", r.id, pyvalue.Name(turn))
	}
	r.turn = int(n.Int64())
	r.where = fmt.Sprintf("%s, turn %d", r.where, r.turn)
	r.role = r.textField("role")
	return nil
}

// textField returns the text in the named field, or "" if it is not a text.
func (r *chatRow) textField(name string) string {
	s, _ := pyvalue.Field[string](r.Dict, name)
	return s
}

// conversationRows contains the rows of a conversation in the order of their turns.
type conversationRows struct {
	id   string
	rows []chatRow
}

// groupRows groups rows into conversations. The rows of a conversation must be adjacent.
func groupRows(rows []chatRow, faults *fault.FaultList) (all []*conversationRows) {
	seen := map[string]*conversationRows{}
	apart := map[string]bool{}
	for i, r := range rows {
		c := seen[r.id]
		if c == nil {
			c = &conversationRows{id: r.id}
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

// requestFieldNames lists the request fields that the endpoints harness copies from a row.
var requestFieldNames = []string{
	"model", "stream", "temperature", "seed", "top_p", "top_k", "repetition_penalty", "n", "presence_penalty",
	"frequency_penalty", "stop", "logit_bias", "user", "chat_template", "chat_template_kwargs", "tool_choice",
	"max_completion_tokens", "max_new_tokens",
}

// inheritedFields lists the request fields that a user's first row sets for all later rows without them.
var inheritedFields = []string{"model", "stream", "max_completion_tokens", "max_new_tokens"}

// clientTurns returns the client's turns.
func (c *conversationRows) clientTurns(faults *fault.FaultList) (all []ClientTurn) {
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

// requestFields returns the request fields of a row. Fields of inheritedFields that are missing come from the user's
// first row.
func (r *chatRow) requestFields(first chatRow) map[string]any {
	all := map[string]any{}
	for _, name := range requestFieldNames {
		if v, ok := r.Get(name); ok && v != nil {
			all[name] = v
		} else if v, ok := first.Get(name); ok && v != nil && slices.Contains(inheritedFields, name) {
			all[name] = v
		}
	}
	return all
}

// parseMessages returns the messages of a row.
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
