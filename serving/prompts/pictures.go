package prompts

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// pictureSize is the size and the number of pictures in each request. The zero value means none.
type pictureSize struct{ width, height, n int }

// Limits of pictures.
const (
	maxSide     = 1 << 14 // pixels
	maxPictures = 1000    // in a request
	maxPicture  = 64 << 20
)

func readPicture(text string) (pictureSize, error) {
	if text == "" {
		return pictureSize{}, nil
	}
	sides := strings.Split(text, "x")
	if len(sides) == 2 {
		sides = append(sides, "1")
	}
	if len(sides) == 3 {
		p := pictureSize{parseCount(sides[0]), parseCount(sides[1]), parseCount(sides[2])}
		if p.width > 0 && p.height > 0 && p.n > 0 && max(p.width, p.height) <= maxSide && p.n <= maxPictures {
			return p, nil
		}
	}
	return pictureSize{}, fmt.Errorf("--image %s: want WIDTHxHEIGHT or WIDTHxHEIGHTxN, up to %d pixels and %d pictures, "+
		"as "+
		"1024x768 or 1024x768x2", text, maxSide, maxPictures)
}

// imagePart returns a picture as part of a message.
func imagePart(url string) json.RawMessage { return backend.MessagePart{ImageURL: url}.Append(nil) }

// inputPart returns a picture as an input item of the Responses API.
func inputPart(url string) json.RawMessage {
	part, _ := marshalPlain(struct {
		Type  string `json:"type"`
		Image string `json:"image_url"`
	}{"input_image", url})
	return part
}

// dataURL returns a data URL with content.
func dataURL(kind string, content []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content)
}

// readPictures reads the pictures of a row: one URL or a list of URLs, file names relative to the data, or objects with
// bytes or a path, as in Parquet data sets.
func (r *rowReader) readPictures(raw json.RawMessage) ([]json.RawMessage, error) {
	if raw[0] != '[' {
		part, err := r.readPicture(raw)
		return []json.RawMessage{part}, err
	}
	var parts []json.RawMessage
	var err error
	eachElement(raw, func(value []byte) bool {
		var part json.RawMessage
		part, err = r.readPicture(value)
		parts = append(parts, part)
		return err == nil
	})
	return parts, err
}

func (r *rowReader) readPicture(raw json.RawMessage) (json.RawMessage, error) {
	if raw[0] == '{' {
		var o struct {
			Bytes []byte
			Path  string
		}
		if err := json.Unmarshal(raw, &o); err != nil || o.Bytes == nil && o.Path == "" {
			return nil, fmt.Errorf("want a URL, a file, or an object with bytes in base64 or a path, not %s", firstChars(raw))
		}
		if o.Bytes == nil {
			return r.pictureFile(o.Path)
		}
		return pictureOf(o.Bytes)
	}
	text, err := textOf(raw)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "data") {
		return imagePart(text), nil
	}
	return r.pictureFile(text)
}

// pictureFile reads a picture from a file. Its path is relative to the data's folder.
func (r *rowReader) pictureFile(path string) (json.RawMessage, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.options.File), filepath.FromSlash(path))
	}
	content, err := bounded.ReadFile(path, maxPicture)
	if err != nil {
		return nil, err
	}
	part, err := pictureOf(content)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return part, err
}

// pictureOf returns the message part of a picture. It rejects other content, so that no other file is sent to a server.
func pictureOf(content []byte) (json.RawMessage, error) {
	kind := http.DetectContentType(content)
	if !strings.HasPrefix(kind, "image/") {
		return nil, fmt.Errorf("want a picture (PNG, JPEG, WebP, GIF), not %s", kind)
	}
	return imagePart(dataURL(kind, content)), nil
}

// drawNoisePNG returns a picture of noise as PNG, which is neither cached anywhere nor compressible.
func (p pictureSize) drawNoisePNG(seed, index uint64) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	r := newRand(seed, pictureStream, index)
	for i := 0; i < len(img.Pix); i += 4 {
		n := r.Uint32()
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = byte(n), byte(n>>8), byte(n>>16), 0xff
	}
	var b bytes.Buffer
	b.Grow(3*p.width*p.height + p.height + 1<<10)
	// Writing to memory cannot fail, and readPicture limits the size.
	_ = (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img)
	return b.Bytes()
}

// addPictures adds pictures of noise to the last user message.
func (w *DrawnRequests) addPictures(a *Ask, i int) {
	p := w.set.options.image
	parts := make([]json.RawMessage, 0, p.n+1)
	text, picture := textPart, imagePart
	if a.API == Responses {
		text, picture = inputTextPart, inputPart
	}
	if a.Text != "" {
		parts = append(parts, text(a.Text))
	}
	for k := range p.n {
		parts = append(parts, picture(dataURL("image/png", p.drawNoisePNG(w.seed, uint64(i)*maxPictures+uint64(k)))))
	}
	if a.Messages == nil {
		m, _ := marshalPlain(chatMessage{"user", joinMessages(parts...)})
		a.Messages, a.Text = joinMessages(m), ""
		return
	}
	m, _ := marshalPlain(chatMessage{"user", joinMessages(parts...)})
	var all []json.RawMessage
	eachElement(a.Messages, func(value []byte) bool { all = append(all, value); return true })
	a.Messages = joinMessages(append(all, m)...)
}

// checkPictures requires chats or responses with single turns.
func (s *PromptSet) checkPictures() error {
	if s.options.image.n == 0 {
		return nil
	}
	if s.API != Chat && s.API != Responses {
		return fmt.Errorf("--image is of chats and responses: want --api chat or responses, not %s", s.API)
	}
	if s.Sessions() > 0 {
		return errors.New("--image is of single turns: leave out --turns all")
	}
	return nil
}

// largePictures is the minimum size of pictures in memory that causes a note.
const largePictures = 1 << 30

// noteSize adds a note on the size of the pictures of all requests.
func (w *DrawnRequests) noteSize() {
	p := w.set.options.image
	if size := 4 * int64(p.width) * int64(p.height) * int64(p.n) * int64(len(w.plan)); size > largePictures {
		w.Notes = append(w.Notes, fmt.Sprintf("the pictures of %d requests take about %.1f GiB of memory",
			len(w.plan), float64(size)/(1<<30)))
	}
}
