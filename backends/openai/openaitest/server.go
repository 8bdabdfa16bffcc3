package openaitest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
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
	Model string // "": "mock"
	Owner string // what it says of itself in the list of models
	Alias string // a second name of the model in that list; "": none
	Key   string // the API key that requests must have; "": none

	First, Step time.Duration // until the first token, and between two; 0: at once
	Together    int           // tokens in each event; 0: 1
	Vocabulary  int           // token ids are below; 0: 32000
	Tokens      int           // of each answer, at most what a request allows; 0: that
	Says        []int32       // the tokens of each answer; nil: some that depend on the prompt
	Special     []int32       // tokens whose text is left out, unless a request has skip_special_tokens false
	IDs         bool          // report token ids, to requests that ask for them
	NoUsage     bool          // do not report usage, even where it is asked for
	Stamps      bool          // the text of an event is the time at which it is written, in nanoseconds since 1970
	Caches      bool          // keep prompts: a prompt without salt that was asked before has its first token at once

	// Transcribe answers sound, a WAV file, with a text and its number of tokens; nil: it is refused. Whole: in one piece.
	Transcribe func(file []byte) (text string, tokens int)
	Whole      bool

	// Fault, if not nil, chooses what goes wrong with a request; n counts requests from 0.
	Fault func(n int64) Fault
}

// Fault is something that goes wrong. The zero value is nothing.
type Fault struct {
	Status int    // answer with this status and an error's body
	After  int    // where the rest happens: after so many events
	Cut    bool   // break the connection off
	Stall  bool   // send nothing more until the client goes
	Error  string // report an error within the stream, and end it
	Event  string // send this event's data instead
}

// Server is an http.Handler.
type Server struct {
	options Options
	mux     *http.ServeMux

	asked, running, most, tokens atomic.Int64

	mu   sync.Mutex
	seen map[uint64]bool
}

// New returns a server.
func New(o Options) *Server {
	if o.Model == "" {
		o.Model = "mock"
	}
	if o.Vocabulary == 0 {
		o.Vocabulary = vocabulary
	}
	s := &Server{options: o, mux: http.NewServeMux(), seen: map[uint64]bool{}}
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.mux.HandleFunc("POST /v1/completions", s.answer)
	s.mux.HandleFunc("POST /v1/chat/completions", s.answer)
	s.mux.HandleFunc("POST /v1/audio/transcriptions", s.transcribe)
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
	second := ""
	if s.options.Alias != "" {
		second = fmt.Sprintf(`,{"id":%q,"object":"model","owned_by":%q}`, s.options.Alias, s.options.Owner)
	}
	fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":%q}%s]}`, s.options.Model,
		s.options.Owner, second)
}

// Request is what a client asks.
type Request struct {
	Model     string
	Prompt    json.RawMessage
	Messages  json.RawMessage
	MaxTokens int `json:"max_tokens"`
	MaxNew    int `json:"max_completion_tokens"`
	Stream    bool
	ReturnIDs bool            `json:"return_token_ids"`
	Logprobs  json.RawMessage `json:"logprobs"`
	Salt      string          `json:"cache_salt"`
	Skip      *bool           `json:"skip_special_tokens"`
	Usage     struct {
		Include bool `json:"include_usage"`
	} `json:"stream_options"`
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	var ask Request
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if ask.Model != s.options.Model {
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
	if f.Status != 0 {
		refuse(w, f.Status, "told to refuse")
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	a := s.newAnswer(ask, w, r, f)
	a.run()
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
