package openai

import (
	"maps"
	"slices"
)

// generationFields are the fields that all requests for generated text have, whether a benchmark asks or a measurement:
// the model, how the answer comes, what its tokens are counted by, and what keeps the prompt out of the server's cache.
// Answers are greedy unless they are drawn. Those of option body.KEY, which win over these, are not among them.
func (s *openaiSettings) generationFields(of APIPart, whole, drawn bool) map[string][]byte {
	f := map[string][]byte{"model": appendText(nil, s.model)}
	add := func(fields ...requestField) {
		for _, one := range fields {
			f[one.name] = []byte(one.value)
		}
	}
	if !drawn {
		add(requestField{"temperature", "0"})
	}
	if !whole {
		add(requestField{"stream", "true"})
	}
	k := s.kind
	if s.cache != cacheAllow {
		add(k.noCache...)
	}
	if of == Responses { // which has its own counts, and no further fields
		return f
	}
	if !whole {
		add(requestField{"stream_options", `{"include_usage":true}`})
	}
	if add(k.countFields(s.count)...); !drawn {
		add(k.greedy...)
	}
	if f["logprobs"] != nil && of == Chat {
		add(requestField{"logprobs", "true"}, requestField{"top_logprobs", "0"})
	}
	if k.asksSpecial(*s) {
		add(requestField{"skip_special_tokens", "false"})
	}
	return f
}

// countFields returns the fields that make a server report what tokens are counted by. Where it has none for ids, it
// may report them unasked, or for a field of option body.KEY.
func (k *serverKind) countFields(c countMode) []requestField {
	switch {
	case c == countLogged, c == countIDs && k.tokenIDs == nil && k.loggedIDs:
		return append(slices.Clone(k.idsByLogprobs), requestField{"logprobs", "1"})
	case c == countByUsage:
		return nil
	}
	return slices.Clone(k.tokenIDs)
}

// asksSpecial tells whether the text of special tokens is asked for. Where neither ids nor log probabilities are, an
// answer that starts with such a token would seem to start with its first word.
func (k *serverKind) asksSpecial(s openaiSettings) bool {
	if s.special != specialWhereHidden {
		return s.special == specialShown
	}
	return k.showsSpecial && len(k.countFields(s.count)) == 0
}

// allowsSalt tells whether requests of an API may have a salt, which sets them apart in a server's cache.
func (k *serverKind) allowsSalt(of APIPart) bool {
	return k.salt != "" && (!k.saltsChats || of == Chat)
}

// maxTokensField is the name of the most tokens in an API.
func (k *serverKind) maxTokensField(of APIPart) string {
	switch {
	case of == Responses:
		return "max_output_tokens"
	case of == Chat && k.maxTokens != "":
		return k.maxTokens
	}
	return "max_tokens"
}

// allowsExactLength tells whether answers of an exact length can be asked for.
func (k *serverKind) allowsExactLength() bool { return k.ignoresEnd }

// appendFields appends fields in the order of their names, each with a comma behind it, and says where the value of one
// of them is.
func appendFields[V ~[]byte](b []byte, fields map[string]V, of string) (_ []byte, at int) {
	n := 2
	for name, value := range fields {
		n += len(name) + len(value) + 4
	}
	b = slices.Grow(b, n)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if b = append(appendText(b, name), ':'); name == of {
			at = len(b)
		}
		b = append(append(b, fields[name]...), ',')
	}
	return b, at
}
