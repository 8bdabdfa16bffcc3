package products

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ProductAnswer is a model's answer about a product.
type ProductAnswer struct {
	Category   string // levels joined by " > "
	Brand      string
	SecondHand bool
}

// ErrAnswer is wrapped by the errors for answers that are not the requested object. Such answers count as wrong.
var ErrAnswer = errors.New("the answer is not the object asked for")

// Parse reads an answer in the same way as pydantic in its lax mode. The answer is one JSON object with the keys
// category, brand and is_secondhand, surrounded only by blanks. If a key is repeated, the last value counts. NaN and
// Infinity are numbers. is_secondhand may also be 0, 1 or a word such as "yes". The error describes the fault and wraps
// ErrAnswer.
func Parse(text string) (ProductAnswer, error) {
	a, err := parseAnswer(text)
	if err != nil {
		return ProductAnswer{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return a, nil
}

// answerKeys contains the keys of an answer.
var answerKeys = []string{"category", "brand", "is_secondhand"}

func parseAnswer(text string) (a ProductAnswer, err error) {
	s := jsonScanner{text: text}
	found := map[string]jsonValue{}
	object := s.readDocument(func(key string, v jsonValue) { found[key] = v })
	if s.err != nil {
		return a, s.err
	}
	if object.kind != '{' {
		return a, fmt.Errorf("it is %v, want an object", object)
	}
	for key := range found {
		if !slices.Contains(answerKeys, key) {
			return a, fmt.Errorf("it has a key %.40q, want %s alone", key, strings.Join(answerKeys, ", "))
		}
	}
	for _, key := range answerKeys {
		if _, ok := found[key]; !ok {
			return a, fmt.Errorf("it has no %s", key)
		}
	}
	for i, target := range []*string{&a.Category, &a.Brand} {
		v := found[answerKeys[i]]
		if v.kind != '"' {
			return a, fmt.Errorf("%s is %v, want a text", answerKeys[i], v)
		}
		*target = unquoteString(v.raw)
	}
	v := found["is_secondhand"]
	secondHand, ok := v.boolValue()
	if !ok {
		return a, fmt.Errorf("is_secondhand is %v, want true or false", v)
	}
	a.SecondHand = secondHand
	return a, nil
}

// boolValue returns the truth value that pydantic's lax mode converts v to. ok is false if it cannot convert v.
func (v jsonValue) boolValue() (truth, ok bool) {
	switch v.kind {
	case 't', 'f':
		return v.kind == 't', true
	case '"':
		switch asciiLower(unquoteString(v.raw)) {
		case "1", "on", "t", "true", "y", "yes":
			return true, true
		case "0", "off", "f", "false", "n", "no":
			return false, true
		}
		return false, false
	}
	n, err := strconv.ParseFloat(v.raw, 64) // fails if raw is not a number
	return n == 1, err == nil && (n == 0 || n == 1)
}

// asciiLower converts only ASCII letters to lower case. Unicode's conversion also maps some other letters to ASCII
// letters.
func asciiLower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, text)
}

// unquoteString returns the value of a JSON string that the scanner has checked.
func unquoteString(raw string) (text string) {
	if inner := raw[1 : len(raw)-1]; strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	if err := json.Unmarshal([]byte(raw), &text); err != nil {
		return ""
	}
	return text
}
