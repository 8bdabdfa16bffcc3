package llm

import (
	"fmt"
	"strings"
)

// promptForm is a named form of prompts.
type promptForm struct{ name, template string }

// promptForms returns the prompt forms: articles for the embedded model, news for Llama 3.1 8B, instruction for GPT-J,
// and chat for Llama 2. The samples of other models contain whole prompts.
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

// findTemplate returns the template of a named form. Other texts are returned unchanged.
func findTemplate(text string) string {
	for _, f := range promptForms() {
		if f.name == text {
			return f.template
		}
	}
	return text
}

// parseTemplate is like findTemplate, but requires a placeholder for the sample's text.
func parseTemplate(text string) (string, error) {
	t := findTemplate(text)
	if !strings.Contains(t, "{input}") {
		names := []string{}
		for _, f := range promptForms() {
			names = append(names, f.name)
		}
		return "", fmt.Errorf("want one of %s, or a text with {input} where the sample's belongs",
			strings.Join(names, ", "))
	}
	return t, nil
}
