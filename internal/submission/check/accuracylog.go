package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// maxLog is the maximum size in bytes of a submission's accuracy log.
const maxLog = 10 << 10

// hexDigest matches a digest: whole words of 32 bits.
var hexDigest = regexp.MustCompile(`^([0-9a-fA-F]{8}){1,16}$`)

// checkHash checks that accuracy.txt contains the hash of the accuracy log.
func (r *resultFolder) checkHash(name string, lines []string) {
	if r.checker.features.WholeLogs {
		return
	}
	rule := ruleHash
	if !r.isClosed() {
		rule = ruleOpen
	}
	do := "cut the accuracy log with harness submission truncate, which writes it"
	hash := hashOf(lines)
	switch {
	case hash == "":
		r.addReject(rule, name, "the hash of the accuracy log is missing", "", "a line hash= with letters and digits", do)
	case !hexDigest.MatchString(hash):
		r.addWarning(ruleHash, name, "the hash is no digest", hash, "the SHA-256 sum of the whole accuracy log", do)
	}
}

func hashOf(lines []string) string {
	for _, line := range lines {
		if hash, ok := result.ParseHash(line); ok {
			return hash
		}
	}
	return ""
}

// checkAccuracyLog checks the accuracy log, which is truncated in a submission.
func (r *resultFolder) checkAccuracyLog() {
	name := path.Join(r.Accuracy(), tree.AccuracyLog)
	e, _ := r.checker.tree.Entry(name)
	if !r.checker.tree.HasFile(name) {
		r.addReject(ruleFiles, name, "a log is missing", "", name, "add the run's accuracy log")
		return
	}
	if e.Size > maxLog && r.checker.features.WholeLogs {
		return // the scorer requires the outputs of a whole log
	}
	if e.Size > maxLog {
		r.addReject(ruleTruncation, name, "the accuracy log is not cut short", fmt.Sprintf("%d bytes", e.Size),
			fmt.Sprintf("at most %d bytes", maxLog),
			"cut it with harness submission truncate, and keep the whole log elsewhere")
		return
	}
	text, err := r.checker.readBytes(name)
	whole := false
	if err == nil {
		whole, err = accuracyLogForm(text)
	}
	if err != nil {
		r.addReject(ruleTruncation, name, "it is no accuracy log", err.Error(),
			"LoadGen's list of outputs, whole or cut short",
			"file the accuracy run's log")
		return
	}
	if whole {
		r.checkHashOf(text)
	}
}

// checkHashOf compares a complete log with its hash, which is the hash of the file or of LoadGen's original with Unix
// line ends.
func (r *resultFolder) checkHashOf(log []byte) {
	text, err := r.checker.readText(r.accuracyFile())
	if err != nil {
		return // checkAccuracyText reports it
	}
	want, filed := digestOf(unixLines(log)), digestOf(log)
	if hash := hashOf(strings.Split(text, "\n")); len(hash) == len(want) && !strings.EqualFold(hash, want) &&
		!strings.EqualFold(hash, filed) {
		r.addReject(ruleHash, r.accuracyFile(), "the hash is not that of the accuracy log", hash, want,
			"file the log and the hash of one run")
	}
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// unixLines converts a text to LoadGen's line ends. Git changes them if core.autocrlf is set.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// dataField matches the start of an output in the log.
var dataField = regexp.MustCompile(`"data"\s*:\s*"`)

// truncationGap replaces the middle of a truncated log.
var truncationGap = []byte("\n\n...\n\n")

// accuracyLogForm returns an error if a text is not an accuracy log. whole is false if the log is truncated. Windows
// line ends are accepted.
func accuracyLogForm(text []byte) (whole bool, err error) {
	text = unixLines(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return false, errors.New("it is empty")
	}
	head, tail, isCut := bytes.Cut(text, truncationGap)
	entries, err := countEntries(head)
	switch {
	case isCut && entries > 0 && bytes.HasSuffix(bytes.TrimSpace(tail), []byte("]")):
		return false, nil
	case isCut && entries == 0 && dataField.Match(head) && bytes.HasPrefix(head, []byte("[")):
		return false, nil // a single output exceeds the kept part, or another program has rewritten the log
	case isCut && entries > 0:
		return false, errors.New("its end is cut off: the last byte is no ]")
	case isCut:
		return false, errors.New("what is left of it is no list of outputs")
	case err != nil:
		return false, err
	case entries == 0:
		return true, errors.New("it holds no output")
	}
	return true, nil
}

// countEntries returns the number of readable outputs, and the error of the first unreadable one.
func countEntries(text []byte) (int, error) {
	log := mllog.NewAccuracyReader(bytes.NewReader(text))
	for n := 0; ; n++ {
		if _, err := log.Next(); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}
