// Package failif reads conditions on the figures of runs, such as "Server.p99 > +5%", and says which are met.
//
//	condition = [ [ model "/" ] scenario "." ] metric operator value .
//	operator  = ">" | ">=" | "<" | "<=" | "==" | "!=" .
//	value     = [ "+" | "-" ] number [ unit ] .
//
// A metric is one of package metric's. A value with a sign is a change against a base: of so many percent with the unit
// "%", else in the metric's unit. One without is what a run measures. Latencies take ns, us, ms and s.
package failif

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Condition is one condition that was read.
type Condition struct {
	Text     string // as it was given
	Model    string // empty: any
	Scenario string // as LoadGen writes it; empty: any
	Metric   string
	op       string
	value    float64
	unit     string
	change   bool
}

// operators are the longer ones first.
var operators = [...]string{">=", "<=", "==", "!=", ">", "<"}

// longest is how long a condition may be.
const longest = 1000

// Parse reads a condition. Whether its metric is known, Check says.
func Parse(text string) (Condition, error) {
	c := Condition{Text: strings.TrimSpace(text)}
	if len(text) > longest {
		return c, fmt.Errorf("a condition of %d characters, want %d at most", len(text), longest)
	}
	at, op := operator(c.Text)
	if op == "" {
		return c, c.fault("no operator (>, >=, <, <=, ==, !=)")
	}
	c.op = op
	if err := c.readSubject(strings.TrimSpace(c.Text[:at])); err != nil {
		return c, err
	}
	return c, c.readValue(strings.TrimSpace(c.Text[at+len(op):]))
}

func (c Condition) fault(what string) error {
	return fmt.Errorf("condition %q: %s; want [SCENARIO.]METRIC OPERATOR VALUE, such as Server.p99 > 12ms, or against a "+
		"base Server.p99 > +5%%", c.Text, what)
}

// operator is the first one in text, and where it stands.
func operator(text string) (at int, op string) {
	at = strings.IndexAny(text, "<>=!")
	if at < 0 {
		return 0, ""
	}
	for _, op := range operators {
		if strings.HasPrefix(text[at:], op) {
			return at, op
		}
	}
	return 0, ""
}

// readSubject reads what is left of the operator.
func (c *Condition) readSubject(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return c.fault(fmt.Sprintf("%q is more than one name", text))
	}
	if model, rest, ok := strings.Cut(text, "/"); ok {
		if model == "" {
			return c.fault("no model before the /")
		}
		c.Model, text = model, rest
	}
	c.Metric = text
	if first, rest, ok := strings.Cut(text, "."); ok {
		if s, err := loadgen.ParseScenario(first); err == nil {
			c.Scenario, c.Metric = s.String(), rest
		}
	}
	if c.Metric == "" {
		return c.fault("no metric")
	}
	return nil
}

// readValue reads what is right of the operator.
func (c *Condition) readValue(text string) error {
	c.change = strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-")
	number := strings.TrimRightFunc(text, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return c.fault(fmt.Sprintf("%q is no number with a unit", text))
	}
	c.value, c.unit = v, strings.TrimSpace(text[len(number):])
	return nil
}

// Change says that the condition is on the change against a base.
func (c Condition) Change() bool { return c.change }

// holds applies the operator.
func (c Condition) holds(v, limit float64) bool {
	switch c.op {
	case ">":
		return v > limit
	case ">=":
		return v >= limit
	case "<":
		return v < limit
	case "<=":
		return v <= limit
	case "==":
		return v == limit
	}
	return v != limit
}
