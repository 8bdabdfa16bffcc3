package mathgrade

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Step is what decided whether two answers are equal.
type Step uint8

// The steps, in the order in which they may decide.
const (
	Missing        Step   = iota // one of the texts is empty: not equal
	FirstForm                    // the first normal forms are the same: equal
	SecondForm                   // the second normal forms are the same: equal
	Vanished                     // nothing is left of the given answer: not equal
	Brackets                     // tuples that begin or end otherwise: not equal
	Count                        // tuples of other lengths: not equal
	FractionText                 // fractions, compared as text
	IntegerText                  // an integer and something else: not equal
	Refused                      // too much for algebra, by the official rules: not equal
	Unreadable                   // algebra cannot read it: not equal
	Bounded                      // algebra would take too long: not equal
	AlgebraEqual                 // the difference is 0
	AlgebraDiffers               // the difference is not 0
	Steps          = iota        // how many there are
)

var stepNames = [Steps]string{
	"empty", "first normal form", "second normal form", "nothing left", "brackets", "number of elements",
	"fractions as text", "integer and other", "refused by algebra", "unreadable to algebra",
	"beyond the bounds of algebra", "equal by algebra", "different by algebra",
}

func (s Step) String() string { return stepNames[s] }

// GradeVerdict says whether a given answer equals the true one, and what decided it.
type GradeVerdict struct {
	Equal bool
	Step  Step
	// Element is which element of a tuple decided, from 0: the last one where all are equal.
	Element int
	// Numeric says that a difference was found to be 0 in figures, at 40 digits, and not by exact arithmetic.
	Numeric bool
}

// Algebra decides what texts alone do not.
type Algebra interface {
	// Name says who computes: "own", "SymPy 1.14.0".
	Name() string
	// Vanishes says whether an expression, "(truth)-(given)", is 0 for all values of its letters: AlgebraEqual or
	// AlgebraDiffers, or why it does not know: Unreadable or Bounded. An error, which ctx's end may be, ends the scoring.
	Vanishes(ctx context.Context, expression string) (step Step, numeric bool, err error)
}

// Grade compares a given answer with the true one, as the grader of PRM800K does. The error is the algebra's.
func Grade(ctx context.Context, given, truth string, algebra Algebra) (GradeVerdict, error) {
	if given == "" || truth == "" {
		return GradeVerdict{Step: Missing}, nil
	}
	if NormalizeFirst(given) == NormalizeFirst(truth) {
		return GradeVerdict{Equal: true, Step: FirstForm}, nil
	}
	t, g := NormalizeSecond(truth), NormalizeSecond(given)
	if t == g {
		return GradeVerdict{Equal: true, Step: SecondForm}, nil
	}
	if g == "" {
		return GradeVerdict{Step: Vanished}, nil
	}
	return compareForms(ctx, g, t, algebra)
}

// compareForms compares second normal forms, element by element.
func compareForms(ctx context.Context, given, truth string, algebra Algebra) (GradeVerdict, error) {
	t, g := splitElements(truth), splitElements(given)
	if len(t) > 1 && (truth[0] != given[0] || truth[len(truth)-1] != given[len(given)-1]) {
		return GradeVerdict{Step: Brackets}, nil
	}
	if len(t) != len(g) {
		return GradeVerdict{Step: Count}, nil
	}
	var v GradeVerdict
	for i := range t {
		e, err := compareElement(ctx, g[i], t[i], algebra)
		e.Element = i
		e.Numeric = e.Numeric || v.Numeric
		if v = e; err != nil || !v.Equal {
			return v, err
		}
	}
	return v, nil
}

// splitElements returns the elements of a tuple or an interval without brackets inside, or the text itself.
func splitElements(s string) []string {
	s = withoutThousands(s)
	if s == "" {
		return nil
	}
	const brackets = "()[]"
	n := len(s)
	if n < 3 || !strings.Contains(brackets, s[:1]) || !strings.Contains(brackets, s[n-1:]) ||
		strings.ContainsAny(s[1:n-1], brackets) {
		return []string{s}
	}
	parts := strings.Split(s[1:n-1], ",")
	for i := range parts {
		parts[i] = pystr.Trim(parts[i])
	}
	return parts
}

func compareElement(ctx context.Context, given, truth string, algebra Algebra) (GradeVerdict, error) {
	if isFraction(truth) && isFraction(given) {
		return GradeVerdict{Equal: truth == given, Step: FractionText}, nil
	}
	_, ti := parseIntegral(truth)
	if _, gi := parseIntegral(given); ti != gi {
		return GradeVerdict{Step: IntegerText}, nil
	}
	expression := "(" + truth + ")-(" + given + ")"
	if isRefused(expression) {
		return GradeVerdict{Step: Refused}, nil
	}
	step, numeric, err := algebra.Vanishes(ctx, expression)
	return GradeVerdict{Equal: step == AlgebraEqual, Step: step, Numeric: numeric}, err
}

// isFraction says whether a text looks like a fraction of integers: -, digits, any character, /, a number above 0, any
// character; the sign and the characters may be missing.
func isFraction(s string) bool {
	s = strings.TrimPrefix(s, "-")
	rest := strings.TrimLeft(s, "0123456789")
	if rest == s {
		return false
	}
	if strings.HasPrefix(rest, "/") && isDenominator(rest[1:]) {
		return true
	}
	r, n := utf8.DecodeRuneInString(rest)
	return n > 0 && r != '\n' && strings.HasPrefix(rest[n:], "/") && isDenominator(rest[n+1:])
}

func isDenominator(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	if strings.Trim(s[:len(s)-len(rest)], "0") == "" {
		return false
	}
	rest = strings.TrimSuffix(rest, "\n")
	return rest == "" || rest != "\n" && utf8.RuneCountInString(rest) == 1
}

// isRefused says whether an expression has more than two letters, or a power of more than one digit.
func isRefused(expression string) bool {
	var letters []rune
	for _, r := range strings.ReplaceAll(strings.ReplaceAll(expression, "sqrt", ""), "frac", "") {
		if !unicode.IsLetter(r) || strings.ContainsRune(string(letters), r) {
			continue
		}
		if letters = append(letters, r); len(letters) > 2 {
			return true
		}
	}
	for rest := expression; ; {
		_, behind, found := strings.Cut(rest, "^")
		if !found {
			return false
		}
		digits := len(behind) - len(strings.TrimLeft(behind, "0123456789"))
		if digits > 1 || strings.HasPrefix(behind, "(") || strings.HasPrefix(behind, "{") ||
			digits == 1 && strings.HasPrefix(behind[1:], "^") {
			return true
		}
		rest = behind
	}
}
