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

// Options say how a server behaves. The zero value answers at once, and reports the number of tokens
// in a usage record alone.
type Options struct {
	Model   string   // "": "mock"
	Owner   string   // what it says of itself in the list of models
	Version string   // of its program, at /version; "": it does not tell
	Alias   string   // a second name of the model in that list; "": none
	Loras   []string // names of adapters, which requests may ask by
	Key     string   // the API key that requests must have; "": none
	// MaxLength is the most tokens of a prompt and its answer: told in the list of models, and longer ones are refused. 0:
	// any, and not told.
	MaxLength int

	First, Step time.Duration // until the first token, and between two; 0: at once
	// Prefill is the time for each token of the prompt that is not in the cache, beside First.
	Prefill time.Duration
	// Grow is what each other request that is worked on adds to the time between two tokens.
	Grow time.Duration
	// Slots is how many requests are worked on at a time; others wait in the order in which they came. 0: all.
	Slots int

	Together   int     // tokens in each event; 0: 1
	Vocabulary int     // token ids are below; 0: 32000
	Tokens     int     // of each answer, at most what a request allows; 0: that
	EndsAt     int     // where answers end by themselves, but with ignore_eos or more min_tokens; 0: nowhere
	Extra      int     // tokens beyond what a request allows
	Says       []int32 // the tokens of each answer; nil: some that depend on the prompt
	// Reply, if not nil, says what a chat is answered with; nil of it leaves that to the rest.
	Reply func(ask *Request) *Reply
	// Answer, if not nil, has the tokens of the answer to a request, in place of Says. Spell is the text of a token; nil:
	// a blank and the number of its id.
	Answer   func(ask *Request) []int32
	Spell    func(id int32) string
	Special  []int32       // tokens whose text is left out, unless a request has skip_special_tokens false
	Think    int           // tokens of reasoning at the beginning of chats and responses
	Call     string        // the tool that chats and responses with tools call instead of an answer; "": none
	IDs      bool          // report token ids, to requests that ask for them
	NoUsage  bool          // do not report usage, even where it is asked for
	Late     time.Duration // from the last token to the usage record
	Roles    bool          // begin chats with an event that has the role alone, before any token
	Comments bool          // send a comment before each event
	NoStream bool          // answer in one piece, whatever is asked
	Repeats  bool          // events of /generate have all tokens so far, in place of the new ones
	Stamps   bool          // the text of an event is the time at which it is written, in nanoseconds since 1970

	// Template is how many tokens a chat's template adds to a prompt. Words counts the tokens of a text; nil: its words.
	Template int
	Words    func(text string) int
	Caches   bool // keep prompts: what a prompt without salt begins with as one before did need not be read again
	// TellsCached reports the tokens of the prompt that were in the cache, 0 among them.
	TellsCached bool

	// Transcribe answers sound, a WAV file, with a text and its number of tokens; nil: it is refused. Whole: in one piece.
	Transcribe func(file []byte) (text string, tokens int)
	Whole      bool

	// Fault, if not nil, chooses what goes wrong with a request; n counts requests from 0.
	Fault func(n int64) Fault
	// Log, if not nil, gets a line of JSON for each request that was answered: Entry.
	Log io.Writer
}

// Fault is something that goes wrong. The zero value is nothing.
type Fault struct {
	Status int    // answer with this status and an error's body
	Empty  bool   // answer with 200 and no token
	After  int    // where the rest happens: after so many events
	Cut    bool   // break the connection off
	Stall  bool   // send nothing more until the client goes
	Error  string // report an error within the stream, and end it
	Event  string // send this event's data instead
	// IDs and Count are what an event of /generate has more of, ids that nobody generated and tokens that it counts; below
	// 0: less. Uncounted leaves the count out.
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
	s.cache.forget()
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
		s.mux.HandleFunc("POST /reset_prefix_cache", func(http.ResponseWriter, *http.Request) { s.cache.forget() })
	}
	return s
}

// Asked is the number of requests for answers.
func (s *Server) Asked() int64 { return s.asked.Load() }

// Most is the largest number of requests at a time.
func (s *Server) Most() int64 { return s.most.Load() }

// Tokens is the number of tokens sent.
func (s *Server) Tokens() int64 { return s.tokens.Load() }

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

// knows tells whether requests may ask by a name.
func (s *Server) knows(model string) bool {
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
	if of != native && !s.knows(ask.Model) {
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
	a.say(reply)
	if most := s.options.MaxLength; most > 0 && a.promptTokens+a.total > most {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("the model has a context of %d tokens, and the request wants %d: %d of "+
			"the prompt and %d of the answer", most, a.promptTokens+a.total, a.promptTokens, a.total))
		return
	}
	a.entry = entry
	a.run()
	s.note(&a.entry, n)
}

// read takes a request, of which fields may be missing, and strings be of any type. keep keeps all of it.
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

// vocabulary is the default.
const vocabulary = 32000

// Generated is the ids of the answer to a prompt, which is the JSON text that a request has for it, and their text,
// with the default vocabulary.
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
