package openai_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// spell answers with the samples of a WAV file.
func spell(file []byte) (text string, tokens int) {
	for at := 44; at+1 < len(file); at += 2 {
		text += fmt.Sprintf(" %d", int16(binary.LittleEndian.Uint16(file[at:])))
		tokens++
	}
	return text, tokens + 1
}

// speech is an audio prompt with extreme and out-of-range samples.
func speech() backend.Prompt {
	return backend.Prompt{Audio: []float32{0, -1, 1, 2, 32767. / 32768, -1. / 32768}, MaxNewTokens: 200}
}

func TestTranscripts(t *testing.T) {
	const text, tokens = " 0 -32768 32767 32767 32767 -1", 7
	for name, o := range map[string]openaitest.Options{
		"a stream": {Transcribe: spell}, "one piece": {Transcribe: spell, Whole: true},
		"vllm": {Transcribe: spell, Owner: "vllm"},
	} {
		t.Run(name, func(t *testing.T) {
			g := connect(t, serve(t, openaitest.New(o)))
			if !g.TakesAudio() {
				t.Error("it takes no audio")
			}
			var s sink
			if err := g.Generate(t.Context(), speech(), &s); err != nil {
				t.Fatal(err)
			}
			if got := s.complete[0]; got.Text != text || got.N != tokens || got.IDs != nil || s.order != "fc" {
				t.Errorf("%+v in order %s, want %q of %d tokens", got, s.order, text, tokens)
			}
		})
	}
}

// TestTranscriptsInOpenAIsStream reads events with types.
func TestTranscriptsInOpenAIsStream(t *testing.T) {
	events := `data: {"type":"transcript.text.delta","delta":"Two "}

data: {"type":"transcript.text.delta","delta":"words."}

data: {"type":"transcript.text.done","text":"Two words.","usage":{"type":"tokens","output_tokens":4}}

`
	mux := http.NewServeMux()
	mux.Handle("/", openaitest.New(openaitest.Options{}))
	mux.HandleFunc("/v1/audio/transcriptions", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, events)
	})
	var s sink
	if err := connect(t, serve(t, mux)).Generate(t.Context(), speech(), &s); err != nil {
		t.Fatal(err)
	}
	if got := s.complete[0]; got.Text != "Two words." || got.N != 4 {
		t.Errorf("%+v", got)
	}
}

func TestTranscriptsThatAreNone(t *testing.T) {
	whole := func(body string) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/", openaitest.New(openaitest.Options{}))
		mux.HandleFunc("/v1/audio/transcriptions", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		})
		return mux
	}
	for name, c := range map[string]struct {
		handler http.Handler
		class   error
		want    string
	}{
		"no count, in one piece": {openaitest.New(openaitest.Options{Transcribe: spell, Whole: true, NoUsage: true}),
			openai.ErrStream, "does not say how many tokens"},
		"no count, in a stream": {openaitest.New(openaitest.Options{Transcribe: spell, NoUsage: true}),
			openai.ErrStream, "does not say how many tokens"},
		"no such model": {openaitest.New(openaitest.Options{}), openai.ErrServer, "does not transcribe"},
		"no text":       {whole(`{"usage":{"output_tokens":3}}`), openai.ErrStream, "the transcript is not what the API has"},
		"no JSON":       {whole(`hello`), openai.ErrStream, "the transcript is not what the API has"},
	} {
		t.Run(name, func(t *testing.T) {
			err := connect(t, serve(t, c.handler)).Generate(t.Context(), speech(), &sink{})
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	g := connect(t, serve(t, openaitest.New(openaitest.Options{Transcribe: spell})))
	p := speech()
	p.Beams = 4
	if err := g.Generate(t.Context(), p, &sink{}); !errors.Is(err, openai.ErrPrompt) {
		t.Errorf("error %v of beams", err)
	}
	if connect(t, serve(t, openaitest.New(openaitest.Options{})), "api=chat").TakesAudio() {
		t.Error("chats take audio")
	}
}
