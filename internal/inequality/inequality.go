// Package inequality parses texts such as "p99 < 12ms" in conditions on runs (failif) and objectives of servers
// (serving/objective).
//
// In scope: operators, numbers with units, units of time. Out of scope: the names on the left side, and their units.
package inequality

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Operator compares a measured value with a limit.
type Operator string

// The operators.
const (
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	Equal          Operator = "=="
	NotEqual       Operator = "!="
)

// operators lists the longer operators first, because the shorter ones are their prefixes.
var operators = [...]Operator{GreaterOrEqual, LessOrEqual, Equal, NotEqual, Greater, Less}

// CutOperator splits a text at its first operator and trims spaces from both sides. ok is false if there is no
// operator.
func CutOperator(text string) (left string, op Operator, right string, ok bool) {
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return text, "", "", false
	}
	for _, op := range operators {
		if strings.HasPrefix(text[at:], string(op)) {
			return strings.TrimSpace(text[:at]), op, strings.TrimSpace(text[at+len(op):]), true
		}
	}
	return text, "", "", false
}

// Holds reports whether v and limit satisfy the operator.
func (o Operator) Holds(v, limit float64) bool {
	switch o {
	case Greater:
		return v > limit
	case GreaterOrEqual:
		return v >= limit
	case Less:
		return v < limit
	case LessOrEqual:
		return v <= limit
	case Equal:
		return v == limit
	}
	return v != limit
}

// Quantity is a number with a unit.
type Quantity struct {
	Value  float64 // finite
	Unit   string  // empty: none was given
	Signed bool    // the number begins with + or -

	digits string
}

// ParseQuantity parses a number and its unit. ok is false if the text does not begin with a finite number.
func ParseQuantity(text string) (q Quantity, ok bool) {
	q.Signed = strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-")
	q.digits = strings.TrimRightFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
	v, err := strconv.ParseFloat(q.digits, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return Quantity{}, false
	}
	q.Value, q.Unit = v, strings.TrimSpace(text[len(q.digits):])
	return q, true
}

// ScaledValue returns the value times 10^power, rounded once: 99.9 % is 0.999, not 0.9990000000000001.
func (q Quantity) ScaledValue(power int) float64 {
	if v, err := strconv.ParseFloat(q.digits+"e"+strconv.Itoa(power), 64); err == nil {
		return v
	}
	return q.Value * math.Pow10(power)
}

// TimeUnitPower returns log10 of the nanoseconds in a unit of time. ok is false if the unit is unknown.
func TimeUnitPower(unit string) (power int, ok bool) {
	switch unit {
	case "ns":
		return 0, true
	case "us", "µs", "μs":
		return 3, true
	case "ms":
		return 6, true
	case "s":
		return 9, true
	}
	return 0, false
}
