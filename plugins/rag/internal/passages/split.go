package passages

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Official length of passages and overlap of consecutive passages, in characters.
const (
	Length  = 768
	Overlap = 32
)

// SplitText splits a text into passages of up to length characters. Consecutive passages overlap by overlap characters.
// White space at both ends of a passage is removed, and empty passages are left out. length must be greater than
// overlap, and overlap must not be negative.
func SplitText(text string, length, overlap int) []string {
	text = pystr.Trim(collapseSpace(text))
	if text == "" {
		return nil
	}
	starts := make([]int, 0, len(text)+1) // start of each character
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

// SplitPage returns the passages of a page with the official length. For a page without text, or that cannot be read,
// it returns the single passage "Document: NAME". err describes why the page cannot be read.
func SplitPage(name string, page []byte) (all []string, err error) {
	text, err := PageText(page)
	if all = SplitText(text, Length, Overlap); len(all) == 0 {
		all = []string{fmt.Sprintf("Document: %s", strings.ToValidUTF8(name, "\ufffd"))}
	}
	return all, err
}
