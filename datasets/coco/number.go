package coco

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// wholeNumber is a whole number, however it is written: 1007, 1007.0 as pandas writes it, 1.007e3.
type wholeNumber int64

// UnmarshalJSON implements json.Unmarshaler.
func (w *wholeNumber) UnmarshalJSON(text []byte) error {
	n, ok := wholeOf(text)
	if !ok {
		return typeError(text, w)
	}
	*w = wholeNumber(n)
	return nil
}

// maxWhole is the largest number up to which each whole one has a float64 of its own.
const maxWhole = 1 << 53

func wholeOf(text []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f == math.Trunc(f)) || math.Abs(f) > maxWhole {
		return 0, false
	}
	return int64(f), true
}

// categoryID is the identifier of a category, which models number: a whole number, in quotes, too.
type categoryID wholeNumber

// UnmarshalJSON implements json.Unmarshaler.
func (l *categoryID) UnmarshalJSON(text []byte) error {
	n, ok := wholeOf(text)
	if quoted := len(text) - 1; !ok && text[0] == '"' && quoted > 1 {
		n, ok = wholeOf(text[1:quoted])
	}
	if !ok {
		return typeError(text, l)
	}
	*l = categoryID(n)
	return nil
}

// boolFlag is what is 0 or 1, or false or true as several programs write it. Null is 0, as if it was not there.
type boolFlag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *boolFlag) UnmarshalJSON(text []byte) error {
	n, ok := wholeOf(text)
	switch {
	case ok && (n == 0 || n == 1):
		*f = n == 1
	case string(text) == "true" || string(text) == "false":
		*f = string(text) == "true"
	case string(text) == "null":
	default:
		return typeError(text, f)
	}
	return nil
}

// recordID is an identifier: a whole number, or a text as OpenImages has it.
type recordID struct {
	number wholeNumber
	text   string
	isText bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *recordID) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		i.isText = true
		return json.Unmarshal(text, &i.text)
	}
	if i.number.UnmarshalJSON(text) != nil {
		return typeError(text, i)
	}
	return nil
}

// String is the identifier as the file has it.
func (i *recordID) String() string {
	if i.isText {
		return strconv.Quote(i.text)
	}
	return strconv.FormatInt(int64(i.number), 10)
}

// typeError is the error for a value of another kind than to.
func typeError(text []byte, to any) error {
	found := map[byte]string{'"': "string", '{': "object", '[': "array", 't': "bool", 'f': "bool", 'n': "null"}[text[0]]
	if found == "" {
		found = "number " + string(text[:min(len(text), 40)])
	}
	return &json.UnmarshalTypeError{Value: found, Type: reflect.TypeOf(to).Elem()}
}

// withArticle puts the article before the name of a kind of values.
func withArticle(kind string) string {
	if kind[0] == 'a' || kind[0] == 'o' {
		return "an " + kind
	}
	return "a " + kind
}

// describeType says what a field is, for messages.
func describeType(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[wholeNumber](), reflect.TypeFor[categoryID]():
		return "a whole number"
	case reflect.TypeFor[boolFlag]():
		return "0, 1, false or true"
	case reflect.TypeFor[recordID]():
		return "a whole number or a text"
	}
	switch t.Kind() {
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	}
	return "a text"
}

// idSpace are the identifiers of one kind in a file, all of which are numbers, or all texts. Texts get numbers in the
// order of the texts, by which pycocotools sorts them.
type idSpace struct {
	numbers, texts bool
	known          map[string]int64 // by the order in which they came
}

// numberOf is the number of an identifier: of a text one until settle.
func (s *idSpace) numberOf(i *recordID) int64 {
	if !i.isText {
		s.numbers = true
		return int64(i.number)
	}
	s.texts = true
	if s.known == nil {
		s.known = map[string]int64{}
	}
	n, ok := s.known[i.text]
	if !ok {
		n = int64(len(s.known))
		s.known[i.text] = n
	}
	return n
}

// assignNumbers returns what the numbers of texts become; nil: they were numbers.
func (s *idSpace) assignNumbers() []int64 {
	if !s.texts {
		return nil
	}
	texts := make([]string, 0, len(s.known))
	for text := range s.known {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	become := make([]int64, len(texts))
	for rank, text := range texts {
		become[s.known[text]] = int64(rank)
	}
	return become
}
