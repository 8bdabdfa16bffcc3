package videos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Answer is what a server answers: where the video lies, or the video itself.
type Answer struct {
	ID   string
	Path string // at the server; empty: the video came itself
	// Video is the file of one that came as it is, and Base64 the text of one that came so.
	Video  []byte
	Base64 string
}

// ParseAnswer reads the body of an answer: a JSON object with video_id and one of video_path and video_bytes, and
// nothing else, or an MP4 file, which its fifth to eighth byte tell.
func ParseAnswer(body []byte) (Answer, error) {
	if len(body) >= 8 && string(body[4:8]) == "ftyp" {
		return Answer{Video: body}, nil
	}
	if !utf8.Valid(body) {
		return Answer{}, fmt.Errorf("%d bytes that are neither JSON nor MP4", len(body))
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	var fields struct {
		ID    *string          `json:"video_id"`
		Path  *json.RawMessage `json:"video_path"`
		Bytes *json.RawMessage `json:"video_bytes"`
	}
	if err := d.Decode(&fields); err != nil {
		return Answer{}, fmt.Errorf("want a JSON object with video_id and one of video_path and video_bytes: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Answer{}, errors.New("something follows the JSON object")
	}
	if fields.ID == nil || (fields.Path == nil) == (fields.Bytes == nil) || hasNull(body) {
		return Answer{}, errors.New("want video_id and one of video_path and video_bytes, each a text")
	}
	a := Answer{ID: *fields.ID}
	name, from, to := "video_path", fields.Path, &a.Path
	if from == nil {
		name, from, to = "video_bytes", fields.Bytes, &a.Base64
	}
	if err := json.Unmarshal(*from, to); err != nil {
		return Answer{}, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// hasNull says whether a field of an object is null: such a field is there all the same.
func hasNull(body []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return false
	}
	for _, v := range fields {
		if string(v) == "null" {
			return true
		}
	}
	return false
}
