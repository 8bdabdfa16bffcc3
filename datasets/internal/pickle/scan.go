package pickle

import "encoding/binary"

// reusedMemos returns the memo indices that a pickle reads. It scans the operations without running them and stops at
// invalid data, which running the pickle reports later.
func (m *pickleMachine) reusedMemos() map[int]bool {
	places := map[int]bool{}
	for at := 0; at < len(m.data); {
		op := m.data[at]
		rest := m.data[at+1:]
		n, ok := operandLength(op, rest)
		if !ok || n > uint64(len(rest)) || op == '.' {
			break
		}
		switch op {
		case 'h':
			places[int(rest[0])] = true
		case 'j':
			places[int(binary.LittleEndian.Uint32(rest))] = true
		}
		at += 1 + int(n)
	}
	return places
}

// operandLength returns the number of operand bytes after an operation. ok is false if rest is too short.
func operandLength(op byte, rest []byte) (uint64, bool) {
	switch op {
	case 0x80, 'K', 'q', 'h':
		return 1, true
	case 'M':
		return 2, true
	case 'J', 'r', 'j':
		return 4, true
	case 'G', 0x95:
		return 8, true
	case 0x8c, 'C', 'U', 0x8a:
		return countedLength(rest, 1)
	case 'X', 'B', 'T':
		return countedLength(rest, 4)
	case 0x8d, 0x8e, 0x96:
		return countedLength(rest, 8)
	case 'c':
		return linesLength(rest, 2)
	}
	return 0, true
}

// countedLength returns the length of an operand that consists of a count of size bytes and that number of bytes.
func countedLength(rest []byte, size int) (uint64, bool) {
	if len(rest) < size {
		return 0, false
	}
	var full [8]byte
	copy(full[:], rest[:size])
	n := binary.LittleEndian.Uint64(full[:])
	return n + uint64(size), n < 1<<62
}

// linesLength returns the total length of the next n lines.
func linesLength(rest []byte, n int) (uint64, bool) {
	for i, b := range rest {
		if b == '\n' {
			if n--; n == 0 {
				return uint64(i + 1), true
			}
		}
	}
	return 0, false
}
