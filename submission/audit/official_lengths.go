package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// officialTEST09 is TEST09's run_verification.py.
func officialTEST09(r Request) Verdict {
	const title = "TEST09: Verify Output Token Length in Performance Mode\n"
	v := Verdict{Test: r.Test, Stdout: rule80 + "\n" + title + rule80 + "\n"}
	stop := func(text string) Verdict { v.Stdout, v.Exit = v.Stdout+text, 1; return v }
	if text := officialFolder(r); text != "" {
		return stop(text)
	}
	least, most, text := officialLengthBounds(r)
	v.Stdout += text
	if least == nil || most == nil {
		return stop("Error: Output token thresholds not specified.\n" +
			"Provide --min-output-tokens and --max-output-tokens, or --audit-config with test09_* fields.\n")
	}
	v.Stdout += fmt.Sprintf("\nUsing thresholds:\n  Min output tokens: %s\n  Max output tokens: %s\n%s\n"+
		"\nParsing MLPerf accuracy log...\nReading MLPerf log: %s\n",
		pyfloat.Repr(*least), pyfloat.Repr(*most), rule80, r.Run.Accuracy)
	lengths, err := officialLengths(r.Run.Accuracy, &v.Stdout)
	switch {
	case err != nil:
		return stop(ending(err))
	case len(lengths) == 0:
		return stop("Error: No entries found in MLPerf log\n")
	}
	v.judgeLengths(lengths, *least, *most)
	v.Stdout += v.officialCopies(r, "") + fmt.Sprintf("\n%s\nTEST09 verification complete\nResults written to: %s\n%s\n",
		rule80, join(r.Out, r.Test), rule80)
	return v
}

// officialLengthBounds are the bounds that count, and what is printed of them.
func officialLengthBounds(r Request) (least, most *float64, text string) {
	if r.AuditConfig == "" {
		return r.MinTokens, r.MaxTokens, ""
	}
	text = fmt.Sprintf("Reading audit.config from: %s\n", r.AuditConfig)
	found, err := auditBounds(r.AuditConfig, []string{minTokensKey, maxTokensKey}, true, func(name, value string) {
		text += fmt.Sprintf("Warning: Invalid %s value: %s\n", strings.TrimPrefix(name, "test09_"), value)
	})
	if err != nil {
		text += fmt.Sprintf("Warning: Error parsing audit.config: %v\n", err)
	}
	bound := func(key, short string, given *float64) *float64 {
		own, ok := found[key]
		if !ok {
			return given
		}
		text += fmt.Sprintf("Found %s in audit.config: %s\n", strings.TrimPrefix(key, "test09_"), pyfloat.Repr(own))
		if given == nil {
			return &own
		}
		text += fmt.Sprintf("CLI %s (%s) overrides audit.config (%s)\n", short, pyfloat.Repr(*given), pyfloat.Repr(own))
		return given
	}
	least = bound(minTokensKey, "min", r.MinTokens)
	most = bound(maxTokensKey, "max", r.MaxTokens)
	return least, most, text
}

// officialLengths are the numbers of tokens of all entries; what is printed on the way goes to out.
func officialLengths(path string, out *string) ([]int, error) {
	var warnings string
	lengths := []int{}
	add := func(e fields) error { lengths = append(lengths, officialLength(e, &warnings)); return nil }
	err := eachEntry(path, add)
	if errors.Is(err, errNotJSON) || errors.Is(err, errNoList) || err == nil && beginsObject(path) {
		lengths, warnings = lengths[:0], ""
		if err = eachLoose(path, out, add); err == nil {
			*out += fmt.Sprintf("Loaded %d entries from MLPerf log\n", len(lengths))
		}
	} else if err == nil {
		*out += fmt.Sprintf("Loaded %d entries as JSON array\n", len(lengths))
	}
	if err != nil || len(lengths) == 0 {
		return nil, err
	}
	*out += fmt.Sprintf("\nComputing output token lengths for %d samples...\n", len(lengths)) + warnings
	return lengths, nil
}

// beginsObject says whether a file holds an object where a list is usual.
func beginsObject(path string) (yes bool) {
	stop := errors.New("enough")
	_ = withLines(path, func(_ int, line string) error {
		line = strings.TrimSpace(line)
		yes = strings.HasPrefix(line, "{")
		if line != "" {
			return stop
		}
		return nil
	})
	return yes
}

// officialLength is how many whole tokens of four bytes an entry's payload has; none where it cannot be read.
func officialLength(e fields, warnings *string) int {
	raw, ok := e["data"]
	if !ok || string(raw) == `""` || string(raw) == "null" || string(raw) == "false" || string(raw) == "0" {
		return 0
	}
	text, err := e.text("data")
	n := 0
	if err == nil {
		n, err = hexBytes(strings.TrimSpace(text), nil)
	}
	if err != nil {
		sample, ok := e["qsl_idx"]
		if !ok {
			sample = json.RawMessage("None")
		}
		*warnings += fmt.Sprintf("Warning: Error decoding entry %s: %s\n", sample, errorText(err))
		return 0
	}
	return n / 4
}

// errorText is a Python exception without its name.
func errorText(err error) string {
	_, text, _ := strings.Cut(err.Error(), ": ")
	return text
}

// eachLoose reads what is no list: an object on each line, or several.
func eachLoose(path string, out *string, use func(fields) error) error {
	return withLines(path, func(i int, line string) error {
		line, parsed := strings.TrimSpace(line), 0
		for line != "" {
			entry, rest, err := cutObject(line)
			if errors.Is(err, errNoObject) {
				return died("AttributeError: an entry of line %d is no object", i+1)
			}
			if err != nil {
				if parsed == 0 {
					*out += fmt.Sprintf("Warning: Line %d: Could not parse JSON\n", i+1)
				}
				return nil
			}
			parsed++
			if err := use(entry); err != nil {
				return err
			}
			line = strings.TrimSpace(rest)
		}
		return nil
	})
}

var errNoObject = errors.New("no object")

// cutObject takes the first JSON value of a line, which is to be an object.
func cutObject(line string) (entry fields, rest string, err error) {
	d := json.NewDecoder(strings.NewReader(line))
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, "", err
	}
	if value[0] != '{' {
		return nil, "", errNoObject
	}
	return entry, line[d.InputOffset():], errors.Join(json.Unmarshal(value, &entry))
}

// lengthStats are TEST09's figures.
type lengthStats struct {
	n, least, most int
	mean, spread   float64
}

func statsOf(lengths []int) lengthStats {
	s := lengthStats{n: len(lengths), least: lengths[0], most: lengths[0]}
	sum := 0
	for _, n := range lengths {
		sum += n
		s.least, s.most = min(s.least, n), max(s.most, n)
	}
	s.mean = float64(sum) / float64(s.n)
	squares := 0.0
	for _, n := range lengths {
		d := float64(n) - s.mean
		squares += float64(d * d)
	}
	s.spread = math.Sqrt(squares / float64(s.n))
	return s
}

func (s lengthStats) text() string {
	return fmt.Sprintf("Total samples: %d\nMean output tokens: %.2f\nMin output tokens: %d\nMax output tokens: %d\n"+
		"Std deviation: %.2f\n", s.n, s.mean, s.least, s.most, s.spread)
}

// judgeLengths compares the mean with the bounds and writes what the script does.
func (v *Verdict) judgeLengths(lengths []int, least, most float64) {
	s := statsOf(lengths)
	low, high := s.mean >= least, s.mean <= most
	v.Pass = low && high
	v.Accuracy = passed(v.Pass)
	if !v.Pass {
		v.Exit = 1
	}
	word := strings.TrimSuffix(officialWord(v.Pass), "\n")
	results := fmt.Sprintf("\n%s\nVerification Results\n%s\n", rule80, rule80)
	v.Stdout += fmt.Sprintf("\n%s\nOutput Token Length Statistics\n%s\n", rule80, rule80) + s.text() + results +
		fmt.Sprintf("Mean output tokens: %.2f\nMin threshold: %s -> %s\nMax threshold: %s -> %s\n\nOverall: %s",
			s.mean, pyfloat.Repr(least), passWord(low), pyfloat.Repr(most), passWord(high), word)
	file := rule80 + "\nTEST09: Verify Output Token Length in Performance Mode\n" + rule80 +
		"\n\nOutput Token Length Statistics\n" + strings.Repeat("-", 40) + "\n" + s.text() + results +
		fmt.Sprintf("Mean output tokens: %.2f\nMin threshold: %s\nMax threshold: %s\nMin check pass: %s\n"+
			"Max check pass: %s\n\n%s", s.mean, pyfloat.Repr(least), pyfloat.Repr(most), pyBool(low), pyBool(high), word)
	v.Texts = map[string]string{tree.VerifyOutputLength: file}
}

func passWord(ok bool) string {
	if ok {
		return "PASS"
	}
	return "FAIL"
}
