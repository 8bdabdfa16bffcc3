package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxForm limits a form in memory. 30 s of sound have 1 MB.
const maxForm = 16 << 20

// transcribe answers with the text of a sound, as one word per event or in one piece.
func (s *Server) transcribe(w http.ResponseWriter, r *http.Request) {
	file, err := s.sound(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.asked.Add(1)
	text, tokens := s.options.Transcribe(file)
	s.tokens.Add(int64(tokens))
	usage := fmt.Sprintf(`,"usage":{"type":"tokens","input_tokens":1500,"output_tokens":%d}`, tokens)
	if s.options.NoUsage {
		usage = `,"usage":{"type":"duration","seconds":30}`
	}
	if s.options.Whole || r.FormValue("stream") != "true" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"text":%s%s}`, quoted(text), usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, word := range strings.SplitAfter(text, " ") {
		fmt.Fprintf(w, "data: {\"object\":\"transcription.chunk\",\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n",
			quoted(word))
	}
	if r.FormValue("stream_include_usage") == "true" && !s.options.NoUsage {
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":%d}}\n\n", tokens)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// sound returns the file of a request and checks the other fields.
func (s *Server) sound(r *http.Request) ([]byte, error) {
	if s.options.Transcribe == nil {
		return nil, fmt.Errorf("the model %s does not transcribe", s.options.Model)
	}
	if err := r.ParseMultipartForm(maxForm); err != nil {
		return nil, err
	}
	if r.FormValue("model") != s.options.Model || r.FormValue("temperature") != "0" || r.FormValue("language") != "en" {
		return nil, fmt.Errorf("model %q, language %q, temperature %q: want %s, en, 0", r.FormValue("model"),
			r.FormValue("language"), r.FormValue("temperature"), s.options.Model)
	}
	file, _, err := r.FormFile("file")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil { // cannot happen for strings
		return []byte(`""`)
	}
	return b
}
