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

// APIPart is an endpoint of the API, with its name on command lines.
type APIPart string

// The endpoints that a Client supports.
const (
	Chat        APIPart = "chat"
	Completions APIPart = "completions"
	Responses   APIPart = "responses"
	Embeddings  APIPart = "embeddings"
	Rerank      APIPart = "rerank"
)

// The other methods of sending a benchmark's prompts.
const (
	anyAPI    APIPart = ""         // the endpoint that fits the prompt
	nativeAPI APIPart = "generate" // SGLang's own endpoint, outside of the OpenAI-compatible API
)

// endpointPaths contains all endpoints with their paths below a base URL. If two paths have the same end, the longer
// one comes first.
var endpointPaths = [...]struct {
	name APIPart
	path string
}{
	{Chat, "/chat/completions"}, {Completions, "/completions"}, {Responses, "/responses"}, {Embeddings, "/embeddings"},
	{Rerank, "/rerank"},
}

// urlPath returns the path of an endpoint relative to a base URL, or that of SGLang's own endpoint; "": unknown
// endpoint.
func (a APIPart) urlPath() string {
	for _, known := range endpointPaths {
		if known.name == a {
			return known.path
		}
	}
	if a == nativeAPI {
		return "/generate"
	}
	return ""
}

// generatesText reports whether an endpoint returns generated text.
func (a APIPart) generatesText() bool { return a == Chat || a == Completions || a == Responses }

// ClientCall is one request of a Client. Exactly one of IDs, Text, Messages, Input, or Query with Documents is set.
// Write keeps only Before, which must not be changed.
type ClientCall struct {
	API APIPart

	IDs  []int32 // token ids, for completions and embeddings
	Text string  // for chats, the only question of a user
	// Before contains messages that precede Messages, which must not be empty: JSON values, each followed by a comma.
	// Requests of a session may share its memory.
	Before    []byte
	Messages  json.RawMessage // messages of a chat, or the input of a response, unchanged
	Input     json.RawMessage // input of embeddings or a response: a string or a list
	Query     string          // query of rerank
	Documents json.RawMessage // documents of rerank: a list of strings
	Tools     json.RawMessage // tools of a chat or a response; nil: none

	Model string // another model's name, such as an adapter's; empty: the client's model
	// MaxTokens is the maximum number of tokens of the answer; 0: the server's own limit. Exact requests exactly this
	// number, if the kind of server supports it: see ServerInfo.Exact.
	MaxTokens int
	Exact     bool
	Whole     bool // request an unstreamed answer
	// Fields contains further fields of the body, which override all others, including those of option body.KEY. Header
	// contains further header fields.
	Fields map[string]json.RawMessage
	Header map[string]string
	// Session binds requests to one of several servers: requests with the same text go to the same server. If it is empty,
	// the server with the fewest requests is used.
	Session string
}

// WrittenRequest is an encoded ClientCall. It may be sent any number of times.
type WrittenRequest struct {
	api       APIPart
	path      string
	body      []byte
	inserted  []byte // inserted into body at position place
	insertAt  int
	host      string // replaces the server's own host; "": it does not
	head      []byte // all header fields except Host, and the empty line
	session   string
	maxBytes  int64 // maximum number of bytes of an answer
	maxTokens int   // maximum number of tokens of an answer; 0: any number
}

// Body returns the JSON to send. It must not be changed.
func (r WrittenRequest) Body() []byte {
	if len(r.inserted) == 0 {
		return r.body
	}
	return slices.Concat(r.body[:r.insertAt], r.inserted, r.body[r.insertAt:])
}

// bodyLength returns the length of the whole body.
func (r *WrittenRequest) bodyLength() int { return len(r.body) + len(r.inserted) }

// Path returns the path of the request relative to a base URL.
func (r WrittenRequest) Path() string { return r.path }

// requestWriter writes requests for a kind of server.
type requestWriter struct {
	settings openaiSettings
	kind     *serverKind
	session  string // unique part of this client's salts
	salts    atomic.Uint64
}

// WriteRequest encodes a request for the kind of server. The error is an ErrPrompt that lists everything the server
// does not support.
func (c *Client) WriteRequest(call ClientCall) (WrittenRequest, error) {
	path := call.API.urlPath()
	if path == "" || call.API == nativeAPI {
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
		before = nil // a field set by the user has replaced all messages
	}
	body, at := appendFields([]byte{'{'}, fields, place)
	body[len(body)-1] = '}' // replaces the last comma
	head, host := c.requestHead(call.Header, len(body)+len(before))
	tokens := cmp.Or(call.MaxTokens, maxUnrequested)
	return WrittenRequest{
		api: call.API, path: path, body: body, inserted: before, insertAt: at + len("["), host: host, head: head,
		session: call.Session, maxBytes: maxAnswerBytes(tokens), maxTokens: maxTokensOf(fields),
	}, nil
}

// headerFault describes the fault of a header field (RFC 9110, sections 5.1 and 5.5); "": none.
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

// requestHead writes the header fields except Host, followed by the empty line.
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

// maxUnrequested is the maximum number of tokens of an answer without a requested length.
const maxUnrequested = 1 << 17

// checkCall lists the parts of a call that an endpoint does not support.
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

// missingFields describes fields that an endpoint requires and the call lacks; "": none.
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

// bodyFields returns the fields of a request's body as JSON.
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
		f["store"] = []byte("false") // otherwise servers would store each response
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

// chatOfQuestion returns the messages of a chat with one question.
func chatOfQuestion(text string) []byte {
	return backend.AppendChat(nil, backend.Prompt{Text: text})[len(`"messages":`):]
}
