package openaitest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Mode is a form of answers, given by the bytes on the connection and their times.
type Mode struct {
	Name string
	// Models answers the list of models; nil: one model, m.
	Models func(t *ModeAnswer)
	// Answer answers a request for text.
	Answer func(t *ModeAnswer)
}

// ModeAnswer is a request whose answer is being written. Its methods end the answer if the client has disconnected.
type ModeAnswer struct {
	conn net.Conn
	// Max is the requested maximum number of tokens. N is the number of the request for text, from 0.
	Max int
	N   int64
	// Last means that the connection is closed after the answer.
	Last bool
}

// errGone states that the client has disconnected.
var errGone = errors.New("the client has gone")

// WriteRaw writes bytes as they are.
func (t *ModeAnswer) WriteRaw(text string) {
	if _, err := io.WriteString(t.conn, text); err != nil {
		panic(errGone)
	}
}

// WriteHead writes the header of a chunked stream, with additional fields.
func (t *ModeAnswer) WriteHead(fields ...string) {
	t.WriteRaw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n" +
		strings.Join(append(fields, ""), "\r\n") + "\r\n")
}

// WriteChunk writes a chunk of the body.
func (t *ModeAnswer) WriteChunk(text string) {
	t.WriteRaw(fmt.Sprintf("%x\r\n%s\r\n", len(text), text))
}

// WriteEnd writes the end of the body.
func (t *ModeAnswer) WriteEnd() { t.WriteRaw("0\r\n\r\n") }

// WriteWhole writes an answer in one piece.
func (t *ModeAnswer) WriteWhole(status, kind, body string, fields ...string) {
	t.WriteRaw(fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s", status, kind, len(body),
		strings.Join(append(fields, ""), "\r\n"), body))
}

// WriteTokens writes n tokens, a chunk each, with a gap after each.
func (t *ModeAnswer) WriteTokens(n int, gap time.Duration) {
	for i := range n {
		if i > 0 {
			time.Sleep(gap)
		}
		t.WriteChunk(Delta(`"content":" w"`))
	}
}

// WriteTail ends a stream with the finish reason, a count of tokens, and the last event.
func (t *ModeAnswer) WriteTail(tokens any) {
	t.WriteChunk(Finish)
	t.WriteChunk(Usage(tokens))
	t.WriteChunk(Done)
	t.WriteEnd()
}

// WaitForClient waits until the client disconnects.
func (t *ModeAnswer) WaitForClient() {
	_, _ = io.Copy(io.Discard, t.conn)
	panic(errGone)
}

// Delta returns an event of a chat with a part of a message, given as JSON without braces.
func Delta(fields string) string {
	return `data: {"choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}` + "\n\n"
}

// Events of a stream.
const (
	Role   = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	Finish = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}` + "\n\n"
	Done   = "data: [DONE]\n\n"
)

// Usage returns the event with the count of an answer's tokens, given as a JSON value, for a prompt of seven tokens.
func Usage(tokens any) string {
	return fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":%v}}`+"\n\n", tokens)
}

// ServeMode serves an address with a mode until the returned function is called.
func (m *Memory) ServeMode(address string, mode Mode) (stop func()) {
	l := m.listen(address)
	asked := make(chan int64, 1)
	asked <- 0
	var speaking sync.WaitGroup
	var mu sync.Mutex
	var all []net.Conn
	speaking.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, c)
			mu.Unlock()
			speaking.Go(func() { mode.serveConnection(c, asked) })
		}
	})
	return func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range all {
			_ = c.Close()
		}
		mu.Unlock()
		speaking.Wait()
	}
}

// serveConnection answers the requests of a connection.
func (mode Mode) serveConnection(c net.Conn, asked chan int64) {
	defer c.Close()
	defer func() {
		if err := recover(); err != nil && err != errGone { // it must be the thrown error itself
			panic(err)
		}
	}()
	for in := bufio.NewReader(c); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		t := &ModeAnswer{conn: c}
		switch {
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") && mode.Models != nil:
			mode.Models(t)
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
			t.WriteWhole("200 OK", "application/json", `{"data":[{"id":"m"}]}`)
		case r.Method == http.MethodGet:
			t.WriteWhole("404 Not Found", "application/json", `{}`)
		default:
			var ask struct {
				MaxTokens           int `json:"max_tokens"`
				MaxCompletionTokens int `json:"max_completion_tokens"`
			}
			if json.Unmarshal(body, &ask) != nil {
				return
			}
			t.Max, t.N = max(ask.MaxTokens, ask.MaxCompletionTokens), <-asked
			asked <- t.N + 1
			mode.Answer(t)
		}
		if t.Last {
			return
		}
	}
}
