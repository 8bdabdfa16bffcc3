package openaitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// answer is an answer in progress.
type answer struct {
	server      *Server
	request     Request
	api         api
	fault       Fault
	w           http.ResponseWriter
	flusher     *http.ResponseController
	httpRequest *http.Request

	prompt          uint64 // hash of the prompt
	promptTokens    int
	cached          int
	reasoningTokens int // number of reasoning tokens
	calls           bool
	total           int
	givenTokens     []int32 // tokens of the answer, if they are specified
	reply           *Reply  // reply that replaces tokens; nil: none
	deltas          []string

	onePiece bool // the answer is sent in one piece

	event  []byte
	data   []byte
	events int
	unsent bool      // data was written but not flushed
	due    time.Time // due time of the next token
	entry  Entry
}

func (s *Server) newAnswer(ask Request, of api, w http.ResponseWriter, r *http.Request, f Fault) *answer {
	a := &answer{
		server: s, request: ask, api: of, fault: f, w: w, flusher: http.NewResponseController(w), httpRequest: r,
		onePiece: !ask.Stream || s.options.NoStream,
	}
	a.prompt = hash(string(ask.Prompt) + string(ask.Messages) + string(ask.Input))
	prompt := s.promptOf(&ask, of)
	a.promptTokens = len(prompt)
	if of == embeddings || of == rerank {
		return a
	}
	a.total, a.givenTokens = s.answerLength(&ask), s.givenTokens(&ask)
	if of != completions && of != native {
		a.reasoningTokens = min(s.options.ReasoningTokens, a.total)
		a.calls = s.options.Call != "" && len(ask.Tools) > 0
	}
	if s.options.Caches && ask.Salt == "" {
		a.cached = s.cache.lookUp(prompt)
	}
	return a
}

// run sends the answer. It returns early if the client disconnects or a fault ends the answer.
func (a *answer) run() {
	s := a.server
	f := &s.figures
	waits := time.Now()
	if !s.service.enter(a.httpRequest.Context()) {
		return
	}
	defer s.service.leave()
	f.queue.note(time.Since(waits))
	f.prompt.Add(int64(a.promptTokens))
	switch {
	case a.api == embeddings || a.api == rerank:
		a.sendResults()
	case a.onePiece:
		a.sendWhole()
	default:
		a.stream()
	}
	a.entry.End = time.Now().UnixNano()
	f.e2e.note(time.Since(waits))
}

// stream sends the events.
func (a *answer) stream() {
	o := &a.server.options
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	if a.fault.Empty {
		a.send([]byte("[DONE]"), false)
		return
	}
	if !a.sendBegin() {
		return
	}
	a.due = time.Now()
	for i := 0; i < a.total; {
		n := a.tokensInEvent(i)
		wait := a.stepBefore(i)
		if !a.pause(wait) {
			return
		}
		now := time.Now()
		if a.api == responses && a.calls && i == a.reasoningTokens && !a.send(a.callItem(), false) {
			return
		}
		if !a.send(a.eventData(i, n), wait > 0) {
			return
		}
		a.recordSent(now, i, n)
		i += n
	}
	a.pause(o.UsageDelay)
	a.sendEnd()
}

// recordSent records tokens that were written.
func (a *answer) recordSent(now time.Time, i, n int) {
	f := &a.server.figures
	at := now.UnixNano()
	if i == 0 {
		a.entry.First = at
		f.ttft.note(time.Duration(at - a.entry.Received))
	} else {
		f.tpot.note(time.Duration(at-a.entry.Last) / time.Duration(n))
	}
	a.entry.Last, a.entry.Tokens = at, a.entry.Tokens+n
	f.generated.Add(int64(n))
	a.server.tokens.Add(int64(n))
}

// tokensInEvent returns the number of tokens in the event with token i. All tokens of an event have the same kind.
func (a *answer) tokensInEvent(i int) int {
	if a.reply != nil {
		return 1
	}
	n := min(max(a.server.options.TokensPerEvent, 1), a.total-i)
	if i < a.reasoningTokens {
		n = min(n, a.reasoningTokens-i)
	}
	return n
}

// stepBefore returns the time between token i and the previous one.
func (a *answer) stepBefore(i int) time.Duration {
	if i > 0 {
		return a.server.service.step()
	}
	o := &a.server.options
	fresh := a.promptTokens - a.cached
	first := o.First
	if a.cached > 0 {
		first = first * time.Duration(fresh) / time.Duration(a.promptTokens)
	}
	return first + time.Duration(fresh)*o.Prefill
}

// pause waits for a duration after the due time of the last token, so that a late token does not delay the next. It
// returns false if the client has disconnected.
func (a *answer) pause(d time.Duration) bool {
	if d > 0 {
		if a.unsent {
			a.flush()
		}
		a.due = a.due.Add(d)
		time.Sleep(time.Until(a.due))
	}
	select {
	case <-a.httpRequest.Context().Done():
		return false
	default:
		return true
	}
}

// sendBegin sends the events before the first token.
func (a *answer) sendBegin() bool {
	switch {
	case a.api == responses:
		if !a.send([]byte(`{"type":"response.created","response":{"object":"response","status":"in_progress","output":[],`+
			`"usage":null}}`), false) {
			return false
		}
	case a.api == chat && a.server.options.Roles:
		if !a.send([]byte(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`), true) {
			return false
		}
	}
	return true
}

// sendEnd sends the events after the last token.
func (a *answer) sendEnd() {
	if a.api == responses {
		a.send(a.completed(), false)
		return
	}
	if a.request.Usage.Include && !a.server.options.NoUsage {
		b := append([]byte(nil), `{"id":"mock-1","object":"text_completion","choices":[],"usage":`...)
		if !a.send(append(a.appendUsage(b), '}'), false) {
			return
		}
	}
	a.send([]byte("[DONE]"), false)
}

// send sends an event, or the fault that replaces it. It returns false if the stream has ended.
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
			<-a.httpRequest.Context().Done()
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
	if a.unsent = true; flush {
		a.flush()
	}
	return true
}

func (a *answer) write(data []byte) bool {
	b := a.event[:0]
	if a.server.options.Comments {
		b = append(b, ": still here\n\n"...)
	}
	a.event = append(append(append(b, "data: "...), data...), "\n\n"...)
	_, err := a.w.Write(a.event)
	return err == nil
}

// flush flushes the written data. After an error the next write fails.
func (a *answer) flush() {
	a.unsent = false
	_ = a.flusher.Flush()
}

func (a *answer) id(i int) int32 {
	if says := a.givenTokens; len(says) > 0 {
		return says[i%len(says)]
	}
	return tokenID(a.prompt, i, a.server.options.Vocabulary)
}

func (a *answer) appendText(b []byte, i, n int) []byte {
	if a.server.options.TimestampText {
		return strconv.AppendInt(append(b, ' '), time.Now().UnixNano(), 10)
	}
	for k := range n {
		switch id := a.id(i + k); {
		case a.isHidden(id):
		case a.server.options.Spell != nil:
			b = appendJSONText(b, a.server.options.Spell(id))
		default:
			b = appendToken(b, id)
		}
	}
	return b
}

// appendJSONText appends a text with the escapes of a JSON string, without quotes.
func appendJSONText(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // cannot happen for strings
		return b
	}
	return append(b, quoted[1:len(quoted)-1]...)
}

// isHidden reports whether a token has no text.
func (a *answer) isHidden(id int32) bool {
	return slices.Contains(a.server.options.Special, id) && (a.request.Skip == nil || *a.request.Skip)
}

// finishReason returns the reason for the end of an answer.
func (a *answer) finishReason() string {
	switch {
	case a.reply != nil:
		return a.reply.finish()
	case a.calls:
		return "tool_calls"
	case a.total < max(a.request.MaxTokens, a.request.MaxNew, a.request.MaxOutput):
		return "stop"
	}
	return "length"
}
