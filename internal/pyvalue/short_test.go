package pyvalue

import (
	"fmt"
	"strings"
	"testing"
)

// TestShortListsAreReadWhole checks that DecodeShort keeps the first element of a list, and returns the same errors as
// Decode.
func TestShortListsAreReadWhole(t *testing.T) {
	for _, text := range []string{
		"[]", "[ ]", "[1]", "[1,2,3]", "[1, 2, 3]", " [ 1 ,2\t,\n3\r] ", "[0,0,0]", "[1,-2,3]", "[1,2.5,3]", "[1,2e3,4]",
		"[1,2,]", "[1,,2]", "[,1]", "[1,2", "[1,2,", "[1, ", "[1,02,3]", "[1,2,00]", "[1,2 3]", "[1,2x,3]", "[1,2.,3]",
		"[1,99999999999999999999999999,3]", "[1," + strings.Repeat("9", 5000) + ",3]", "[1,999999999999999999,3]",
		"[1,9223372036854775808,3]", `[1,2,"a",3]`, "[1,2,null,3]", "[1,2,NaN,-Infinity]", "[[1,2],[3,4],5,6]",
		`{"a": [1,2,3], "b": [[7,8],9]}`, "[1,2]]", "[1,2}", "1", "12,3", "[1,+2]", "[1,2,٣]",
	} {
		whole, wantErr := Decode(text)
		short, err := DecodeShort(text)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%.60q: %v, want %v", text, err, wantErr)
			continue
		}
		if got, want := JSON(short), JSON(firsts(whole)); err == nil && got != want {
			t.Errorf("%.60q: %s, want %s", text, got, want)
		}
	}
}

// firsts keeps only the first element of each list.
func firsts(v any) any {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return v
		}
		return []any{firsts(v[0])}
	case *Dict:
		short := NewDict()
		for _, key := range v.Keys() {
			value, _ := v.Get(key)
			short.Set(key, firsts(value))
		}
		return short
	}
	return v
}

// BenchmarkDecodeShort reads the list of samples of a log.
func BenchmarkDecodeShort(b *testing.B) {
	text := "[" + strings.Repeat("123456, 7, ", 50_000) + "8]"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := DecodeShort(text); err != nil {
			b.Fatal(err)
		}
	}
}
