package client

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// fence is a block of the document: what it is, its flags or its name, its lines.
var fence = regexp.MustCompile("(?ms)^```(data|requests) ([^\n]*)\n(.*?)^```$")

// TestDocumentedData sends the examples of docs/serving-data.md.
func TestDocumentedData(t *testing.T) {
	text, err := os.ReadFile("../../../docs/serving-data.md")
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, openaitest.Options{Owner: "vllm"})
	dir := t.TempDir()
	blocks := fence.FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 15 {
		t.Fatalf("%d examples, want more", len(blocks))
	}
	for _, block := range blocks {
		if block[1] == "data" {
			if err := os.WriteFile(filepath.Join(dir, block[2]), []byte(block[3]), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Run(block[2], func(t *testing.T) {
			o := servingtest.PromptOptions(t, block[2])
			o.File = filepath.Join(dir, o.File)
			set, err := prompts.ReadSet(o)
			if err != nil {
				t.Fatal(err)
			}
			drawn := set.Draw(prompts.DrawOptions{Order: prompts.InOrder})
			want := strings.Split(strings.TrimSpace(block[3]), "\n")
			if drawn.Len() != len(want) {
				t.Fatalf("%d requests, want %d", drawn.Len(), len(want))
			}
			for i, line := range want {
				shows(t, c, drawn.At(i), line)
			}
		})
	}
}

// shows compares a request with a path and fields of its body.
func shows(t *testing.T, c *Client, a prompts.Ask, line string) {
	t.Helper()
	path, fields, _ := strings.Cut(line, " ")
	p, err := c.Prepare(&a)
	if err != nil {
		t.Fatal(err)
	}
	request := p.(openai.WrittenRequest)
	var want, got map[string]any
	if err := json.Unmarshal([]byte(fields), &want); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	if err := json.Unmarshal(request.Body(), &got); err != nil {
		t.Fatal(err)
	}
	if "/v1"+request.Path() != path {
		t.Errorf("sent to %s, want %s", request.Path(), path)
	}
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
}
