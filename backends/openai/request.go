package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// ErrPrompt means that the servers do not support a property of a prompt.
var ErrPrompt = errors.New("the server cannot be asked this prompt")

// requestMaker writes requests. It encodes their common parts once.
type requestMaker struct {
	settings openaiSettings
	kind     *serverKind
	// common and drawn contain the common fields of completions and of chats, each followed by a comma: common for greedy
	// prompts, and drawn for prompts whose own sampling fields replace the greedy ones.
	common, drawn [2][]byte
}

// newRequestMaker returns a requestMaker for the kind of server in the settings.
func newRequestMaker(s openaiSettings) *requestMaker {
	a := &requestMaker{settings: s, kind: s.kind}
	for i, of := range []APIPart{Completions, Chat} {
		for _, to := range []struct {
			fields *[2][]byte
			drawn  bool
		}{{&a.common, false}, {&a.drawn, true}} {
			fields := s.generationFields(of, false, to.drawn)
			for name, value := range s.body {
				fields[name] = value
			}
			to.fields[i], _ = appendFields(nil, fields, "")
		}
	}
	return a
}

// serverRequest is an encoded request: the path relative to an endpoint, and the body.
type serverRequest struct {
	path       string
	outsideAPI bool // the path is outside of the API
	body       []byte
	content    string // type of the content; "": JSON
	native     bool   // a request to /generate
	unstreamed bool   // the answer is unstreamed
	session    string // value of X-Session-ID; "": none
}

// makeRequest encodes a request for a prompt. salt separates it in a server's cache. continues permits the server to
// use its cache of the previous turn.
func (a *requestMaker) makeRequest(p backend.Prompt, salt string, goesOn bool) (serverRequest, error) {
	if a.isTranscription(p) {
		return a.transcribeRequest(p)
	}
	if err := a.checkPrompt(p); err != nil {
		return serverRequest{}, err
	}
	if a.settings.api == nativeAPI {
		return a.sglangRequest(p), nil
	}
	if p.Fields != nil {
		return a.exactRequest(p, salt, goesOn), nil
	}
	b := make([]byte, 0, 512+7*len(p.Tokens)+len(p.Text))
	b = append(b, '{')
	of, common := Completions, &a.common
	if p.Sampling != nil {
		common = &a.drawn
	}
	if a.asksChat(p) {
		of = Chat
		b = append(appendChat(append(b, common[1]...), p), ',')
	} else {
		b = appendPrompt(append(b, common[0]...), p)
	}
	r := serverRequest{path: of.urlPath(), session: p.Session}
	b = appendNumber(b, a.kind.maxTokensField(of), p.MaxNewTokens)
	b = a.appendEndFields(b, p)
	b = a.appendSampling(b, p.Sampling)
	if salt != "" && a.kind.allowsSalt(of) {
		b = append(b, fmt.Sprintf(",%q:%q", a.kind.salt, salt)...)
	}
	r.body = append(b, '}')
	return r, nil
}

// asksChat reports whether a prompt is sent as a chat.
func (a *requestMaker) asksChat(p backend.Prompt) bool {
	switch a.settings.api {
	case Completions, nativeAPI:
		return false
	case Chat:
		return true
	}
	return len(p.Tokens) == 0 && isChat(p)
}

// isChat reports whether a prompt is a chat.
func isChat(p backend.Prompt) bool { return len(p.Messages) > 0 || len(p.ChatJSON) > 0 }

// checkPrompt lists all properties of a prompt that the servers do not support.
func (a *requestMaker) checkPrompt(p backend.Prompt) error {
	var faults []string
	asksChat := a.asksChat(p)
	switch {
	case a.settings.api == nativeAPI && len(p.Tokens) == 0:
		faults = append(faults, "it has no token ids, which /generate is asked by: give the tokenizer of the server's model "+
			"(--param tokenizer=FILE)")
	case asksChat && !isChat(p) && p.Text == "":
		faults = append(faults, "it has token ids only, which chats do not take: use option api=completions")
	case !asksChat && len(p.Tokens) == 0 && p.Text == "":
		faults = append(faults, "it has neither token ids nor text: use option api=chat")
	}
	if p.MaxNewTokens <= 0 && p.Fields == nil {
		faults = append(faults, fmt.Sprintf("it may have %d new tokens, want at least 1", p.MaxNewTokens))
	}
	if p.Beams > 1 && (!a.kind.beams || a.settings.api == nativeAPI) {
		faults = append(faults, fmt.Sprintf("it wants %d beams, and servers of the kind %s have no beam search",
			p.Beams, a.kind.name))
	}
	faults = append(faults, a.checkSampling(p)...)
	faults = append(faults, a.checkChat(p)...)
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrPrompt, strings.Join(faults, "; "))
}

// tooShortError returns the error for an answer that is shorter than a prompt's minimum, which many kinds of servers
// cannot enforce.
func (a *requestMaker) tooShortError(n, least int) error {
	why := "a server of the kind " + a.kind.name + " has no field for a minimum"
	if name := a.kind.minTokens; name != "" {
		why = "the server was asked for it by " + name
	}
	return fmt.Errorf("%w: %w: the answer has %d tokens, and the prompt wants at least %d; %s; --param "+
		"min_new_tokens=%d takes such answers",
		backend.ErrOption, ErrStream, n, least, why, n)
}

// setsBodyField reports whether option body.KEY sets a field.
func (a *requestMaker) setsBodyField(name string) bool { return a.settings.body[name] != nil }

func appendNumber(b []byte, name string, v int) []byte {
	b = append(strconv.AppendQuote(b, name), ':')
	return strconv.AppendInt(b, int64(v), 10)
}

// appendEndFields appends the fields that determine the end of an answer, and beam search.
func (a *requestMaker) appendEndFields(b []byte, p backend.Prompt) []byte {
	if p.MinNewTokens > 0 && a.kind.minTokens != "" && !a.setsBodyField("min_tokens") {
		b = appendNumber(append(b, ','), a.kind.minTokens, p.MinNewTokens)
	}
	if len(p.EOS) > 0 && a.kind.stopIDs != "" {
		b = append(strconv.AppendQuote(append(b, ','), a.kind.stopIDs), ':')
		b = appendIDs(b, p.EOS)
	}
	if p.Beams > 1 {
		b = appendNumber(append(b, `,"use_beam_search":true,`...), "n", p.Beams)
		b = append(b, `,"length_penalty":`...)
		b = strconv.AppendFloat(b, p.LengthPenalty, 'g', -1, 64)
	}
	return b
}

func appendIDs(b []byte, ids []int32) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']')
}

func appendPrompt(b []byte, p backend.Prompt) []byte {
	b = append(b, `"prompt":`...)
	if len(p.Tokens) > 0 {
		b = appendIDs(b, p.Tokens)
	} else {
		b = appendText(b, p.Text)
	}
	return append(b, ',')
}

// appendText appends a JSON string.
func appendText(b []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // cannot happen for strings
		return append(b, `""`...)
	}
	return append(b, quoted...)
}
