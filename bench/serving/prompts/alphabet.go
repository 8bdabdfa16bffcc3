package prompts

import (
	"errors"
	"strings"
)

// alphabet writes symbols as a prompt.
type alphabet interface {
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

// putText makes a text the prompt.
func (a *Ask) putText(text string) {
	if a.API == Embeddings {
		a.Input, _ = marshal(text)
		return
	}
	a.Text = text
}

// putIDs makes ids the prompt.
func (a *Ask) putIDs(ids []int32) {
	if a.API == Embeddings {
		a.Input, _ = marshal(ids)
		return
	}
	a.IDs = ids
}

// makeAlphabet chooses what prompts are made of.
func (s *Set) makeAlphabet() error {
	ids := s.API == Completions || s.API == Embeddings
	switch v := s.asked.vocabulary; {
	case s.API == Rerank:
		return errors.New("--api rerank asks for documents: want --data FILE with query and documents, not --isl")
	case ids && v.size() > 0:
		s.alphabet, s.symbols.size = idAlphabet{v.first}, v.size()
	default:
		s.alphabet, s.symbols.size = wordAlphabet(words), len(words)
		s.note("lengths of prompts are approximate: they are made of words, as there is %s; the report shows what the "+
			"server counted", missing(s.API))
	}
	s.symbols.prefix, s.symbols.block = s.asked.prefix, s.asked.Block
	s.symbols.blocks = newStarts(s.symbols.size, 0)
	return nil
}

func missing(api API) string {
	if api == Completions || api == Embeddings {
		return "no --vocabulary and no --tokenizer"
	}
	return "no --tokenizer"
}
