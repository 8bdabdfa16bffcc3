package servingtest

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// promptCase is a data file and the expected requests.
type promptCase struct {
	File, Flags string
	Requests    []promptRequest
	Error       *struct {
		Exit  int
		Line  places
		Lines places
		Says  []string
	}
	EqualPrefix [][3]int `json:"equal_prefix"`
	Notes       []string
	ServerSays  string `json:"server_says"`
}

// places are line numbers: one, or several.
type places []int

// UnmarshalJSON accepts a number or a list of numbers.
func (p *places) UnmarshalJSON(text []byte) error {
	var one int
	if json.Unmarshal(text, &one) == nil {
		*p = places{one}
		return nil
	}
	return json.Unmarshal(text, (*[]int)(p))
}

type promptRequest struct {
	Endpoint  string
	Body      map[string]any
	Absent    []string
	Limit     int
	ID        string
	Session   *string
	Turn      *int
	DueMS     *float64 `json:"due_ms"`
	PromptIDs int      `json:"prompt_ids"`
}

// PromptWriter writes a request: the path of its URL, from /v1 on, and the fields of its body.
type PromptWriter func(t *testing.T, a prompts.Ask) (path string, body map[string]any)

// RunPrompts reads the data file of a case and compares the requests that write makes from it with the expected ones.
// table reads tables.
func RunPrompts(t *testing.T, path string, table func(path string) (prompts.Table, error), write PromptWriter) {
	t.Helper()
	var c promptCase
	golden.ReadJSON(t, path, &c)
	o := PromptOptions(t, c.Flags)
	o.File, o.Table = filepath.Join(filepath.Dir(path), c.File), table
	if strings.HasSuffix(c.File, ".parquet") && table == nil {
		t.Skip("there is no reader of Parquet here")
	}
	set, err := prompts.ReadSet(o)
	if c.Error != nil {
		c.wantError(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	c.compare(t, set.Draw(prompts.DrawOptions{Order: prompts.InOrder}).All(), write)
	for _, note := range c.Notes {
		if !slices.Contains(set.Notes, note) {
			t.Errorf("notes %q, want %q", set.Notes, note)
		}
	}
}

func (c *promptCase) wantError(t *testing.T, err error) {
	t.Helper()
	var faults *prompts.Faults
	if c.Error.Exit == 2 {
		if !errors.Is(err, prompts.ErrOptions) {
			t.Fatalf("%v, want ErrOptions", err)
		}
	} else if !errors.As(err, &faults) {
		t.Fatalf("%v, want Faults", err)
	}
	for _, want := range c.Error.Says {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q in it", err, want)
		}
	}
	for _, line := range append(c.Error.Lines, c.Error.Line...) {
		if !slices.ContainsFunc(faults.List, func(f prompts.Fault) bool { return f.Line == line }) {
			t.Errorf("%v: want line %d", err, line)
		}
	}
}

func (c *promptCase) compare(t *testing.T, asks []prompts.Ask, write PromptWriter) {
	t.Helper()
	if len(asks) != len(c.Requests) {
		t.Fatalf("%d requests, want %d", len(asks), len(c.Requests))
	}
	sessions := map[string]*prompts.ChatHistory{}
	for i, want := range c.Requests {
		a := asks[i]
		if a.Session != "" {
			if sessions[a.Session] == nil {
				sessions[a.Session] = &prompts.ChatHistory{}
			}
			a = sessions[a.Session].NextTurn(a)
			sessions[a.Session].AddAnswer(c.ServerSays)
		}
		want.compare(t, i, a, write)
	}
	for _, p := range c.EqualPrefix {
		a, b, n := asks[p[0]].IDs, asks[p[1]].IDs, p[2]
		if !slices.Equal(a[:n], b[:n]) || len(a) > n && len(b) > n && a[n] == b[n] {
			t.Errorf("requests %d and %d have not exactly %d equal ids at the beginning", p[0], p[1], n)
		}
	}
}

func (want *promptRequest) compare(t *testing.T, i int, a prompts.Ask, write PromptWriter) {
	t.Helper()
	path, body := write(t, a)
	if path != want.Endpoint {
		t.Errorf("%d: %s, want %s", i, path, want.Endpoint)
	}
	for key, value := range want.Body {
		if !reflect.DeepEqual(body[key], value) {
			t.Errorf("%d: %s is %v, want %v", i, key, body[key], value)
		}
	}
	for _, key := range want.Absent {
		if value, there := body[key]; there {
			t.Errorf("%d: %s is there: %v", i, key, value)
		}
	}
	want.compareFacts(t, i, a, body)
}

// compareFacts compares properties that are not body fields, or that have several names.
func (want *promptRequest) compareFacts(t *testing.T, i int, a prompts.Ask, body map[string]any) {
	t.Helper()
	limit := 0.0
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if n, ok := body[name].(float64); ok {
			limit += n
		}
	}
	if limit != float64(want.Limit) || want.ID != "" && a.ID != want.ID {
		t.Errorf("%d: limit %v, id %q; want %d, %q", i, limit, a.ID, want.Limit, want.ID)
	}
	if want.Session != nil && a.Session != *want.Session || want.Turn != nil && a.Turn != *want.Turn {
		t.Errorf("%d: session %q, turn %d", i, a.Session, a.Turn)
	}
	if want.DueMS != nil && (!a.HasDue || a.Due != time.Duration(*want.DueMS*float64(time.Millisecond))) {
		t.Errorf("%d: due %v, %v; want %v ms", i, a.Due, a.HasDue, *want.DueMS)
	}
	if ids, _ := body["prompt"].([]any); want.PromptIDs != 0 && len(ids) != want.PromptIDs {
		t.Errorf("%d: %d ids, want %d", i, len(ids), want.PromptIDs)
	}
}

// PromptOptions parses flags like the command.
func PromptOptions(t *testing.T, flags string) prompts.PromptOptions {
	t.Helper()
	var o prompts.PromptOptions
	texts := map[string]*string{"--data": &o.File, "--api": (*string)(&o.API), "--osl": &o.OSL, "--isl": &o.ISL,
		"--format": &o.Format, "--turns": &o.Turns, "--history": &o.History, "--lora-order": &o.LoRAOrder,
		"--vocabulary": &o.Vocabulary, "--prefix": &o.Prefix, "--image": &o.Image}
	lists := map[string]*[]string{"--column": &o.Columns, "--body": &o.Body, "--header": &o.Header, "--lora": &o.LoRA}
	words := strings.Fields(flags)
	for len(words) > 0 {
		flag := words[0]
		if words = words[1:]; flag == "--replay" {
			continue
		}
		if len(words) == 0 {
			t.Fatalf("the value of %s is missing", flag)
		}
		switch into, list := texts[flag], lists[flag]; {
		case into != nil:
			*into = words[0]
		case flag == "--lora":
			*list = strings.Split(words[0], ",")
		case list != nil:
			*list = append(*list, words[0])
		case flag == "--block":
			if err := json.Unmarshal([]byte(words[0]), &o.Block); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("flag %s of a case is not known to the test", flag)
		}
		words = words[1:]
	}
	return o
}
