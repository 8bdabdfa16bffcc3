// Package failif reads conditions on the figures of runs, such as "Server.p99 > +5%", and reports which are met.
//
//	condition = [ [ model "/" ] scenario "." ] metric operator value .
//	operator  = ">" | ">=" | "<" | "<=" | "==" | "!=" .
//	value     = [ "+" | "-" ] number [ unit ] .
//
// Package metric lists the metrics. A value with a sign is a change against a base, in percent with the unit "%",
// otherwise in the metric's unit. A value without a sign is compared with the run's figure. The units of latencies are
// ns, us, ms and s.
package failif

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/internal/inequality"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Condition is a parsed condition.
type Condition struct {
	Text     string // as the user wrote it
	Model    string // empty: any
	Scenario string // LoadGen's name; empty: any
	Metric   string
	op       inequality.Operator
	value    inequality.Quantity // a signed value is a change
}

// maxLength is the maximum length of a condition in bytes.
const maxLength = 1000

// Parse reads a condition. It does not check whether the metric exists; Check does.
func Parse(text string) (Condition, error) {
	c := Condition{Text: strings.TrimSpace(text)}
	if len(text) > maxLength {
		return c, fmt.Errorf("a condition of %d characters, want %d at most", len(text), maxLength)
	}
	subject, op, value, ok := inequality.CutOperator(c.Text)
	if !ok {
		return c, c.conditionError("no operator (>, >=, <, <=, ==, !=)")
	}
	c.op = op
	if err := c.readSubject(subject); err != nil {
		return c, err
	}
	if c.value, ok = inequality.ParseQuantity(value); !ok {
		return c, c.conditionError(fmt.Sprintf("%q is no number with a unit", value))
	}
	return c, nil
}

func (c Condition) conditionError(what string) error {
	return fmt.Errorf("condition %q: %s; want [SCENARIO.]METRIC OPERATOR VALUE, such as Server.p99 > 12ms, or against a "+
		"base Server.p99 > +5%%", c.Text, what)
}

// joinWords joins the words of a text with dots to suggest a name. A percentile goes to the end, as in ttft.p99.
func joinWords(text string) string {
	words := strings.Fields(text)
	if _, ok := metrics.ParsePercentile(strings.ToLower(words[0])); ok {
		words = append(words[1:], words[0])
	}
	return strconv.QuoteToASCII(strings.Join(words, "."))
}

// readSubject reads the text to the left of the operator.
func (c *Condition) readSubject(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return c.conditionError(fmt.Sprintf("%q is more than one name; names are joined by a dot: %s", text, joinWords(text)))
	}
	if model, rest, ok := strings.Cut(text, "/"); ok {
		if model == "" {
			return c.conditionError("no model before the /")
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
		return c.conditionError("no metric")
	}
	return nil
}

// IsChange reports whether the condition is on the change against a base.
func (c Condition) IsChange() bool { return c.value.Signed }
