package bounded

import "fmt"

// Nesting refuses a YAML text in which brackets, or lists that begin on one line (- - - x), nest deeper than most: the
// parser that is used here takes time and memory by the square of that, gigabytes for 100 KB. Those in texts and
// comments count, too; nobody needs so many there.
func Nesting(text []byte, most int) error {
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
		case brackets > most:
			return fmt.Errorf("line %d: more than %d brackets are open at once", line, most)
		case dashes > most:
			return fmt.Errorf("line %d: more than %d lists begin on one line", line, most)
		}
	}
	return nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
