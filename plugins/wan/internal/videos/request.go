package videos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// VideoRequest is a request to a server. Its fields are those of the API, in the order of sending.
type VideoRequest struct {
	Prompt         string
	NegativePrompt string // empty: omitted
	Size           string // WIDTHxHEIGHT
	Seconds        float64
	FPS            json.Number
	Steps          json.Number
	Guidance       float64 // guidance scale of the first part of the steps
	Guidance2      float64 // guidance scale of the second part
	Seed           json.Number
	Frames         json.Number
	Boundary       float64 // share of the noise at which the second part begins
	// path at the server of a file with the noise from which all videos are generated; empty: omitted
	LatentPath     string
	OutputFormat   string // auto, mp4, avi
	ResponseFormat string // video_path, video_bytes
}

// Allowed values of fields.
var (
	OutputFormats   = []string{"auto", "mp4", "avi"}
	ResponseFormats = []string{PathFormat, BytesFormat}
)

// Formats of an answer.
const (
	PathFormat  = "video_path"
	BytesFormat = "video_bytes"
)

// OfficialRequest returns the settings of the endpoints harness. Its size is in portrait format, although the
// reference's videos are in landscape format.
func OfficialRequest() VideoRequest {
	return VideoRequest{
		Size: "720x1280", Seconds: 5, FPS: "16", Steps: "20", Guidance: 4, Guidance2: 3, Seed: "42", Frames: "81",
		Boundary: 0.875, OutputFormat: "auto", ResponseFormat: PathFormat,
	}
}

// EncodeBody returns the body of the request.
func (r *VideoRequest) EncodeBody() []byte {
	b := appendText([]byte(`{"prompt":`), r.Prompt)
	text := func(name, value string) {
		if value != "" {
			b = appendText(append(b, `,"`+name+`":`...), value)
		}
	}
	number := func(name, value string) { b = append(b, `,"`+name+`":`+value...) }
	text("negative_prompt", r.NegativePrompt)
	text("size", r.Size)
	number("seconds", pyfloat.Repr(r.Seconds))
	number("fps", r.FPS.String())
	number("num_inference_steps", r.Steps.String())
	number("guidance_scale", pyfloat.Repr(r.Guidance))
	number("guidance_scale_2", pyfloat.Repr(r.Guidance2))
	number("seed", r.Seed.String())
	number("num_frames", r.Frames.String())
	number("boundary_ratio", pyfloat.Repr(r.Boundary))
	text("latent_path", r.LatentPath)
	text("output_format", r.OutputFormat)
	text("response_format", r.ResponseFormat)
	return append(b, '}')
}

// appendText appends a text as JSON without escaping characters outside ASCII.
func appendText(b []byte, text string) []byte {
	var to bytes.Buffer
	e := json.NewEncoder(&to)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil { // impossible for a string
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(to.Bytes(), []byte("\n"))...)
}

// ParseRow returns a copy of the settings, overridden by a row of the endpoints harness's data set, which is a JSON
// object. Unknown fields are ignored. If the negative prompt or the latent is null, it is omitted. The error lists all
// faults.
func (r VideoRequest) ParseRow(row []byte) (VideoRequest, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(row, &fields); err != nil {
		return r, fmt.Errorf("no JSON object: %w", err)
	}
	f := rowFields{fields: fields}
	if _, there := fields["prompt"]; !there {
		f.addFault("prompt", "is missing")
	}
	if v, there := fields["stream"]; there && !slices.Contains(falsyValues, string(v)) {
		f.addFault("stream", "there are no streams of videos")
	}
	f.readText("prompt", &r.Prompt)
	f.readOptional("negative_prompt", &r.NegativePrompt)
	f.readText("size", &r.Size)
	f.readOptional("latent_path", &r.LatentPath)
	f.readChoice("output_format", &r.OutputFormat, OutputFormats)
	f.readChoice("response_format", &r.ResponseFormat, ResponseFormats)
	f.readFloat("seconds", &r.Seconds)
	f.readFloat("guidance_scale", &r.Guidance)
	f.readFloat("guidance_scale_2", &r.Guidance2)
	f.readFloat("boundary_ratio", &r.Boundary)
	f.readInteger("fps", &r.FPS)
	f.readInteger("num_inference_steps", &r.Steps)
	f.readInteger("seed", &r.Seed)
	f.readInteger("num_frames", &r.Frames)
	return r, errors.Join(f.faults...)
}

// falsyValues lists the JSON values that are false in Python.
var falsyValues = []string{"false", "null", "0", "0.0", `""`, "[]", "{}"}

// rowFields reads fields in the way of the harness's data models. Numbers may be strings, and whole numbers may end in
// ".0".
type rowFields struct {
	fields map[string]json.RawMessage
	faults []error
}

func (f *rowFields) addFault(name, what string) {
	f.faults = append(f.faults, fmt.Errorf("%s: %s", name, what))
}

func (f *rowFields) readText(name string, dst *string) {
	if v, ok := f.fields[name]; ok && (v[0] != '"' || json.Unmarshal(v, dst) != nil) {
		f.addFault(name, fmt.Sprintf("%s, want a text", v))
	}
}

// readOptional reads a text. null means omitted.
func (f *rowFields) readOptional(name string, dst *string) {
	if string(f.fields[name]) == "null" {
		*dst = ""
		return
	}
	f.readText(name, dst)
}

func (f *rowFields) readChoice(name string, dst *string, values []string) {
	f.readText(name, dst)
	for _, v := range values {
		if *dst == v {
			return
		}
	}
	f.addFault(name, fmt.Sprintf("%q, want %s", *dst, strings.Join(values, " or ")))
}

// readNumber returns the text of a number, or of a string or boolean that represents one.
func (f *rowFields) readNumber(name string) (text string, ok bool) {
	v, ok := f.fields[name]
	if !ok {
		return "", false
	}
	if text = string(v); v[0] == '"' {
		if json.Unmarshal(v, &text) != nil {
			return "", false
		}
		text = strings.TrimSpace(text)
	}
	switch text {
	case "true":
		return "1", true
	case "false":
		return "0", true
	}
	return text, true
}

func (f *rowFields) readFloat(name string, dst *float64) {
	text, ok := f.readNumber(name)
	if !ok {
		return
	}
	v, read := pyfloat.Parse(text)
	if !read {
		f.addFault(name, fmt.Sprintf("%q, want a number", text))
		return
	}
	*dst = v
}

func (f *rowFields) readInteger(name string, dst *json.Number) {
	text, ok := f.readNumber(name)
	if !ok {
		return
	}
	if whole, rest, dotted := strings.Cut(text, "."); dotted && strings.Trim(rest, "0") == "" {
		text = whole
	}
	v, read := new(big.Int).SetString(text, 10)
	if !read {
		if e, err := strconv.ParseFloat(text, 64); err == nil && e == float64(int64(e)) {
			*dst = json.Number(strconv.FormatInt(int64(e), 10))
			return
		}
		f.addFault(name, fmt.Sprintf("%q, want a whole number", text))
		return
	}
	*dst = json.Number(v.String())
}
