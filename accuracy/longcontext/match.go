package longcontext

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// uuidPattern matches the identifiers hidden in a context: five groups of letters and digits.
var uuidPattern = regexp.MustCompile(`[\pL\pN_]{8}-[\pL\pN_]{4}-[\pL\pN_]{4}-[\pL\pN_]{4}-[\pL\pN_]{12}`)

// needleAgreement returns the agreement between the identifiers in an answer and those of the reference, in percent
// with two digits. Like the official script, it compares identifiers pairwise in order. The value of a pair is the
// share of the reference's characters that occur anywhere in the answer's identifier.
func needleAgreement(reference, answer string) float64 {
	wanted, found := uuidPattern.FindAllString(reference, -1), uuidPattern.FindAllString(answer, -1)
	if len(found) == 0 {
		return 0
	}
	sum := 0.0
	for i := range min(len(wanted), len(found)) {
		sum += containedShare(wanted[i], pystr.Lower(found[i]))
	}
	return pyfloat.Round(sum/float64(len(found))*100, 2)
}

// containedShare returns the share of the characters of wanted that occur in text, which must be in lower case.
func containedShare(wanted, text string) float64 {
	hits := 0
	for _, r := range wanted {
		if strings.Contains(text, pystr.LowerRune(r)) {
			hits++
		}
	}
	return float64(hits) / float64(utf8.RuneCountInString(wanted))
}

// answerMarker is the text that the prompt requires before the actual answer.
const answerMarker = "Answer: "

// acceptsAnswer reports whether an answer matches one of the accepted answers, which "|" separates in the reference.
// Like the official script, it accepts an answer that is part of the reference, even an empty one, and an answer that
// contains an accepted answer. It ignores white space and case.
func acceptsAnswer(reference, answer string) bool {
	if at := strings.LastIndex(answer, answerMarker); at >= 0 {
		answer = answer[at+len(answerMarker):]
	}
	if strings.Contains(reference, answer) {
		return true
	}
	answer = squeezeText(answer)
	for accepted := range strings.SplitSeq(reference, "|") {
		if strings.Contains(answer, squeezeText(accepted)) {
			return true
		}
	}
	return false
}

// squeezeText removes white space and converts to lower case.
func squeezeText(s string) string { return pystr.Lower(strings.Join(pystr.Fields(s), "")) }
