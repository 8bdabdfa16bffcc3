package bpe

import "unicode/utf8"

// byteRunes returns the character for each byte in byte-level vocabularies. Bytes that are visible characters in
// Latin-1 represent themselves. The others are represented, in order, by the characters from U+0100 on.
func byteRunes() (runes [256]rune) {
	next := rune(0x100)
	for b := range runes {
		if '!' <= b && b <= '~' || 0xa1 <= b && b <= 0xac || 0xae <= b {
			runes[b] = rune(b)
			continue
		}
		runes[b] = next
		next++
	}
	return runes
}

// byteAlphabet maps the characters of byte-level tokens to bytes.
func byteAlphabet() map[rune]byte {
	alphabet := make(map[rune]byte, 256)
	for b, r := range byteRunes() {
		alphabet[r] = byte(b)
	}
	return alphabet
}

// rawBytes returns the bytes of a byte-level token. ok is false if a character represents no byte.
func rawBytes(alphabet map[rune]byte, token string) (bytes string, ok bool) {
	if isVisibleASCII(token) {
		return token, true
	}
	b := make([]byte, 0, len(token))
	for _, r := range token {
		c, known := alphabet[r]
		if !known {
			return "", false
		}
		b = append(b, c)
	}
	return string(b), true
}

// isVisibleASCII reports whether a token consists of visible ASCII characters, which represent themselves.
func isVisibleASCII(token string) bool {
	for i := range len(token) {
		if token[i] <= ' ' || token[i] >= 0x7f || token[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
