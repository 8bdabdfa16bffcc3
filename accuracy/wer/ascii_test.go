package wer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestASCII compares the conversion of every code point with Unidecode's, block by block (testdata/make_ascii.py).
func TestASCII(t *testing.T) {
	var want struct {
		Unidecode string
		Blocks    map[string]string
	}
	golden.ReadJSON(t, "testdata/ascii.json", &want)
	if len(want.Blocks) < 100 {
		t.Fatalf("%d blocks", len(want.Blocks))
	}
	for block := rune(0); block <= utf8.MaxRune>>8; block++ {
		var all strings.Builder
		left := false
		for r := block << 8; r < (block+1)<<8; r++ {
			text := ""
			if utf8.ValidRune(r) {
				text = toASCII(string(r))
			}
			left = left || text != ""
			all.WriteString(text + "\x00")
		}
		got := ""
		if sum := sha256.Sum256([]byte(all.String())); left {
			got = hex.EncodeToString(sum[:8])
		}
		if name := fmt.Sprintf("%04x", block); got != want.Blocks[name] {
			t.Errorf("U+%s00 to U+%sFF: %q, Unidecode %s makes %q", name, name, got, want.Unidecode, want.Blocks[name])
		}
	}
}

func TestASCIIOfTexts(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain text": "plain text", "25 ℃, ½ ♥": "25 degC,  1/2 hearts", "Ŋaŋ": "NGang", "スキー・ヱ": "suki-*we",
		"a\x7fb\uffff": "a\x7fb",
	} {
		if got := toASCII(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if clean, err := CleanTranscript("♥ of 20 ℃"); err != nil || clean != "hearts of twenty degc" {
		t.Errorf("%q, %v", clean, err)
	}
}
