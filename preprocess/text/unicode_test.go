// Package text contains no code. The packages below it process text.
//
//	punkt      the Punkt sentence splitter
//	wordpiece  BERT's tokenizer
//	features   questions and passages as the inputs of a BERT model
//	clip       CLIP's tokenizers, of text-to-image models and their scorer
//	bpe        byte-pair encoding: the tokenizers of GPT-2, Llama 3, DeepSeek and others
//	sentencepiece  the tokenizers of Llama 2, Mixtral and Marian
//	pretrained  the tokenizer in the files that a language model is published with
//
// Input: strings, and the bytes of vocabulary files. Output: tokens, token ids and strings, equal to the output of the
// tools that define the benchmarks (compatible with MLPerf Inference). The packages do no I/O and keep no global state.
package text

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// TestUnicodeVersion holds the tables to the version that docs/preprocessing.md tells.
func TestUnicodeVersion(t *testing.T) {
	const documented = "15.0.0"
	if unicode.Version != documented || norm.Version != documented {
		t.Errorf("the tables are of Unicode %s and %s; docs/preprocessing.md says %s: compare with the references again, "+
			"and say what changed",
			unicode.Version, norm.Version, documented)
	}
}

// TestNewCharacters shows what becomes of the characters that docs/preprocessing.md names.
func TestNewCharacters(t *testing.T) {
	for _, text := range []string{"a\U00031b0ab", "\u0cf3"} {
		if got := wordpiece.Words(text); len(got) != 1 || got[0] != text {
			t.Errorf("%+q has the words %+q, want it as one", text, got)
		}
	}
	if got := norm.NFKC.String("\U0001fbf0"); got != "0" {
		t.Errorf("U+1FBF0 becomes %q, want 0", got)
	}
	if unicode.IsLetter(0x13a83) {
		t.Error("U+13A83 is a letter")
	}
}
