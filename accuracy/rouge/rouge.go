package rouge

// Score is one variant of ROUGE for one pair of texts. All values are from 0 to 1.
type Score struct {
	Precision float64 // the shared part divided by the prediction
	Recall    float64 // the shared part divided by the reference
	F         float64 // the harmonic mean of Precision and Recall; 0 if both are 0
}

// Scores contains the four variants of ROUGE that the benchmarks report. All are 0 if a text has no tokens.
type Scores struct {
	Rouge1, Rouge2 Score // shared words, and shared pairs of adjacent words
	RougeL         Score // the longest common subsequence of the texts
	RougeLsum      Score // the union of the longest common subsequences of their sentences
}

// TextScorer compares texts. It caches stems, so that it stems each word once, and reuses its working memory. A scorer
// is not safe for concurrent use; different scorers are independent.
type TextScorer struct {
	words     wordNumbers
	reference textSentences
	predicted textSentences
	unused    wordCounts // all counts are 0 between calls
	pairs     [2][]uint64
	lcs       subsequenceFinder
}

// TokenizerOptions selects a variant of the tokenizer.
type TokenizerOptions struct {
	// Stem replaces words of more than three letters by their stems. All benchmarks use it.
	Stem bool
}

// New returns a scorer.
func New(o TokenizerOptions) *TextScorer {
	return &TextScorer{words: newWordNumbers(o.Stem)}
}

// Score compares a prediction with a reference. Characters other than a to z, A to Z and digits separate words.
func (s *TextScorer) Score(reference, prediction string) Scores {
	s.reference = s.words.tokenize(s.reference, reference)
	s.predicted = s.words.tokenize(s.predicted, prediction)
	s.unused.grow(len(s.words.stems))
	s.lcs.slots.grow(len(s.words.stems))
	r, p := s.reference.tokens, s.predicted.tokens
	if len(r) == 0 || len(p) == 0 {
		return Scores{}
	}
	return Scores{
		Rouge1:    newScore(s.countSharedWords(r, p), len(r), len(p)),
		Rouge2:    newScore(s.countSharedPairs(r, p), len(r)-1, len(p)-1),
		RougeL:    newScore(s.lcs.commonLength(r, p), len(r), len(p)),
		RougeLsum: newScore(s.countSharedSentences(), len(r), len(p)),
	}
}

func newScore(shared, reference, predicted int) Score {
	precision := float64(shared) / float64(max(predicted, 1))
	recall := float64(shared) / float64(max(reference, 1))
	if precision+recall == 0 {
		return Score{}
	}
	return Score{precision, recall, 2 * precision * recall / (precision + recall)}
}
