package officialdata

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// RetrievalCount is the number of pages and of questions; each page answers one question. RetrievalWords is the size of
// the vocabulary. RetrievalAccuracy is the accuracy by a judge with the rules of WriteRetrievalRules, in percent.
const (
	RetrievalCount    = 24
	RetrievalWords    = 17 + 2*RetrievalCount
	RetrievalAccuracy = 50
)

func town(i int) string   { return fmt.Sprintf("town%c", 'a'+i) }
func person(i int) string { return fmt.Sprintf("mayor%c", 'a'+i) }

// WritePages writes pages in the official form: town.html, and url_mapping.json in the same folder.
func WritePages(dir string) error {
	faults := []error{os.MkdirAll(dir, 0o777)}
	urls := map[string]string{}
	for i := range RetrievalCount {
		name := "en.wikipedia.org_wiki_" + town(i)
		urls[name] = "https://en.wikipedia.org/wiki/" + town(i)
		text := fmt.Sprintf("<!DOCTYPE html><html><body><nav>menu</nav><div id=\"mw-content-text\">"+
			"<p>The mayor of <b>%s</b> is %s.</p></div></body></html>\n", town(i), person(i))
		faults = append(faults, os.WriteFile(filepath.Join(dir, name+".html"), []byte(text), 0o666))
	}
	text, err := json.Marshal(urls)
	return errors.Join(append(faults, err, os.WriteFile(filepath.Join(dir, "url_mapping.json"), text, 0o666))...)
}

// WriteQuestions writes frames_dataset.tsv. Every other question has a mark that makes the judge reject the answer.
func WriteQuestions(dir string) error {
	var b strings.Builder
	b.WriteString("\tPrompt\tAnswer\twikipedia_link_1\twikipedia_link_2\treasoning_types\n")
	for i := range RetrievalCount {
		mark := ""
		if i%2 == 1 {
			mark = " really"
		}
		fmt.Fprintf(&b, "%d\t\"Who is the mayor of %s%s?\"\t%s\thttps://en.wikipedia.org/wiki/%s\t\tNone\n", i, town(i), mark,
			person(i), town(i))
	}
	return errors.Join(os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, "frames_dataset.tsv"), []byte(b.String()), 0o666))
}

// WriteEncoderVocab writes a vocab.txt of whole words.
func WriteEncoderVocab(dir string) error {
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "of", "is", "who", "mayor", "really", ".", "?",
		"document", ":", "a", "b"}
	for i := range RetrievalCount {
		words = append(words, town(i), person(i))
	}
	return errors.Join(os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, "vocab.txt"), []byte(strings.Join(words, "\n")+"\n"), 0o666))
}

// WriteRetrievalPrompts writes prompts for models and judge with all placeholders.
func WriteRetrievalPrompts(dir string) error {
	faults := []error{os.MkdirAll(dir, 0o777)}
	for name, text := range map[string]string{
		"queries": "Step queries. {question}\n{kept_docs}\n{history}\n{feedback_history}\n{max_queries} as " +
			"{{\"queries\": [], \"feedback\": \"\"}}",
		"relevance":   "Step relevance. {question}\n{new_docs}\n{kept_docs}\n{num_docs} marks as {{\"relevance\": [1]}}",
		"sufficiency": "Step sufficiency. {question}\n{kept_docs}\n{iteration} of {max_iterations}",
		"answer":      "Step answer. {question}\n{kept_docs}",
		"judge":       "Step judge. {question} judged: {ground_truth}, {llm_answer}",
	} {
		faults = append(faults, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o666))
	}
	return errors.Join(faults...)
}

// WriteRetrievalRules writes the rules for a server's replies. It searches the question itself. The replies about found
// documents are unreadable, so all are kept, and they suffice. The judge rejects the marked questions.
func WriteRetrievalRules(path string) error {
	rules := ""
	for _, r := range [][2]string{
		{"Step queries.", `{"queries": [], "feedback": "none"}`}, {"Step relevance.", "All of them."},
		{"Step sufficiency.", `{"sufficient": true}`}, {"Step answer.", "The mayor."},
		{" really? judged:", `{"correct": false}`}, {"judged:", `{"correct": true}`},
	} {
		line, err := json.Marshal(map[string]string{"contains": r[0], "text": r[1]})
		if err != nil {
			return err
		}
		rules += string(line) + "\n"
	}
	return os.WriteFile(path, []byte(rules), 0o666)
}
