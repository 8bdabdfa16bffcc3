package vl

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/products"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// requestCase is a product, and what the two official programs ask of it.
type requestCase struct {
	Product struct {
		Title       string   `json:"product_title"`
		Description string   `json:"product_description"`
		Offered     []string `json:"potential_product_categories"`
	}
	Row struct {
		Picture string `json:"product_image_base64"`
		Format  string `json:"product_image_format"`
		Offered string `json:"potential_product_categories"`
	} `json:"row_v61"`
	LoadGen map[string]json.RawMessage `json:"v60"`
	Offline map[string]json.RawMessage `json:"v61_offline"`
	Stream  map[string]json.RawMessage `json:"v61_stream"`
}

func (c *requestCase) row() *products.ProductRow {
	return &products.ProductRow{
		Title: c.Product.Title, Description: c.Product.Description, OfferedText: c.Row.Offered,
		Picture: []byte(c.Row.Picture), Encoded: true, Format: c.Row.Format,
		ProductTruth: products.ProductTruth{Offered: c.Product.Offered},
	}
}

// officialWords takes a folder of words out of a request of the golden files.
func officialWords(t *testing.T, c *requestCase, body map[string]json.RawMessage, system string) promptWords {
	t.Helper()
	var messages []struct{ Content json.RawMessage }
	var parts []struct{ Text string }
	if err := json.Unmarshal(body["messages"], &messages); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(messages[1].Content, &parts); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(parts[0].Text, c.Product.Description)
	at := strings.Index(rest, "[")
	categories := rest[at : strings.LastIndex(rest, "]")+1]
	user := parts[0].Text
	for _, value := range [][2]string{
		{c.Product.Title, placeholders[0]}, {c.Product.Description, placeholders[1]}, {categories, placeholders[2]},
	} {
		user = strings.Replace(user, value[0], value[1], 1)
	}
	dir := t.TempDir()
	text, err := os.ReadFile(system)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{systemFile: string(text), userFile: user} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := readPromptWords(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// request is the body that a server is sent.
func request(t *testing.T, s *chatSettings, fields map[string]json.RawMessage,
	row *products.ProductRow) map[string]any {
	t.Helper()
	var fieldsOf map[string]any
	p := backend.Prompt{Messages: s.chatMessages(s.userText(row), string(appendURL(nil, row)))}
	if err := json.Unmarshal([]byte("{"+string(backend.AppendChat(nil, p))+"}"), &fieldsOf); err != nil {
		t.Fatal(err)
	}
	for name, value := range fields {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			t.Fatal(err)
		}
		fieldsOf[name] = v
	}
	return fieldsOf
}

// TestGoldenRequests holds requests to those of both official programs, but for the record of usage, which is asked of
// servers that stream.
func TestGoldenRequests(t *testing.T) {
	golden.Each(t, "agentic/vl/requests.jsonl", func(t *testing.T, path string) {
		cases := golden.ReadLines[requestCase](t, path)
		systems := map[requestForm]string{}
		own := map[requestForm]promptWords{}
		for f, name := range map[requestForm]string{loadGenForm: "system_v60.txt", endpointsForm: "system_v61.txt"} {
			file := filepath.Join(filepath.Dir(path), name)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			systems[f] = string(text)
			body := map[requestForm]map[string]json.RawMessage{loadGenForm: cases[0].LoadGen, endpointsForm: cases[0].Offline}[f]
			own[f] = officialWords(t, &cases[0], body, file)
			if own[f].systemSum != officialSums[f] {
				t.Errorf("the sum of %s is %s, want %s", name, own[f].systemSum, officialSums[f])
			}
		}
		for i, c := range cases {
			for _, asked := range []struct {
				form     requestForm
				scenario loadgen.Scenario
				want     map[string]json.RawMessage
			}{{loadGenForm, loadgen.Offline, c.LoadGen}, {endpointsForm, loadgen.Offline, c.Offline},
				{endpointsForm, loadgen.Server, c.Stream}} {
				if asked.want == nil {
					continue
				}
				s := &chatSettings{Form: asked.form, Words: own[asked.form]}
				fields := maps.Clone(asked.form.requestFields(asked.scenario))
				if asked.scenario == loadgen.Server {
					delete(fields, "stream_options")
				}
				got := request(t, s, fields, c.row())
				text, err := json.Marshal(asked.want)
				if err != nil {
					t.Fatal(err)
				}
				var want map[string]any
				if err := json.Unmarshal(text, &want); err != nil {
					t.Fatal(err)
				}
				system := want["messages"].([]any)[0].(map[string]any)
				system["content"] = systems[asked.form]
				delete(want, "model")
				if !reflect.DeepEqual(got, want) {
					t.Errorf("request %d of form %d: %.900v\nwant %.900v", i, asked.form, got, want)
				}
			}
		}
	})
}
