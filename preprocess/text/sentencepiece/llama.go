package sentencepiece

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/tokentext"
)

// AddedToken is a token that is matched in text before all other processing, and is never split.
type AddedToken = tokentext.Token

// LlamaOptions contains the settings of a tokenizer_config.json. The zero value is for Llama 2.
type LlamaOptions struct {
	// legacy: prepend a blank to each part of a text between special tokens, instead of once to the text
	Legacy        bool
	NoPrefixSpace bool // add_prefix_space is false
	NoBegin       bool // add_bos_token is false: Encode does not prepend Begin
	AddEnd        bool // add_eos_token: Encode appends End
	CleanUp       bool // clean_up_tokenization_spaces: Decode removes blanks before punctuation
	// Begin, End and Unknown are special tokens; "": <s>, </s> and <unk>.
	Begin, End, Unknown string
	Added               []AddedToken // additional tokens
}

func (o LlamaOptions) withDefaults() LlamaOptions {
	for token, standard := range map[*string]string{&o.Begin: "<s>", &o.End: "</s>", &o.Unknown: "<unk>"} {
		if *token == "" {
			*token = standard
		}
	}
	return o
}

// Llama is the tokenizer that transformers 4.46 makes from a model in Python (LlamaTokenizer). It is read-only and may
// be used from many goroutines.
type Llama struct {
	model    *Model
	options  LlamaOptions
	finder   *tokentext.TokenFinder
	extra    map[int32]AddedToken // by ID
	specials map[string]bool
	begin    int32
	end      int32
	size     int
}

// NewLlama returns the tokenizer of a model. If the model lacks special tokens, the error wraps ErrFile and lists all
// of them.
func NewLlama(m *Model, o LlamaOptions) (*Llama, error) {
	o = o.withDefaults()
	l := &Llama{model: m, options: o, extra: map[int32]AddedToken{}, specials: map[string]bool{}, size: m.Size()}
	var missing []string
	patterns := make([]tokentext.Pattern, 0, len(o.Added)+3)
	list := append([]AddedToken(nil), o.Added...)
	for _, content := range []string{o.Begin, o.End, o.Unknown} {
		id := m.ID(content)
		if m.Piece(id) != content {
			missing = append(missing, fmt.Sprintf("%.40q", content))
		}
		list = append(list, AddedToken{ID: id, Content: content, Special: true})
	}
	for _, a := range list {
		if a.ID < 0 {
			missing = append(missing, fmt.Sprintf("%.40q with the id %d", a.Content, a.ID))
			continue
		}
		l.extra[a.ID] = a
		l.specials[a.Content] = l.specials[a.Content] || a.Special
		l.size = max(l.size, int(a.ID)+1)
		patterns = append(patterns, tokentext.Pattern{Text: a.Content, Token: a})
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: no special tokens %s; is this the tokenizer_config.json of the model?", ErrFile,
			strings.Join(missing, ", "))
	}
	l.finder, l.begin, l.end = tokentext.NewTokenFinder(patterns), m.ID(o.Begin), m.ID(o.End)
	return l, nil
}

// Size returns the largest ID plus one.
func (l *Llama) Size() int { return l.size }

// Token returns the token of an ID, or "" if there is none. Blanks are written as "▁".
func (l *Llama) Token(id int32) string {
	if a, ok := l.extra[id]; ok {
		return a.Content
	}
	return l.model.Piece(id)
}

// Encode appends the IDs of a text to dst, surrounded by the special tokens of the model's inputs. Special tokens in
// the text become their own IDs. Each invalid byte counts as U+FFFD.
func (l *Llama) Encode(dst []int32, text string) []int32 {
	if !l.options.NoBegin {
		dst = append(dst, l.begin)
	}
	dst = l.EncodePlain(dst, text)
	if l.options.AddEnd {
		dst = append(dst, l.end)
	}
	return dst
}

// EncodePlain is like Encode without special tokens around the text.
func (l *Llama) EncodePlain(dst []int32, text string) []int32 {
	start := len(dst)
	encode := l.encodeLegacy
	if !l.options.Legacy && text != "" {
		encode = l.encodePart
		text = strings.ReplaceAll(text, blank, " ")
		if !l.options.NoPrefixSpace {
			text = blank + text
		}
	}
	l.finder.Split(text, func(part string, _ bool) {
		dst = encode(dst, part)
	}, func(id int32) {
		// If there is nothing between the inserted blank and a special token, the blank is omitted.
		if !l.options.Legacy && len(dst) == start+1 && l.Token(dst[start]) == blank && l.extra[id].Special {
			dst = dst[:start]
		}
		dst = append(dst, id)
	})
	return dst
}

func (l *Llama) encodeLegacy(dst []int32, part string) []int32 { return l.model.Encode(dst, part) }

// encodePart encodes a part and keeps its first blank, which the model might remove. As in the reference, it encodes
// the part after the text of the unknown token and removes that token's IDs.
func (l *Llama) encodePart(dst []int32, part string) []int32 {
	// the IDs to remove would be exactly those that were inserted
	simple := l.model.cutsAtBlanks && !l.model.file.removeSpaces
	if simple || !strings.HasPrefix(part, blank) && !strings.HasPrefix(part, " ") {
		return l.model.encodeNormalized(dst, l.model.normalizeText(part, false))
	}
	cut := len(l.model.encodeNormalized(nil, l.model.normalizeText(l.options.Unknown, false)))
	ids := l.model.encodeNormalized(nil, l.model.normalizeText(l.options.Unknown+part, false))
	if len(ids) < cut {
		cut = 0
	}
	return append(dst, ids[cut:]...)
}

// Decode returns the text of IDs without special tokens. If IDs are outside the vocabulary, the error wraps ErrID and
// lists all of them.
func (l *Llama) Decode(ids []int32) (string, error) { return l.decodeIDs(ids, true) }

// DecodeAll is like Decode but includes special tokens.
func (l *Llama) DecodeAll(ids []int32) (string, error) { return l.decodeIDs(ids, false) }

func (l *Llama) decodeIDs(ids []int32, skipSpecial bool) (string, error) {
	if err := checkIDs(ids, func(id int32) bool { return l.Token(id) != "" }, l.size); err != nil {
		return "", err
	}
	var parts, tokens []string
	flush := func() {
		if len(tokens) > 0 {
			parts = append(parts, l.joinTokens(tokens))
			tokens = tokens[:0]
		}
	}
	for _, id := range ids {
		a, isAdded := l.extra[id]
		switch {
		case skipSpecial && isAdded && a.Special:
		case isAdded && (!a.Special || int(id) >= l.model.Size()):
			flush()
			parts = append(parts, a.Content)
		default:
			tokens = append(tokens, l.Token(id))
		}
	}
	flush()
	text := strings.Join(parts, " ")
	if l.options.CleanUp {
		text = tokentext.CleanEnglish(text)
	}
	return text, nil
}

// joinTokens returns the text of tokens. It may change tokens.
func (l *Llama) joinTokens(tokens []string) string {
	if !l.options.NoPrefixSpace {
		tokens[0] = strings.TrimPrefix(tokens[0], blank)
	}
	dummyPrefix := l.options.Legacy && l.model.file.dummyPrefix
	var text strings.Builder
	first := 0 // first token that is not yet in text
	special := false
	for i, token := range tokens {
		if l.specials[token] {
			if l.options.Legacy && !special && i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(l.model.joinPieces(tokens[first:i], dummyPrefix) + token)
			first, special = i+1, true
			continue
		}
		if special && i == 1 && !l.options.NoPrefixSpace && !strings.HasPrefix(token, blank) {
			text.WriteByte(' ')
		}
		special = false
	}
	text.WriteString(l.model.joinPieces(tokens[first:], dummyPrefix))
	return text.String()
}
