package coco

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// wholeNumber is a whole number in any notation: 1007, 1007.0 as pandas writes it, or 1.007e3.
type wholeNumber int64

// UnmarshalJSON implements json.Unmarshaler.
func (w *wholeNumber) UnmarshalJSON(text []byte) error {
	n, ok := parseWhole(text)
	if !ok {
		return typeError(text, w)
	}
	*w = wholeNumber(n)
	return nil
}

// maxWhole is the largest whole number such that float64 represents it and all smaller ones exactly.
const maxWhole = 1 << 53

func parseWhole(text []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f == math.Trunc(f)) || math.Abs(f) > maxWhole {
		return 0, false
	}
	return int64(f), true
}

// categoryID is the ID of a category. Models use numbers, so it must be a whole number, possibly in quotes.
type categoryID wholeNumber

// UnmarshalJSON implements json.Unmarshaler.
func (l *categoryID) UnmarshalJSON(text []byte) error {
	n, ok := parseWhole(text)
	if quoted := len(text) - 1; !ok && text[0] == '"' && quoted > 1 {
		n, ok = parseWhole(text[1:quoted])
	}
	if !ok {
		return typeError(text, l)
	}
	*l = categoryID(n)
	return nil
}

// boolFlag is a boolean that programs write as 0 or 1, or as false or true. Null counts as 0, like a missing field.
type boolFlag bool

// UnmarshalJSON implements json.Unmarshaler.
func (f *boolFlag) UnmarshalJSON(text []byte) error {
	n, ok := parseWhole(text)
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

// recordID is an ID: a whole number, or a text as in OpenImages.
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

// String returns the ID as it is written in the file.
func (i *recordID) String() string {
	if i.isText {
		return strconv.Quote(i.text)
	}
	return strconv.FormatInt(int64(i.number), 10)
}

// typeError returns an error for a JSON value that cannot be decoded into to.
func typeError(text []byte, to any) error {
	found := map[byte]string{'"': "string", '{': "object", '[': "array", 't': "bool", 'f': "bool", 'n': "null"}[text[0]]
	if found == "" {
		found = "number " + string(text[:min(len(text), 40)])
	}
	return &json.UnmarshalTypeError{Value: found, Type: reflect.TypeOf(to).Elem()}
}

// withArticle prepends "a" or "an" to kind.
func withArticle(kind string) string {
	if kind[0] == 'a' || kind[0] == 'o' {
		return "an " + kind
	}
	return "a " + kind
}

// describeType describes the values that t accepts, for messages.
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

// idSpace contains the IDs of one kind of record in a file. They are either all numbers or all texts. Texts get numbers
// in their sort order, as in pycocotools.
type idSpace struct {
	numbers, texts bool
	preliminary    map[string]int64 // numbers of texts in the order of appearance
}

// numberOf returns the number of an ID. For a text it is preliminary until assignNumbers.
func (s *idSpace) numberOf(i *recordID) int64 {
	if !i.isText {
		s.numbers = true
		return int64(i.number)
	}
	s.texts = true
	if s.preliminary == nil {
		s.preliminary = map[string]int64{}
	}
	n, ok := s.preliminary[i.text]
	if !ok {
		n = int64(len(s.preliminary))
		s.preliminary[i.text] = n
	}
	return n
}

// assignNumbers maps the preliminary numbers of texts to the final ones. It returns nil if the IDs are numbers.
func (s *idSpace) assignNumbers() []int64 {
	if !s.texts {
		return nil
	}
	texts := make([]string, 0, len(s.preliminary))
	for text := range s.preliminary {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	become := make([]int64, len(texts))
	for rank, text := range texts {
		become[s.preliminary[text]] = int64(rank)
	}
	return become
}
