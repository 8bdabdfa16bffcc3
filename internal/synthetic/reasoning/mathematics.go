package reasoning

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// writeMathematics writes a question whose answer is LaTeX in a box. Its truth has a form of the official sets: the
// form of the answer, or one that a later step of the official grader finds equal.
func writeMathematics(r *draw.Random) Row {
	topics := []func(*draw.Random) Row{
		writeSumOfFractions, writeSumOfFractions, writeProduct, writeProduct, writeLowestTerms, writePower, writePower,
		writeRoot, writeExpression, writeExpression, writeMidpoint,
		writeInterval,
	}
	return drawOne(topics, r)(r)
}

// boxedRow returns the row of an answer.
func boxedRow(question, thought, answer, truth string) Row {
	return Row{Question: question, Thought: thought, Answer: fmt.Sprintf(`So it is \boxed{%s}.`, answer), Truth: truth}
}

func formatFraction(n, d int) string {
	if d == 1 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf(`\frac{%d}{%d}`, n, d)
}

// fractionForms returns the forms in which a truth may state a fraction in lowest terms.
func fractionForms(n, d int, r *draw.Random) string {
	if d == 1 {
		return strconv.Itoa(n)
	}
	switch r.IntBelow(8) {
	case 0:
		return fmt.Sprintf(`\dfrac{%d}{%d}`, n, d)
	case 1:
		return fmt.Sprintf("%d/%d", n, d)
	case 2:
		if d == 2 || d == 4 || d == 5 {
			return strconv.FormatFloat(float64(n)/float64(d), 'f', -1, 64) // two decimals or fewer, exact in any rounding
		}
	}
	return formatFraction(n, d)
}

// writeSumOfFractions writes a sum of fractions with one denominator. If it is 10, the question requests tenths, but
// the worked answer reduces the fraction, as language models do. The official grader does not accept the reduced form.
func writeSumOfFractions(r *draw.Random) Row {
	a, b, d := r.IntBetween(1, 9), r.IntBetween(1, 9), r.IntBetween(3, 48)
	if r.Chance(8) {
		d = 10
	}
	steps, n, m := reduceFraction(a+b, d)
	text := fmt.Sprintf(`Compute \frac{%d}{%d}+\frac{%d}{%d}.`, a, d, b, d)
	truth := fractionForms(n, m, r)
	if d == 10 {
		text = strings.TrimSuffix(text, ".") + " in tenths."
		truth = formatFraction(a+b, d)
	}
	return boxedRow(text, fmt.Sprintf("%d+%d=%d;%s", a, b, a+b, steps), formatFraction(n, m), truth)
}

func writeProduct(r *draw.Random) Row {
	a, b, c, d := r.IntBetween(1, 9), r.IntBetween(2, 9), r.IntBetween(1, 9), r.IntBetween(2, 9)
	steps, n, m := reduceFraction(a*c, b*d)
	question := fmt.Sprintf(`Compute \frac{%d}{%d}\cdot\frac{%d}{%d}.`, a, b, c, d)
	thought := fmt.Sprintf("%d*%d=%d;%d*%d=%d;%s", a, c, a*c, b, d, b*d, steps)
	return boxedRow(question, thought, formatFraction(n, m), fractionForms(n, m, r))
}

func writeLowestTerms(r *draw.Random) Row {
	for {
		n, d := r.IntBetween(2, 60), r.IntBetween(2, 60)
		steps, p, q := reduceFraction(n, d)
		if p == n || commonDivisor(p, q) > 1 {
			continue
		}
		text := drawOne([]string{`Write \frac{%d}{%d} in lowest terms.`, `Reduce the fraction \frac{%d}{%d}.`}, r)
		return boxedRow(fmt.Sprintf(text, n, d), steps, formatFraction(p, q), fractionForms(p, q, r))
	}
}

// writePower writes a question whose answer is an integer. Its truth may contain a unit.
func writePower(r *draw.Random) Row {
	a, b := r.IntBetween(2, 20), r.IntBetween(100, 500)
	steps, sum := computeByHand('+', a*a, b)
	forms := []string{"%d", "%d", "%d", "%d", `\$%d`, `%d\text{ cm}`, "%d meters", `%d^\circ`, "x=%d", `\text{%d}`, "%d.0"}
	return boxedRow(fmt.Sprintf("Compute %d^2+%d.", a, b), fmt.Sprintf("%d*%d=%03d;%s", a, a, a*a, steps),
		strconv.Itoa(sum),
		fmt.Sprintf(drawOne(forms, r), sum))
}

func writeRoot(r *draw.Random) Row {
	c, a, b := r.IntBetween(2, 9), r.IntBetween(2, 9), drawOne([]int{2, 3, 5, 6, 7}, r)
	text := drawOne([]string{`Simplify %d\sqrt{%d}.`, `Take squares out of the root in %d\sqrt{%d}.`}, r)
	truth := fmt.Sprintf(`%d\sqrt{%d}`, c*a, b)
	if r.Chance(25) {
		truth = fmt.Sprintf(`\sqrt{%d}`, c*c*a*a*b)
	}
	return boxedRow(fmt.Sprintf(text, c, a*a*b), fmt.Sprintf("%d=%d*%d*%d;%d*%d=%d", a*a*b, a, a, b, c, a, c*a),
		fmt.Sprintf(`%d\sqrt{%d}`, c*a, b), truth)
}

func writeExpression(r *draw.Random) Row {
	a, b, c, x := r.IntBetween(2, 9), r.IntBetween(2, 9), r.IntBetween(2, 9), drawOne([]string{"x", "y", "n", "t"}, r)
	answer := fmt.Sprintf("%d%s+%d", a+c, x, a*b)
	truth := answer
	switch r.IntBelow(8) {
	case 0, 1:
		truth = fmt.Sprintf("%d+%d%s", a*b, a+c, x)
	case 2:
		truth = fmt.Sprintf("%d(%s+%d)+%d%s", a, x, b, c, x)
	case 3:
		truth = fmt.Sprintf("%d%s + %d", a+c, x, a*b)
	}
	return boxedRow(fmt.Sprintf("Simplify %d(%s+%d)+%d%s.", a, x, b, c, x),
		fmt.Sprintf("%d+%d=%d;%d*%d=%d", a, c, a+c, a, b, a*b), answer, truth)
}

func writeMidpoint(r *draw.Random) Row {
	a, b, c, d := r.IntBetween(1, 9), r.IntBetween(1, 9), r.IntBetween(1, 9), r.IntBetween(1, 9)
	question := fmt.Sprintf("Which point lies halfway between (%d,%d) and (%d,%d)?", a, b, c, d)
	left, n, m := reduceFraction(a+c, 2)
	right, p, q := reduceFraction(b+d, 2)
	thought := fmt.Sprintf("%d+%d=%d;%s\n%d+%d=%d;%s", a, c, a+c, left, b, d, b+d, right)
	return boxedRow(question, thought, fmt.Sprintf(`\left(%s,%s\right)`, formatFraction(n, m), formatFraction(p, q)),
		fmt.Sprintf("(%s, %s)", fractionForms(n, m, r), fractionForms(p, q, r)))
}

func writeInterval(r *draw.Random) Row {
	a := r.IntBetween(1, 60)
	b := r.IntBetween(a+1, 99)
	open, shut := drawOne([]string{"(", "["}, r), drawOne([]string{")", "]"}, r)
	told := map[string]string{"(": "left out", "[": "included", ")": "left out", "]": "included"}
	answer := fmt.Sprintf("%s%d,%d%s", open, a, b, shut)
	return boxedRow(fmt.Sprintf("Give as an interval: from %d, %s, to %d, %s.", a, told[open], b, told[shut]),
		told[open]+";"+told[shut], answer, drawOne([]string{answer, fmt.Sprintf("%s%d, %d%s", open, a, b, shut)}, r))
}
