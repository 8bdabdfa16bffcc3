package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// chatMessage is a message of a chat.
type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func chatMessageJSON(role, text string) json.RawMessage {
	content, _ := marshalPlain(text)
	m, _ := marshalPlain(chatMessage{role, content})
	return m
}

// marshalPlain returns the JSON of a value without escaping <, > and &.
func marshalPlain(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// joinMessages returns an array of messages.
func joinMessages(messages ...json.RawMessage) json.RawMessage {
	all := []byte{'['}
	for i, m := range messages {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, m...)
	}
	return append(all, ']')
}

// ChatHistory contains the messages of a session so far. It never rewrites memory that it has returned, because turns
// share the memory of earlier messages.
type ChatHistory struct{ messages []byte } // messages, each with a comma behind it

// appendMessage adds a message. If there is no room, it doubles the memory. Memory shared by turns is kept for each
// move, in total twice.
func (h *ChatHistory) appendMessage(m json.RawMessage) {
	if n := len(h.messages) + len(m) + 1; n > cap(h.messages) {
		h.messages = append(make([]byte, 0, 2*n), h.messages...)
	}
	h.messages = append(append(h.messages, m...), ',')
}

// messagesSoFar returns the messages added so far.
func (h *ChatHistory) messagesSoFar() []byte { return h.messages[:len(h.messages):len(h.messages)] }

// NextTurn returns a turn of a session in the form to send, after all earlier messages.
func (h *ChatHistory) NextTurn(a Ask) Ask {
	if !a.Own {
		return a
	}
	if a.Messages == nil {
		a.Messages, a.Text = joinMessages(chatMessageJSON("user", a.Text)), ""
	}
	a.Before = h.messagesSoFar()
	eachElement(a.Messages, func(m []byte) bool {
		h.appendMessage(m)
		return true
	})
	return a
}

// AddAnswer adds the server's answer to the last turn.
func (h *ChatHistory) AddAnswer(text string) { h.appendMessage(chatMessageJSON("assistant", text)) }

// buildChat builds a request from messages or from one question.
func (r *rowReader) buildChat(rec *sourceRow, a *Ask) {
	switch {
	case rec.hasField(fMessages):
		r.readCell(rec, fMessages, func(raw json.RawMessage) error {
			messages, err := parseStructured(raw, '[')
			if err == nil {
				err = checkMessages(messages)
			}
			if err == nil {
				messages = r.takeRecordedAnswer(rec, messages)
			}
			a.Messages = bytes.Clone(messages)
			return err
		})
		return
	case rec.hasField(fIDs) && !rec.hasField(fPrompt):
		r.addFaultf(rec.line, "ids are of completions: want --api completions, not %s", r.api)
		return
	case !rec.hasField(fPrompt):
		r.noteNoPrompt(rec)
		return
	}
	var parts []json.RawMessage
	r.readCell(rec, fPrompt, func(raw json.RawMessage) (err error) {
		if raw[0] == '[' {
			parts, err = textParts(raw)
			return err
		}
		a.Text, err = promptText(raw)
		return err
	})
	r.readCell(rec, fImage, func(raw json.RawMessage) error {
		if r.api == Responses {
			return errors.New("pictures are of chats: want --api chat, not responses")
		}
		pictures, err := r.readPictures(raw)
		if err == nil && parts == nil {
			parts = []json.RawMessage{textPart(a.Text)}
		}
		parts = append(parts, pictures...)
		return err
	})
	var before []json.RawMessage
	r.readCell(rec, fSystem, func(raw json.RawMessage) error {
		text, err := textOf(raw)
		before = []json.RawMessage{chatMessageJSON("system", text)}
		return err
	})
	switch {
	case parts != nil:
		m, _ := marshalPlain(chatMessage{"user", joinMessages(parts...)})
		a.Messages, a.Text = joinMessages(append(before, m)...), ""
	case before != nil:
		a.Messages, a.Text = joinMessages(append(before, chatMessageJSON("user", a.Text))...), ""
	}
}

// takeRecordedAnswer removes a final message of the assistant, which files for fine-tuning contain, and stores it as
// the recorded answer. It returns the other messages.
func (r *rowReader) takeRecordedAnswer(rec *sourceRow, messages json.RawMessage) json.RawMessage {
	var all []json.RawMessage
	eachElement(messages, func(value []byte) bool {
		all = append(all, value)
		return true
	})
	n := len(all) - 1
	var last chatMessage
	if n < 1 || json.Unmarshal(all[n], &last) != nil || last.Role != "assistant" {
		return messages
	}
	r.answers++
	if !rec.hasField(fAnswer) && len(last.Content) > 0 && last.Content[0] == '"' {
		rec.cells[fAnswer] = last.Content
	}
	return joinMessages(all[:n]...)
}

func textPart(text string) json.RawMessage {
	part, _ := marshalPlain(map[string]string{"type": "text", "text": text})
	return part
}

// inputTextPart returns a text as an input item of the Responses API.
func inputTextPart(text string) json.RawMessage {
	part, _ := marshalPlain(map[string]string{"type": "input_text", "text": text})
	return part
}

func textParts(raw json.RawMessage) ([]json.RawMessage, error) {
	var parts []json.RawMessage
	var err error
	eachElement(raw, func(value []byte) bool {
		var text string
		text, err = promptText(value)
		parts = append(parts, textPart(text))
		return err == nil
	})
	if err == nil && len(parts) == 0 {
		err = errors.New("the list is empty")
	}
	return parts, err
}

// checkMessages checks that messages are objects with roles.
func checkMessages(messages json.RawMessage) error {
	n := 0
	var err error
	eachElement(messages, func(value []byte) bool {
		n++
		var m struct{ Role string }
		if json.Unmarshal(value, &m) != nil || m.Role == "" {
			err = fmt.Errorf(`message %d: want {"role": "user", "content": ...}, not %s`, n, firstChars(value))
		}
		return err == nil
	})
	if err == nil && n == 0 {
		err = errors.New("there is no message")
	}
	return err
}

// roles maps the roles of ShareGPT's files to those of chats.
var roles = map[string]string{"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant",
	"chatgpt": "assistant", "bing": "assistant", "bard": "assistant", "model": "assistant", "system": "system"}

// chatTurn is a question of a conversation with its answer and the messages before it.
type chatTurn struct {
	before   []json.RawMessage // since the previous turn: system messages, and questions without an answer
	question string
	answer   string
}

// splitTurns splits a conversation into turns. If first is true, it returns only the first turn. The error describes an
// unreadable message.
func splitTurns(conversation json.RawMessage, first bool) ([]chatTurn, error) {
	var all []chatTurn
	var now chatTurn
	asked := false
	n := 0
	var err error
	eachElement(conversation, func(value []byte) bool {
		n++
		var from, text string
		if from, text, err = speakerAndText(value); err != nil {
			err = fmt.Errorf("message %d: %w", n, err)
			return false
		}
		switch role := roles[strings.ToLower(from)]; {
		case role == "":
			err = fmt.Errorf("message %d is from %q: want human, gpt or system", n, from)
			return false
		case role == "system":
			now.before = append(now.before, chatMessageJSON(role, text))
		case role == "user":
			if asked {
				now.before = append(now.before, chatMessageJSON("user", now.question))
			}
			now.question, asked = text, strings.TrimSpace(text) != ""
		case asked:
			now.answer = text
			all = append(all, now)
			now, asked = chatTurn{}, false
			return !first
		case len(all) > 0: // the model continues its answer
			all[len(all)-1].answer += "\n" + text
		}
		return true
	})
	return all, err
}

// speakerAndText returns the speaker and the text of a message in a conversation.
func speakerAndText(message json.RawMessage) (from, text string, err error) {
	var who, what json.RawMessage
	ok := eachMember(message, func(name, value []byte) {
		switch string(name) {
		case "from", "role":
			who = value
		case "value", "content":
			what = value
		}
	})
	if !ok || who == nil || what == nil || who[0] != '"' || what[0] != '"' {
		return "", "", fmt.Errorf(`want {"from": "human", "value": "..."}, not %s`, firstChars(message))
	}
	from, err = unquoteJSON(who)
	if err == nil {
		text, err = unquoteJSON(what)
	}
	return from, text, err
}

// buildConversation builds the requests of a ShareGPT row: the first question with an answer, or all of them.
func (r *rowReader) buildConversation(rec *sourceRow) {
	if r.api == "" {
		r.api, r.apiLine = Chat, rec.line
	}
	if r.api != Chat && r.api != Responses && (r.api != Completions || r.options.sessions) {
		r.addFaultf(rec.line, "conversations are of chats: want --api chat or responses, not %s", r.api)
		return
	}
	var all []chatTurn
	bad := len(r.faults.List) + r.faults.More
	r.readCell(rec, fConversations, func(raw json.RawMessage) error {
		conversation, err := parseStructured(raw, '[')
		if err == nil {
			all, err = splitTurns(conversation, !r.options.sessions)
		}
		return err
	})
	shared := promptRow{ask: &Ask{API: r.api}, line: int32(rec.line)}
	r.readCommonFields(rec, &shared)
	if len(r.faults.List)+r.faults.More > bad {
		return
	}
	r.conversations++
	if len(all) == 0 {
		r.unanswered++
		return
	}
	r.addTurns(rec, shared, all)
}

// addTurns adds the turns of one conversation.
func (r *rowReader) addTurns(rec *sourceRow, shared promptRow, all []chatTurn) {
	name := shared.ask.ID
	if name == "" || r.conversationNames[name] {
		name = fmt.Sprintf("%s#%d", name, r.conversations)
	}
	r.conversationNames[name] = r.options.sessions
	var h ChatHistory
	for i, t := range all {
		one := r.turnRow(shared, name, i)
		a := one.ask
		if (r.options.lengths.traceIn || r.options.lengths.traceOut) && !r.countTurn(rec, &one, t) {
			return
		}
		now := append(t.before[:len(t.before):len(t.before)], chatMessageJSON("user", t.question))
		switch {
		case r.options.lengths.traceIn:
		case len(now) == 1 && len(h.messages) == 0 || r.api == Completions:
			a.Text = t.question
		default:
			a.Before, a.Messages = h.messagesSoFar(), joinMessages(now...)
		}
		if r.keepRow(rec, one); i+1 == len(all) || r.noteFull(rec.line) {
			return
		}
		if r.options.own {
			continue
		}
		had := len(h.messages)
		for _, m := range now {
			h.appendMessage(m)
		}
		h.AddAnswer(t.answer)
		r.keptBytes += int64(len(h.messages) - had)
	}
}

// turnRow returns the row of a conversation's turn, still without its text. Only the first turn has a due time.
func (r *rowReader) turnRow(shared promptRow, name string, i int) promptRow {
	a := *shared.ask
	if r.options.sessions {
		a.Session, a.Turn, a.Own = name, i, r.options.own
	}
	if shared.ask = &a; i > 0 {
		shared.hasDue, shared.due = false, 0
	}
	return shared
}

// countTurn sets the lengths of a question and its answer.
func (r *rowReader) countTurn(rec *sourceRow, one *promptRow, t chatTurn) bool {
	tok := r.options.Tokenizer
	if tok == nil {
		r.addFaultf(rec.line, "lengths of conversations want a tokenizer: give --tokenizer")
		return false
	}
	one.out, one.exact = int32(max(1, len(tok.EncodePlain(nil, t.answer)))), true
	if r.options.lengths.traceIn {
		one.in, r.hasGenerated = int32(max(1, len(tok.EncodePlain(nil, t.question)))), true
	}
	return true
}

// endpoints maps the URLs of batch files to APIs.
var endpoints = map[string]API{"/v1/chat/completions": Chat, "/v1/completions": Completions, "/v1/responses": Responses,
	"/v1/embeddings": Embeddings, "/v1/rerank": Rerank, "/rerank": Rerank, "/v2/rerank": Rerank}

// EndpointPath returns the path of an API at a server, starting with /v1.
func (a API) EndpointPath() string {
	if a == Chat {
		return "/v1/chat/completions"
	}
	return "/v1/" + string(a)
}

// buildBatchLine builds the request of a line of a batch file.
func (r *rowReader) buildBatchLine(rec *sourceRow) {
	url, err := textOf(rec.cells[fURL])
	api, known := endpoints[url]
	if err != nil || !known {
		r.addFaultf(rec.line, "url = %s: want one of /v1/chat/completions, /v1/completions, /v1/responses, /v1/embeddings, "+
			"/v1/rerank", firstChars(rec.cells[fURL]))
		return
	}
	if r.api == "" {
		r.api, r.apiLine = api, rec.line
	}
	if api != r.api {
		asked := "--api " + string(r.api)
		if r.apiLine > 0 {
			asked = fmt.Sprintf("%s in line %d", r.api.EndpointPath(), r.apiLine)
		}
		r.addFaultf(rec.line, "the url is %s after %s: a file has one endpoint", url, asked)
		return
	}
	body, err := parseStructured(rec.cells[fBody], '{')
	if err != nil {
		r.addFaultf(rec.line, "body: %v", err)
		return
	}
	a := &Ask{}
	inner := sourceRow{line: rec.line}
	inner.cells[fID] = rec.cells[fID]
	eachMember(body, func(name, value []byte) { r.setBodyMember(&inner, a, string(name), value) })
	r.buildPlain(&inner, a)
}

// bodyFields contains the fields of batch bodies that requests store in their own form.
var bodyFields = map[string]columnField{"messages": fMessages, "prompt": fPrompt, "input": fPrompt, "query": fQuery,
	"documents": fDocuments, "tools": fTools, "max_tokens": fOutput, "max_completion_tokens": fOutput,
	"max_output_tokens": fOutput}

// setBodyMember sets a member of a batch line's body.
func (r *rowReader) setBodyMember(rec *sourceRow, a *Ask, name string, value json.RawMessage) {
	if f, ok := bodyFields[name]; ok {
		if f == fPrompt && r.api == Responses && value[0] == '[' {
			f = fMessages
		}
		rec.setCell(fieldMatch{f, 0}, value, nil, []byte(name))
		return
	}
	switch name {
	case "model":
		r.models[string(value)] = true
	case "stream", "stream_options":
	case "n", "best_of":
		if string(value) != "1" && string(value) != "null" {
			r.addFaultf(rec.line, "%s = %s: want 1, a request has one answer", name, firstChars(value))
		}
	default:
		if a.Fields == nil {
			a.Fields = map[string]json.RawMessage{}
		}
		a.Fields[name] = bytes.Clone(value)
	}
}
