package bounded

import "fmt"

// CheckNesting returns an error if brackets, or lists that begin on one line (- - - x), nest deeper than maxDepth in a
// YAML text. The YAML parser takes time and memory proportional to the square of the depth, gigabytes for 100 KB.
// Brackets in strings and comments count too.
func CheckNesting(text []byte, maxDepth int) error {
	brackets, dashes, line := 0, 0, 1
	before := byte('\n')
	for i, c := range text {
		switch c {
		case '[', '{':
			brackets++
		case ']', '}':
			brackets--
		case '-':
			if isBlank(before) && (i+1 == len(text) || isBlank(text[i+1])) {
				dashes++
			}
		case '\n':
			dashes, line = 0, line+1
		}
		switch before = c; {
		case brackets > maxDepth:
			return fmt.Errorf("line %d: more than %d brackets are open at once", line, maxDepth)
		case dashes > maxDepth:
			return fmt.Errorf("line %d: more than %d lists begin on one line", line, maxDepth)
		}
	}
	return nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
