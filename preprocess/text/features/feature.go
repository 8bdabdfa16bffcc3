package features

import "strings"

// Feature is one input of the model: a question and a window of its passage. It is read-only, occupies a few words of
// memory, and refers to the passage.
type Feature struct {
	asked *featureQuestion
	index int
}

// Index returns the number of the window in its passage, from 0.
func (f Feature) Index() int { return f.index }

// Passage returns the passage of the question.
func (f Feature) Passage() *Passage { return f.asked.passage }

// Len returns the number of tokens without padding, up to the builder's length.
func (f Feature) Len() int { return f.tokensBefore() + f.window().length + 1 }

func (f Feature) window() passageWindow { return f.asked.windows[f.index] }

// tokensBefore returns the number of tokens before those of the passage: [CLS], the question, [SEP].
func (f Feature) tokensBefore() int { return len(f.asked.question) + 2 }

// tokenAt returns the index, among the passage's tokens, of the token at a position in the feature.
func (f Feature) tokenAt(position int) (token int, ok bool) {
	w := f.window()
	offset := position - f.tokensBefore()
	return w.start + offset, offset >= 0 && offset < w.length
}

// Word returns the index of the passage's word that contains the token at a position, from 0. ok is false for tokens of
// the question, special tokens and padding.
func (f Feature) Word(position int) (word int, ok bool) {
	token, ok := f.tokenAt(position)
	if !ok {
		return 0, false
	}
	return int(f.asked.passage.wordOf[token]), true
}

// HasMaxContext reports whether the position contains a token of the passage that has no more context in another
// window.
func (f Feature) HasMaxContext(position int) bool {
	token, ok := f.tokenAt(position)
	return ok && f.asked.bestWindow(token) == f.index
}

// Text returns the text of the tokens at positions first to last, which must belong to the passage. Pieces of a word
// are joined.
func (f Feature) Text(first, last int) string {
	var b strings.Builder
	for position := first; position <= last; position++ {
		token, ok := f.tokenAt(position)
		if !ok {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.asked.builder.tokenizer.Token(f.asked.passage.ids[token]))
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), " ##", ""), "##", "")
}

// Fill writes the feature into the rows of a batch: the token IDs; the mask, which is 1 for tokens and 0 for padding;
// and the segments, which are 1 for the window and its [SEP] and 0 otherwise. The rows must have the same length, Len
// or more. Remaining values are set to 0.
func Fill[T int32 | int64](f Feature, ids, mask, segments []T) {
	w := f.window()
	n := f.Len()
	clear(ids[n:])
	clear(mask[n:])
	clear(segments)
	ids[0] = T(f.asked.builder.class)
	fillRow(ids[1:], f.asked.question)
	ids[f.tokensBefore()-1] = T(f.asked.builder.separator)
	fillRow(ids[f.tokensBefore():], f.asked.passage.ids[w.start:w.start+w.length])
	ids[n-1] = T(f.asked.builder.separator)
	for i := range n {
		mask[i] = 1
	}
	for i := f.tokensBefore(); i < n; i++ {
		segments[i] = 1
	}
}

func fillRow[T int32 | int64](dst []T, src []int32) {
	for i, v := range src {
		dst[i] = T(v)
	}
}
