package officialdata

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// SQuADWord is the word of the vocabulary that answers most questions.
const SQuADWord = "paris"

// SQuADF1 is the F1 of tinymodel's BERT on the questions, in percent: two are right, one has half of the words, one is
// wrong.
const SQuADF1 = 100 * (1 + 1 + 2./3 + 0) / 4

// The records of dev-v1.1.json.
type (
	squad struct {
		Data    []article `json:"data"`
		Version string    `json:"version"`
	}
	article struct {
		Title      string      `json:"title"`
		Paragraphs []paragraph `json:"paragraphs"`
	}
	paragraph struct {
		Context   string     `json:"context"`
		Questions []question `json:"qas"`
	}
	question struct {
		ID       string   `json:"id"`
		Question string   `json:"question"`
		Answers  []answer `json:"answers"`
	}
	answer struct {
		Start int    `json:"answer_start"`
		Text  string `json:"text"`
	}
)

// askQuestion returns a paragraph with a question whose answers are parts of it.
func askQuestion(id, context, text string, answers ...string) paragraph {
	q := question{ID: id, Question: text}
	for _, a := range answers {
		q.Answers = append(q.Answers, answer{Start: len([]rune(context[:strings.Index(context, a)])), Text: a})
	}
	return paragraph{Context: context, Questions: []question{q}}
}

// SQuAD writes dev-v1.1.json and the vocab.txt of the model's tokenizer. The passages contain accents and unusual
// blanks, and one of them fills several windows of 384 tokens.
func SQuAD(dir string) error {
	long := strings.Repeat("The river runs on and on through the old town. ", 97) + "Then it leaves Paris. "
	file := squad{Version: "1.1", Data: []article{
		{Title: "Cities", Paragraphs: []paragraph{
			askQuestion("56be4db0acb8001400a502ec", "The capital\u00a0of France is  Paris, on the Seine.",
				"Which town is the capital?",
				"Paris", "Paris", "Paris, on the Seine"),
			askQuestion("56be4db0acb8001400a502ed", "Élise Müller lives in Paris France.\n", "Where does she live?",
				"Paris France"),
		}},
		{Title: "Rivers", Paragraphs: []paragraph{
			askQuestion("56be4db0acb8001400a502ee", long, "What does the river leave?", "Paris"),
			askQuestion("56be4db0acb8001400a502ef", "Paris is old. Its river is the Seine.", "Which river?", "the Seine"),
		}},
	}}
	if err := writeJSON(filepath.Join(dir, "dev-v1.1.json"), file); err != nil {
		return err
	}
	return write(filepath.Join(dir, "vocab.txt"), []byte(strings.Join(SQuADVocabulary(), "\n")+"\n"))
}

// SQuADVocabulary returns the tokens of vocab.txt, in the order of their numbers, with the special tokens at BERT's
// positions.
func SQuADVocabulary() []string {
	words := []string{"[PAD]"}
	for i := range 99 {
		words = append(words, fmt.Sprintf("[unused%d]", i))
	}
	words = append(words, "[UNK]", "[CLS]", "[SEP]", "[MASK]")
	for letter := 'a'; letter <= 'z'; letter++ {
		words = append(words, string(letter), "##"+string(letter))
	}
	words = append(words, ".", ",", "?", "the", "river", "town", "capital", "of", "france", "is", "on", "seine", "lives",
		"in", "which", SQuADWord)
	return words
}

// SQuADToken returns the number of a word in the vocabulary.
func SQuADToken(word string) int64 { return int64(slices.Index(SQuADVocabulary(), word)) }
