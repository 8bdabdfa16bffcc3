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
	// write puts the prompt of symbols into a. again draws others into the same slice, for a prompt that is not as long as
	// it should be; its argument counts from 1.
	write(a *Ask, symbols []int32, again func(try uint64))
}

// idAlphabet are the ids of a vocabulary from first on.
type idAlphabet struct{ first int32 }

func (l idAlphabet) write(a *Ask, symbols []int32, _ func(uint64)) {
	for i := range symbols {
		symbols[i] += l.first
	}
	a.putIDs(symbols)
}

// tableAlphabet are ids of a table.
type tableAlphabet []int32

func (l tableAlphabet) write(a *Ask, symbols []int32, _ func(uint64)) {
	for i, s := range symbols {
		symbols[i] = l[s]
	}
	a.putIDs(symbols)
}

// wordAlphabet are words, of which a tokenizer makes about one token each.
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

// tokenAlphabet are words of which a tokenizer makes one token each, alone and after others.
type tokenAlphabet struct {
	wordAlphabet
	tokenizer Tokenizer
}

// maxTries is how often a text is drawn that has not as many tokens as it should.
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

// singleTokens are the words of a tokenizer that survive decoding and encoding: letters alone, each one token at the
// beginning of a text, after a blank, and, where there are enough such, at the beginning of a line: chat templates put
// prompts there.
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
	if len(lines) >= enough {
		return lines
	}
	return all
}

// enough is how many words make texts that differ.
const enough = 256

// plainIDs are the ids of a tokenizer that stand for text: special tokens decode to nothing, and others in brackets,
// such as <tool_call>, are written by templates alone.
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

// putText makes a text the prompt.
func (a *Ask) putText(text string) {
	if a.API == Embeddings {
		a.Input, _ = marshalPlain(text)
		return
	}
	a.Text = text
}

// putIDs makes ids the prompt.
func (a *Ask) putIDs(ids []int32) {
	if a.API == Embeddings {
		a.Input, _ = marshalPlain(ids)
		return
	}
	a.IDs = ids
}

// makeAlphabet chooses what prompts are made of.
func (s *PromptSet) makeAlphabet() error {
	ids := s.API == Completions || s.API == Embeddings
	switch v := s.asked.vocabulary; {
	case s.API == Rerank:
		return errors.New("--api rerank asks for documents: want --data FILE with query and documents, not --isl")
	case ids && v.size() > 0:
		s.alphabet, s.symbols.size = idAlphabet{v.first}, v.size()
	case ids && s.asked.Tokenizer != nil:
		table := plainIDs(s.asked.Tokenizer)
		if len(table) < fewest {
			return fmt.Errorf("--tokenizer has %d tokens that are text; want %d or more", len(table), fewest)
		}
		s.alphabet, s.symbols.size = table, len(table)
	case s.asked.Tokenizer != nil:
		single := singleTokens(s.asked.Tokenizer)
		if len(single) < fewest {
			return fmt.Errorf("--tokenizer has %d words of one token each; want %d or more", len(single), fewest)
		}
		s.alphabet, s.symbols.size = tokenAlphabet{single, s.asked.Tokenizer}, len(single)
	default:
		s.alphabet, s.symbols.size = wordAlphabet(words), len(words)
		s.addNotef("lengths of prompts are approximate: they are made of words, as there is %s; the report shows what the "+
			"server counted", missingFields(s.API))
	}
	s.symbols.prefix, s.symbols.block = s.asked.prefix, s.asked.Block
	s.symbols.blocks = newStarts(s.symbols.size, 0)
	return nil
}

func missingFields(api API) string {
	if api == Completions || api == Embeddings {
		return "no --vocabulary and no --tokenizer"
	}
	return "no --tokenizer"
}
