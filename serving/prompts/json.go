package prompts

import "bytes"

// eachMember calls yield with the names, decoded, and the values of an object of valid JSON; false: it is none.
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
		i = skipBlanks(text, skipBlanks(text, end)+1) // the colon
		end = valueEnd(text, i)
		yield(name, text[i:end:end])
		if i = skipBlanks(text, end); text[i] == ',' {
			i++
		}
	}
	return true
}

// eachElement calls yield with the elements of an array of valid JSON, until it returns false. What is no array has
// none.
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

// skipBlanks is the first place from i on that is no blank.
func skipBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// valueEnd is the place after the value that begins at i, of valid JSON.
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
				return i // a number or a name that ends here
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
