package openaitest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// The arguments of a tool call are one text: the text of its tokens between these.
const (
	argumentsBegin = `{\"q\":\"`
	argumentsEnd   = `\"}`
)

// eventData returns the data of an event with n tokens from i on.
func (a *answer) eventData(i, n int) []byte {
	switch a.api {
	case responses:
		a.data = a.appendDelta(a.data[:0], i, n)
		return a.data
	case native:
		a.data = a.appendGenerated(a.data[:0], i, n)
		return a.data
	}
	b := append(a.data[:0], `{"id":"mock-1","object":"text_completion","created":1700000000,"model":`...)
	b = strconv.AppendQuote(b, a.server.options.Model)
	b = append(b, `,"choices":[{"index":0,`...)
	switch {
	case a.reply != nil:
		b = append(append(b, `"delta":{`...), a.deltas[i]...)
	case a.api == completions:
		b = a.quoteText(append(b, `"text":`...), i, n)
	case i < a.reasoningTokens:
		b = a.quoteText(append(b, `"delta":{"role":"assistant","reasoning_content":`...), i, n)
	case a.calls:
		b = append(b, `"delta":{"tool_calls":[{"index":0,`...)
		if i == a.reasoningTokens {
			b = append(b, `"id":"call-1","type":"function",`...)
		}
		b = append(b, `"function":{`...)
		if i == a.reasoningTokens {
			b = append(strconv.AppendQuote(append(b, `"name":`...), a.server.options.Call), ',')
		}
		b = append(a.appendArguments(append(b, `"arguments":"`...), i, n), `"}}]`...)
	default:
		b = a.quoteText(append(b, `"delta":{"role":"assistant","content":`...), i, n)
	}
	if a.api == chat {
		b = append(b, '}')
	}
	b = a.appendIDs(b, i, n)
	b = a.appendLogprobs(b, i, n)
	reason := "null"
	if i+n == a.total {
		reason = `"` + a.finishReason() + `"`
	}
	b = append(append(append(b, `,"finish_reason":`...), reason...), `,"stop_reason":null}]}`...)
	a.data = b
	return b
}

// appendDelta appends an event of a response.
func (a *answer) appendDelta(b []byte, i, n int) []byte {
	switch {
	case i < a.reasoningTokens:
		b = a.quoteText(append(b, `{"type":"response.reasoning_text.delta","delta":`...), i, n)
	case a.calls:
		b = append(b, `{"type":"response.function_call_arguments.delta","delta":"`...)
		b = append(a.appendArguments(b, i, n), '"')
	default:
		b = a.quoteText(append(b, `{"type":"response.output_text.delta","delta":`...), i, n)
	}
	return append(b, '}')
}

// callItem returns the first event of a response's tool call, which contains the tool's name.
func (a *answer) callItem() []byte {
	b := []byte(`{"type":"response.output_item.added","item":{"type":"function_call","arguments":"","name":`)
	return append(strconv.AppendQuote(b, a.server.options.Call), "}}"...)
}

// quoteText appends tokens as a JSON string. Digits and blanks need no escapes.
func (a *answer) quoteText(b []byte, i, n int) []byte {
	return append(a.appendText(append(b, '"'), i, n), '"')
}

// appendArguments appends a part of a tool call's arguments. The first part opens the text, and the last part closes
// it.
func (a *answer) appendArguments(b []byte, i, n int) []byte {
	if i == a.reasoningTokens {
		b = append(b, argumentsBegin...)
	}
	b = a.appendText(b, i, n)
	if i+n == a.total {
		b = append(b, argumentsEnd...)
	}
	return b
}

func (a *answer) appendIDs(b []byte, i, n int) []byte {
	if !a.server.options.IDs || !a.request.ReturnIDs {
		return b
	}
	b = append(b, `,"token_ids":[`...)
	for k := range n {
		if k > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(a.id(i+k)), 10)
	}
	return append(b, ']')
}

func (a *answer) appendLogprobs(b []byte, i, n int) []byte {
	if len(a.request.Logprobs) == 0 {
		return append(b, `,"logprobs":null`...)
	}
	open, before, after, end := `{"tokens":[`, `"`, `"`, `]}`
	if a.api == chat {
		open, before, after = `{"content":[`, `{"token":"`, `","logprob":-0.1,"bytes":null,"top_logprobs":[]}`
	}
	b = append(append(b, `,"logprobs":`...), open...)
	for k := range n {
		if k > 0 {
			b = append(b, ',')
		}
		b = append(appendToken(append(b, before...), a.id(i+k)), after...)
	}
	return append(b, end...)
}

// appendUsage appends the usage record of an API.
func (a *answer) appendUsage(b []byte) []byte {
	number := func(name string, v int) { b = strconv.AppendInt(append(b, name...), int64(v), 10) }
	prompt, completion := "prompt", "completion"
	if a.api == responses {
		prompt, completion = "input", "output"
	}
	number(`{"`+prompt+`_tokens":`, a.promptTokens)
	number(`,"`+completion+`_tokens":`, a.total)
	number(`,"total_tokens":`, a.promptTokens+a.total)
	if a.server.options.Caches || a.server.options.ReportsCached {
		number(`,"`+prompt+`_tokens_details":{"cached_tokens":`, a.cached)
		b = append(b, '}')
	}
	if a.reasoningTokens > 0 {
		number(`,"`+completion+`_tokens_details":{"reasoning_tokens":`, a.reasoningTokens)
		b = append(b, '}')
	}
	return append(b, '}')
}

// completed returns the last event of a response. Its type depends on whether the answer ended by itself or at its
// maximum number of tokens.
func (a *answer) completed() []byte {
	kind, status := "response.completed", "completed"
	if a.finishReason() == "length" {
		kind, status = "response.incomplete", "incomplete"
	}
	b := append([]byte(`{"type":"`), kind...)
	b = append(append(b, `","response":{"object":"response","error":null,"output":[],"status":"`...), status...)
	b = append(b, `","usage":`...)
	if a.server.options.NoUsage {
		b = append(b, "null"...)
	} else {
		b = a.appendUsage(b)
	}
	return append(b, `}}`...)
}

// sendWhole sends an answer in one piece, after its whole duration.
func (a *answer) sendWhole() {
	a.due = time.Now()
	for i := range a.total {
		if !a.pause(a.stepBefore(i)) {
			return
		}
	}
	a.w.Header().Set("Content-Type", "application/json")
	switch f := a.fault; {
	case f.Cut:
		a.flush()
		panic(http.ErrAbortHandler)
	case f.Stall:
		a.flush()
		<-a.httpRequest.Context().Done()
		return
	case f.Error != "":
		_, _ = a.w.Write([]byte(`{"error":{"message":` + strconv.Quote(f.Error) + `}}`)) // see below
		return
	case f.Empty:
		a.total, a.reasoningTokens, a.calls = 0, 0, false
	default:
		a.recordSent(time.Now(), 0, a.total)
	}
	if a.api == native {
		a.events = a.fault.After // all faults apply to the only event
		_, _ = a.w.Write(a.appendGenerated(nil, 0, a.total))
		return
	}
	var b []byte
	switch a.api {
	case responses:
		b = a.appendWholeResponse(b)
	case chat:
		b = a.appendWholeChat(b)
	default:
		b = append(b, `{"object":"text_completion","choices":[{"index":0,"text":`...)
		b = a.quoteText(b, 0, a.total)
	}
	if a.api != responses {
		b = a.appendIDs(b, 0, a.total)
		b = append(append(append(b, `,"finish_reason":"`...), a.finishReason()...), `"}]`...)
	}
	if !a.server.options.NoUsage {
		b = a.appendUsage(append(b, `,"usage":`...))
	}
	_, _ = a.w.Write(append(b, '}')) // after an error the client is gone
}

// appendWholeResponse appends the first part of a response, up to its usage.
func (a *answer) appendWholeResponse(b []byte) []byte {
	b = append(b, `{"object":"response","status":"completed","error":null,"output":[`...)
	if a.reasoningTokens > 0 {
		b = append(b, `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":`...)
		b = append(a.quoteText(b, 0, a.reasoningTokens), `}]},`...)
	}
	if a.calls {
		b = strconv.AppendQuote(append(b, `{"type":"function_call","name":`...), a.server.options.Call)
		b = append(a.appendArguments(append(b, `,"arguments":"`...), a.reasoningTokens, a.total-a.reasoningTokens), `"}]`...)
	} else {
		b = append(b, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":`...)
		b = append(a.quoteText(b, a.reasoningTokens, a.total-a.reasoningTokens), `}]}]`...)
	}
	return b
}

// appendWholeChat appends the first part of a chat's answer, up to the ids.
func (a *answer) appendWholeChat(b []byte) []byte {
	b = append(b, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant"`...)
	if a.reply != nil {
		return append(append(append(b, ','), a.reply.message()...), '}')
	}
	if a.reasoningTokens > 0 {
		b = a.quoteText(append(b, `,"reasoning_content":`...), 0, a.reasoningTokens)
	}
	if a.calls {
		b = append(b, `,"content":null,"tool_calls":[{"index":0,"id":"call-1","type":"function","function":{"name":`...)
		b = append(strconv.AppendQuote(b, a.server.options.Call), `,"arguments":"`...)
		b = append(a.appendArguments(b, a.reasoningTokens, a.total-a.reasoningTokens), `"}}]}`...)
	} else {
		b = append(a.quoteText(append(b, `,"content":`...), a.reasoningTokens, a.total-a.reasoningTokens), '}')
	}
	return b
}

// dimensions is the number of values of an embedding.
const dimensions = 8

// sendResults sends embeddings, or documents in their order.
func (a *answer) sendResults() {
	a.due = time.Now()
	if !a.pause(a.stepBefore(0)) {
		return
	}
	a.w.Header().Set("Content-Type", "application/json")
	n, b := len(a.request.Documents), []byte(`{"results":[`)
	if a.api == embeddings {
		n, b = a.countInputs(), []byte(`{"object":"list","data":[`)
	}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"index":`...), int64(i), 10)
		if a.api == rerank {
			b = append(strconv.AppendFloat(append(b, `,"relevance_score":`...), 1/float64(i+2), 'g', -1, 64), '}')
			continue
		}
		b = append(b, `,"object":"embedding","embedding":[`...)
		for k := range dimensions {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendFloat(b, float64(a.id(i+k))/float64(a.server.options.Vocabulary), 'g', 6, 64)
		}
		b = append(b, `]}`...)
	}
	b = append(b, ']')
	if !a.server.options.NoUsage {
		b = strconv.AppendInt(append(b, `,"usage":{"prompt_tokens":`...), int64(a.promptTokens), 10)
		b = append(strconv.AppendInt(append(b, `,"total_tokens":`...), int64(a.promptTokens), 10), '}')
	}
	_, _ = a.w.Write(append(b, '}')) // after an error the client is gone
}

// countInputs returns the number of requested embeddings.
func (a *answer) countInputs() int {
	var texts []json.RawMessage
	if json.Unmarshal(a.request.Input, &texts) != nil || len(texts) == 0 || texts[0][0] != '"' && texts[0][0] != '[' {
		return 1 // a text, or the ids of one text
	}
	return len(texts)
}
