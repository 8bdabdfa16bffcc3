package openai

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"mime/multipart"
	"net/http"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TakesAudio reports whether the servers transcribe audio, which they do unless option api selects another endpoint.
func (g *Generator) TakesAudio() bool { return g.settings.api == anyAPI }

// isTranscription reports whether a prompt is audio to transcribe.
func (a *requestMaker) isTranscription(p backend.Prompt) bool {
	return len(p.Audio) > 0 && a.settings.api == anyAPI
}

// transcribeRequest writes a request to transcribe audio in English without sampling: a form with a 16-bit WAV file.
func (a *requestMaker) transcribeRequest(p backend.Prompt) (serverRequest, error) {
	if p.Beams > 1 {
		return serverRequest{}, fmt.Errorf("%w: it wants %d beams, and transcriptions are asked for without", ErrPrompt,
			p.Beams)
	}
	if p.Sampling != nil {
		return serverRequest{}, fmt.Errorf("%w: it has sampling, and transcriptions are asked for without", ErrPrompt)
	}
	fields := map[string]string{
		"model": a.settings.model, "language": "en", "response_format": "json", "temperature": "0", "stream": "true",
		"stream_include_usage": "true",
	}
	if a.kind.name == "vllm" {
		fields["max_completion_tokens"] = fmt.Sprint(p.MaxNewTokens)
	}
	for name, value := range a.settings.body {
		fields[name] = formValue(value)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := form.WriteField(name, fields[name]); err != nil {
			return serverRequest{}, err
		}
	}
	file, err := form.CreateFormFile("file", "clip.wav")
	if err != nil {
		return serverRequest{}, err
	}
	if _, err := file.Write(encodeWAV(p.Audio)); err != nil {
		return serverRequest{}, err
	}
	if err := form.Close(); err != nil {
		return serverRequest{}, err
	}
	return serverRequest{path: "/audio/transcriptions", body: body.Bytes(), content: form.FormDataContentType()}, nil
}

// formValue returns a field's value in a form: a string without its quotes, or other values as JSON.
func formValue(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// The format of prompts' audio.
const (
	audioRate = 16000
	wavHeader = 44
)

// encodeWAV returns a WAV file with 16-bit samples. Samples that were decoded from 16 bits are reproduced exactly.
func encodeWAV(samples []float32) []byte {
	size := uint32(2 * len(samples))
	b := make([]byte, 0, wavHeader+int(size))
	b = binary.LittleEndian.AppendUint32(append(b, "RIFF"...), wavHeader-8+size)
	b = binary.LittleEndian.AppendUint32(append(b, "WAVEfmt "...), 16)
	for _, v := range []uint16{1, 1, audioRate, 0, 2 * audioRate, 0, 2, 16} { // PCM, 1 channel; bytes/s; bytes, bits
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), size)
	for _, v := range samples {
		scaled := math.RoundToEven(float64(v) * (1 << 15))
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(max(-1<<15, min(scaled, 1<<15-1)))))
	}
	return b
}

// maxTranscriptBytes is the maximum size of an unstreamed transcript.
const maxTranscriptBytes = 16 << 20

// readWhole reads an unstreamed transcript, which has no first token.
func (g *Generator) readWhole(ctx context.Context, r *http.Response, c *generateCall) *tryFailure {
	c.events.reset(r.Body)
	body, err := c.events.readAll(maxTranscriptBytes)
	if err != nil && !errors.Is(err, errLongAnswer) {
		return connectionFailure(ctx, err)
	}
	var said struct{ Text *string }
	if err := json.Unmarshal(body, &said); err != nil || said.Text == nil {
		return &tryFailure{err: fmt.Errorf("%w: the transcript is not what the API has: %.200q", ErrStream, body)}
	}
	chunk, ok := c.parser.parseEvent(body)
	if !ok {
		return &tryFailure{err: fmt.Errorf("%w: the transcript is not what the API has: %.200q", ErrStream, body)}
	}
	chunk.text = append(chunk.text[:0], *said.Text...)
	if err := c.answer.addChunk(chunk); err != nil {
		return &tryFailure{err: err}
	}
	return nil
}
