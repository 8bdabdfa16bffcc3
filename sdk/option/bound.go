package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tagNumber returns the number in a field's tag.
func tagNumber[T int | float64](f boundField, tag string, read func(text string) (T, error)) T {
	text := f.tag.Get(tag)
	n, err := read(text)
	if err != nil {
		panic(fmt.Sprintf("parameter %q: %s:%q, want a number, a power of two such as 1<<24, or an integer type", f.name,
			tag, text))
	}
	return n
}

func parseFloat(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// integers contains the minimum and the maximum of each integer type.
var integers = map[string][2]int{
	"int": {math.MinInt, math.MaxInt}, "int16": {math.MinInt16, math.MaxInt16}, "int32": {math.MinInt32, math.MaxInt32},
	"uint16": {0, math.MaxUint16}, "uint32": {0, math.MaxUint32},
}

func parseMin(text string) (int, error) { return parseInteger(text, 0) }
func parseMax(text string) (int, error) { return parseInteger(text, 1) }

// parseInteger parses a whole number: digits, a power of two, or the minimum (end 0) or maximum (end 1) of a type.
func parseInteger(text string, end int) (int, error) {
	if ends, ok := integers[text]; ok {
		return ends[end], nil
	}
	if power, ok := strings.CutPrefix(text, "1<<"); ok {
		n, err := strconv.ParseUint(power, 10, 6)
		return 1 << n, err
	}
	return strconv.Atoi(text)
}
