package prompts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// readText reads a file with this name and text.
func readText(t *testing.T, name, text string, columns ...string) (*prompts.PromptSet, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return prompts.ReadSet(prompts.PromptOptions{File: path, Columns: columns})
}

// asksOf returns the requests of a set's rows in order.
func asksOf(set *prompts.PromptSet) []prompts.Ask {
	asks := set.Draw(prompts.DrawOptions{N: set.Rows()}).All()
	slices.SortFunc(asks, func(a, b prompts.Ask) int { return a.Row - b.Row })
	return asks
}

// TestSeparators reads one table in the dialects of several programs.
func TestSeparators(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		columns    []string
	}{
		"commas":               {"x.csv", "prompt,osl\n\"a,b\",5\nc;d,6\n", nil},
		"semicolons":           {"x.csv", "prompt;osl\na,b;5\n\"c;d\";6\n", nil},
		"semicolons, CRLF":     {"x.csv", "prompt;osl\r\na,b;5\r\n\"c;d\";6\r\n", nil},
		"semicolons, mark":     {"x.csv", "\ufeffprompt;osl\r\na,b;5\r\n\"c;d\";6\r\n", nil},
		"tabs":                 {"x.csv", "prompt\tosl\na,b\t5\nc;d\t6\n", nil},
		"tabs, tsv":            {"x.tsv", "prompt\tosl\na,b\t5\nc;d\t6\n", nil},
		"semicolons, tsv":      {"x.tsv", "prompt;osl\na,b;5\n\"c;d\";6\n", nil},
		"commas, tsv":          {"x.tsv", "prompt,osl\n\"a,b\",5\nc;d,6\n", nil},
		"sep=;":                {"x.csv", "sep=;\r\nprompt;osl\r\na,b;5\r\n\"c;d\";6\r\n", nil},
		"sep=|":                {"x.csv", "sep=|\nprompt|osl\na,b|5\nc;d|6\n", nil},
		"capitals":             {"x.csv", "Prompt;OSL\na,b;5\n\"c;d\";6\n", nil},
		"quoted names":         {"x.csv", "\"prompt\";\"osl\"\n\"a,b\";\"5\"\n\"c;d\";\"6\"\n", nil},
		"unknown names beside": {"x.csv", "a,b;prompt;osl\n1,2;a,b;5\n;\"c;d\";6\n", nil},
		"names by --column":    {"x.csv", "frage;osl\na,b;5\n\"c;d\";6\n", []string{"prompt=frage"}},
	} {
		set, err := readText(t, c.file, c.text, c.columns...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, a := range asksOf(set) {
			got = append(got, a.Text)
			if a.MaxTokens != len(got)+4 {
				t.Errorf("%s: row %d has %d tokens", name, len(got), a.MaxTokens)
			}
		}
		if !slices.Equal(got, []string{"a,b", "c;d"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := readText(t, "x.csv", "a;b\n1;2\n"); err == nil || !strings.Contains(err.Error(), "a;b") {
		t.Errorf("no known column: %v", err)
	}
}

// TestSeveralColumnsOfOneField checks the note on which of two columns is used, if their values differ.
func TestSeveralColumnsOfOneField(t *testing.T) {
	const says = "rows have both prompt and text: prompt is used (--column prompt=text takes the other one)"
	for name, c := range map[string]struct {
		file, text, first string
		says              string
		columns           []string
	}{
		"prompt first": {"x.jsonl", `{"prompt": "a", "text": "b"}`, "a", says, nil},
		"text first":   {"x.jsonl", `{"text": "b", "prompt": "a"}`, "a", says, nil},
		"in one row":   {"x.jsonl", "{\"prompt\": \"a\"}\n{\"text\": \"b\", \"prompt\": \"c\"}", "a", says, nil},
		"CSV":          {"x.csv", "text,prompt\nb,a\n", "a", says, nil},
		"three": {"x.json", `[{"question": "c", "text": "b", "prompt": "a"}]`, "a",
			"rows have both prompt and text: prompt is used", nil},
		"lengths": {"x.jsonl", `{"prompt": "a", "max_tokens": 5, "output_length": 6}`, "a",
			"rows have both output_length and max_tokens: output_length is used (--column output=max_tokens", nil},
		"equal":     {"x.jsonl", `{"prompt": "a", "text": "a"}`, "a", "", nil},
		"null":      {"x.jsonl", `{"prompt": null, "text": "a"}`, "a", "", nil},
		"empty CSV": {"x.csv", "text,prompt\na,\n", "a", "", nil},
		"by name":   {"x.jsonl", `{"prompt": "a", "text": "b"}`, "b", "", []string{"prompt=text"}},
	} {
		set, err := readText(t, c.file, c.text, c.columns...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if first := asksOf(set)[0].Text; first != c.first {
			t.Errorf("%s: the first prompt is %q, want %q", name, first, c.first)
		}
		said := slices.ContainsFunc(set.Notes, func(n string) bool { return strings.Contains(n, "rows have both") })
		if said != (c.says != "") || said && !strings.Contains(strings.Join(set.Notes, "\n"), c.says) {
			t.Errorf("%s: %q, want %q", name, set.Notes, c.says)
		}
	}
}

// TestJSONOfPython reads the output of json.dump, in which NaN and Infinity are missing values.
func TestJSONOfPython(t *testing.T) {
	for name, c := range map[string]struct{ file, text string }{
		"NaN":               {"x.jsonl", `{"prompt": "NaN", "max_tokens": NaN, "delay": Infinity}`},
		"mark":              {"x.jsonl", "\ufeff" + `{"prompt": "NaN"}`},
		"mark and NaN":      {"x.jsonl", "\ufeff" + `{"prompt": "NaN", "other": -Infinity}`},
		"an array":          {"x.json", `[{"prompt": "NaN", "other": [NaN, 1, -Infinity]}]`},
		"an array and mark": {"x.json", "\ufeff" + `[{"prompt": "NaN", "text": NaN}]`},
		"over lines":        {"x.json", "[\n  {\n  \"prompt\": \"NaN\",\n  \"max_tokens\": NaN\n}\n]"},
	} {
		set, err := readText(t, c.file, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if a := asksOf(set)[0]; a.Text != "NaN" {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for _, text := range []string{`{"prompt": NaM}`, `{"prompt": "a"} NaN`, `{"prompt": 'NaN'}`} {
		if _, err := readText(t, "x.jsonl", text); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
