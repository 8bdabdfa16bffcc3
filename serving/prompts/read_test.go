package prompts_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// file writes a file with this name and content.
func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func rows(t testing.TB, o prompts.PromptOptions) []prompts.Ask {
	t.Helper()
	_, asks := draw(t, o, prompts.DrawOptions{Order: prompts.InOrder})
	return asks
}

func toTexts(asks []prompts.Ask) []string {
	var all []string
	for _, a := range asks {
		all = append(all, a.Text)
	}
	return all
}

// TestForms reads the same two prompts in every form, selected by the file's name, by its content and by --format.
func TestForms(t *testing.T) {
	lines := `{"prompt": "one"}` + "\n" + `{"prompt": "two"}` + "\n"
	for _, c := range []struct{ name, content, format string }{
		{"a.jsonl", lines, ""},
		{"a.ndjson", "\ufeff" + lines, ""},
		{"a.JSONL", strings.ReplaceAll(lines, "\n", "\r\n"), ""},
		{"a", lines, ""},
		{"a.json", lines, ""},
		{"a.json", `[{"prompt": "one"}, {"prompt": "two"}]`, ""},
		{"a.jsonl", "\n[\n{\"prompt\": \"one\"},\n{\"prompt\":\n\"two\"}]\n", ""},
		{"a.json", `["one", "two"]`, ""},
		{"a.json", "{\n\"prompt\": \"one\"\n}\n{\n\"prompt\": \"two\"\n}", ""},
		{"a.jsonl", "\"one\"\n\"two\"", ""},
		{"a.csv", "prompt,more\none,1\ntwo,2\n", ""},
		{"a.csv", "Prompt\r\none\r\ntwo\r\n", ""},
		{"a.tsv", "prompt\tmore\none\t1\ntwo\t2\n", ""},
		{"a.txt", "one\n\n  \ntwo", ""},
		{"a.md", "one\r\ntwo\r\n", ""},
		{"a.txt", lines, "jsonl"},
		{"a.dat", "prompt\none\ntwo\n", "csv"},
	} {
		got := toTexts(rows(t, prompts.PromptOptions{File: file(t, c.name, c.content), Format: c.format}))
		if !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("%s %q: %q", c.name, c.content, got)
		}
		zipped := file(t, c.name+".gz", gzipped(t, c.content))
		if got := toTexts(rows(t, prompts.PromptOptions{File: zipped, Format: c.format})); len(got) != 2 {
			t.Errorf("%s %q zipped: %q", c.name, c.content, got)
		}
	}
}

func gzipped(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFaults checks that all faults of a file are reported at once with their lines.
func TestFaults(t *testing.T) {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	for _, c := range []struct {
		name, content string
		options       prompts.PromptOptions
		want          []string // lines of the error, after the path
	}{
		{"a.jsonl", "{\"prompt\": \"x\"}\n{\"prompt\": }\nnothing\n{\"prompt\": \"\"}\n[1]\n{\"prompt\": 1, " +
			"\"max_tokens\": \"many\"}\n" +
			"{\"prompt\": \"y\", \"max_tokens\": 0}\n{\"prompt\": {}, \"timestamp\": \"noon\"}", prompts.PromptOptions{},
			[]string{
				"line 2: no JSON: byte 12: invalid character '}'", "line 3: no JSON: byte 2", "line 4: prompt: the prompt is empty",
				`line 5: want an object {...}, not "[1]"`, `line 6: max_tokens: want a whole number, not "many"`,
				"line 7: max_tokens: want 1 or more, not 0", `line 8: timestamp: want milliseconds or a time`,
				`line 8: prompt: want a text, not "{}"`}},
		{"a.jsonl", "{\"prompt\": \"a\"}\n{\"q\": 1}\n{\"q\": 2}\n{\"q\": 3}\n", prompts.PromptOptions{},
			[]string{"lines 2, 3 and 4: no prompt"}},
		{"a.jsonl", "{\"q\": 1}\n{\"b\": 2}\n", prompts.PromptOptions{}, []string{
			"no row has a prompt: the columns are b, q; want one of prompt, text, question, input"}},
		{"a.jsonl", "{\"q\": \"x\"}\n", prompts.PromptOptions{Columns: []string{"prompt=Q1"}}, []string{
			`there is no column "Q1" for --column prompt=Q1; there are q`, "no row has a prompt"}},
		{"a.jsonl", "", prompts.PromptOptions{}, []string{"the file has no rows"}},
		{"a.txt", "\n \n", prompts.PromptOptions{}, []string{"the file has no rows"}},
		{"a.json", "[]", prompts.PromptOptions{}, []string{"the file has no rows"}},
		{"a.json", "[{\"prompt\": \"x\"},\n\n{\"prompt\": \"y\"", prompts.PromptOptions{}, []string{
			"line 3: the file ends within a value"}},
		{"a.json", "[{\"prompt\": \"x\"}\n{\"prompt\": \"y\"}]", prompts.PromptOptions{}, []string{
			"line 2: want , or ] after a value, not '{'"}},
		{"a.json", "[{\"prompt\": \"x\"}", prompts.PromptOptions{}, []string{"line 1: the file ends within its array"}},
		{"a.json", "[{\"prompt\": \"x\"}]\n]", prompts.PromptOptions{}, []string{"line 2: want nothing after the array"}},
		{"a.json", "[{\"prompt\": \"x\"},\n{\"prompt\" \"y\"}]", prompts.PromptOptions{}, []string{"line 2: no JSON"}},
		{"a.jsonl", "{\"prompt\": " + deep + "}\n{\"q\": " + deep + "}", prompts.PromptOptions{Format: "jsonl"}, []string{
			"line 1: no JSON: byte 10011: invalid character '[' exceeded max depth", "line 2: no JSON"}},
		{"a.jsonl", "{\"prompt\": \"\xff\"}\n{\"prompt\": \"a\x00b\"}", prompts.PromptOptions{}, []string{
			"line 1: the text is not UTF-8", "line 2: no JSON: byte 14: invalid character '\\x00'"}},
		{"a.txt", "x\n\xff\n\x00", prompts.PromptOptions{}, []string{"line 2: the text is not UTF-8", "line 3: a byte is 0"}},
		{"a.csv", "prompt,max_tokens\nx,1\ny\nz,many\n\"a\nb\",0\n", prompts.PromptOptions{}, []string{
			"line 3: 1 fields under 2 names of columns", "line 4: max_tokens: want a whole number",
			"line 5: max_tokens: want 1"}},
		{"a.csv", "prompt\nx\n\"y\n", prompts.PromptOptions{}, []string{`line 3: column 4: extraneous or missing " in ` +
			`quoted-field`}},
		{"a.jsonl", `{"messages": []}` + "\n" + `{"messages": [{"content": "x"}]}` + "\n" + `{"messages": "x"}`,
			prompts.PromptOptions{},
			[]string{"line 1: messages: there is no message", "line 2: messages: message 1: want",
				"line 3: messages: want an array"}},
		{"a.jsonl", `{"messages": [{"role": "user", "content": "x"}]}`, prompts.PromptOptions{API: prompts.Completions},
			[]string{"line 1: messages are of chats: want --api chat"}},
		{"a.jsonl", `{"prompt_token_ids": [1, -1]}` + "\n" + `{"prompt_token_ids": []}`, prompts.PromptOptions{},
			[]string{"line 1: prompt_token_ids: want 0 to 2147483647, not -1", "line 2: prompt_token_ids: the prompt is empty"}},
		{"a.jsonl", `{"prompt_token_ids": [1]}`, prompts.PromptOptions{API: prompts.Chat}, []string{
			"line 1: ids are of completions"}},
		{"a.jsonl", `{"input_length": 100, "hash_ids": [1, 2]}` + "\n" + `{"input_length": 0}`, prompts.PromptOptions{},
			[]string{"line 1: hash_ids: 2 blocks of 512 tokens are not 100 tokens; want 1 of them",
				"line 2: input_length: want 1"}},
		{"a.jsonl", `{"query": "x"}`, prompts.PromptOptions{API: prompts.Rerank},
			[]string{"line 1: want query and documents"}},
		{"a.jsonl", `{"url": "/v1/chat", "body": {}}` + "\n" + `{"url": "/v1/completions", "body": {"prompt": "x", "n": 2}}`,
			prompts.PromptOptions{}, []string{`line 1: url = "\"/v1/chat\""`, "line 2: n = \"2\": want 1"}},
		{"a.json", `[{"conversations": [{"from": "human", "value": "x"}]}]`, prompts.PromptOptions{},
			[]string{"no conversation has a question with an answer"}},
		{"a.json", `[{"conversations": [{"from": "cat", "value": "x"}]}, {"conversations": [1]}]`, prompts.PromptOptions{},
			[]string{`line 1: conversations: message 1 is from "cat"`, "line 1: conversations: message 1: want"}},
		{"a.jsonl", `{"prompt": "x"}`, prompts.PromptOptions{Format: "sharegpt"}, []string{"line 1: no conversations"}},
		{"a.jsonl", `{"prompt": "x"}`, prompts.PromptOptions{OSL: "trace"}, []string{"line 1: no length of the answer"}},
		{"a.jsonl", `{"prompt": "x"}`, prompts.PromptOptions{ISL: "trace"}, []string{"line 1: no length of the prompt"}},
	} {
		o := c.options
		o.File = file(t, c.name, c.content)
		_, err := prompts.ReadSet(o)
		var faults *prompts.Faults
		if !errors.As(err, &faults) || !errors.Is(err, prompts.ErrData) {
			t.Errorf("%q: %v, want Faults", c.content, err)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(c.want) {
			t.Errorf("%.60q: %d faults, want %d:\n%v", c.content, len(lines), len(c.want), err)
			continue
		}
		for i, want := range c.want {
			if got := strings.TrimPrefix(lines[i], o.File+": "); !strings.HasPrefix(got, want) {
				t.Errorf("%.60q: %q, want %q", c.content, got, want)
			}
		}
	}
}

// TestBadFiles checks files that are rejected as a whole.
func TestBadFiles(t *testing.T) {
	broken := gzipped(t, strings.Repeat("some text\n", 1000))
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.jsonl"):    "no such file",
		t.TempDir():                                 "not a regular file",
		file(t, "a.jsonl", "\xff\xfe{\x00"):         "UTF-16",
		file(t, "a.txt.gz", broken[:len(broken)/2]): "unexpected EOF",
		file(t, "a.parquet", "PAR1"):                "cannot be read here",
	} {
		if _, err := prompts.ReadSet(prompts.PromptOptions{File: path}); !errors.Is(err, prompts.ErrData) ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// zeros creates a file that is small when compressed.
func zeros(t testing.TB, n int, c byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bomb.txt.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	block := bytes.Repeat([]byte{c}, 1<<20)
	for range n {
		if _, err := z.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHugeRows checks that an endless row is a fault long before the memory is full.
func TestHugeRows(t *testing.T) {
	path := zeros(t, 65, 'x')
	for _, format := range []string{"text", "jsonl", "json", "csv"} {
		_, err := prompts.ReadSet(prompts.PromptOptions{File: path, Format: format})
		want := "more than 64 MiB"
		if format == "json" {
			want = "line 1: a value has more than 64 MiB"
		}
		if !errors.Is(err, prompts.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// TestLongSessions checks that turns share the memory of earlier messages and that this memory is bounded.
func TestLongSessions(t *testing.T) {
	var row, lines strings.Builder
	row.WriteString(`[{"id": "s", "conversations": [`)
	for i := range 6000 {
		if i > 0 {
			row.WriteString(",")
		}
		row.WriteString(`{"from": "human", "value": "question"}, {"from": "gpt", "value": "answer"}`)
		lines.WriteString(`{"session_id": "s", "text": "question", "answer": "answer"}` + "\n")
	}
	row.WriteString("]}]")
	for name, content := range map[string]string{"a.json": row.String(), "a.jsonl": lines.String()} {
		o := prompts.PromptOptions{File: file(t, name, content), Turns: "all", Most: 16 << 20}
		asks := rows(t, o)
		sent, pieces := 0, map[*byte]bool{}
		for i, a := range asks {
			if all := messages(a); i%1000 == 999 && (!json.Valid(all) ||
				strings.Count(string(all), `"role":"assistant"`) != i) {
				t.Errorf("%s: turn %d is %.200s", name, i, all)
			}
			if sent += len(a.Before); len(a.Before) > 0 {
				pieces[&a.Before[0]] = true
			}
		}
		if len(asks) != 6000 || len(pieces) > 20 || sent < 1<<30 {
			t.Errorf("%s: %d turns with %d bytes of before, in %d pieces of memory", name, len(asks), sent, len(pieces))
		}
		o.Most = 2 << 20
		_, err := prompts.ReadSet(o)
		if err == nil || !strings.Contains(err.Error(), "more than 2097152 bytes") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		o.Most, o.History = 16<<20, "own"
		if len(rows(t, o)) != 6000 {
			t.Errorf("%s: too few turns on the server's own answers", name)
		}
	}
}

// TestManyFaults checks that faults are listed up to a maximum and then counted.
func TestManyFaults(t *testing.T) {
	_, err := prompts.ReadSet(prompts.PromptOptions{File: file(t, "a.jsonl", strings.Repeat("x\n", 3000))})
	want := "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 and 980 more: no JSON"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "2000 more faults") {
		t.Error(err)
	}
}

func TestBadOptions(t *testing.T) {
	data := file(t, "a.jsonl", `{"prompt": "x"}`)
	hashed := file(t, "hashed.jsonl", `{"input_length": 600, "output_length": 2, "hash_ids": [1, 2]}`)
	for _, c := range []struct {
		o    prompts.PromptOptions
		want string
	}{
		{prompts.PromptOptions{}, "nothing to ask: give --isl N"},
		{prompts.PromptOptions{ISL: "0"}, "--isl 0: want a number of tokens from 1 on"},
		{prompts.PromptOptions{ISL: "1..0"}, "--isl 1..0: want a number"},
		{prompts.PromptOptions{ISL: "10..1"}, "--isl 10..1: 10 is more than 1; want the smaller first, as 1..10"},
		{prompts.PromptOptions{ISL: "1e3"}, "--isl 1e3: want"},
		{prompts.PromptOptions{ISL: "10", OSL: "-5"}, "--osl -5: want"},
		{prompts.PromptOptions{ISL: "10±x"}, "--isl 10±x: want"},
		{prompts.PromptOptions{ISL: "60%:1/2,30%:3/4"}, "the parts are 90 % together, want 100"},
		{prompts.PromptOptions{ISL: "60%:1/2,x"}, `"x" is not a part of a mixture`},
		{prompts.PromptOptions{ISL: "100%:1/2", OSL: "3"}, "leave out --osl 3"},
		{prompts.PromptOptions{ISL: "trace"}, `the lengths "trace" come from a file: add --data FILE`},
		{prompts.PromptOptions{ISL: "10", OSL: "trace"}, "want --isl trace"},
		{prompts.PromptOptions{File: data, ISL: "10"}, "give one of them"},
		{prompts.PromptOptions{ISL: "10", Turns: "all"}, "--turns all needs --data FILE"},
		{prompts.PromptOptions{ISL: "10", API: "chats"}, `--api "chats": want one of auto, chat, completions, responses`},
		{prompts.PromptOptions{ISL: "10", API: prompts.Rerank}, "want --data FILE with query and documents"},
		{prompts.PromptOptions{ISL: "10", Vocabulary: "5"}, "--vocabulary 5: want FIRST..LAST"},
		{prompts.PromptOptions{ISL: "10", Vocabulary: "100..90"}, "--vocabulary 100..90"},
		{prompts.PromptOptions{ISL: "10", Prefix: "2/8"}, "--prefix 2/8: want SHARE/N"},
		{prompts.PromptOptions{ISL: "10", Image: "0x5"}, "--image 0x5: want WIDTHxHEIGHT"},
		{prompts.PromptOptions{ISL: "10", Overhead: 10}, "adds 10 tokens to a prompt; want 11 or more"},
		{prompts.PromptOptions{File: data, Format: "xml"}, `--format "xml": want one of jsonl`},
		{prompts.PromptOptions{File: data, History: "own"}, "needs --turns all"},
		{prompts.PromptOptions{File: data, Columns: []string{"promt=x"}}, `there is no field "promt"; want one of prompt, ` +
			`messages`},
		{prompts.PromptOptions{File: data, Body: []string{"x=y"}}, "--body x=y: want KEY=JSON"},
		{prompts.PromptOptions{File: data, Header: []string{"x"}}, `--header "x": want NAME=VALUE`},
		{prompts.PromptOptions{File: data, LoRAOrder: "zipf:1"}, "needs --lora NAME"},
		{prompts.PromptOptions{File: data, LoRA: []string{"a"}, LoRAOrder: "zipf:0"},
			"--lora-order zipf:0: want turns, or zipf:S"},
		{prompts.PromptOptions{File: data, Prefix: "0.5/8"}, "--prefix 0.5/8 is of prompts that are made"},
		{prompts.PromptOptions{File: hashed, Prefix: "0.5/8"}, "--prefix 0.5/8 beside the hash_ids of --data"},
		{prompts.PromptOptions{File: data, Block: -1}, "--block -1"},
		{prompts.PromptOptions{File: data, Tools: data}, "want an array of JSON"},
	} {
		_, err := prompts.ReadSet(c.o)
		if !errors.Is(err, prompts.ErrOptions) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}

// TestRowsComeAgain checks that, with more requests than rows, all rows occur equally often and in a new order in each
// round.
func TestRowsComeAgain(t *testing.T) {
	path := file(t, "a.txt", "a\nb\nc\nd\ne\nf\ng\nh\n")
	set, err := prompts.ReadSet(prompts.PromptOptions{File: path})
	if err != nil {
		t.Fatal(err)
	}
	drawn := set.Draw(prompts.DrawOptions{N: 20})
	want := "20 requests of 8 rows: rows come again, shuffled anew, up to 3 times in all; the server's cache may answer"
	if !slices.Equal(drawn.Notes, []string{want}) {
		t.Errorf("%q", drawn.Notes)
	}
	all := toTexts(drawn.All())
	if slices.Equal(all[:8], all[8:16]) || !slices.Equal(sorted(all[:8]), sorted(all[8:16])) || len(all) != 20 {
		t.Errorf("%q", all)
	}
	// A later point continues after the last row.
	next := set.Draw(prompts.DrawOptions{N: 4, Skip: 20})
	want = "the data have 8 rows, and 20 requests came before: rows come again, shuffled anew, and the server's cache " +
		"may answer"
	if !slices.Equal(next.Notes, []string{want}) {
		t.Errorf("%q", next.Notes)
	}
	if round := append(all[16:20:20], toTexts(next.All())...); !slices.Equal(sorted(round), sorted(all[:8])) {
		t.Errorf("%q after %q", toTexts(next.All()), all)
	}
	if first := set.Draw(prompts.DrawOptions{N: 4}); len(first.Notes) > 0 || !slices.Equal(toTexts(first.All()), all[:4]) {
		t.Errorf("%q, %q", first.Notes, toTexts(first.All()))
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func TestSessions(t *testing.T) {
	lines := `{"session_id": "a", "text": "1", "answer": "A", "timestamp": 1000}
{"session_id": "b", "text": "2", "answer": "B", "timestamp": 500}
{"session_id": "a", "text": "3", "delay": 250}
{"text": "4"}`
	o := prompts.PromptOptions{File: file(t, "a.jsonl", lines), Turns: "all"}
	set, asks := draw(t, o, prompts.DrawOptions{Order: prompts.InOrder})
	if set.Sessions() != 3 || len(asks) != 4 {
		t.Fatalf("%d sessions, %d requests", set.Sessions(), len(asks))
	}
	third := asks[1]
	if third.Session != "a" || third.Turn != 1 || third.Think != 250*time.Millisecond ||
		string(messages(third)) != `[{"role":"user","content":"1"},`+
			`{"role":"assistant","content":"A"},{"role":"user","content":"3"}]` {
		t.Errorf("%+v %s", third, messages(third))
	}
	if asks[0].Due != 500*time.Millisecond || !asks[0].HasDue {
		t.Errorf("%+v", asks[0])
	}
	// Sessions stay complete and get new names when they are repeated.
	again := set.Draw(prompts.DrawOptions{N: 9}).All()
	var names []string
	for i, a := range again {
		if a.Turn == 1 && (i == 0 || again[i-1].Session != a.Session) {
			t.Errorf("a second turn without its first: %+v", a)
		}
		names = append(names, a.Session)
	}
	if !slices.Contains(names, "a~2") || !slices.Contains(names, "b~2") {
		t.Errorf("%q", names)
	}
	o.History = "own"
	_, asks = draw(t, o, prompts.DrawOptions{Order: prompts.InOrder})
	if third = asks[1]; !third.Own || third.Text != "3" || third.Messages != nil {
		t.Errorf("%+v", third)
	}
	o.File, o.History = file(t, "a.jsonl", strings.ReplaceAll(lines, "answer", "a")), ""
	if _, err := prompts.ReadSet(o); err == nil || !strings.Contains(err.Error(), `line 3: session "a" has no answer in `+
		`line 1`) {
		t.Errorf("%v", err)
	}
	o.Turns = ""
	set, asks = draw(t, o, prompts.DrawOptions{Order: prompts.InOrder})
	if asks[2].Session != "" || !slices.ContainsFunc(set.Notes, func(n string) bool {
		return strings.Contains(n,
			"--turns all")
	}) {
		t.Errorf("%+v, %q", asks[2], set.Notes)
	}
}

// TestListedTurns checks sessions whose turns are a list in one row.
func TestListedTurns(t *testing.T) {
	o := prompts.PromptOptions{File: file(t, "a.jsonl", `{"session_id": "a", "timestamp": 5, "turns": [{"text": "1", `+
		`"answer": "A"}, `+
		`{"text": "2", "delay": 20, "output_length": 3}]}`+"\n"+`{"turns": ["3"]}`)}
	if got := toTexts(rows(t, o)); !slices.Equal(got, []string{"1", "3"}) {
		t.Errorf("%q", got)
	}
	o.Turns = "all"
	asks := rows(t, o)
	if len(asks) != 3 || asks[1].Session != "a" || asks[1].Turn != 1 || asks[1].Think != 20*time.Millisecond ||
		asks[1].MaxTokens != 3 || !strings.Contains(string(messages(asks[1])), `"A"`) || asks[2].Session != "#2" {
		t.Errorf("%+v", asks)
	}
	o.History = "own"
	if asks := rows(t, o); !asks[1].Own || asks[1].Text != "2" {
		t.Errorf("%+v", asks)
	}
	o.File = file(t, "a.jsonl", `{"turns": []}`+"\n"+`{"turns": [5]}`+"\n"+`{"turns": [{"text": ""}]}`)
	_, err := prompts.ReadSet(o)
	for _, want := range []string{"line 1: turns: there is no turn", "line 2: turns: turn 1: want an object",
		"line 3: text: the prompt is empty"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestAdapters(t *testing.T) {
	lines := strings.Repeat("{\"prompt\": \"x\"}\n", 3) + `{"prompt": "y", "lora": "own"}` + "\n" + `{"prompt": "x"}`
	o := prompts.PromptOptions{File: file(t, "a.jsonl", lines), LoRA: []string{"a", "b"}}
	var models []string
	for _, a := range rows(t, o) {
		models = append(models, a.Model)
	}
	if !slices.Equal(models, []string{"a", "b", "a", "own", "b"}) {
		t.Errorf("%q", models)
	}
	o.File = file(t, "b.jsonl", `{"session_id": "s", "text": "1", "lora": "own"}
{"session_id": "s", "text": "2"}
{"session_id": "t", "text": "1"}
{"session_id": "t", "text": "2"}`)
	o.Turns, o.History, models = "all", "own", nil
	for _, a := range rows(t, o) {
		models = append(models, a.Model)
	}
	if !slices.Equal(models, []string{"own", "own", "a", "a"}) {
		t.Errorf("of sessions: %q", models)
	}
	_, asks := draw(t, prompts.PromptOptions{ISL: "1", LoRA: []string{"a", "b", "c"}, LoRAOrder: "zipf:1"},
		prompts.DrawOptions{N: 11000})
	count := map[string]int{}
	for _, a := range asks {
		count[a.Model]++
	}
	for name, want := range map[string]int{"a": 6000, "b": 3000, "c": 2000} { // 1 : 1/2 : 1/3; deviations up to 52
		if n := count[name]; n < want-300 || n > want+300 {
			t.Errorf("%s came %d times, want about %d", name, n, want)
		}
	}
}

// TestBatch checks that the bodies of a batch file are parsed and that its model is not used.
func TestBatch(t *testing.T) {
	lines := `{"custom_id": "a", "url": "/v1/responses", "body": {"model": "m", "input": [{"role": "user", "content": ` +
		`"x"}], ` +
		`"max_output_tokens": 9, "stream": true, "top_p": 0.5}}` + "\n" +
		`{"custom_id": "b", "url": "/v1/responses", "body": {"input": "y", "n": 1}}`
	set, asks := draw(t, prompts.PromptOptions{File: file(t, "a.jsonl", lines)},
		prompts.DrawOptions{Order: prompts.InOrder})
	if set.API != prompts.Responses || asks[0].ID != "a" || asks[0].MaxTokens != 9 || asks[0].Exact ||
		string(asks[0].Messages) != `[{"role": "user", "content": "x"}]` || asks[1].Text != "y" {
		t.Errorf("%s %+v", set.API, asks)
	}
	if f := asks[0].Fields; len(f) != 1 || string(f["top_p"]) != "0.5" {
		t.Errorf("%s", f)
	}
	if len(set.Notes) != 1 || !strings.Contains(set.Notes[0], `"m"`) {
		t.Errorf("%q", set.Notes)
	}
}

// FuzzRead checks that every file is read or has faults with positions in it.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"prompt": "x", "max_tokens": 5, "extra": {"a": [1]}, "lora": "l", "id": 3}`, "[\"a\", {\"text\": \"b\"}]",
		"text\nmore",
		"prompt,max_tokens\na,1\n\"b\nc\",2", `{"messages": [{"role": "user", "content": "x"}], "tools": []}`,
		`{"timestamp": 1, "input_length": 600, "output_length": 2, "hash_ids": [1, 2], "session_id": "s", "delay": 1.5}`,
		`[{"id": "s", "conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}]`,
		`{"custom_id": "a", "url": "/v1/completions", "body": {"prompt": [1, 2], "max_tokens": 3}}`,
		`{"session_id": "s", "turns": [{"text": "a", "answer": "b"}, "c"]}`, `{"query": "q", "documents": ["a"]}`, "\x1f\x8b",
		"PAR1", "{\"prompt\": \"\\ud800\\u0000\"}",
		"[1, {\"a\": \"\\\\\"}, ]",
		`{"prompt": "x", "image": "data:image/png;base64,AAAA"}`,
	} {
		for i := range byte(8) {
			f.Add([]byte(seed), i)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, how byte) {
		path := file(t, "data", string(data))
		formats := append(prompts.Formats(), "")
		o := prompts.PromptOptions{File: path, Format: formats[int(how)%len(formats)]}
		if how&64 > 0 {
			o.Turns = "all"
		}
		if how&128 > 0 {
			o.API = prompts.APIs()[int(how)%len(prompts.APIs())]
		}
		set, err := prompts.ReadSet(o)
		if err != nil {
			var faults *prompts.Faults
			if errors.As(err, &faults) {
				for _, fault := range faults.List {
					if fault.Line < 0 || fault.Line > bytes.Count(data, []byte("\n"))+1 || fault.Text == "" {
						t.Errorf("%+v", fault)
					}
				}
			}
			return
		}
		for _, a := range set.Draw(prompts.DrawOptions{N: 5}).All() {
			if a.API != set.API || len(a.IDs) == 0 && a.Text == "" && a.Messages == nil && a.Input == nil && a.Query == "" {
				t.Errorf("%+v", a)
			}
		}
	})
}
