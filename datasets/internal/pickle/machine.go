package pickle

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// pickleMachine executes a pickle, which is a program for a stack machine with a memo of reusable objects.
type pickleMachine struct {
	ObjectReader
	data     []byte
	position int
	stack    []any
	memo     map[int]any
	stopped  bool
	objects  int // number of objects pushed or memoized so far
	encoded  int // number of bytes converted from strs so far

	readIndices map[int]bool // memo indices that the pickle reads; nil: any
	nextMemo    int          // index of the next entry in the memo
	itemCount   int          // number of items passed to Each
}

// stackMark marks the start of an operation's arguments on the stack.
type stackMark struct{}

var (
	errTruncated = errors.New("the pickle ends too early: it is truncated")
	errStack     = errors.New("an operation finds too little on the stack")
)

func (m *pickleMachine) push(v any) error {
	m.stack = append(m.stack, v)
	return m.countObject()
}

// countObject counts an object and returns an error if there are too many.
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

// popToMark pops everything above the topmost mark, and the mark. It returns the objects in order.
func (m *pickleMachine) popToMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(stackMark); ok {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, errStack
}

// popObjects pops the n topmost objects and returns them in order.
func (m *pickleMachine) popObjects(n int) ([]any, error) {
	if len(m.stack) < n {
		return nil, errStack
	}
	items := append([]any(nil), m.stack[len(m.stack)-n:]...)
	m.stack = m.stack[:len(m.stack)-n]
	return items, nil
}

func (m *pickleMachine) peek() (any, error) {
	if len(m.stack) == 0 {
		return nil, errStack
	}
	return m.stack[len(m.stack)-1], nil
}

// readBytes returns the next n bytes.
func (m *pickleMachine) readBytes(n uint64) ([]byte, error) {
	if n > uint64(len(m.data)-m.position) {
		return nil, errTruncated
	}
	b := m.data[m.position : m.position+int(n)]
	m.position += int(n)
	return b, nil
}

// readUint reads a little-endian unsigned integer of 1, 2, 4 or 8 bytes.
func (m *pickleMachine) readUint(size int) (uint64, error) {
	b, err := m.readBytes(uint64(size))
	if err != nil {
		return 0, err
	}
	var full [8]byte
	copy(full[:], b)
	return binary.LittleEndian.Uint64(full[:]), nil
}

// readCounted reads a length of 1, 4 or 8 bytes and that number of bytes.
func (m *pickleMachine) readCounted(size int) ([]byte, error) {
	n, err := m.readUint(size)
	if err != nil {
		return nil, err
	}
	return m.readBytes(n)
}

func (m *pickleMachine) readLine() (string, error) {
	for i := m.position; i < len(m.data); i++ {
		if m.data[i] == '\n' {
			text := string(m.data[m.position:i])
			m.position = i + 1
			return text, nil
		}
	}
	return "", errTruncated
}

// runOperation reads and runs the next operation.
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

// runConstant runs op if it pushes a constant or controls the machine. It reports whether it did.
func (m *pickleMachine) runConstant(op byte) (bool, error) {
	switch op {
	case 0x80: // protocol
		_, err := m.readBytes(1)
		return true, err
	case 0x95: // length of a frame, which only readers of streams need
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

// runBytes runs op if it pushes a string or bytes. It reports whether it did.
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

// runInteger runs op if it pushes a number. It reports whether it did.
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
	case 0x8a: // little endian, with the minimum number of bytes
		b, err := m.readCounted(1)
		if err != nil {
			return true, err
		}
		n, err := toSignedInt(b)
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

// toSignedInt converts a two's complement number of up to 8 bytes.
func toSignedInt(b []byte) (int64, error) {
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
