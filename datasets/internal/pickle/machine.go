package pickle

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// pickleMachine runs a pickle: a program for a stack, with a memo of objects that are used again.
type pickleMachine struct {
	ObjectReader
	data    []byte
	at      int
	stack   []any
	memo    map[int]any
	stopped bool
	objects int // pushed or remembered so far
	encoded int // bytes made from strs so far

	wanted map[int]bool // places of the memo that are looked up; nil: any
	place  int          // the next of the memo
	handed int          // items that Each has had
}

// stackMark is where the arguments of an operation begin on the stack.
type stackMark struct{}

var (
	errTruncated = errors.New("the pickle ends too early: it is truncated")
	errStack     = errors.New("an operation finds too little on the stack")
)

func (m *pickleMachine) push(v any) error {
	m.stack = append(m.stack, v)
	return m.countObject()
}

// countObject bounds the objects that a pickle makes.
func (m *pickleMachine) countObject() error {
	if most := cmp.Or(m.MaxObjects, maxObjects); m.objects >= most {
		return fmt.Errorf("more than %d objects", most)
	}
	m.objects++
	return nil
}

func (m *pickleMachine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	top := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return top, nil
}

// popMark returns what lies above the last mark, in order.
func (m *pickleMachine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(stackMark); ok {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errStack
}

// popN returns the n uppermost objects, in order.
func (m *pickleMachine) popN(n int) ([]any, error) {
	if len(m.stack) < n {
		return nil, errStack
	}
	items := append([]any(nil), m.stack[len(m.stack)-n:]...)
	m.stack = m.stack[:len(m.stack)-n]
	return items, nil
}

func (m *pickleMachine) top() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	return m.stack[len(m.stack)-1], nil
}

// readBytes returns the next n bytes.
func (m *pickleMachine) readBytes(n uint64) ([]byte, error) {
	if n > uint64(len(m.data)-m.at) {
		return nil, errTruncated
	}
	b := m.data[m.at : m.at+int(n)]
	m.at += int(n)
	return b, nil
}

// readUint reads a little-endian unsigned number of 1, 2, 4 or 8 bytes.
func (m *pickleMachine) readUint(size int) (uint64, error) {
	b, err := m.readBytes(uint64(size))
	if err != nil {
		return 0, err
	}
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:]), nil
}

// readCounted reads a length of 1, 4 or 8 bytes, and as many bytes.
func (m *pickleMachine) readCounted(size int) ([]byte, error) {
	n, err := m.readUint(size)
	if err != nil {
		return nil, err
	}
	return m.readBytes(n)
}

func (m *pickleMachine) readLine() (string, error) {
	for i := m.at; i < len(m.data); i++ {
		if m.data[i] == '\n' {
			text := string(m.data[m.at:i])
			m.at = i + 1
			return text, nil
		}
	}
	return "", errTruncated
}

// runOperation runs one operation.
func (m *pickleMachine) runOperation() error {
	op, err := m.readBytes(1)
	if err != nil {
		return err
	}
	for _, run := range [...]func(op byte) (bool, error){m.runConstant, m.runBytes, m.runInteger, m.runContainer,
		m.runMemo, m.runCall} {
		if known, err := run(op[0]); known || err != nil {
			return err
		}
	}
	return fmt.Errorf("operation %#02x, want one of a pickle of plain data", op[0])
}

// runConstant runs the operations that push a fixed object, or rule the machine.
func (m *pickleMachine) runConstant(op byte) (bool, error) {
	switch op {
	case 0x80: // protocol
		_, err := m.readBytes(1)
		return true, err
	case 0x95: // length of a frame: frames are for readers of streams
		_, err := m.readBytes(8)
		return true, err
	case '.':
		m.stopped = true
		return true, nil
	case '0':
		_, err := m.pop()
		return true, err
	case 'N':
		return true, m.push(nil)
	case 0x88:
		return true, m.push(true)
	case 0x89:
		return true, m.push(false)
	case '(':
		return true, m.push(stackMark{})
	}
	return false, nil
}

// runBytes runs the operations that push strings and bytes.
func (m *pickleMachine) runBytes(op byte) (bool, error) {
	size, text := 0, false
	switch op {
	case 0x8c: // short str
		size, text = 1, true
	case 'X':
		size, text = 4, true
	case 0x8d:
		size, text = 8, true
	case 'C', 'U': // short bytes; short str of Python 2
		size = 1
	case 'B', 'T':
		size = 4
	case 0x8e, 0x96: // bytes, bytearray
		size = 8
	default:
		return false, nil
	}
	b, err := m.readCounted(size)
	if err != nil {
		return true, err
	}
	if text {
		return true, m.push(string(b))
	}
	return true, m.push(b)
}

// runInteger runs the operations that push numbers.
func (m *pickleMachine) runInteger(op byte) (bool, error) {
	switch op {
	case 'K', 'M', 'J':
		size := map[byte]int{'K': 1, 'M': 2, 'J': 4}[op]
		n, err := m.readUint(size)
		if err != nil {
			return true, err
		}
		if op == 'J' {
			return true, m.push(int64(int32(n)))
		}
		return true, m.push(int64(n))
	case 0x8a: // little endian, in as few bytes as needed
		b, err := m.readCounted(1)
		if err != nil {
			return true, err
		}
		n, err := signedInt(b)
		if err != nil {
			return true, err
		}
		return true, m.push(n)
	case 'G':
		b, err := m.readBytes(8)
		if err != nil {
			return true, err
		}
		return true, m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
	}
	return false, nil
}

// signedInt is a two's complement number of up to 8 bytes.
func signedInt(b []byte) (int64, error) {
	if len(b) > 8 {
		return 0, fmt.Errorf("an int of %d bytes, want at most 8", len(b))
	}
	var n uint64
	for i, v := range b {
		n |= uint64(v) << (8 * i)
	}
	shift := 64 - 8*len(b)
	return int64(n<<shift) >> shift, nil
}
