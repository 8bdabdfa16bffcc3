// Package testfile writes and reads small files in tests, and ends the test on an error. It compares output with files
// in testdata; `go test -update` rewrites them.
package testfile

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// RequireText fails the test unless a file contains a text.
func RequireText(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if have, err := os.ReadFile(file); err != nil || !strings.Contains(string(have), text) {
		t.Errorf("%s: %v, want %q in\n%s", file, err, text, have)
	}
}

// Picture returns a PNG file of w x h pixels.
func Picture(t *testing.T, w, h int) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, color.RGBA{uint8(i * 7), uint8(i * 13), uint8(i >> 3), 255})
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// Write writes a text to a file and returns its path.
func Write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Read returns the text of a file.
func Read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ReadJSON decodes a file into v.
func ReadJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// WriteBelow writes a file and creates its folder if necessary.
func WriteBelow(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	Write(t, path, text)
}

// WriteJSON writes a value as JSON.
func WriteJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
