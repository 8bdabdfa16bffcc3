package rnnt

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	all, err := parseTokens("<blk> 0\n\u2581It's 1\nA\u00c9 2\n\u2581 3\n\n  5\r\n<unk> 6\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := all.toLabels([]int64{1, 3, 3, 2, 6, 4, 5, 1})
	var said strings.Builder
	for _, i := range got {
		said.WriteByte(labelTexts[i])
	}
	if err != nil || said.String() != "it's a it's" {
		t.Errorf("%q, %v", said.String(), err)
	}
	for _, symbol := range []int64{-1, 7} {
		if _, err := all.toLabels([]int64{symbol}); !errors.Is(err, errToken) {
			t.Errorf("symbol %d: error %v, want %v", symbol, err, errToken)
		}
	}
}

func TestTokensRefused(t *testing.T) {
	for text, want := range map[string]string{
		"": "no token", "a\n": `line 1 is "a"`, "a 0\nb x\n": "line 2", "a -1": "line 1", "a 99999999": "line 1",
		"a 1\nb 1\n": "number 1 is there twice",
	} {
		if _, err := parseTokens(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("<blk> 0\n\u2581the 1\n")
	f.Add("a\t3\r\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseTokens(text)
		if err != nil {
			return
		}
		symbols := []int64{0, int64(len(all) - 1)}
		got, err := all.toLabels(symbols)
		if err != nil || slices.ContainsFunc(got, func(i int64) bool { return i < 0 || i >= labelCount }) {
			t.Errorf("%v, %v", got, err)
		}
	})
}
