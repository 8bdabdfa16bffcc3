package openai

import (
	"maps"
	"slices"
)

// generationFields returns the fields that all requests for generated text contain, from benchmarks and from
// measurements: the model, the form of the answer, the counting of tokens, and the separation from the server's prompt
// cache. Answers are greedy unless drawn is true. It excludes the fields of option body.KEY, which override these.
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
	if of == Responses { // Responses always returns counts and has no further fields
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

// countFields returns the fields that make a server report the data for counting tokens. A server without a field for
// ids may report them anyway, or because of a field of option body.KEY.
func (k *serverKind) countFields(c countMode) []requestField {
	switch {
	case c == countLogged, c == countIDs && k.tokenIDs == nil && k.loggedIDs:
		return append(slices.Clone(k.idsByLogprobs), requestField{"logprobs", "1"})
	case c == countByUsage:
		return nil
	}
	return slices.Clone(k.tokenIDs)
}

// asksSpecial reports whether the text of special tokens is requested. Without ids and log probabilities, an answer
// that starts with such a token would seem to start with its first word.
func (k *serverKind) asksSpecial(s openaiSettings) bool {
	if s.special != specialWhereHidden {
		return s.special == specialShown
	}
	return k.showsSpecial && len(k.countFields(s.count)) == 0
}

// allowsSalt reports whether requests to an endpoint may contain a salt, which separates them in a server's cache.
func (k *serverKind) allowsSalt(of APIPart) bool {
	return k.salt != "" && (!k.saltsChats || of == Chat)
}

// maxTokensField returns the name of the field for the maximum number of tokens at an endpoint.
func (k *serverKind) maxTokensField(of APIPart) string {
	switch {
	case of == Responses:
		return "max_output_tokens"
	case of == Chat && k.maxTokens != "":
		return k.maxTokens
	}
	return "max_tokens"
}

// allowsExactLength reports whether answers of an exact length can be requested.
func (k *serverKind) allowsExactLength() bool { return k.ignoresEnd }

// appendFields appends fields sorted by name, each followed by a comma. at is the position of the value of the field
// called of.
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
