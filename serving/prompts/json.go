package prompts

import "bytes"

// eachMember calls yield with the decoded names and the values of an object in valid JSON. It returns false if text is
// not an object.
func eachMember(text []byte, yield func(name, value []byte)) bool {
	i := skipBlanks(text, 0)
	if i == len(text) || text[i] != '{' {
		return false
	}
	for i = skipBlanks(text, i+1); text[i] != '}'; i = skipBlanks(text, i) {
		end := valueEnd(text, i)
		name := text[i+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			if decoded, err := unquoteJSON(text[i:end]); err == nil {
				name = []byte(decoded)
			}
		}
		i = skipBlanks(text, skipBlanks(text, end)+1) // skip the colon
		end = valueEnd(text, i)
		yield(name, text[i:end:end])
		if i = skipBlanks(text, end); text[i] == ',' {
			i++
		}
	}
	return true
}

// eachElement calls yield with the elements of an array in valid JSON until yield returns false. Other values have no
// elements.
func eachElement(text []byte, yield func(value []byte) bool) {
	i := skipBlanks(text, 0)
	if i == len(text) || text[i] != '[' {
		return
	}
	for i = skipBlanks(text, i+1); text[i] != ']'; i = skipBlanks(text, i) {
		end := valueEnd(text, i)
		if !yield(text[i:end:end]) {
			return
		}
		if i = skipBlanks(text, end); text[i] == ',' {
			i++
		}
	}
}

// skipBlanks returns the first position from i that is not a blank.
func skipBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// valueEnd returns the position after the value that begins at i in valid JSON.
func valueEnd(text []byte, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // a number or a name ends here
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\r', '\t', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}
