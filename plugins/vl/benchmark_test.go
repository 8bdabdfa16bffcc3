package vl

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/products"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

// open opens the benchmark with parameters given as key=value.
func opened(t *testing.T, o sdk.Options, params ...string) (sdk.Workload, error) {
	t.Helper()
	o.Params = map[string]string{}
	for _, p := range params {
		key, value, _ := strings.Cut(p, "=")
		o.Params[key] = value
	}
	w, err := New().Open(t.Context(), o)
	if err == nil {
		t.Cleanup(func() {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return w, err
}

func hub(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	if err := export.Products(t.Context(), dir, drawn.Eval(), 0, n); err != nil {
		t.Fatal(err)
	}
	return dir
}

func promptOf(t *testing.T, w sdk.Workload, i int) backend.Prompt {
	t.Helper()
	s, err := w.Load(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := sdk.As[sdk.Generative](w)
	p, err := g.Prompt(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPrompts: a chat from a file is that of the drawn product, its JSON is that of its messages, and what is hidden is
// not there.
func TestPrompts(t *testing.T) {
	file, err := opened(t, sdk.Options{Dataset: hub(t, 5), Count: 4}, "prompts=embedded")
	if err != nil {
		t.Fatal(err)
	}
	own, err := opened(t, sdk.Options{Count: 4})
	if err != nil {
		t.Fatal(err)
	}
	blind, err1 := opened(t, sdk.Options{Count: 4}, "hide=picture")
	untitled, err2 := opened(t, sdk.Options{Count: 4}, "hide=title")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		p := promptOf(t, file, i)
		if string(p.ChatJSON) != string(promptOf(t, own, i).ChatJSON) {
			t.Errorf("product %d of a file is asked in other words than the drawn one", i)
		}
		q := p
		q.ChatJSON = nil
		if string(backend.AppendChat(nil, q)) != string(p.ChatJSON) {
			t.Errorf("product %d: its messages are not its JSON", i)
		}
		title := drawn.Eval().Product(i).Title
		text, url := lastMessageParts(p.Messages)
		if !strings.Contains(text, title) || !strings.HasPrefix(url, "data:image/JPEG;base64,/9j/") {
			t.Errorf("product %d: %s, %.40s", i, text, url)
		}
		if _, url := lastMessageParts(promptOf(t, blind, i).Messages); url != "" || strings.Contains(
			string(promptOf(t, blind, i).ChatJSON), "image") {
			t.Errorf("product %d: a hidden picture is there", i)
		}
		if strings.Contains(string(promptOf(t, untitled, i).ChatJSON), title) {
			t.Errorf("product %d: a hidden title is there", i)
		}
	}
}

// TestFields: each form sends what its program sends in a scenario.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		scenario loadgen.Scenario
		form     string
		want     string
	}{
		{loadgen.Offline, "endpoints", `{"max_completion_tokens":150}`},
		{loadgen.Server, "endpoints",
			`{"max_completion_tokens":150,"stream":true,"stream_options":{"include_usage":true}}`},
		{loadgen.Server, "loadgen", `{"frequency_penalty":null,"presence_penalty":null,"response_format":null,` +
			`"temperature":null,"top_p":null}`},
	} {
		w, err := opened(t, sdk.Options{Count: 1, Scenario: c.scenario}, "form="+c.form)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(promptOf(t, w, 0).Fields); err != nil || string(got) != c.want {
			t.Errorf("%v, %s: %s, %v, want %s", c.scenario, c.form, got, err, c.want)
		}
	}
}

func TestWordsAreNeeded(t *testing.T) {
	dir := hub(t, 2)
	_, err := opened(t, sdk.Options{Dataset: dir}, "prompts="+t.TempDir(), "form=v1", "hide=all")
	sdktest.WantError(t, err, "system.txt", "user.txt", `form = "v1"`, `hide = "all"`)
	words := t.TempDir()
	for name, text := range map[string]string{systemFile: "s", userFile: "{title} {categories} {description}"} {
		if err := os.WriteFile(filepath.Join(words, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err = opened(t, sdk.Options{Dataset: dir}, "prompts="+words)
	sdktest.WantError(t, err, "user.txt has no {categories}", "in this order")
	_, err = opened(t, sdk.Options{Dataset: t.TempDir()}, "prompts=embedded")
	sdktest.WantError(t, err, "product catalogue", "shopify_product_catalogue")
}

// TestAnswers: the harness takes reasoning and calls for parts of an answer, the program before it the content alone.
func TestAnswers(t *testing.T) {
	tokens := backend.Tokens{Reasoning: "hm", Text: "{}", Calls: []backend.ToolCall{{Name: "f"}}, N: 7, Finish: "length"}
	for form, want := range map[string]string{
		"endpoints": `hm{}[{"type":"function","function":{"arguments":"","name":"f"}}]`, "loadgen": "{}",
	} {
		w, err := opened(t, sdk.Options{Count: 1}, "form="+form)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := sdk.As[sdk.Generative](w)
		s, err := w.Load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		got, n, err := g.AppendTokens(nil, s, tokens)
		if err != nil || string(got) != want || n != 7 {
			t.Errorf("%s: %s, %d, %v, want %s", form, got, n, err, want)
		}
		if _, _, err := g.AppendTokens(nil, s, backend.Tokens{Text: "a", N: backend.Uncounted}); err == nil {
			t.Error("an answer without a number of tokens is taken")
		}
		r, _ := sdk.As[sdk.Noter](w)
		notes := strings.Join(r.RunNotes().Notes, "\n")
		for _, part := range []string{"1 of 1 answers ended at their most tokens", "1 of 1 answers have reasoning"} {
			if !strings.Contains(notes, part) {
				t.Errorf("%s: %q, want %q", form, notes, part)
			}
		}
	}
}

// TestInform: a run whose words, size or sight are not the official ones is one of the open division.
func TestInform(t *testing.T) {
	w, err := opened(t, sdk.Options{Dataset: hub(t, 3)}, "prompts=embedded", "hide=title")
	if err != nil {
		t.Fatal(err)
	}
	i, _ := sdk.As[sdk.WorkloadInfoAdder](w)
	var info sdk.WorkloadInfo
	i.AddInfo(&info)
	reasons := strings.Join(info.OpenReasons, "\n")
	for _, want := range []string{"the data set has 3 products, the official one 48289", "other words", "hide"} {
		if !strings.Contains(reasons, want) {
			t.Errorf("%q, want %q", reasons, want)
		}
	}
	if info.ModelFile != "the server's" || !strings.HasPrefix(info.BackendInfo["picture"], "original") {
		t.Errorf("%+v", info)
	}
}

// session is a network that has seen it all: its category is c, and the brand is bytes [from, to) of the title.
type session struct {
	backend.Session
	c, from, to int
	picture     byte // the first byte of what it was shown
	title       byte
}

func (s *session) Limits() backend.Limits { return backend.Limits{} }
func (s *session) Close() error           { return nil }

func (s *session) Run(_ context.Context, in, out []backend.Tensor) error {
	s.picture, s.title = in[0].Data[0], in[1].Data[0]
	logits := func(n, from, to int) []byte {
		b := make([]byte, 4*n)
		for i := range n {
			if b[4*i+3], b[4*i+2] = 0xbf, 0x80; i >= from && i < to {
				b[4*i+3] = 0x3f
			}
		}
		return b
	}
	out[0].Data, out[1].Data = logits(drawn.Categories, s.c, s.c+1), logits(maxTitleBytes, s.from, s.to)
	out[2].Data = logits(1, 0, 1)
	return nil
}

type kept struct {
	first, complete []backend.Tokens
}

func (k *kept) FirstToken(t backend.Tokens) { k.first = append(k.first, t) }
func (k *kept) Complete(t backend.Tokens)   { k.complete = append(k.complete, t) }

// TestReader answers by what the network sees, of what the chat offers.
func TestReader(t *testing.T) {
	w, err := opened(t, sdk.Options{Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	maker, _ := sdk.As[sdk.SessionGenerator](w)
	product := drawn.Eval().Product(0)
	s := &session{from: strings.Index(product.Title, product.Brand)}
	s.to = s.from + len(product.Brand)
	for c := range drawn.Categories {
		if drawn.CategoryName(c) == product.Category {
			s.c = c
		}
	}
	g, err := maker.NewGenerator(sdk.Sessions{"": s}, backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var k kept
	if err := g.Generate(t.Context(), promptOf(t, w, 0), &k); err != nil {
		t.Fatal(err)
	}
	want, err := answerJSON(product.Category, product.Brand, true)
	if err != nil || len(k.first) != 1 || len(k.complete) != 1 || k.complete[0].Text != want ||
		k.complete[0].N != len(want) || s.title != product.Title[0] {
		t.Errorf("%+v, want %s", k, want)
	}
	p := promptOf(t, w, 0)
	p.Messages[1].Parts = []backend.MessagePart{{Text: "what is this?"}}
	if err := g.Generate(t.Context(), p, &k); !errors.Is(err, errChat) {
		t.Errorf("%v of a chat about something else", err)
	}
	p = promptOf(t, w, 1)
	p.Messages[1].Parts[1].ImageURL = "https://example.com/a.jpg"
	if err := g.Generate(t.Context(), p, &k); !errors.Is(err, errChat) {
		t.Errorf("%v of a picture that is elsewhere", err)
	}
	p.Messages[1].Parts = p.Messages[1].Parts[:1]
	if err := g.Generate(t.Context(), p, &k); err != nil || s.picture != greyLevel {
		t.Errorf("%v of a chat without a picture, of which %d is seen", err, s.picture)
	}
}

func TestScorer(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 4, Exhibits: 2})
	if err != nil {
		t.Fatal(err)
	}
	set := drawn.Eval()
	right, err := answerJSON(set.Product(0).Category, set.Product(0).Brand, set.Product(0).SecondHand)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []mllog.AccuracyEntry{
		{QSLIndex: 0, Data: []byte(right)}, {QSLIndex: 1, Data: []byte("no JSON")}, {QSLIndex: 0, Data: []byte(right)},
	} {
		if err := s.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Result()
	notes := strings.Join(got.Notes, "\n")
	if err != nil || got.Samples != 2 || got.Metrics[0].Name != categoryF1Metric || got.OfficialText == "" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, want := range []string{"2 of 4 products", "1 entries are of products that had one",
		"1 answers are not the JSON", "a model that looks at nothing"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q, want %q", notes, want)
		}
	}
	if len(got.Exhibits) != 1 || got.Exhibits[0].PNG == nil || !strings.Contains(got.Exhibits[0].Text, "no JSON") {
		t.Errorf("%d exhibits", len(got.Exhibits))
	}
}

// BenchmarkScore scores the answers to as many products as the official catalogue has, the floor included.
func BenchmarkScore(b *testing.B) {
	const category = "Home & Garden > Kitchen & Dining > Tableware > "
	truths := make([]products.ProductTruth, 48289)
	for i := range truths {
		truths[i] = products.ProductTruth{
			Category: category + "Mugs", Brand: "Brand " + strconv.Itoa(i%5000), SecondHand: i%9 == 0,
			Offered: []string{category + "Cups", category + "Mugs", "Home & Garden", category + "Bowls", "Toys"},
		}
	}
	answer := []byte(`{"category": "Home & Garden > Kitchen & Dining > Tableware > Cups", "brand": "Brand", ` +
		`"is_secondhand": false}`)
	b.ReportAllocs()
	for b.Loop() {
		s := newProductScorer(truths, loadGenForm)
		for i := range truths {
			if err := s.Add(uint64(i), answer); err != nil {
				b.Fatal(err)
			}
		}
		if r, err := s.Result(); err != nil || r.Products != len(truths) {
			b.Fatal(r, err)
		}
	}
}
