package bpe

import (
	"cmp"
	"fmt"
	"slices"
)

// maxID limits the memory that a damaged vocabulary can request; the largest known vocabularies have 256 thousand
// tokens.
const maxID = 1<<21 - 1

// listEntries lists tokens by ID, and the faults of the IDs.
func listEntries(vocab map[string]int32, extra []AddedToken) (tokens []tokenEntry, faults []string) {
	type numbered struct {
		tokenEntry
		id int32
	}
	all := make([]numbered, 0, len(vocab)+len(extra))
	for token, id := range vocab {
		all = append(all, numbered{tokenEntry{text: token, exists: true}, id})
	}
	for _, a := range extra {
		all = append(all, numbered{tokenEntry{text: a.Content, exists: true, added: true, special: a.Special}, a.ID})
	}
	if len(vocab) == 0 {
		faults = append(faults, "an empty vocabulary")
	}
	slices.SortFunc(all, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.id, b.id), compareBool(a.added, b.added), cmp.Compare(a.text, b.text))
	})
	wrong := 0
	report := func(format string, args ...any) {
		if wrong++; wrong <= maxShownFaults {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	for _, n := range all {
		switch {
		case n.id < 0 || n.id > maxID:
			report("token %.40q has the id %d, want 0 to %d", n.text, n.id, maxID)
			continue
		case int(n.id) < len(tokens) && tokens[n.id].exists && tokens[n.id].text != n.text:
			report("tokens %.40q and %.40q have one id, %d", tokens[n.id].text, n.text, n.id)
		}
		tokens = append(tokens, make([]tokenEntry, max(0, int(n.id)+1-len(tokens)))...)
		tokens[n.id] = n.tokenEntry
	}
	if more := wrong - maxShownFaults; more > 0 {
		faults = append(faults, fmt.Sprintf("so it is with %d more tokens", more))
	}
	return tokens, faults
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (t *Tokenizer) setTokens(tokens []tokenEntry) {
	t.tokens = tokens
	alphabet := byteAlphabet()
	for i := range tokens {
		if tokens[i].exists {
			t.tokenCount++
			tokens[i].spaced = tokens[i].added && !tokens[i].special
			tokens[i].bytes = tokens[i].text
			if b, ok := rawBytes(alphabet, tokens[i].text); ok {
				tokens[i].bytes = b
			}
		}
	}
}
