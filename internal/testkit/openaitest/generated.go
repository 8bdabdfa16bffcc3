package openaitest

import "strconv"

// appendGenerated appends an event of /generate with n tokens from i on. For an answer in one piece it appends the
// whole answer.
func (a *answer) appendGenerated(b []byte, i, n int) []byte {
	end, extra, counted := i+n, 0, i+n
	f := a.fault
	if a.events == f.After {
		extra, counted = f.IDs, end+f.Count
	}
	from := i
	if a.server.options.Repeats {
		from = 0
	}
	b = a.quoteText(append(b, `{"text":`...), from, end-from)
	b = append(b, `,"output_ids":[`...)
	for k := from; k < end+extra; k++ {
		if k > from {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(a.id(k)), 10)
	}
	b = append(b, `],"meta_info":{"id":"mock-1","finish_reason":`...)
	switch {
	case end < a.total:
		b = append(b, "null"...)
	case a.finishReason() == "length":
		b = append(strconv.AppendInt(append(b, `{"type":"length","length":`...), int64(a.total), 10), '}')
	default:
		b = append(strconv.AppendInt(append(b, `{"type":"stop","matched":`...), int64(a.id(end-1)), 10), '}')
	}
	number := func(name string, v int) {
		b = strconv.AppendInt(append(append(append(b, `,"`...), name...), `":`...), int64(v), 10)
	}
	number("prompt_tokens", a.promptTokens)
	number("cached_tokens", a.cached)
	if a.events != f.After || !f.Uncounted {
		number("completion_tokens", counted)
	}
	return append(b, `}}`...)
}
