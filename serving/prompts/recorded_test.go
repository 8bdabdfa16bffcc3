package prompts_test

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// TestRecordedAnswers checks that a final message of the assistant becomes the recorded answer and is not sent, and
// that other final messages are sent.
func TestRecordedAnswers(t *testing.T) {
	const user, system = `{"role": "user", "content": "A?"}`, `{"role": "system", "content": "S"}`
	const said = `{"role": "assistant", "content": "B."}`
	for messages, want := range map[string]string{
		user: user, user + `, ` + said: user, system + `, ` + user + `, ` + said: system + `, ` + user,
		user + `, ` + said + `, ` + user:               user + `, ` + said + `, ` + user,
		user + `, ` + said + `, ` + user + `, ` + said: user + `, ` + said + `, ` + user,
		said: said,
		user + `, {"role": "assistant", "content": null, "tool_calls": []}`: user,
		user + `, {"role": "tool", "content": "7"}`:                         user + `, {"role": "tool", "content": "7"}`,
	} {
		path := file(t, "a.jsonl", `{"messages": [`+messages+`]}`+"\n")
		set, asks := draw(t, prompts.PromptOptions{File: path}, prompts.DrawOptions{Order: prompts.InOrder})
		flat := func(text string) string { return strings.ReplaceAll(text, " ", "") }
		if len(asks) != 1 || flat(string(asks[0].Messages)) != flat("["+want+"]") {
			t.Errorf("[%s] is asked as %s, want [%s]", messages, asks[0].Messages, want)
		}
		if noted := strings.Contains(strings.Join(set.Notes, ";"), "recorded answer"); noted != (want != messages) {
			t.Errorf("[%s]: notes %q", messages, set.Notes)
		}
	}
}

// TestPromptsOfNumbers: a prompt that is a number is sent as written, with a note.
func TestPromptsOfNumbers(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.jsonl", `{"prompt": 5}`, "5"}, {"a.jsonl", `{"prompt": -1.50}`, "-1.50"}, {"a.jsonl", `{"prompt": 1e3}`, "1e3"},
		{"a.json", `[{"prompt": 7}]`, "7"}, {"a.jsonl", `{"text": 12345678901234567890}`, "12345678901234567890"},
		{"a.jsonl", `{"prompt": "5"}`, ""}, {"a.jsonl", `{"prompt": "-"}`, ""}, {"a.csv", "prompt\n5", ""},
		{"a.csv", "prompt,osl\n5,6", ""}, {"a.jsonl", `{"prompt": "a", "osl": 5}`, ""},
	} {
		path := file(t, c.name, c.text+"\n")
		set, asks := draw(t, prompts.PromptOptions{File: path}, prompts.DrawOptions{Order: prompts.InOrder})
		noted := strings.Contains(strings.Join(set.Notes, ";"), "prompts that are numbers, not texts: 1.")
		if len(asks) != 1 || noted != (c.want != "") || noted && asks[0].Text != c.want {
			t.Errorf("%s: asked as %+v, notes %q", c.text, asks, set.Notes)
		}
	}
}

// TestInstructions checks that the instruction precedes the input.
func TestInstructions(t *testing.T) {
	for line, want := range map[string]string{
		`{"instruction": "Sum up.", "input": "The sea.", "output": "Sea."}`: "Sum up.\n\nThe sea.",
		`{"instruction": "Sum up.", "input": "", "output": "Sea."}`:         "Sum up.",
		`{"instruction": "Sum up."}`:                                        "Sum up.",
		`{"instruction": "Sum up.", "prompt": "The sea."}`:                  "Sum up.\n\nThe sea.",
		`{"instruction": null, "prompt": "The sea."}`:                       "The sea.",
	} {
		path := file(t, "a.jsonl", line+"\n")
		if got := toTexts(rows(t, prompts.PromptOptions{File: path})); len(got) != 1 || got[0] != want {
			t.Errorf("%s is asked as %q, want %q", line, got, want)
		}
	}
}
