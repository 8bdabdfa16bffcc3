package openaitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a server. With the zero value it answers at once and reports the number of tokens only in a usage
// record.
type Options struct {
	Model   string   // "": "mock"
	Owner   string   // owner in the list of models
	Version string   // version at /version; "": not reported
	Alias   string   // second name of the model in the list of models; "": none
	Loras   []string // names of adapters that requests may use
	Key     string   // required API key; "": none
	// MaxLength is the maximum number of tokens of a prompt and its answer. It is reported in the list of models, and
	// longer requests are refused. 0: unlimited and not reported.
	MaxLength int

	First, Step time.Duration // times to the first token and between two tokens; 0: at once
	// Prefill is the additional time before the first token for each token of the prompt that is not in the cache.
	Prefill time.Duration
	// Grow is the increase of the time between two tokens for each other request in progress.
	Grow time.Duration
	// Slots is the number of requests that are processed at a time; others wait in order. 0: unlimited.
	Slots int

	TokensPerEvent int     // tokens in each event; 0: 1
	Vocabulary     int     // upper limit of token ids; 0: 32000
	Tokens         int     // tokens of each answer, limited by the request; 0: the request's limit
	EndsAt         int     // position at which answers end without ignore_eos or more min_tokens; 0: none
	Extra          int     // tokens in excess of a request's limit
	AnswerTokens   []int32 // tokens of each answer; nil: tokens that depend on the prompt
	// Reply, if not nil, returns the reply to a chat; if it returns nil, the other options apply.
	Reply func(ask *Request) *Reply
	// Answer, if not nil, returns the tokens of the answer to a request and replaces AnswerTokens. Spell returns the text
	// of a token; nil: a blank and the id.
	Answer          func(ask *Request) []int32
	Spell           func(id int32) string
	Special         []int32       // tokens whose text is omitted unless a request sets skip_special_tokens to false
	ReasoningTokens int           // reasoning tokens at the beginning of chats and responses
	Call            string        // tool that chats and responses with tools call instead of an answer; "": none
	IDs             bool          // report token ids to requests that ask for them
	NoUsage         bool          // do not report usage, even on request
	UsageDelay      time.Duration // time from the last token to the usage record
	Roles           bool          // begin chats with an event that contains only the role
	Comments        bool          // send a comment before each event
	NoStream        bool          // always answer in one piece
	Repeats         bool          // events of /generate contain all tokens so far instead of the new ones
	TimestampText   bool          // the text of an event is the time of its writing, in nanoseconds since 1970

	// Template is the number of tokens that a chat's template adds to a prompt. Words counts the tokens of a text; nil:
	// its words.
	Template int
	Words    func(text string) int
	Caches   bool // cache the beginnings of prompts without salt
	// ReportsCached reports the number of the prompt's tokens that were in the cache, including 0.
	ReportsCached bool

	// Transcribe returns the text of a WAV file and its number of tokens; nil: files are refused. WriteWhole: the answer
	// is sent in one piece.
	Transcribe func(file []byte) (text string, tokens int)
	Whole      bool

	// Fault, if not nil, returns the fault of a request; n counts requests from 0.
	Fault func(n int64) Fault
	// Log, if not nil, receives a line of JSON (Entry) for each answered request.
	Log io.Writer
}

// Fault is a fault of an answer. The zero value means no fault.
type Fault struct {
	Status int    // answer with this status and an error's body
	Empty  bool   // answer with 200 and no token
	After  int    // number of events before the following faults
	Cut    bool   // close the connection
	Stall  bool   // send nothing more until the client disconnects
	Error  string // report an error within the stream and end it
	Event  string // send this event's data instead
	// IDs and Count are the numbers of additional ids and of additionally counted tokens in an event of /generate;
	// negative: fewer. Uncounted omits the count.
	IDs, Count int
	Uncounted  bool
}

// Server is an http.Handler.
type Server struct {
	options Options
	mux     *http.ServeMux
	service service
	cache   cache
	figures figures

	asked, running, most, tokens atomic.Int64

	logging sync.Mutex
}

// New returns a server.
func New(o Options) *Server {
	o.Model = cmp.Or(o.Model, "mock")
	o.Vocabulary = cmp.Or(o.Vocabulary, vocabulary)
	if o.Words == nil {
		o.Words = func(text string) int { return len(strings.Fields(text)) }
	}
	s := &Server{options: o, mux: http.NewServeMux()}
	s.service.open(o)
	s.cache.clear()
	s.mux.HandleFunc("GET /v1/models", s.models)
	for path, of := range map[string]api{
		"/v1/completions": completions, "/v1/chat/completions": chat, "/v1/responses": responses,
		"/v1/embeddings": embeddings, "/v1/rerank": rerank,
	} {
		s.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, of) })
	}
	s.mux.HandleFunc("POST /generate", func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, native) })
	s.mux.HandleFunc("POST /v1/audio/transcriptions", s.transcribe)
	s.mux.HandleFunc("GET /metrics", s.metrics)
	if o.Version != "" {
		s.mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"version":%q}`, o.Version)
		})
	}
	if o.Caches {
		s.mux.HandleFunc("POST /reset_prefix_cache", func(http.ResponseWriter, *http.Request) { s.cache.clear() })
	}
	return s
}

// RequestCount returns the number of requests for answers.
func (s *Server) RequestCount() int64 { return s.asked.Load() }

// MaxConcurrent returns the largest number of concurrent requests.
func (s *Server) MaxConcurrent() int64 { return s.most.Load() }

// WriteTokens returns the number of tokens sent.
func (s *Server) TokenCount() int64 { return s.tokens.Load() }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if key := s.options.Key; key != "" && r.Header.Get("Authorization") != "Bearer "+key {
		refuse(w, http.StatusUnauthorized, "wrong API key")
		return
	}
	s.mux.ServeHTTP(w, r)
}

func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q,"code":%d}}`, reason, status)
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	length := ""
	if n := s.options.MaxLength; n > 0 {
		length = fmt.Sprintf(`,"max_model_len":%d`, n)
	}
	fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":%q%s}`, s.options.Model, s.options.Owner,
		length)
	for _, name := range append([]string{s.options.Alias}, s.options.Loras...) {
		if name != "" {
			fmt.Fprintf(w, `,{"id":%q,"object":"model","owned_by":%q%s}`, name, s.options.Owner, length)
		}
	}
	fmt.Fprint(w, "]}")
}

// hasModel reports whether requests may use a model name.
func (s *Server) hasModel(model string) bool {
	for _, lora := range s.options.Loras {
		if model == lora {
			return true
		}
	}
	return model == s.options.Model
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, of api) {
	entry := Entry{ID: r.Header.Get("X-Request-Id"), Received: time.Now().UnixNano()}
	ask, err := read(r.Body, s.options.Reply != nil)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if of != native && !s.hasModel(ask.Model) {
		refuse(w, http.StatusNotFound, "no model "+ask.Model)
		return
	}
	n := s.asked.Add(1) - 1
	running := s.running.Add(1)
	defer s.running.Add(-1)
	for most := s.most.Load(); running > most && !s.most.CompareAndSwap(most, running); most = s.most.Load() {
	}
	var f Fault
	if s.options.Fault != nil {
		f = s.options.Fault(n)
	}
	reply := s.reply(&ask, of)
	if reply != nil && reply.Fault != (Fault{}) {
		f = reply.Fault
	}
	if f.Status != 0 {
		refuse(w, f.Status, "told to refuse")
		return
	}
	a := s.newAnswer(ask, of, w, r, f)
	a.setReply(reply)
	if most := s.options.MaxLength; most > 0 && a.promptTokens+a.total > most {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("the model has a context of %d tokens, and the request wants %d: %d of "+
			"the prompt and %d of the answer", most, a.promptTokens+a.total, a.promptTokens, a.total))
		return
	}
	a.entry = entry
	a.run()
	s.note(&a.entry, n)
}

// read decodes a request. Fields may be missing, and strings may have any type. keep stores the complete body.
func read(body io.Reader, keep bool) (ask Request, err error) {
	if !keep {
		err = json.NewDecoder(body).Decode(&ask)
	} else if err = json.NewDecoder(body).Decode(&ask.Body); err == nil {
		err = json.Unmarshal(ask.Body, &ask)
	}
	if p := ask.Params; len(ask.InputIDs) > 0 {
		ask.Prompt, ask.MaxTokens, ask.MinTokens, ask.IgnoreEnd = ask.InputIDs, p.MaxTokens, p.MinTokens, p.IgnoreEnd
	}
	return ask, err
}

// vocabulary is the default vocabulary size.
const vocabulary = 32000

// Generated returns the ids of the answer to a prompt, given as the JSON text in a request, and their text, with the
// default vocabulary.
func Generated(prompt string, n int) (ids []int32, text string) {
	var b strings.Builder
	for i := range n {
		id := tokenID(hash(prompt), i, vocabulary)
		ids = append(ids, id)
		b.Write(appendToken(nil, id))
	}
	return ids, b.String()
}

func hash(prompt string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(prompt))
	return h.Sum64()
}

func tokenID(prompt uint64, i, vocabulary int) int32 {
	return int32((prompt + uint64(i)*2654435761) % uint64(vocabulary))
}

func appendToken(b []byte, id int32) []byte { return strconv.AppendInt(append(b, ' '), int64(id), 10) }
