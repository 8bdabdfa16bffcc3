package prompts

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// promptAlphabet writes symbols as a prompt.
type promptAlphabet interface {
	// write sets the prompt of a to symbols. If the prompt has the wrong length, it calls again to draw other symbols into
	// the same slice. The argument of again counts from 1.
	write(a *Ask, symbols []int32, again func(try uint64))
}

// idAlphabet consists of the consecutive ids from first.
type idAlphabet struct{ first int32 }

func (l idAlphabet) write(a *Ask, symbols []int32, _ func(uint64)) {
	for i := range symbols {
		symbols[i] += l.first
	}
	a.putIDs(symbols)
}

// tableAlphabet consists of the ids in a table.
type tableAlphabet []int32

func (l tableAlphabet) write(a *Ask, symbols []int32, _ func(uint64)) {
	for i, s := range symbols {
		symbols[i] = l[s]
	}
	a.putIDs(symbols)
}

// wordAlphabet consists of words, each about one token.
type wordAlphabet []string

func (l wordAlphabet) write(a *Ask, symbols []int32, _ func(uint64)) { a.putText(l.text(symbols)) }

func (l wordAlphabet) text(symbols []int32) string {
	var b strings.Builder
	b.Grow(6 * len(symbols))
	for i, s := range symbols {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(l[s])
	}
	return b.String()
}

// tokenAlphabet consists of words that are exactly one token each, alone and after others.
type tokenAlphabet struct {
	wordAlphabet
	tokenizer Tokenizer
}

// maxTries is the maximum number of draws for a text with the right number of tokens.
const maxTries = 8

func (l tokenAlphabet) write(a *Ask, symbols []int32, again func(try uint64)) {
	ids := make([]int32, 0, len(symbols)+1)
	text := l.text(symbols)
	for try := uint64(1); try <= maxTries; try++ {
		if ids = l.tokenizer.EncodePlain(ids[:0], text); len(ids) == len(symbols) {
			break
		}
		again(try)
		text = l.text(symbols)
	}
	a.putText(text)
}

// singleTokens returns the words of a tokenizer that survive decoding and encoding. They consist of letters and are one
// token each at the beginning of a text, after a blank and, if there are enough such words, at the beginning of a line,
// because chat templates put prompts there.
func singleTokens(tok Tokenizer) wordAlphabet {
	var all, lines wordAlphabet
	newline := len(tok.EncodePlain(nil, "\n"))
	known := map[string]bool{}
	var ids []int32
	for id := range int32(tok.Size()) {
		text, err := tok.Decode([]int32{id})
		word := strings.TrimPrefix(text, " ")
		if err != nil || word == "" || known[word] || strings.ContainsFunc(word, func(c rune) bool {
			return !unicode.IsLetter(c) || c == utf8.RuneError
		}) {
			continue
		}
		known[word] = true
		if ids = tok.EncodePlain(ids[:0], word); len(ids) != 1 {
			continue
		}
		if ids = tok.EncodePlain(ids[:0], word+" "+word); len(ids) != 2 {
			continue
		}
		all = append(all, word)
		if ids = tok.EncodePlain(ids[:0], "\n"+word); len(ids) == newline+1 {
			lines = append(lines, word)
		}
	}
	if len(lines) >= minDistinctWords {
		return lines
	}
	return all
}

// minDistinctWords is the number of words that is sufficient for distinct texts.
const minDistinctWords = 256

// plainIDs returns the ids of a tokenizer that represent text. It excludes special tokens, which decode to nothing, and
// tokens in brackets such as <tool_call>, which only templates write.
func plainIDs(tok Tokenizer) tableAlphabet {
	var all tableAlphabet
	for id := range int32(tok.Size()) {
		text, err := tok.Decode([]int32{id})
		if err == nil && text != "" && (len(text) < 3 || text[0] != '<' || text[len(text)-1] != '>') {
			all = append(all, id)
		}
	}
	return all
}

// putText sets the prompt to a text.
func (a *Ask) putText(text string) {
	if a.API == Embeddings {
		a.Input, _ = marshalPlain(text)
		return
	}
	a.Text = text
}

// putIDs sets the prompt to ids.
func (a *Ask) putIDs(ids []int32) {
	if a.API == Embeddings {
		a.Input, _ = marshalPlain(ids)
		return
	}
	a.IDs = ids
}

// makeAlphabet chooses the alphabet of prompts.
func (s *PromptSet) makeAlphabet() error {
	ids := s.API == Completions || s.API == Embeddings
	switch v := s.options.vocabulary; {
	case s.API == Rerank:
		return errors.New("--api rerank asks for documents: want --data FILE with query and documents, not --isl")
	case ids && v.size() > 0:
		s.alphabet, s.symbols.size = idAlphabet{v.first}, v.size()
	case ids && s.options.Tokenizer != nil:
		table := plainIDs(s.options.Tokenizer)
		if len(table) < minVocabulary {
			return fmt.Errorf("--tokenizer has %d tokens that are text; want %d or more", len(table), minVocabulary)
		}
		s.alphabet, s.symbols.size = table, len(table)
	case s.options.Tokenizer != nil:
		single := singleTokens(s.options.Tokenizer)
		if len(single) < minVocabulary {
			return fmt.Errorf("--tokenizer has %d words of one token each; want %d or more", len(single), minVocabulary)
		}
		s.alphabet, s.symbols.size = tokenAlphabet{single, s.options.Tokenizer}, len(single)
	default:
		s.alphabet, s.symbols.size = wordAlphabet(words), len(words)
		s.addNotef("lengths of prompts are approximate: they are made of words, as there is %s; the report shows what the "+
			"server counted", missingFields(s.API))
	}
	s.symbols.prefix, s.symbols.block = s.options.prefix, s.options.Block
	s.symbols.blocks = newStarts(s.symbols.size, 0)
	return nil
}

func missingFields(api API) string {
	if api == Completions || api == Embeddings {
		return "no --vocabulary and no --tokenizer"
	}
	return "no --tokenizer"
}
