package openaitest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// answer is one stream on its way.
type answer struct {
	server  *Server
	ask     Request
	fault   Fault
	w       http.ResponseWriter
	flusher *http.ResponseController
	gone    <-chan struct{}
	chat    bool
	prompt  uint64
	total   int
	event   []byte
	data    []byte
	events  int
}

func (s *Server) newAnswer(ask Request, w http.ResponseWriter, r *http.Request, f Fault) *answer {
	a := &answer{server: s, ask: ask, fault: f, w: w, flusher: http.NewResponseController(w), gone: r.Context().Done()}
	a.chat = len(ask.Messages) > 0
	a.prompt = hash(string(ask.Prompt) + string(ask.Messages))
	a.total = max(ask.MaxTokens, ask.MaxNew)
	if n := s.options.Tokens; n > 0 {
		a.total = min(a.total, n)
	}
	if says := s.options.Says; says != nil {
		a.total = min(a.total, len(says))
	}
	return a
}

// run sends the events. It returns early where the client goes, or a fault ends the stream.
func (a *answer) run() {
	o := a.server.options
	wait, cached := a.first()
	for i := 0; i < a.total; i += max(o.Together, 1) {
		if !a.pause(wait) {
			return
		}
		wait = o.Step
		n := min(max(o.Together, 1), a.total-i)
		if !a.send(a.tokens(i, n), wait > 0) {
			return
		}
		a.server.tokens.Add(int64(n))
	}
	if a.ask.Usage.Include && !o.NoUsage && !a.send(a.usage(cached), false) {
		return
	}
	a.send([]byte("[DONE]"), false)
}

// first is how long the first token takes, and how many tokens of the prompt are in the cache.
func (a *answer) first() (wait time.Duration, cached int) {
	s := a.server
	if !s.options.Caches || a.ask.Salt != "" {
		return s.options.First, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[a.prompt] {
		return 0, len(a.ask.Prompt) / 4
	}
	s.seen[a.prompt] = true
	return s.options.First, 0
}

// pause waits, and tells whether the client is still there.
func (a *answer) pause(d time.Duration) bool {
	if d > 0 {
		time.Sleep(d)
	}
	select {
	case <-a.gone:
		return false
	default:
		return true
	}
}

// send sends an event, or does what goes wrong in its place. It tells whether the stream goes on.
func (a *answer) send(data []byte, flush bool) bool {
	a.events++
	f := a.fault
	if a.events == f.After+1 {
		switch {
		case f.Cut:
			a.flush()
			panic(http.ErrAbortHandler)
		case f.Stall:
			a.flush()
			<-a.gone
			return false
		case f.Error != "":
			a.write([]byte(`{"error":{"message":` + strconv.Quote(f.Error) + `}}`))
			return false
		case f.Event != "":
			data = []byte(f.Event)
		}
	}
	if !a.write(data) {
		return false
	}
	if flush {
		a.flush()
	}
	return true
}

func (a *answer) write(data []byte) bool {
	a.event = append(append(append(a.event[:0], "data: "...), data...), "\n\n"...)
	_, err := a.w.Write(a.event)
	return err == nil
}

// flush sends what is written; where it cannot, the next write fails.
func (a *answer) flush() { _ = a.flusher.Flush() }

// tokens is the data of an event with n tokens.
func (a *answer) tokens(i, n int) []byte {
	b := append(a.data[:0], `{"id":"mock-1","object":"text_completion","created":1700000000,"model":`...)
	b = strconv.AppendQuote(b, a.server.options.Model)
	b = append(b, `,"choices":[{"index":0,`...)
	if a.chat {
		b = append(b, `"delta":{"role":"assistant","content":`...)
	} else {
		b = append(b, `"text":`...)
	}
	b = append(b, '"')
	b = a.appendText(b, i, n)
	b = append(b, '"')
	if a.chat {
		b = append(b, '}')
	}
	b = a.appendIDs(b, i, n)
	b = a.appendLogprobs(b, i, n)
	reason := "null"
	if i+n == a.total {
		reason = `"length"`
	}
	b = append(append(append(b, `,"finish_reason":`...), reason...), `,"stop_reason":null}]}`...)
	a.data = b
	return b
}

func (a *answer) id(i int) int32 {
	if says := a.server.options.Says; says != nil {
		return says[i]
	}
	return tokenID(a.prompt, i, a.server.options.Vocabulary)
}

func (a *answer) appendText(b []byte, i, n int) []byte {
	if a.server.options.Stamps {
		return strconv.AppendInt(append(b, ' '), time.Now().UnixNano(), 10)
	}
	for k := range n {
		if id := a.id(i + k); !a.hides(id) {
			b = appendToken(b, id)
		}
	}
	return b
}

// hides tells whether a token has no text.
func (a *answer) hides(id int32) bool {
	return slices.Contains(a.server.options.Special, id) && (a.ask.Skip == nil || *a.ask.Skip)
}

func (a *answer) appendIDs(b []byte, i, n int) []byte {
	if !a.server.options.IDs || !a.ask.ReturnIDs {
		return b
	}
	b = append(b, `,"token_ids":[`...)
	for k := range n {
		if k > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(a.id(i+k)), 10)
	}
	return append(b, ']')
}

func (a *answer) appendLogprobs(b []byte, i, n int) []byte {
	if len(a.ask.Logprobs) == 0 {
		return append(b, `,"logprobs":null`...)
	}
	open, before, after, end := `{"tokens":[`, `"`, `"`, `]}`
	if a.chat {
		open, before, after = `{"content":[`, `{"token":"`, `","logprob":-0.1,"bytes":null,"top_logprobs":[]}`
	}
	b = append(append(b, `,"logprobs":`...), open...)
	for k := range n {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(appendToken(append(b, before...), a.id(i+k)), after...)
	}
	return append(b, end...)
}

func (a *answer) usage(cached int) []byte {
	b := append([]byte(nil),
		`{"id":"mock-1","object":"text_completion","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":`...)
	b = strconv.AppendInt(b, int64(a.total), 10)
	b = append(b, `,"prompt_tokens_details":{"cached_tokens":`...)
	b = strconv.AppendInt(b, int64(cached), 10)
	return append(b, `}}}`...)
}
