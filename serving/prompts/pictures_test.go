package prompts_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// weightedLengths is a part of a message's content.
type weightedLengths struct {
	Type, Text string
	Image      struct{ URL string } `json:"image_url"`
}

func content(t *testing.T, a prompts.Ask) []weightedLengths {
	t.Helper()
	var messages []struct {
		Role    string
		Content []weightedLengths
	}
	if err := json.Unmarshal(a.Messages, &messages); err != nil || len(messages) != 1 || messages[0].Role != "user" {
		t.Fatalf("%.200s: %v", a.Messages, err)
	}
	return messages[0].Content
}

func embeddedPicture(t *testing.T, p weightedLengths) []byte {
	t.Helper()
	text, ok := strings.CutPrefix(p.Image.URL, "data:image/png;base64,")
	data, err := base64.StdEncoding.DecodeString(text)
	if p.Type != "image_url" || !ok || err != nil {
		t.Fatalf("%.100v: %v", p, err)
	}
	return data
}

// TestPicturesOfNoise checks the number and the size of pictures, and that all differ.
func TestPicturesOfNoise(t *testing.T) {
	_, asks := draw(t, prompts.PromptOptions{ISL: "10", Image: "32x16x2"}, prompts.DrawOptions{N: 3})
	seen := map[string]bool{}
	for _, a := range asks {
		parts := content(t, a)
		if len(parts) != 3 || len(strings.Fields(parts[0].Text)) != 10 || a.API != prompts.Chat {
			t.Fatalf("%s %d parts, %q", a.API, len(parts), parts[0].Text)
		}
		for _, p := range parts[1:] {
			data := embeddedPicture(t, p)
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil || img.Bounds().Dx() != 32 || img.Bounds().Dy() != 16 {
				t.Fatalf("%v, %v", img.Bounds(), err)
			}
			seen[string(data)] = true
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d pictures of 6 are different", len(seen))
	}
}

// TestPicturesOfResponses checks that pictures are input items in the Responses API.
func TestPicturesOfResponses(t *testing.T) {
	_, asks := draw(t, prompts.PromptOptions{ISL: "10", Image: "32x16x2", API: prompts.Responses},
		prompts.DrawOptions{N: 1})
	var messages []struct {
		Role    string
		Content []struct {
			Type, Text string
			Image      string `json:"image_url"`
		}
	}
	if err := json.Unmarshal(asks[0].Messages, &messages); err != nil || len(messages) != 1 ||
		len(messages[0].Content) != 3 {
		t.Fatalf("%.300s: %v", asks[0].Messages, err)
	}
	for i, p := range messages[0].Content {
		if isText := i == 0; isText != (p.Type == "input_text" && p.Text != "") ||
			isText == (p.Type == "input_image" && strings.HasPrefix(p.Image, "data:image/png;base64,")) {
			t.Errorf("part %d: %.100v", i, p)
		}
	}
	if _, err := prompts.ReadSet(prompts.PromptOptions{ISL: "10", Image: "4x4", API: prompts.Completions}); err == nil ||
		!strings.Contains(err.Error(), "want --api chat or responses, not completions") {
		t.Errorf("%v", err)
	}
}

// TestPicturesOfRows checks URLs, files relative to the data and bytes in tables, and that only pictures are sent to a
// server.
func TestPicturesOfRows(t *testing.T) {
	_, noise := draw(t, prompts.PromptOptions{ISL: "1", Image: "4x4"}, prompts.DrawOptions{N: 1})
	data := embeddedPicture(t, content(t, noise[0])[1])
	dir := t.TempDir()
	for name, content := range map[string][]byte{"a.png": data, "secret": []byte("password")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(image string) (*prompts.PromptSet, error) {
		path := filepath.Join(dir, "data.jsonl")
		if err := os.WriteFile(path, []byte(`{"prompt": "what?", "image": `+image+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return prompts.ReadSet(prompts.PromptOptions{File: path})
	}
	set, err := read(`["http://host/x.jpg", "a.png", {"bytes": "` + base64.StdEncoding.EncodeToString(data) +
		`", "path": null}, {"path": "a.png"}]`)
	if err != nil {
		t.Fatal(err)
	}
	parts := content(t, set.Draw(prompts.DrawOptions{}).At(0))
	if len(parts) != 5 || parts[0].Text != "what?" || parts[1].Image.URL != "http://host/x.jpg" {
		t.Fatalf("%.300v", parts)
	}
	for _, p := range parts[2:] {
		if !bytes.Equal(embeddedPicture(t, p), data) {
			t.Errorf("another picture: %.100v", p)
		}
	}
	for image, want := range map[string]string{
		`"secret"`: "want a picture", `"none.png"`: "no such file", `5`: "no such file", `{}`: "want a URL, a file",
		`{"bytes": "aGk="}`: "want a picture (PNG, JPEG, WebP, GIF), not text/plain", `"file:///etc/passwd"`: "no such file",
	} {
		if _, err := read(image); err == nil || !strings.Contains(err.Error(), "line 1: image: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", image, err, want)
		}
	}
}
