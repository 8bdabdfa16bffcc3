package audits

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// judgeTokens reproduces TEST06's run_verification.py.
func judgeTokens(r Request, d evidence.DType) Verdict {
	v := newVerdict(r)
	checks := tokenChecks{dtype: d, streams: r.Scenario != "Offline", eos: 2, noEOS: r.EOS != ""}
	err := eachEntry(r.Run.Accuracy, func(e encodedFields) error { checks.addEntry(e); return nil })
	if err != nil {
		v.Stdout, v.Exit = evidence.Traceback(err), 1
		return v
	}
	v.Stdout = checks.listWarnings()
	if checks.length.err != nil {
		v.Stdout, v.Exit = v.Stdout+evidence.Traceback(checks.length.err), 1
		return v
	}
	text := checks.outputText()
	v.Pass = checks.hasPassed()
	v.Accuracy, v.Texts = audit.OutcomeOf(v.Pass), map[string]string{tree.VerifyAccuracy: text}
	v.Stdout += v.copyLogs(r) + text + "\n"
	return v
}

// tokenCheck is one of TEST06's checks over all answers. It stops at the first answer that fails or cannot be read.
type tokenCheck struct {
	failed bool
	err    error
}

func (c *tokenCheck) addResult(ok bool, err error) {
	if c.failed || c.err != nil {
		return
	}
	c.failed, c.err = err == nil && !ok, err
}

func (c *tokenCheck) hasPassed() bool { return !c.failed && c.err == nil }

// tokenChecks contains TEST06's checks of an accuracy log with tokens.
type tokenChecks struct {
	dtype   evidence.DType
	streams bool // the first token is checked
	eos     float64
	// the end token comes from the command line, so the script compares a string and finds no end token
	noEOS              bool
	end, begin, length tokenCheck
	entries            int
	data, first        []byte
}

func (c *tokenChecks) addEntry(e encodedFields) {
	c.entries++
	data, err := c.decodeTokens(e, "data", &c.data)
	if err != nil {
		c.end.addResult(false, err)
		c.begin.addResult(false, err)
		c.length.addResult(false, err)
		return
	}
	c.end.addResult(c.noEOS || !hasTwoEnds(c.dtype, data, c.eos), nil)
	if c.streams {
		c.begin.addResult(c.isFirstEqual(e, data))
	}
	c.length.addResult(c.isCountEqual(e, data))
}

// tokens decodes a payload into memory. It must contain whole elements.
func (c *tokenChecks) decodeTokens(e encodedFields, name string, memory *[]byte) ([]byte, error) {
	text, err := e.textField(name)
	if err != nil {
		return nil, err
	}
	if need := len(text) / 2; cap(*memory) < need {
		*memory = make([]byte, need)
	}
	data := (*memory)[:len(text)/2]
	n, err := hexBytes(text, data)
	switch {
	case err != nil:
		return nil, err
	case n%c.dtype.Size != 0:
		return nil, evidence.ErrDiedf("ValueError: buffer size must be a multiple of element size")
	}
	return data[:n], nil
}

// hasTwoEnds reports whether an answer ends with two or more end tokens. It ignores the first token.
func hasTwoEnds(d evidence.DType, data []byte, eos float64) bool {
	ends := 0
	for i := len(data)/d.Size - 1; i > 0 && d.At(data, i) == eos; i-- {
		if ends++; ends >= 2 {
			return true
		}
	}
	return false
}

func (c *tokenChecks) isFirstEqual(e encodedFields, data []byte) (bool, error) {
	first, err := c.decodeTokens(e, "token_data", &c.first)
	return err == nil && evidence.SameTokens(c.dtype, data, first), err
}

func (c *tokenChecks) isCountEqual(e encodedFields, data []byte) (bool, error) {
	raw, ok := e["token_count"]
	if !ok {
		return false, evidence.ErrDiedf("KeyError: 'token_count'")
	}
	n, err := pyInt(string(raw))
	return n == int64(len(data)/c.dtype.Size), err
}

// pyInt converts a JSON value like Python's int().
func pyInt(raw string) (int64, error) {
	switch raw {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	if text, quoted := strings.CutPrefix(raw, `"`); quoted {
		n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, `"`)), 10, 64)
		if err != nil {
			return 0, evidence.ErrDiedf("ValueError: invalid literal for int() with base 10: %s", raw)
		}
		return n, nil
	}
	v, ok := pyfloat.Parse(raw)
	if !ok {
		return 0, evidence.ErrDiedf("TypeError: int() argument must be a string or a number")
	}
	return int64(v), nil
}

func (c *tokenChecks) listWarnings() (text string) {
	for _, check := range []struct {
		name string
		err  error
	}{{"EOS", c.end.err}, {"first token", c.begin.err}} {
		if check.err != nil && errors.Is(check.err, evidence.ErrDied) {
			text += fmt.Sprintf("Unexpected error occured while doing the %s check\n", check.name)
		}
	}
	return text
}

func (c *tokenChecks) hasPassed() bool {
	return c.end.hasPassed() && c.begin.hasPassed() && c.length.hasPassed()
}

func (c *tokenChecks) outputText() string {
	first, end := "Skipped", "complete"
	if c.streams {
		first = evidence.BoolText(c.begin.hasPassed())
	}
	if !c.hasPassed() {
		end = "failed"
	}
	return fmt.Sprintf("First token check pass: %s\nEOS check pass: %s\nSample length check pass: %s\n"+
		"TEST06 verification %s\n", first, evidence.BoolText(c.end.hasPassed()), evidence.BoolText(c.length.hasPassed()), end)
}
