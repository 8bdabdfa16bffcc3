package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// APIPart is a part of the API, by its name on command lines.
type APIPart string

// The parts that a Client asks.
const (
	Chat        APIPart = "chat"
	Completions APIPart = "completions"
	Responses   APIPart = "responses"
	Embeddings  APIPart = "embeddings"
	Rerank      APIPart = "rerank"
)

// The other ways to ask a benchmark's prompts.
const (
	anyAPI APIPart = ""         // what fits the prompt
	native APIPart = "generate" // SGLang's own, which is not OpenAI's and lies beside it
)

// apis are all parts with their paths below a base URL; of paths with the same end the longer one is first.
var apis = [...]struct {
	name APIPart
	path string
}{
	{Chat, "/chat/completions"}, {Completions, "/completions"}, {Responses, "/responses"}, {Embeddings, "/embeddings"},
	{Rerank, "/rerank"},
}

// urlPath is where an API is, below a base URL, and that of SGLang beside it; empty: there is no such API.
func (a APIPart) urlPath() string {
	for _, known := range apis {
		if known.name == a {
			return known.path
		}
	}
	if a == native {
		return "/generate"
	}
	return ""
}

// generatesText tells whether an API answers with generated text.
func (a APIPart) generatesText() bool { return a == Chat || a == Completions || a == Responses }

// ClientCall is one request of a Client. It asks by one of IDs, Text, Messages, Input, or Query and Documents. Nothing
// of it is kept after Write but Before, which must not be changed.
type ClientCall struct {
	API APIPart

	IDs  []int32 // token ids, for completions and embeddings
	Text string  // for chats the one question of a user
	// Before are messages that go before Messages, of which there must be one: JSON values, each with a comma behind it.
	// Requests of a session can have its memory in common.
	Before    []byte
	Messages  json.RawMessage // of a chat, or the input of a response, as they are
	Input     json.RawMessage // of embeddings or a response: a string or a list
	Query     string          // of rerank
	Documents json.RawMessage // of rerank: a list of strings
	Tools     json.RawMessage // of a chat or a response; nil: none

	Model string // another name, such as an adapter's; empty: the client's
	// MaxTokens is the most tokens of the answer; 0: the server's own limit. Exact asks for exactly as many, as far as the
	// kind of server can be asked: About().Exact.
	MaxTokens int
	Exact     bool
	Whole     bool // ask for the answer in one piece
	// Fields are further fields of the body, which win over all others, also over option body.KEY; Header those of the
	// request's header.
	Fields map[string]json.RawMessage
	Header map[string]string
	// Session binds requests to a server where there are several: those with the same text go to the same one. Empty: to
	// that with the fewest requests.
	Session string
}

// WrittenRequest is a ClientCall as it is written. It may be asked any number of times.
type WrittenRequest struct {
	api     APIPart
	path    string
	body    []byte
	before  []byte // what goes into the body at a place
	place   int
	host    string // instead of the server's own; empty: that
	head    []byte // all fields of the head but Host, and the empty line
	session string
	most    int64 // bytes that an answer may have
	tokens  int   // that it may have; 0: any number
}

// Body is the JSON that is sent. It must not be changed.
func (r WrittenRequest) Body() []byte {
	if len(r.before) == 0 {
		return r.body
	}
	return slices.Concat(r.body[:r.place], r.before, r.body[r.place:])
}

// bodyLength is the length of the whole body.
func (r *WrittenRequest) bodyLength() int { return len(r.body) + len(r.before) }

// Path is where it is sent, below a base URL.
func (r WrittenRequest) Path() string { return r.path }

// requestWriter writes requests for a kind of server.
type requestWriter struct {
	settings openaiSettings
	kind     *serverKind
	session  string // the part of salts that no other client has
	salts    atomic.Uint64
}

// WriteRequest writes a request as the kind of server wants it. The error is ErrPrompt, and says all that does not fit.
func (c *Client) WriteRequest(call ClientCall) (WrittenRequest, error) {
	path := call.API.urlPath()
	if path == "" || call.API == native {
		return WrittenRequest{}, fmt.Errorf("%w: there is no API %q, want chat, completions, responses, embeddings or rerank",
			ErrPrompt, call.API)
	}
	if err := call.checkCall(); err != nil {
		return WrittenRequest{}, err
	}
	fields := c.writer.bodyFields(call)
	place, before := "messages", call.Before
	if call.API == Responses {
		place = "input"
	}
	if own := fields[place]; len(before) == 0 || len(own) == 0 || &own[0] != &call.Messages[0] {
		before = nil // a field of the user's has taken the place of all messages
	}
	body, at := appendFields([]byte{'{'}, fields, place)
	body[len(body)-1] = '}' // in the place of the last comma
	head, host := c.requestHead(call.Header, len(body)+len(before))
	tokens := cmp.Or(call.MaxTokens, maxUnasked)
	return WrittenRequest{
		api: call.API, path: path, body: body, before: before, place: at + len("["), host: host, head: head,
		session: call.Session, most: maxAnswerBytes(tokens), tokens: maxTokensOf(fields),
	}, nil
}

// headerFault says what is wrong with a field of a request's head (RFC 9110, sections 5.1 and 5.5); "": nothing.
func headerFault(name, value string) string {
	const marks = "!#$%&'*+-.^_`|~"
	isName := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(marks, r)
	}
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isName(r) }):
		return "its name is none"
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return "its value has a line break or another control character"
	}
	switch http.CanonicalHeaderKey(name) {
	case "Content-Length", "Transfer-Encoding", "Connection":
		return "it is the connection's own"
	}
	return ""
}

// requestHead writes the fields of a request's head but Host, and the empty line behind them.
func (c *Client) requestHead(own map[string]string, length int) (head []byte, host string) {
	fields := c.header
	if len(own) > 0 {
		fields = c.header.Clone()
		for name, value := range own {
			fields.Set(name, strings.TrimSpace(value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name == "Host" {
			host = fields.Get(name)
			continue
		}
		head = append(append(append(append(head, name...), ": "...), fields.Get(name)...), "\r\n"...)
	}
	head = strconv.AppendInt(append(head, "Content-Length: "...), int64(length), 10)
	return append(head, "\r\n\r\n"...), host
}

// maxUnasked bounds an answer whose length nobody asked for, in tokens.
const maxUnasked = 1 << 17

// checkCall lists all that an API cannot be asked.
func (call ClientCall) checkCall() error {
	var faults []string
	if fault := call.missingFields(); fault != "" {
		faults = append(faults, fault)
	}
	parts := map[string]json.RawMessage{
		"messages": call.Messages, "input": call.Input, "documents": call.Documents, "tools": call.Tools,
	}
	for name, value := range call.Fields {
		parts["field "+name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if text := parts[name]; text != nil && !json.Valid(text) {
			faults = append(faults, name+" is no JSON")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(call.Header)) {
		if fault := headerFault(name, call.Header[name]); fault != "" {
			faults = append(faults, fmt.Sprintf("header %q: %s", name, fault))
		}
	}
	if call.MaxTokens < 0 {
		faults = append(faults, fmt.Sprintf("it may have %d tokens", call.MaxTokens))
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrPrompt, strings.Join(faults, "; "))
}

// missingFields says what an API wants and the call does not have; "": nothing.
func (call ClientCall) missingFields() string {
	text, ids, messages, input := call.Text != "", len(call.IDs) > 0, call.Messages != nil, call.Input != nil
	has := map[APIPart]bool{
		Chat: text || messages, Responses: text || messages || input, Completions: text || ids,
		Embeddings: text || ids || input, Rerank: call.Query != "" && call.Documents != nil,
	}
	switch {
	case len(call.Before) > 0 && !bytes.HasPrefix(call.Messages, []byte("[")):
		return "it has messages of before and no list of its own"
	case has[call.API]:
		return ""
	case ids:
		return "it has token ids alone, which " + string(call.API) + " does not take: use completions"
	case messages:
		return "it has messages, which are for chat and responses, not for " + string(call.API)
	case call.API == Rerank:
		return "it wants a query and documents"
	}
	return "it has nothing to ask: neither text nor messages, token ids or input that " + string(call.API) + " takes"
}

// bodyFields are those of a request's body, as JSON.
func (w *requestWriter) bodyFields(call ClientCall) map[string][]byte {
	model := cmp.Or(call.Model, w.settings.model)
	f := map[string][]byte{}
	if call.API.generatesText() {
		w.addGenerationFields(f, call)
	}
	f["model"] = appendText(nil, model)
	switch call.API {
	case Chat:
		f["messages"] = call.Messages
		if call.Messages == nil {
			f["messages"] = chatOfQuestion(call.Text)
		}
	case Completions:
		f["prompt"] = idsOrText(call.IDs, call.Text)
	case Responses:
		f["store"] = []byte("false") // servers would keep each response for later
		f["input"] = firstOf(call.Input, call.Messages, idsOrText(nil, call.Text))
	case Embeddings:
		f["input"] = firstOf(call.Input, idsOrText(call.IDs, call.Text))
	case Rerank:
		f["query"], f["documents"] = appendText(nil, call.Query), call.Documents
	}
	if call.Tools != nil {
		f["tools"] = call.Tools
	}
	for name, value := range w.settings.body {
		f[name] = value
	}
	for name, value := range call.Fields {
		f[name] = value
	}
	return f
}

// addGenerationFields sets the fields of requests for generated text.
func (w *requestWriter) addGenerationFields(f map[string][]byte, call ClientCall) {
	maps.Copy(f, w.settings.generationFields(call.API, call.Whole, false))
	k := w.kind
	if w.settings.cache != cacheAllow && k.allowsSalt(call.API) {
		f[k.salt] = appendText(nil, w.session+strconv.FormatUint(w.salts.Add(1), 36))
	}
	if call.MaxTokens == 0 {
		return
	}
	n := strconv.AppendInt(nil, int64(call.MaxTokens), 10)
	f[k.maxTokensField(call.API)] = n
	if call.Exact && k.minTokens != "" {
		f[k.minTokens] = n
	}
	if call.Exact && k.ignoresEnd {
		f["ignore_eos"] = []byte("true")
	}
}

func firstOf(texts ...[]byte) []byte {
	for _, t := range texts {
		if t != nil {
			return t
		}
	}
	return nil
}

func idsOrText(ids []int32, text string) []byte {
	if len(ids) > 0 {
		return appendIDs(make([]byte, 0, 7*len(ids)+2), ids)
	}
	return appendText(nil, text)
}

// chatOfQuestion is a chat of one question.
func chatOfQuestion(text string) []byte {
	return backend.AppendChat(nil, backend.Prompt{Text: text})[len(`"messages":`):]
}
