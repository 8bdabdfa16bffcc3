package prompts

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

// The values of PromptOptions.Order. The last two are orders of MLPerf Endpoints' client, which uses Python's
// generator.
const (
	orderShuffled           = "shuffled"
	InFileOrder             = "in-order"
	orderWithoutReplacement = "without-replacement"
	WithReplacement         = "with-replacement"
)

// Orders returns the names of the orders of rows.
func Orders() []string {
	return []string{orderShuffled, InFileOrder, orderWithoutReplacement, WithReplacement}
}

// defaultOrderSeed is the default seed of MLPerf Endpoints' client.
const defaultOrderSeed = 42

// SaltBytes is the number of bytes in a prompt's salt: 64 bits, the minimum in the rules of MLPerf Endpoints.
const SaltBytes = 8

// drawsByPython reports whether rows are drawn with Python's generator.
func (a *parsedOptions) drawsByPython() bool {
	return a.PromptOptions.Order == orderWithoutReplacement || a.PromptOptions.Order == WithReplacement
}

// DrawnOnceOption returns the option that requires drawing in advance for all requests, so that a measurement must set
// their number; "": none.
func (s *PromptSet) DrawnOnceOption() string {
	switch a := s.options; {
	case a.salted:
		return "--salt-seed " + a.SaltSeed
	case a.drawsByPython():
		return "--order " + a.PromptOptions.Order
	}
	return ""
}

// checkOfficial lists the conflicts of official orders and salts with other options.
func (a *parsedOptions) checkOfficial() (faults []error) {
	order := a.PromptOptions.Order
	if order != "" && order != orderShuffled && a.File == "" {
		faults = append(faults, fmt.Errorf("--order %s needs --data FILE", order))
	}
	if a.drawsByPython() && a.sessions {
		faults = append(faults, fmt.Errorf("--order %s draws single rows, and --turns all has sessions", order))
	}
	if a.OrderSeed != "" && !a.drawsByPython() {
		faults = append(faults, fmt.Errorf("--order-seed is of --order %s and %s", orderWithoutReplacement,
			WithReplacement))
	}
	if a.salted && a.File == "" {
		faults = append(faults, errors.New("--salt-seed needs --data FILE: generated prompts differ anyway"))
	}
	if len(a.Keep) > 0 && a.sessions {
		faults = append(faults, errors.New("columns are kept of single rows, and --turns all has sessions"))
	}
	if a.salted && a.sessions {
		faults = append(faults, errors.New("--salt-seed is for single requests, but --turns all has sessions"))
	}
	return faults
}

// readSeed parses a seed of Python's generator. given is false if text is empty.
func readSeed(flag string, seed *uint64, text string) (given bool, err error) {
	if text == "" {
		return false, nil
	}
	if *seed, err = strconv.ParseUint(text, 10, 64); err != nil {
		return false, fmt.Errorf("%s %q: want a whole number from 0 to 2^64 - 1", flag, text)
	}
	return true, nil
}

// rowsByPython draws n of the rows 0 to all-1 in the order of MLPerf Endpoints' client. Without replacement, all rows
// occur once before any is repeated, and each round shuffles the order of the previous round by random.shuffle. With
// replacement, each row is random.randint(0, all - 1).
func rowsByPython(order string, seed uint64, all, n int) []int32 {
	r, rows := mt19937.NewPythonWide(seed), make([]int32, n)
	if order == WithReplacement {
		for i := range rows {
			rows[i] = int32(r.IntBelow(uint32(all)))
		}
		return rows
	}
	left := make([]int32, all)
	for i := range left {
		left[i] = int32(i)
	}
	for at := 0; at < n; at += all {
		r.Shuffle(all, func(i, j int) { left[i], left[j] = left[j], left[i] })
		copy(rows[at:], left)
	}
	return rows
}

// chooseByPython plans n requests with rowsByPython. It counts the earlier occurrences of each row.
func (w *DrawnRequests) chooseByPython(n int) {
	a, came := w.set.options, make([]int32, len(w.set.rows))
	w.plan = make([]plannedRequest, n)
	for i, row := range rowsByPython(a.PromptOptions.Order, a.orderSeed, len(came), n) {
		w.plan[i] = plannedRequest{row: row, round: came[row]}
		came[row]++
	}
	if most := slices.Max(came); most > 1 {
		w.Notes = append(w.Notes, fmt.Sprintf("%d requests of %s, drawn %s by Python's generator: one comes up to %d times",
			n, countText(len(came), "row"), a.PromptOptions.Order, most))
	}
}

// drawSalts draws a salt for each request in order, like random.Random(seed).randbytes(8).
func (w *DrawnRequests) drawSalts(seed uint64) {
	r := mt19937.NewPythonWide(seed)
	w.salts = make([][SaltBytes]byte, len(w.plan))
	for i := range w.salts {
		r.Bytes(w.salts[i][:])
	}
}

// addSalt puts a request's salt, such as "[0123456789abcdef] ", before the user's part of the prompt and after the
// system's. checkSalt has already accepted the rows.
func (w *DrawnRequests) addSalt(a *Ask, i int) {
	salt := "[" + hex.EncodeToString(w.salts[i][:]) + "] "
	if a.IDs != nil {
		tokens := w.set.options.Tokenizer.EncodePlain(nil, salt)
		a.IDs = slices.Concat(a.IDs[:a.user], tokens, a.IDs[a.user:])
		a.InputTokens = len(a.IDs)
		return
	}
	if a.Messages == nil {
		a.Text = a.Text[:a.user] + salt + a.Text[a.user:]
		return
	}
	var all []json.RawMessage
	done := false
	eachElement(a.Messages, func(m []byte) bool {
		if salted := saltMessage(m, a.API, salt); !done && salted != nil {
			m, done = salted, true
		}
		all = append(all, m)
		return true
	})
	a.Messages = joinMessages(all...)
}

// saltMessage returns a user's message with a salt before its text, or nil if the message is not a user's or its
// content is not text.
func saltMessage(m json.RawMessage, api API, salt string) json.RawMessage {
	var fields map[string]json.RawMessage
	var role, text string
	if json.Unmarshal(m, &fields) != nil || json.Unmarshal(fields["role"], &role) != nil || role != "user" {
		return nil
	}
	switch content := fields["content"]; {
	case json.Unmarshal(content, &text) == nil && len(content) > 0 && content[0] == '"':
		fields["content"], _ = marshalPlain(salt + text)
	case len(content) > 0 && content[0] == '[':
		parts := []json.RawMessage{textPart(salt)}
		if api == Responses {
			parts[0] = inputTextPart(salt)
		}
		eachElement(content, func(part []byte) bool {
			parts = append(parts, part)
			return true
		})
		fields["content"] = joinMessages(parts...)
	default:
		return nil
	}
	out, _ := marshalPlain(fields)
	return out
}

// placeSalt finds the position of the salt in a row's token ids: after the first mark of a user's part.
func (r *rowReader) placeSalt(a *Ask) error {
	after := r.options.SaltAfter
	switch {
	case after == "":
		return errors.New("a prompt of token ids does not say where the user's part begins, so that no salt can go " +
			"before it: want text or messages")
	case r.options.Tokenizer == nil:
		return errors.New("the salt of a prompt of token ids needs the model's tokenizer")
	case r.userMark == nil:
		r.userMark = r.options.Tokenizer.EncodePlain([]int32{}, after)
	}
	for i := range max(0, len(a.IDs)-len(r.userMark)+1) {
		if a.user = i + len(r.userMark); len(r.userMark) > 0 && slices.Equal(a.IDs[i:a.user], r.userMark) {
			return nil
		}
	}
	return fmt.Errorf("the token ids have no %q, which begins the user's part: a salt has no place", after)
}

// checkSalt checks that a row can have a salt between the system's part and the user's.
func (r *rowReader) checkSalt(a *Ask) error {
	switch {
	case a == nil:
		return errors.New("generated prompts have no salt: leave --salt-seed out")
	case a.IDs != nil:
		return r.placeSalt(a)
	case a.API != Chat && a.API != Completions && a.API != Responses:
		return fmt.Errorf("a salt is of chats and completions, not of %s", a.API)
	case a.Messages == nil:
		return nil
	}
	found := false
	eachElement(a.Messages, func(m []byte) bool {
		found = found || saltMessage(m, a.API, "") != nil
		return !found
	})
	if !found {
		return errors.New("no message of the user's has a text or parts: a salt has no place")
	}
	return nil
}
