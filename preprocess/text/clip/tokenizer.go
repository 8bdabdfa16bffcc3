package clip

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/preprocess/text/internal/merge"
	"github.com/plumbline-ml/plumbline/preprocess/text/internal/tokentext"
)

// ErrFile means that a tokenizer's file is damaged or of an unsupported kind; errors.Is finds it.
var ErrFile = errors.New("CLIP tokenizer")

// Context is the number of IDs in the input of CLIP's text encoders.
const Context = 77

// Tokens before and after each text, and their names in open_clip's texts.
const (
	startToken  = "<|startoftext|>"
	endToken    = "<|endoftext|>"
	scorerStart = "<start_of_text>"
	scorerEnd   = "<end_of_text>"
)

// TokenizerOptions selects the tokenizer. The zero value is Stable Diffusion's first tokenizer, which pads with the end
// token.
type TokenizerOptions struct {
	Pad     string // padding token; "": the end token. In a text, it is recognized as a token, too
	Context int    // number of IDs per text; 0: 77
	// open_clip's rules: pad with ID 0, decode HTML entities two more times, recognize no tokens in raw text
	Scorer bool
}

// Tokenizer is CLIP's tokenizer. It is read-only and safe for concurrent use.
type Tokenizer struct {
	clean               func(string) string
	specialFinder       *tokentext.TokenFinder // finds special tokens in raw text
	cleanTokens         [2]string              // names of the start and end tokens in cleaned text
	byteIDs, endByteIDs [256]int32             // IDs of the bytes inside a piece and at its end
	table               *merge.Table
	start, end, pad     int32
	context             int
	encoders            sync.Pool // of *encodeScratch
}

// encodeScratch is the working memory of one goroutine.
type encodeScratch struct {
	merger  merge.Merger
	cache   merge.PieceCache
	symbols []int32
}

// Context returns the number of IDs of a padded text.
func (t *Tokenizer) Context() int { return t.context }

// Pad returns the padding ID of EncodePadded.
func (t *Tokenizer) Pad() int32 { return t.pad }

// EncodePadded appends exactly Context IDs to dst: those of Encode, followed by padding.
func (t *Tokenizer) EncodePadded(dst []int32, text string) []int32 {
	first := len(dst)
	dst = t.Encode(dst, text)
	for len(dst) < first+t.context {
		dst = append(dst, t.pad)
	}
	return dst
}

// Encode appends the IDs of a text to dst: start, up to Context-2 IDs, end. Longer texts are truncated. Invalid UTF-8
// counts as U+FFFD.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	if !utf8.ValidString(text) {
		text = pystr.Decode([]byte(text))
	}
	e, ok := t.encoders.Get().(*encodeScratch)
	if !ok {
		e = &encodeScratch{}
	}
	defer t.encoders.Put(e)
	first := len(dst)
	dst = append(dst, t.start)
	t.specialFinder.Split(text, func(part string, _ bool) {
		if len(dst) < first+t.context { // further IDs would be truncated
			dst = t.appendClean(dst, e, t.clean(part), first+t.context)
		}
	}, func(id int32) { dst = append(dst, id) })
	dst = dst[:min(len(dst), first+t.context-1)]
	return append(dst, t.end)
}

// appendClean appends the IDs of cleaned text until dst has maxLength.
func (t *Tokenizer) appendClean(dst []int32, e *encodeScratch, text string, maxLength int) []int32 {
	for len(dst) < maxLength {
		piece, rest, ok := cutPiece(text, t.cleanTokens)
		if !ok {
			break
		}
		text = rest
		switch piece {
		case t.cleanTokens[0]:
			dst = append(dst, t.start)
		case t.cleanTokens[1]:
			dst = append(dst, t.end)
		default:
			dst = t.appendPiece(dst, e, piece)
		}
	}
	return dst
}

func (t *Tokenizer) appendPiece(dst []int32, e *encodeScratch, piece string) []int32 {
	if ids, ok := e.cache.Lookup(piece); ok {
		return append(dst, ids...)
	}
	e.symbols = e.symbols[:0]
	last := len(piece) - 1
	for i := range last {
		e.symbols = append(e.symbols, t.byteIDs[piece[i]])
	}
	e.symbols = append(e.symbols, t.endByteIDs[piece[last]])
	ids := e.merger.Apply(t.table, e.symbols)
	e.cache.Store(piece, ids)
	return append(dst, ids...)
}

// Parse parses vocab.json, a map from tokens to IDs, and merges.txt, whose first line is a comment. The error lists all
// faults.
func Parse(vocab, merges []byte, o TokenizerOptions) (*Tokenizer, error) {
	ids, err := parseVocab(vocab)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{context: o.Context, cleanTokens: [2]string{startToken, endToken}, clean: cleanGenerator}
	if o.Context == 0 {
		t.context = Context
	}
	var faults []string
	if t.context < 2 {
		faults = append(faults, fmt.Sprintf("%d ids for each text, want at least 2: the start and the end", t.context))
	}
	faults = append(faults, t.setSpecialIDs(ids, o)...)
	t.setByteIDs(ids)
	pairs, wrong := parseMerges(string(merges), ids)
	faults = append(faults, wrong...)
	if t.table, err = merge.NewTable(pairs); err != nil {
		faults = append(faults, err.Error())
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: vocab.json and merges.txt: %s", ErrFile, strings.Join(faults, "; "))
	}
	return t, nil
}

// setSpecialIDs sets the IDs of the start, end and padding tokens.
func (t *Tokenizer) setSpecialIDs(ids map[string]int32, o TokenizerOptions) (faults []string) {
	pad := cmp.Or(o.Pad, endToken)
	patterns := make([]tokentext.Pattern, 0, 3)
	for _, token := range []string{startToken, endToken, pad} {
		id, ok := ids[token]
		if !ok {
			faults = append(faults, fmt.Sprintf("the token %.40q is not in the vocabulary", token))
		}
		patterns = append(patterns, tokentext.Pattern{Text: token, Token: tokentext.Token{ID: id, Content: token}})
	}
	t.start, t.end, t.pad = patterns[0].Token.ID, patterns[1].Token.ID, patterns[2].Token.ID
	if o.Scorer {
		t.pad, patterns = 0, nil
		t.cleanTokens, t.clean = [2]string{scorerStart, scorerEnd}, cleanScorer
	}
	t.specialFinder = tokentext.NewTokenFinder(patterns)
	return faults
}
