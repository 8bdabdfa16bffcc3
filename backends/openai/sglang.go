package openai

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Option api=sglang uses SGLang's own endpoint /generate, which returns token ids. They include the end token and
// special tokens, whatever their text.

// paramsPrefix is the prefix of options body.KEY that set fields within sampling_params.
const paramsPrefix = "sampling_params."

// fieldPrefix returns the prefix of sampling fields in options body.KEY.
func (a *requestMaker) fieldPrefix() string {
	if a.settings.api == nativeAPI {
		return paramsPrefix
	}
	return ""
}

// seedName returns the name of the seed's field.
func (a *requestMaker) seedName() string {
	if a.settings.api == nativeAPI {
		return "sampling_seed"
	}
	return "seed"
}

// sglangRequest writes a request to /generate.
func (a *requestMaker) sglangRequest(p backend.Prompt) serverRequest {
	b := make([]byte, 0, 512+7*len(p.Tokens))
	b = appendIDs(append(b, `{"input_ids":`...), p.Tokens)
	b = append(b, `,"sampling_params":{`...)
	b = appendNumber(b, "max_new_tokens", p.MaxNewTokens)
	if p.MinNewTokens > 0 && !a.setsBodyField(paramsPrefix+"min_new_tokens") {
		b = appendNumber(append(b, ','), "min_new_tokens", p.MinNewTokens)
	}
	if len(p.EOS) > 0 && !a.setsBodyField(paramsPrefix+"stop_token_ids") {
		b = appendIDs(append(b, `,"stop_token_ids":`...), p.EOS)
	}
	if s := p.Sampling; s != nil {
		b = a.appendSampling(b, s)
	} else if !a.setsBodyField(paramsPrefix + "temperature") {
		b = append(b, `,"temperature":0`...)
	}
	b = append(a.appendBody(b, true), '}')
	b = append(a.appendBody(b, false), `,"stream":`...)
	b = append(strconv.AppendBool(b, !a.settings.unstreamed), '}')
	return serverRequest{path: nativeAPI.urlPath(), outsideAPI: true, body: b, native: true,
		unstreamed: a.settings.unstreamed}
}

// appendBody appends the fields of option body.KEY that belong within sampling_params or, if within is false, the
// others.
func (a *requestMaker) appendBody(b []byte, within bool) []byte {
	for _, name := range slices.Sorted(maps.Keys(a.settings.body)) {
		if field, is := strings.CutPrefix(name, paramsPrefix); is == within {
			b = append(appendText(append(b, ','), field), ':')
			b = append(b, a.settings.body[name]...)
		}
	}
	return b
}

// urlAt returns the URL of a request at an endpoint.
func (r serverRequest) urlAt(base *url.URL) string {
	if r.outsideAPI {
		return outsideURL(base, r.path)
	}
	return base.String() + r.path
}

// parseGenerated parses an event of /generate, or its unstreamed answer. The chunk is valid until the next call; its
// ids are unchanged. ok is false if data does not have the form of /generate.
func (p *chunkParser) parseGenerated(data []byte) (c *answerChunk, ok bool) {
	p.reset(data)
	c = &p.chunk
	*c = answerChunk{text: c.text[:0], reasoning: c.reasoning[:0], toolText: c.toolText[:0], ids: c.ids[:0]}
	if p.peekByte() != '{' {
		return c, false
	}
	p.eachField(func(key []byte) {
		switch string(key) {
		case "output_ids":
			p.eachElement(func() { c.ids = append(c.ids, p.readTokenID()) })
		case "meta_info":
			p.eachField(p.generatedInfo)
		case "error":
			p.readError()
		default:
			p.skipValue()
		}
	})
	p.requireEnd()
	return c, !p.bad
}

// generatedInfo reads an event's facts about the answer.
func (p *chunkParser) generatedInfo(key []byte) {
	u := &p.chunk.usage
	switch string(key) {
	case "completion_tokens":
		u.completion, u.known = p.readInteger()
	case "prompt_tokens":
		p.setTokenCount(&u.prompt, reportsPrompt)
	case "cached_tokens":
		p.setTokenCount(&u.cached, reportsCached)
	case "finish_reason":
		p.generatedFinish()
	default:
		p.skipValue()
	}
}

// generatedFinish reads the finish reason of an answer: an object with its type, a string, or null.
func (p *chunkParser) generatedFinish() {
	if p.peekByte() != '{' {
		p.chunk.finish = p.readText()
		return
	}
	message := ""
	p.eachField(func(key []byte) {
		switch string(key) {
		case "type":
			p.chunk.finish = p.readText()
		case "message":
			message = p.readText()
		default:
			p.skipValue()
		}
	})
	if p.chunk.finish == "abort" {
		p.chunk.fault, p.chunk.hasFault = "the answer was aborted: "+message, true
	}
}

// idForm is the set of ids that the events of an answer of /generate contain.
type idForm uint8

const (
	unknownIDs idForm = iota // the first event does not distinguish the two forms
	newIDs
	allIDs
)

// keepNewIDs reduces the ids of an event to the new ones. Depending on the server's settings, all events of an answer
// contain either only new ids or all ids so far. Their token counts must agree with this form. Ids are never guessed.
func (a *promptAnswer) keepNewIDs(c *answerChunk) error {
	have, count := len(a.ids), int(c.usage.completion)
	n := count - have
	switch {
	case !c.usage.known:
		return fmt.Errorf("%w: it does not say how many tokens there are (meta_info.completion_tokens), so that nobody can "+
			"tell which of its ids are new", ErrStream)
	case n < 0:
		return fmt.Errorf("%w: it takes tokens back: %d after %d had come", ErrStream, count, have)
	}
	if have > 0 && a.form == unknownIDs {
		a.form = newIDs
		if len(c.ids) == count {
			a.form = allIDs
		}
	}
	want := n
	if a.form == allIDs {
		want = count
	}
	if len(c.ids) != want {
		return fmt.Errorf("%w: it has %d token ids, and counts %d tokens, %d of which are new", ErrStream, len(c.ids), count,
			n)
	}
	if a.form != allIDs {
		return nil
	}
	for at, id := range a.ids {
		if c.ids[at] != id {
			return fmt.Errorf("%w: token %d of its answer is %d, and was %d before", ErrStream, at, c.ids[at], id)
		}
	}
	c.ids = c.ids[have:]
	return nil
}

// readUnstreamed reads an unstreamed answer.
func (g *Generator) readUnstreamed(ctx context.Context, r *http.Response, c *generateCall) *tryFailure {
	c.events.reset(r.Body)
	c.events.maxBytes = c.maxBytes
	body, err := c.events.readAll(math.MaxInt)
	if err != nil {
		return connectionFailure(ctx, err)
	}
	c.answer.progress.Add(1)
	if err := c.takeEvent(streamEvent{data: body}); err != nil {
		return &tryFailure{err: err}
	}
	return g.checkComplete(c)
}
