package longcontext

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// uuids matches the identifiers that are hidden in a context: five groups of letters and digits.
var uuids = regexp.MustCompile(`[\pL\pN_]{8}-[\pL\pN_]{4}-[\pL\pN_]{4}-[\pL\pN_]{4}-[\pL\pN_]{12}`)

// needleAgreement is how well the identifiers in an answer agree with those of the reference, in percent with two
// digits. As in the official script, the first is compared with the first and so on, and a pair counts by the part of
// the reference's characters that occur anywhere in the answer's.
func needleAgreement(reference, answer string) float64 {
	wanted, found := uuids.FindAllString(reference, -1), uuids.FindAllString(answer, -1)
	if len(found) == 0 {
		return 0
	}
	sum := 0.0
	for i := range min(len(wanted), len(found)) {
		sum += containedShare(wanted[i], pystr.Lower(found[i]))
	}
	return pyfloat.Round(sum/float64(len(found))*100, 2)
}

// containedShare is the part of the characters of wanted that occur in text, which is in lower case.
func containedShare(wanted, text string) float64 {
	hits := 0
	for _, r := range wanted {
		if strings.Contains(text, pystr.LowerRune(r)) {
			hits++
		}
	}
	return float64(hits) / float64(utf8.RuneCountInString(wanted))
}

// marker is what the prompt asks for before the answer proper.
const marker = "Answer: "

// acceptsAnswer tells whether an answer is one of those accepted, which "|" separates in the reference. As in the
// official script, an answer that is part of the reference is right, an empty one too, and so is one that contains an
// accepted answer, where white space and case do not count.
func acceptsAnswer(reference, answer string) bool {
	if at := strings.LastIndex(answer, marker); at >= 0 {
		answer = answer[at+len(marker):]
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

// squeezeText removes white space and upper case.
func squeezeText(s string) string { return pystr.Lower(strings.Join(pystr.Fields(s), "")) }
