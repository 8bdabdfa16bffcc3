package standin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/encyclopedia"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/agent"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/passages"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// prompts are the words of the embedded benchmarks.
func prompts(t *testing.T) *agent.PromptSet {
	t.Helper()
	p, err := agent.ReadPrompts(PromptFiles())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// library finds passages by the words that they share with a query: a search that knows nothing.
type library struct{ docs []agent.Document }

func newLibrary(t *testing.T) (l library) {
	t.Helper()
	for _, p := range encyclopedia.Eval().Pages() {
		texts, err := passages.SplitPage(p.Name, p.HTML)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			l.docs = append(l.docs, agent.Document{URL: p.URL, Text: text})
		}
	}
	return l
}

func (library) Ask(_ context.Context, _ agent.Step, _ int, prompt string) (string, error) {
	return strings.TrimSpace(AnswerMessage(prompt)), nil
}

func (l library) Search(_ context.Context, query string, k int) ([]agent.Document, error) {
	type match struct {
		shared int
		mixed  uint64
		agent.Document
	}
	found := make([]match, len(l.docs))
	for i, d := range l.docs {
		found[i] = match{shared(query, d.Text), mixed(query, d), d}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.mixed, b.mixed))
	})
	documents := []agent.Document{}
	for _, m := range found[:k] {
		documents = append(documents, m.Document)
	}
	return documents, nil
}

func (library) Rerank(_ context.Context, query string, docs []agent.Document) (scores []float32, _ error) {
	for _, d := range docs {
		scores = append(scores, float32(shared(query, d.Text)))
	}
	return scores, nil
}

// mixed orders what fits equally well by chance.
func mixed(query string, d agent.Document) uint64 {
	h := fnv.New64a()
	h.Write([]byte(query + d.URL + d.Text)) // never fails
	return h.Sum64()
}

// shared counts the words of a query with a capital, or a digit, in a text.
func shared(query, text string) (n int) {
	for _, word := range strings.Fields(strings.Trim(query, "?")) {
		if word[0] < 'a' && strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// TestTheLoopIsNeeded: with one search next to nothing is answered, with five rounds nearly all, and some replies are
// broken on the way.
func TestTheLoopIsNeeded(t *testing.T) {
	l, p := newLibrary(t), prompts(t)
	answered := func(rounds int) (right, fallbacks int) {
		for _, q := range encyclopedia.Eval().Questions() {
			r, err := agent.Run(t.Context(), q.Prompt, agent.LoopOptions{MaxRounds: rounds, SearchDepth: 10, MaxQueries: 3,
				Prompts: p},
				l)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer == q.Answer {
				right++
			} else if rounds > 2 {
				t.Logf("%s: %q, want %q; %+v", q.Prompt, r.Answer, q.Answer, r)
			}
			for _, n := range r.Fallbacks {
				fallbacks += n
			}
		}
		return right, fallbacks
	}
	if right, _ := answered(1); right != 0 {
		t.Errorf("%d answers without a search", right)
	}
	one, _ := answered(2)
	five, fallbacks := answered(5)
	const all = encyclopedia.QuestionCount
	if one*100 > 30*all || five*100 < 90*all || fallbacks == 0 {
		t.Errorf("%d of %d with one search, %d with five rounds, %d fallbacks", one, all, five, fallbacks)
	}
}

func TestReply(t *testing.T) {
	doc := "\n[DOC 0] The mayor of Aldburg is Clara Weld .\n\n[DOC 1] Clara Weld played the harp.\n"
	question := "\nQuestion: Which instrument did the mayor of Aldburg play?\n"
	described := "\nQuestion: What did the mayor of the town with river Alm, wares soap work as?\n"
	town := "\n[DOC 7] Aldburg lies on the river Alm. Traders say so. Aldburg is known for its soap. Records\n"
	for _, tt := range []struct{ name, content, want string }{
		{"answer", "Task: answer\n" + question + doc, "harp"},
		{"answer, nothing found", "Task: answer\n" + question + "None", "Unknown"},
		{"answer, half found", "Task: answer\n" + question + doc[:50], "Unknown"},
		{"sufficient", "Task: sufficiency\n" + question + doc, `{"reasoning":"All of it is found.","sufficient":true}`},
		{"insufficient", "Task: sufficiency\n" + question + doc[:50],
			`{"reasoning":"Missing: the instrument of Clara Weld.","sufficient":false}`},
		{"relevance", "Task: relevance\n" + question + strings.ReplaceAll(doc, "DOC", "NEW") + "\n[NEW 2] Other.\n",
			`{"relevance":[1,1,0]}`},
		{"first queries", "Task: queries\n" + question + "None\nat most 3 queries",
			`{"feedback":"Known: Aldburg. Missing: the mayor of Aldburg.","queries":["Aldburg","mayor of Aldburg",` +
				`"Which instrument did the mayor of Aldburg play?"]}`},
		{"next queries", "Task: queries\n" + question + doc[:50] + "\nat most 1 query",
			`{"feedback":"Known: Aldburg, Clara Weld. Missing: the instrument of Clara Weld.","queries":["Clara Weld"]}`},
		{"queries again", "Task: queries\n" + question + "- Query: 'Aldburg' → 0 docs\n",
			`{"feedback":"Known: Aldburg. Missing: the mayor of Aldburg.","queries":["What is known of Aldburg?",` +
				`"records of Aldburg","Aldburg Aldburg"]}`},
		{"a description", "Task: queries\n" + described + "None",
			`{"feedback":"Known: nothing. Missing: the town with river Alm, wares soap.","queries":[` +
				`"town with river Alm, wares soap","town with river Alm","town with wares soap"]}`},
		{"a description again", "Task: queries\n" + described + "- Query: 'town with river Alm, wares soap' → 1 docs\n",
			`{"feedback":"Known: nothing. Missing: the town with river Alm, wares soap.","queries":[` +
				`"town with wares soap, river Alm","the wares soap and the river Alm"]}`},
		{"a description found", "Task: queries\n" + described + town,
			`{"feedback":"Known: Aldburg. Missing: the mayor of Aldburg.","queries":["Aldburg","mayor of Aldburg",` +
				`"What did the mayor of Aldburg work as?"]}`},
		{"a description and its mayor", "Task: queries\n" + described + town + doc[:50],
			`{"feedback":"Known: Aldburg, Clara Weld. Missing: the trade of Clara Weld.","queries":["Clara Weld",` +
				`"trade of Clara Weld","What did Clara Weld work as?"]}`},
		{"a description half found", "Task: sufficiency\n" + described + town[:50],
			`{"reasoning":"Missing: the town with river Alm, wares soap.","sufficient":false}`},
		{"right", "Task: judge\n" + question + "\nRight answer: harp\n\nGiven answer:  Harp.\n",
			`{"correct":true,"reasoning":"The answers are the same."}`},
		{"wrong", "Task: judge\n" + question + "\nRight answer: harp\n\nGiven answer: lute\n",
			`{"correct":false,"reasoning":"The answers differ."}`},
		{"an unknown question", "Task: queries\n\nQuestion: Why?\n",
			`{"feedback":"The script knows no such question.","queries":["Why?"]}`},
		{"no task", "Who are you?", "The script has no reply to that."},
		{"an unknown task", "Task: sing\n", "The script has no reply to that."},
		{"nothing", "", "The script has no reply to that."},
	} {
		if got := AnswerMessage(tt.content); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSomeRepliesAreBroken: each way occurs, and the same message has the same reply.
func TestSomeRepliesAreBroken(t *testing.T) {
	ways := map[string]int{}
	for i := range 40 * breakOneIn {
		content := "Task: sufficiency\n\nQuestion: Why " + strings.Repeat("?", i) + "\n"
		r := answerMessage(content)
		if r != answerMessage(content) {
			t.Fatalf("two replies to %q", content)
		}
		switch {
		case json.Valid([]byte(r.text)):
			ways["whole"]++
		case r.text == "":
			ways["reasoning"]++
		case strings.Contains(r.text, "```"):
			ways["fenced"]++
		case strings.HasSuffix(r.text, ",}"):
			ways["comma"]++
		case strings.HasPrefix(r.text, "{"):
			ways["cut"]++
		default:
			ways["prose"]++
		}
	}
	if len(ways) != 6 || ways["whole"] < 30*breakOneIn {
		t.Errorf("replies by the way they are broken: %v", ways)
	}
}

// sink keeps an answer.
type sink struct{ answer backend.Tokens }

func (s *sink) FirstToken(backend.Tokens) {}
func (s *sink) Complete(t backend.Tokens) { s.answer = t }

func TestBackend(t *testing.T) {
	g, err := RuleBackend{}.OpenGenerator(t.Context(), backend.Model{}, backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var s sink
	content := "Task: answer\n\nQuestion: Why?\n"
	chat := backend.Prompt{Messages: []backend.ChatMessage{{Role: "user", Content: content}}}
	if err := g.Generate(t.Context(), chat, &s); err != nil {
		t.Fatal(err)
	}
	if s.answer.Text != "Unknown" || s.answer.N != 1 || s.answer.Finish != "stop" {
		t.Errorf("%+v", s.answer)
	}
	if err := g.Generate(t.Context(), backend.Prompt{}, &s); err == nil {
		t.Error("a prompt without messages is answered")
	}
	if (RuleBackend{}).Describe().Version != Label {
		t.Error("the label is missing")
	}
	if _, err := (RuleBackend{}).Open(t.Context(), backend.Model{}, backend.Config{}); err == nil {
		t.Error("a session is opened")
	}
	options := backend.Config{Options: map[string]string{"threads": "2"}}
	if _, err := (RuleBackend{}).OpenGenerator(t.Context(), backend.Model{}, options); err == nil ||
		!strings.Contains(err.Error(), `no option "threads"`) {
		t.Errorf("an option is taken: %v", err)
	}
}

func TestHandler(t *testing.T) {
	s := httptest.NewServer(Handler())
	defer s.Close()
	body := `{"model":"m","messages":[{"role":"user","content":"Task: answer\n\nQuestion: Why?\n"}],"temperature":1}`
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/v1/chat/completions", body, 200, `"content":"Unknown"`},
		{"POST", "/v1/chat/completions", body, 200, `"completion_tokens":1`},
		{"POST", "/v1/chat/completions", "{", 400, "want JSON with messages"},
		{"POST", "/v1/chat/completions", "{}", 400, "want JSON with messages"},
		{"GET", "/v1/models", "", 200, `"id":"stand-in"`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, bytes.NewReader([]byte(tt.body)))
		if err != nil {
			t.Fatal(err)
		}
		response, err := s.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != tt.status || !strings.Contains(string(text), tt.want) {
			t.Errorf("%s %s: %d %s, want %d and %s", tt.method, tt.path, response.StatusCode, text, tt.status, tt.want)
		}
	}
}

// TestPagesAreReadAsWritten reads each page as the benchmark does.
func TestPagesAreReadAsWritten(t *testing.T) {
	for _, p := range encyclopedia.Eval().Pages() {
		if got, err := passages.PageText(p.HTML); err != nil || got != p.Text {
			t.Errorf("%s, %v: read\n%s\nwant\n%s", p.Name, err, got, p.Text)
		}
	}
}
