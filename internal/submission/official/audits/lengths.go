package audits

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// judgeLengths reproduces TEST09's run_verification.py.
func judgeLengths(r Request) Verdict {
	const title = "TEST09: Verify Output Token Length in Performance Mode\n"
	v := newVerdict(r)
	v.Stdout = evidence.SeparatorLine + "\n" + title + evidence.SeparatorLine + "\n"
	stop := func(text string) Verdict { v.Stdout, v.Exit = v.Stdout+text, 1; return v }
	if text := missingFolderText(r); text != "" {
		return stop(text)
	}
	least, most, text := lengthBounds(r)
	v.Stdout += text
	if least == nil || most == nil {
		return stop("Error: Output token thresholds not specified.\n" +
			"Provide --min-output-tokens and --max-output-tokens, or --audit-config with test09_* fields.\n")
	}
	v.Stdout += fmt.Sprintf("\nUsing thresholds:\n  Min output tokens: %s\n  Max output tokens: %s\n%s\n"+
		"\nParsing MLPerf accuracy log...\nReading MLPerf log: %s\n",
		pyfloat.Repr(*least), pyfloat.Repr(*most), evidence.SeparatorLine, r.Run.Accuracy)
	lengths, err := readLengths(r.Run.Accuracy, &v.Stdout)
	switch {
	case err != nil:
		return stop(evidence.EndingText(err))
	case len(lengths) == 0:
		return stop("Error: No entries found in MLPerf log\n")
	}
	judged := evidence.JudgeLengths(lengths, *least, *most)
	v.Pass, v.Accuracy = judged.Pass, audit.OutcomeOf(judged.Pass)
	if !v.Pass {
		v.Exit = 1
	}
	v.Stdout += judged.Printed
	v.Texts = map[string]string{tree.VerifyOutputLength: judged.File}
	v.TakeLogs(r.Request)
	v.Stdout += fmt.Sprintf("\n%s\nTEST09 verification complete\nResults written to: %s\n%s\n",
		evidence.SeparatorLine, evidence.JoinPaths(r.Out, r.Test), evidence.SeparatorLine)
	return v
}

// lengthBounds returns the limits in use, and the script's output about them.
func lengthBounds(r Request) (least, most *float64, text string) {
	if r.AuditConfig == "" {
		return r.MinTokens, r.MaxTokens, ""
	}
	text = fmt.Sprintf("Reading audit.config from: %s\n", r.AuditConfig)
	keys := []string{evidence.MinTokensKey, evidence.MaxTokensKey}
	found, err := evidence.ReadBounds(r.AuditConfig, keys, true, func(name, value string) {
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
	least = bound(evidence.MinTokensKey, "min", r.MinTokens)
	most = bound(evidence.MaxTokensKey, "max", r.MaxTokens)
	return least, most, text
}

// readLengths returns the numbers of tokens of all entries. It appends the script's output to out.
func readLengths(path string, out *string) ([]int, error) {
	var warnings string
	lengths := []int{}
	add := func(e encodedFields) error { lengths = append(lengths, payloadLength(e, &warnings)); return nil }
	err := eachEntry(path, add)
	if isNoList(err) || err == nil && startsWithObject(path) {
		lengths, warnings = lengths[:0], ""
		if err = eachUnlistedEntry(path, out, add); err == nil {
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

// startsWithObject reports whether a file starts with an object instead of the usual list.
func startsWithObject(path string) (yes bool) {
	stop := errors.New("enough")
	_ = evidence.EachFileLine(path, func(_ int, line string) error {
		line = strings.TrimSpace(line)
		yes = strings.HasPrefix(line, "{")
		if line != "" {
			return stop
		}
		return nil
	})
	return yes
}

// payloadLength returns the number of whole 4-byte tokens in an entry's payload, or 0 if it cannot be read.
func payloadLength(e encodedFields, warnings *string) int {
	raw, ok := e["data"]
	if !ok || string(raw) == `""` || string(raw) == "null" || string(raw) == "false" || string(raw) == "0" {
		return 0
	}
	text, err := e.textField("data")
	n := 0
	if err == nil {
		n, err = hexBytes(strings.TrimSpace(text), nil)
	}
	if err != nil {
		sample, ok := e["qsl_idx"]
		if !ok {
			sample = json.RawMessage("None")
		}
		*warnings += fmt.Sprintf("Warning: Error decoding entry %s: %s\n", sample, evidence.ErrorText(err))
		return 0
	}
	return n / 4
}

// eachUnlistedEntry reads a log that is not a list but has one or more objects per line.
func eachUnlistedEntry(path string, out *string, use func(encodedFields) error) error {
	return evidence.EachFileLine(path, func(i int, line string) error {
		line, parsed := strings.TrimSpace(line), 0
		for line != "" {
			entry, rest, err := cutObject(line)
			if errors.Is(err, errNoObject) {
				return evidence.ErrDiedf("AttributeError: an entry of line %d is no object", i+1)
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

// cutObject reads the first JSON value of a line, which must be an object.
func cutObject(line string) (entry encodedFields, rest string, err error) {
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
