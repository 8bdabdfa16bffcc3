package passages

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// The official length of passages and how much the next one repeats, in characters.
const (
	Length  = 768
	Overlap = 32
)

// SplitText cuts a text into passages of at most length characters, each of which begins length-overlap behind the one
// before it; white space at the ends of one is cut off, and one of white space alone is left out. An empty text has
// none. length must be above overlap, and overlap 0 or more.
func SplitText(text string, length, overlap int) []string {
	text = pystr.Trim(oneSpace(text))
	if text == "" {
		return nil
	}
	starts := make([]int, 0, len(text)+1) // of each character
	for i := range text {
		starts = append(starts, i)
	}
	n := len(starts)
	starts = append(starts, len(text))
	if n <= length {
		return []string{text}
	}
	var all []string
	for s := 0; s < n; s += length - overlap {
		if p := pystr.Trim(text[starts[s]:starts[min(s+length, n)]]); p != "" {
			all = append(all, p)
		}
	}
	return all
}

// SplitPage returns the passages of a page, of the official length. One without text, or that cannot be read, has the
// one passage "Document: NAME"; err says why it cannot be read.
func SplitPage(name string, page []byte) (all []string, err error) {
	text, err := PageText(page)
	if all = SplitText(text, Length, Overlap); len(all) == 0 {
		all = []string{fmt.Sprintf("Document: %s", strings.ToValidUTF8(name, "\ufffd"))}
	}
	return all, err
}
