package extract

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Final returns the final section of a harmony text, stripped: from the first marker of the final channel to the next
// end of a message. If there is none, it returns the whole text, and ok is false.
func Final(text string) (final string, ok bool) { return finalSection(pystr.Trim(text)) }

func finalSection(t string) (final string, ok bool) {
	const channel, message, end = "<|channel|>final", "<|message|>", "<|return|>"
	for rest := t; ; {
		_, behind, found := strings.Cut(rest, channel)
		if !found {
			return t, false
		}
		rest = behind
		// No part of a marker may be between the two.
		if i := strings.IndexByte(behind, '<'); i >= 0 && strings.HasPrefix(behind[i:], message) {
			final, _, _ = strings.Cut(behind[i+len(message):], end)
			return pystr.Trim(final), true
		}
	}
}

// Boxed returns the content of the last \boxed{ of a text up to its closing brace, stripped. Escaped braces count as
// braces. ok is false if there is no box or the last one is not closed.
func Boxed(text string) (content string, ok bool) {
	t := pystr.Trim(text)
	i := lastBox(t, len(t))
	if i < 0 {
		return "", false
	}
	t = t[i+len(boxMark):]
	depth := 0
	for i := range len(t) {
		switch t[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return pystr.Trim(t[:i]), true
			}
			depth--
		}
	}
	return "", false
}

// Integer returns the answer to a problem of AIME, 0 to 999: the last box that contains only digits, or else the last
// integer after "Answer:". Digits may belong to any script. If the box contains a number above 999, ok is false.
func Integer(text string) (n int, ok bool) {
	t := pystr.Trim(text)
	digits, ok := lastBoxedDigits(t)
	if !ok {
		digits, ok = lastAnswerDigits(t)
	}
	if !ok {
		return 0, false
	}
	for _, d := range pyfloat.ToASCIIDigits(digits) {
		if n = 10*n + int(d-'0'); n > 999 {
			return 0, false
		}
	}
	return n, true
}

func lastBoxedDigits(t string) (digits string, ok bool) {
	for i := lastBox(t, len(t)); i >= 0; i = lastBox(t, i) {
		start := skipSpaces(t, i+len(boxMark))
		end := digitsEnd(t, start)
		if k := skipSpaces(t, end); end > start && k < len(t) && t[k] == '}' {
			return t[start:end], true
		}
	}
	return "", false
}

func lastAnswerDigits(t string) (digits string, ok bool) {
	const last = len("wer:") // from the letter at which answerAround begins
	for i := lastColon(t, len(t)); i >= len(answer); i = lastColon(t, i) {
		start := skipSpaces(t, i+1)
		end := digitsEnd(t, start)
		if end == start || strings.HasPrefix(t[end:], ".") || !isBoundary(t, end) {
			continue
		}
		if at, behind := answerAround(t, i+1-last); at >= 0 && behind == i {
			return t[start:end], true
		}
	}
	return "", false
}

func digitsEnd(t string, i int) int {
	for i < len(t) {
		r, next := runeAt(t, i)
		if !pyfloat.IsDigit(r) {
			break
		}
		i = next
	}
	return i
}

const (
	fence       = "```"
	pythonFence = fence + "python"
)

// Program returns the first block of Python in a text, stripped, like DeepSeek-R1's script. It may be empty.
func Program(text string) (source string, ok bool) {
	t := pystr.Trim(text)
	_, block, ok := strings.Cut(t, pythonFence)
	if ok {
		block, _, ok = strings.Cut(block, fence)
	}
	if !ok {
		return "", false
	}
	return pystr.Trim(block), true
}

// HarmonyProgram returns the program that gpt-oss-120b's script extracts: the last block of Python in the final
// section, or else the section's last block. If there is none, or no final section, it searches the whole text in the
// same way. The program may be empty.
func HarmonyProgram(text string) (source string, ok bool) {
	t := pystr.Trim(text)
	if final, found := finalSection(t); found && final != t {
		if source, ok = lastProgram(final); ok {
			return source, true
		}
	}
	return lastProgram(t)
}

func lastProgram(t string) (source string, ok bool) {
	first := strings.Index(t, fence)
	if first < 0 {
		return "", false
	}
	t = t[first:]
	if source, ok = lastBlock(t, pythonFence); ok {
		return source, true
	}
	if source, ok = lastBlock(t, fence); ok {
		return withoutLanguage(source), true
	}
	return "", false
}

// lastBlock returns the last block. It pairs fences from the start of the text, so an odd fence shifts all later pairs.
func lastBlock(t, open string) (block string, ok bool) {
	for {
		_, behind, found := strings.Cut(t, open)
		if !found {
			break
		}
		inside, rest, closed := strings.Cut(behind, fence)
		if !closed {
			break
		}
		block, ok, t = inside, true, rest
	}
	return pystr.Trim(block), ok
}

// withoutLanguage removes a first line "python" or "py" and the white space after it up to its last newline.
func withoutLanguage(source string) string {
	for _, name := range []string{"python", "py"} {
		end, ok := matchWord(source, 0, name)
		if !ok {
			continue
		}
		if i := strings.LastIndexByte(source[end:skipSpaces(source, end)], '\n'); i >= 0 {
			return source[end+i+1:]
		}
	}
	return source
}
