package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDetailLog: detail logs that nobody writes are read as Python's json module and log_parser.py read them.
func TestDetailLog(t *testing.T) {
	const log = `:::MLLOG {"key": "effective_scenario", "value": "Offline", "metadata": {"is_error": false}}
:::MLLOG {"key": "result_samples_per_second", "value": 5, "metadata": {"is_error": false}}
:::MLLOG {"key": "result_validity", "value": "VALID", "metadata": {"is_error": false}}
`
	record := func(fields string) string { return ":::MLLOG {" + fields + "}\n" }
	deep := strings.Repeat("[", 1100) + strings.Repeat("]", 1100)
	const flag = `, "metadata": {"is_error": false}`
	for name, c := range map[string]struct{ old, text, dies string }{
		"as it is":            {"", "", ""},
		"an infinity":         {"", record(`"key": "x", "value": Infinity` + flag), ""},
		"a long number":       {"", record(`"key": "x", "value": ` + strings.Repeat("9", 5000) + flag), "RuntimeError"},
		"a deep list":         {"", record(`"key": "x", "value": ` + deep), "RuntimeError"},
		"white space behind":  {"", strings.Replace(record(`"key": "x", "value": 1`+flag), "\n", "\x1c\u00a0\n", 1), ""},
		"a number as the key": {"", record(`"key": 1, "value": 1` + flag), ""},
		"a list as the key":   {"", record(`"key": [], "value": 1` + flag), "TypeError"},
		"a list":              {"", ":::MLLOG [1]\n", "TypeError"},
		"no key":              {"", record(`"value": 1` + flag), "KeyError"},
		"another case":        {"", record(`"KEY": "x", "value": 1` + flag), "KeyError"},
		"no errors":           {"", record(`"key": "num_errors", "value": 0.0` + flag), ""},
		"no errors, a text":   {"", record(`"key": "num_errors", "value": "0"` + flag), "NameError"},
		"no flag":             {"", record(`"key": "x", "value": 1`), "KeyError"},
		"null as the flag":    {"", record(`"key": "x", "value": 1, "metadata": {"is_error": null}`), ""},
		"a number as flag":    {"", record(`"key": "x", "value": 1, "metadata": {"is_error": 1}`), "NameError"},
		"no value":            {`, "value": "VALID"`, "", "KeyError"},
		"true as the score":   {`"value": 5`, `"value": true`, ""},
		"a text as the score": {`"value": 5`, `"value": " 5_0 "`, ""},
		"a list as the score": {`"value": 5`, `"value": [5]`, "TypeError"},
	} {
		file := filepath.Join(t.TempDir(), "detail.txt")
		text := log + c.text
		if c.old != "" {
			text = strings.Replace(log, c.old, c.text, 1)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Scoring{}.readScore(&strings.Builder{}, file)
		if (err != nil) != (c.dies != "") || err != nil && !strings.HasPrefix(err.Error(), c.dies) {
			t.Errorf("%s: %v, want %q", name, err, c.dies)
		}
	}
	for _, c := range []struct {
		a, b any
		same bool
	}{{int64(15), 15.0, true}, {int64(15), "15", false}, {nil, nil, true}, {true, int64(1), true}} {
		if equalInPython(c.a, c.b) != c.same {
			t.Errorf("%v and %v: want the same %t", c.a, c.b, c.same)
		}
	}
}

// TestSummaryScores: a score that is there and empty is none, white space around is Python's.
func TestSummaryScores(t *testing.T) {
	for score, pass := range map[string]bool{
		"1000": true, "\x1c1000\u2028": true, "": false, "x": false, "1100.1": false,
	} {
		dir := t.TempDir()
		var files [2]string
		for i, value := range []string{"1000", score} {
			files[i] = filepath.Join(dir, string(rune('a'+i)))
			text := "Scenario : Offline\nSamples per second: " + value + "\nResult is : VALID\n"
			if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, _ := Scoring{}.Text("TEST04", Paths{Summary: files[0]}, Paths{Summary: files[1]})
		if strings.Contains(text, Pass) != pass {
			t.Errorf("%q: %s", score, text)
		}
	}
}
