package bleu

import (
	"strings"
	"unicode"
)

// splitChinese tokenizes by mteval-v13a's rule after putting blanks around each Chinese character. It trims the text.
func (c *tokenSplitter) splitChinese(text string) {
	var b strings.Builder
	for _, r := range text {
		if unicode.Is(chineseTable, r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	c.splitMtevalWord(b.String(), false, false)
}

// chineseTable contains the characters that sacreBLEU treats as Chinese. The ranges U+2001 to U+2A6D and U+2F81 to
// U+2FA1, mostly other characters, replace two blocks above U+FFFF, which sacreBLEU does not include.
var chineseTable = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x2001, Hi: 0x2a6d, Stride: 1}, {Lo: 0x2e80, Hi: 0x2fdf, Stride: 1}, {Lo: 0x2ff0, Hi: 0x303f, Stride: 1},
	{Lo: 0x3100, Hi: 0x312f, Stride: 1}, {Lo: 0x31a0, Hi: 0x31bf, Stride: 1}, {Lo: 0x31c0, Hi: 0x31ef, Stride: 1},
	{Lo: 0x3200, Hi: 0x4db5, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fbb, Stride: 1}, {Lo: 0xf900, Hi: 0xfa2d, Stride: 1},
	{Lo: 0xfa30, Hi: 0xfa6a, Stride: 1}, {Lo: 0xfa70, Hi: 0xfad9, Stride: 1}, {Lo: 0xfe10, Hi: 0xfe1f, Stride: 1},
	{Lo: 0xfe30, Hi: 0xfe4f, Stride: 1}, {Lo: 0xff00, Hi: 0xffef, Stride: 1},
}}
