package extract

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Final is the final section of a harmony text: from the first marker of the final channel to the next end of a
// message, stripped. Where there is none, it is the whole text, and ok is false.
func Final(text string) (final string, ok bool) { return finalOf(pystr.Trim(text)) }

func finalOf(t string) (final string, ok bool) {
	const channel, message, end = "<|channel|>final", "<|message|>", "<|return|>"
	for rest := t; ; {
		_, behind, found := strings.Cut(rest, channel)
		if !found {
			return t, false
		}
		rest = behind
		// No part of a marker may stand between the two.
		if i := strings.IndexByte(behind, '<'); i >= 0 && strings.HasPrefix(behind[i:], message) {
			final, _, _ = strings.Cut(behind[i+len(message):], end)
			return pystr.Trim(final), true
		}
	}
}

// Boxed is what the last \boxed{ of a text holds up to its closing brace, stripped. Escaped braces count as braces. ok
// is false where there is no box or the last is not closed.
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

// Integer is the answer to a problem of AIME, 0 to 999: the last box of digits alone, and where there is none the last
// integer behind "Answer:". Digits may be of any script. A box beyond 999 means that there is no answer.
func Integer(text string) (n int, ok bool) {
	t := pystr.Trim(text)
	digits, ok := lastBoxedDigits(t)
	if !ok {
		digits, ok = lastAnswerDigits(t)
	}
	if !ok {
		return 0, false
	}
	for _, d := range pyfloat.Digits(digits) {
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
	const last = len("wer:") // from the letter that answerAround looks at
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

// Program is the first block of Python in a text, stripped, as DeepSeek-R1's script takes it; it may be empty.
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

// HarmonyProgram is the program that gpt-oss-120b's script takes: the last block of Python in the final section, or
// else its last block; where there is none, or no final section, the same of the whole text. It may be empty.
func HarmonyProgram(text string) (source string, ok bool) {
	t := pystr.Trim(text)
	if final, found := finalOf(t); found && final != t {
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

// lastBlock is the last block, counted from the start of the text: an odd fence pairs with the wrong one.
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

// withoutLanguage drops a first line "python" or "py", with the white space behind it up to its last newline.
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
