package llm

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// promptForm is a named form of prompts.
type promptForm struct{ name, template string }

// promptForms are those of the models: articles is the embedded model's, news that of Llama 3.1 8B, instruction that of
// GPT-J, chat that of Llama 2. The other models' samples hold whole prompts.
func promptForms() []promptForm {
	return []promptForm{
		{"articles", "<|article|> {input}<|summary|>"},
		{"news",
			"Summarize the following news article in 128 tokens. Please output the summary only, without any other text." +
				"\n\nArticle:\n{input}\n\nSummary:"},
		{"instruction",
			"Below is an instruction that describes a task, paired with an input that provides further context. " +
				"Write a response that appropriately completes the request." +
				"\n\n### Instruction:\n{instruction}\n\n### Input:\n{input}\n\n### Response:"},
		{"chat", "[INST] <<SYS>>\n{system}\n<</SYS>>\n\n{input} [/INST]"},
		{"plain", "{input}"},
	}
}

// findTemplate returns the template of a named form, and any other text itself.
func findTemplate(text string) string {
	for _, f := range promptForms() {
		if f.name == text {
			return f.template
		}
	}
	return text
}

// parseTemplate is [findTemplate] of a text that has a place for the sample's.
func parseTemplate(text string) (string, error) {
	t := findTemplate(text)
	if !strings.Contains(t, "{input}") {
		return "", fmt.Errorf("want one of %s, or a text with {input} where the sample's belongs",
			strings.Join(lists.Map(promptForms(), func(f promptForm) string { return f.name }), ", "))
	}
	return t, nil
}
