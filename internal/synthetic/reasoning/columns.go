package reasoning

import (
	"fmt"
	"strings"
)

// computeByHand computes a sum, a difference or a product with a one-digit number by hand, beginning with the units.
// For each column it writes both digits, the carry into it, and the two digits of the result; the first of these is the
// next carry. All numbers are from 0 to 999 and have three digits. It returns the text and the result.
func computeByHand(op byte, a, b int) (string, int) {
	var text strings.Builder
	if op == '*' {
		fmt.Fprintf(&text, "%03d*%d:", a, b)
	} else {
		fmt.Fprintf(&text, "%03d%c%03d:", a, op, b)
	}
	result, carry, unit := 0, 0, 1
	for range 3 {
		x, y := a/unit%10, b/unit%10
		sign, digit, next := op, 0, 0
		switch op {
		case '+':
			next, digit = (x+y+carry)/10, (x+y+carry)%10
		case '-':
			digit = x - y - carry
			if digit < 0 {
				next, digit = 1, digit+10
			}
		case '*':
			y, sign = b, '+'
			next, digit = (x*y+carry)/10, (x*y+carry)%10
		}
		fmt.Fprintf(&text, "%d%c%d%c%d=%d%d;", x, op, y, sign, carry, next, digit)
		result, carry, unit = result+digit*unit, next, unit*10
	}
	fmt.Fprintf(&text, "%03d", result)
	return text.String(), result
}

// reduceFraction removes common factors from a fraction, the smallest first. It returns the steps and the reduced
// fraction.
func reduceFraction(n, d int) (string, int, int) {
	text := fmt.Sprintf("%d/%d", n, d)
	for _, p := range []int{2, 3, 5, 7} {
		for n%p == 0 && d%p == 0 {
			n, d = n/p, d/p
			text += fmt.Sprintf(";%d:%d/%d", p, n, d)
		}
	}
	return text, n, d
}

func commonDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
