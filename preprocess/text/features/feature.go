package features

import "strings"

// Feature is one input of the model: a question and a window of its passage. It is read-only, occupies a few words of
// memory, and refers to the passage.
type Feature struct {
	asked *askedQuestion
	index int
}

// Index is the number of the window in its passage, from 0.
func (f Feature) Index() int { return f.index }

// Passage is the passage that the question is about.
func (f Feature) Passage() *Passage { return f.asked.passage }

// Len is the number of tokens without padding: at most the builder's length.
func (f Feature) Len() int { return f.tokensBefore() + f.ownWindow().length + 1 }

func (f Feature) ownWindow() passageWindow { return f.asked.windows[f.index] }

// tokensBefore is the number of tokens before those of the passage: [CLS], the question, [SEP].
func (f Feature) tokensBefore() int { return len(f.asked.question) + 2 }

// tokenAt is the place in the passage's tokens of the token at a position of the feature.
func (f Feature) tokenAt(position int) (token int, ok bool) {
	w := f.ownWindow()
	offset := position - f.tokensBefore()
	return w.start + offset, offset >= 0 && offset < w.length
}

// Word is the index in the passage's words of the word that the token at a position, from 0, is part of. Tokens of the
// question, special tokens and padding have none.
func (f Feature) Word(position int) (word int, ok bool) {
	token, ok := f.tokenAt(position)
	if !ok {
		return 0, false
	}
	return int(f.asked.passage.wordOf[token]), true
}

// MaxContext is true for a token of the passage that no other window of the passage shows with more context.
func (f Feature) MaxContext(position int) bool {
	token, ok := f.tokenAt(position)
	return ok && f.asked.bestWindow(token) == f.index
}

// Text is what the tokens at positions first to last, both of the passage, read: pieces of a word are joined.
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

// Fill writes the feature into the rows of a batch: the token ids; the mask, 1 for a token and 0 for padding;
// and the segment, 1 for the window and its [SEP] and 0 for all else. The rows have one length, at least Len;
// the rest is filled with 0.
func Fill[T int32 | int64](f Feature, ids, mask, segments []T) {
	w := f.ownWindow()
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

func fillRow[T int32 | int64](to []T, from []int32) {
	for i, v := range from {
		to[i] = T(v)
	}
}
