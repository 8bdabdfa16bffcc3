package mathgrade

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Step is the step of the comparison that decided whether two answers are equal.
type Step uint8

// The steps, in their order.
const (
	Missing        Step   = iota // one of the texts is empty: not equal
	FirstForm                    // the first normal forms are equal: equal
	SecondForm                   // the second normal forms are equal: equal
	Vanished                     // the second normal form of the given answer is empty: not equal
	Brackets                     // tuples with different brackets: not equal
	Count                        // tuples of different lengths: not equal
	FractionText                 // fractions, compared as text
	IntegerText                  // an integer and a non-integer: not equal
	Refused                      // the official rules exclude it from algebra: not equal
	Unreadable                   // algebra cannot read it: not equal
	Bounded                      // algebra would exceed its limits: not equal
	AlgebraEqual                 // the difference is 0
	AlgebraDiffers               // the difference is not 0
	Steps          = iota        // number of steps
)

var stepNames = [Steps]string{
	"empty", "first normal form", "second normal form", "nothing left", "brackets", "number of elements",
	"fractions as text", "integer and other", "refused by algebra", "unreadable to algebra",
	"beyond the bounds of algebra", "equal by algebra", "different by algebra",
}

func (s Step) String() string { return stepNames[s] }

// GradeVerdict states whether a given answer equals the true one, and the step that decided.
type GradeVerdict struct {
	Equal bool
	Step  Step
	// Element is the index of the tuple's element that decided; it is the last one if all are equal.
	Element int
	// Numeric means that a difference was found to be 0 numerically, to 40 digits, and not by exact arithmetic.
	Numeric bool
}

// Algebra decides cases that the comparison of texts cannot decide.
type Algebra interface {
	// Name returns the name of the algebra: "own", "SymPy 1.14.0".
	Name() string
	// Vanishes reports whether an expression, "(truth)-(given)", is 0 for all values of its letters. The step is
	// AlgebraEqual or AlgebraDiffers, or Unreadable or Bounded if the algebra cannot decide. An error, including the end
	// of ctx, ends the scoring.
	Vanishes(ctx context.Context, expression string) (step Step, numeric bool, err error)
}

// Grade compares a given answer with the true one like the grader of PRM800K. The error is an error of the algebra.
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

// splitElements returns the elements of a tuple or an interval without inner brackets, or the text itself.
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

// isFraction reports whether a text looks like a fraction of integers: -, digits, any character, /, a number above 0,
// any character. The sign and the two characters are optional.
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

// isRefused reports whether an expression contains more than two letters, or a power of more than one digit.
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
