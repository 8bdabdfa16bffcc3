package wer

import (
	"strings"

	"github.com/mozillazg/go-unidecode"
)

// toASCII converts a text to ASCII like Unidecode 1.4.
func toASCII(text string) string {
	var b strings.Builder
	rest := 0
	for i, r := range text {
		ascii, ok := overrides[r]
		if !ok {
			continue
		}
		b.WriteString(unidecode.Unidecode(text[rest:i]))
		b.WriteString(ascii)
		rest = i + len(string(r))
	}
	b.WriteString(unidecode.Unidecode(text[rest:]))
	return b.String()
}

// overrides contains the code points for which Unidecode 1.4 differs from go-unidecode 0.2, which is based on an older
// version. testdata/make_ascii.py found them by comparing all code points.
var overrides = map[rune]string{
	0x007F: "\x7f", 0x00BC: " 1/4", 0x00BD: " 1/2", 0x00BE: " 3/4", 0x014A: "NG", 0x014B: "ng", 0x1E9E: "SS",
	0x2103: "degC", 0x2109: "degF", 0x211F: "R/", 0x2123: "V/", 0x214D: "A/S", 0x2654: "white king",
	0x2655: "white queen", 0x2656: "white rook", 0x2657: "white bishop", 0x2658: "white knight",
	0x2659: "white pawn", 0x265A: "black king", 0x265B: "black queen", 0x265C: "black rook",
	0x265D: "black bishop", 0x265E: "black knight", 0x265F: "black pawn", 0x2660: "spades", 0x2661: "hearts",
	0x2662: "diamonds", 0x2663: "clubs", 0x2664: "spades", 0x2665: "hearts", 0x2666: "diamonds", 0x2667: "clubs",
	0x30A0: "=", 0x30FB: "*", 0x30FC: "-", 0x1D6D5: "tau", 0x1F16A: "(mc)", 0x1F16B: "(md)", 0x1F16C: "(mr)",
	0x1F19C: "[2nd-Scr]", 0x1F1A9: "[Lossless]",
}
