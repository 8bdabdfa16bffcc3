package jinja_test

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/jinja"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// golden is a template, or what transformers 5.5.0 (jinja2 3.1.6) made of a chat by it: a text by its SHA-256, or an
// error that the template raised, or another one.
type golden struct {
	Template     string
	Text         string
	SourceSHA256 string `json:"source_sha256"`
	Case         string
	SHA256       string
	Bytes        int
	Error        string // raised, failed
}

// noon is the time of strftime_now in the golden texts.
var noon = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

func readGolden(t testing.TB, file string) (all []golden) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var g golden
		if err := json.Unmarshal(s.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if s.Err() != nil || len(all) == 0 {
		t.Fatal(s.Err(), len(all))
	}
	return all
}

// readChats are the values of each case.
func readChats(t testing.TB) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile("testdata/chats.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := pyvalue.Decode(string(text))
	if err != nil {
		t.Fatal(err)
	}
	chats, _ := pyvalue.Field[*pyvalue.Dict](v.(*pyvalue.Dict), "convs")
	special, _ := pyvalue.Field[*pyvalue.Dict](v.(*pyvalue.Dict), "special")
	all := map[string]map[string]any{}
	for _, name := range chats.Keys() {
		values := map[string]any{"tools": nil, "documents": nil, "add_generation_prompt": false}
		one, _ := pyvalue.Field[*pyvalue.Dict](chats, name)
		for _, d := range []*pyvalue.Dict{special, one} {
			for _, key := range d.Keys() {
				values[key], _ = d.Get(key)
			}
		}
		all[name] = values
	}
	return all
}

func (g golden) check(t *testing.T, template *jinja.Template, values map[string]any) {
	t.Helper()
	text, err := template.Render(values, noon)
	var raised *jinja.RaisedError
	sum := sha256.Sum256([]byte(text))
	switch {
	case g.Error != "" && err == nil:
		t.Errorf("%s, %s: %.80q, want an error", g.Template, g.Case, text)
	case g.Error == "raised" && !errors.As(err, &raised):
		t.Errorf("%s, %s: %v, want an error that the template raises", g.Template, g.Case, err)
	case g.Error == "" && (err != nil || len(text) != g.Bytes || hex.EncodeToString(sum[:]) != g.SHA256):
		t.Errorf("%s, %s: %d bytes (%v) are not the %d of transformers:\n%.500s", g.Template, g.Case, len(text), err,
			g.Bytes, text)
	}
}

// TestTemplates renders the templates of trl 1.16.0.
func TestTemplates(t *testing.T) {
	chats := readChats(t)
	var template *jinja.Template
	for _, g := range readGolden(t, "trl.jsonl.gz") {
		if g.Text == "" {
			g.check(t, template, chats[g.Case])
			continue
		}
		var err error
		if template, err = jinja.Parse(g.Text); err != nil {
			t.Fatalf("%s: %v", g.Template, err)
		}
	}
}

// refused are templates that need what the engine does not have: dicts whose keys are numbers.
var refused = []string{"ByteDance-Seed-OSS"}

// TestTemplatesOfLlamaCpp renders the templates of llama.cpp, which are their models' owners' and not in the project.
func TestTemplatesOfLlamaCpp(t *testing.T) {
	dir := os.Getenv("PLUMBLINE_TEMPLATES")
	if dir == "" {
		t.Skip("PLUMBLINE_TEMPLATES does not name the folder models/templates of llama.cpp")
	}
	chats, templates, same := readChats(t), map[string]*jinja.Template{}, 0
	for _, g := range readGolden(t, "llama.cpp.jsonl.gz") {
		template, known := templates[g.Template]
		if !known {
			text, err := os.ReadFile(filepath.Join(dir, g.Template+".jinja"))
			sum := sha256.Sum256(text)
			if err == nil && hex.EncodeToString(sum[:]) == g.SourceSHA256 {
				if template, err = jinja.Parse(string(text)); err != nil {
					t.Errorf("%s: %v", g.Template, err)
				}
			}
			templates[g.Template] = template
		}
		switch {
		case template == nil: // another version of llama.cpp
		case g.Template == refused[0]:
			if _, err := template.Render(chats[g.Case], noon); err == nil || !strings.Contains(err.Error(), "not supported") {
				t.Errorf("%s: %v", g.Template, err)
			}
		default:
			same++
			g.check(t, template, chats[g.Case])
		}
	}
	if same == 0 {
		t.Errorf("%s has none of the templates", dir)
	}
}

func BenchmarkRender(b *testing.B) {
	chats := readChats(b)
	for _, g := range readGolden(b, "trl.jsonl.gz") {
		if g.Template != "gptoss" {
			continue
		}
		template, err := jinja.Parse(g.Text)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := template.Render(chats["tools"], noon); err != nil {
				b.Fatal(err)
			}
		}
		return
	}
}
