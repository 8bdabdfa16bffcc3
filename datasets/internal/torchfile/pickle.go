package torchfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The values of a pickle, beside int64, string and bool. Nothing is called: a call stays what it is.
type (
	tuple  []any
	global string // MODULE.NAME
	kept   tuple  // a reference to something beside the pickle: a storage
	called struct {
		function global
		args     tuple
	}
	mark struct{}
)

// rebuild describes a tensor; known are all names that a description may hold.
const rebuild global = "torch._utils._rebuild_tensor_v2"

var known = []global{rebuild, global(Long), global(Float), "collections.OrderedDict"}

// errPickle is in the chain of every error about a pickle.
var errPickle = errors.New("pickle")

// unpickler is the stack machine of pickles, with those instructions that describe a tensor.
type unpickler struct {
	rest  []byte
	stack []any
	memo  map[uint32]any
}

// unpickle returns the value that a pickle of protocol 2 describes.
func unpickle(data []byte) (any, error) {
	u := &unpickler{rest: data, memo: map[uint32]any{}}
	for {
		code, err := u.bytes(1)
		if err != nil {
			return nil, err
		}
		if code[0] == '.' {
			return u.pop()
		}
		if err := u.do(code[0]); err != nil {
			return nil, err
		}
	}
}

// do executes an instruction.
func (u *unpickler) do(code byte) error {
	if n, ok := integerSizes[code]; ok {
		return u.integer(n)
	}
	switch code {
	case 0x80: // protocol
		_, err := u.bytes(1)
		return err
	case 'c':
		return u.global()
	case 'X':
		return u.text()
	case 'q', 'r', 'h', 'j':
		return u.remember(code)
	case '(':
		u.push(mark{})
	case ')':
		u.push(tuple(nil))
	case 't':
		return u.markedTuple()
	case 0x85, 0x86, 0x87:
		return u.tuple(int(code - 0x84))
	case 0x88, 0x89:
		u.push(code == 0x88)
	case 'Q':
		return u.reference()
	case 'R':
		return u.call()
	default:
		return fmt.Errorf("%w: instruction %#x, which no description of a tensor has", errPickle, code)
	}
	return nil
}

// integerSizes are the bytes of the instructions that hold an integer; LONG1 says it itself.
var integerSizes = map[byte]int{'K': 1, 'M': 2, 'J': 4, 0x8a: 0}

func (u *unpickler) push(v any) { u.stack = append(u.stack, v) }

func (u *unpickler) pop() (any, error) {
	if len(u.stack) == 0 {
		return nil, fmt.Errorf("%w: an instruction without its values", errPickle)
	}
	v := u.stack[len(u.stack)-1]
	u.stack = u.stack[:len(u.stack)-1]
	return v, nil
}

func (u *unpickler) bytes(n int) ([]byte, error) {
	if n > len(u.rest) {
		return nil, fmt.Errorf("%w: it is cut short: %w", errPickle, io.ErrUnexpectedEOF)
	}
	b := u.rest[:n]
	u.rest = u.rest[n:]
	return b, nil
}

// integer pushes a little-endian one of n bytes, unsigned below 4.
func (u *unpickler) integer(n int) error {
	signed := n == 4 || n == 0
	if n == 0 {
		length, err := u.bytes(1)
		if err != nil {
			return err
		}
		n = int(length[0])
	}
	b, err := u.bytes(n)
	if err != nil {
		return err
	}
	if n > 8 {
		return fmt.Errorf("%w: an integer of %d bytes", errPickle, n)
	}
	v := uint64(0)
	for i, digit := range b {
		v |= uint64(digit) << (8 * i)
	}
	if shift := 64 - 8*n; signed && n > 0 {
		v = uint64(int64(v<<shift) >> shift)
	}
	u.push(int64(v))
	return nil
}

func (u *unpickler) global() error {
	module, rest, ok := strings.Cut(string(u.rest), "\n")
	name, _, ok2 := strings.Cut(rest, "\n")
	if !ok || !ok2 {
		return fmt.Errorf("%w: a name without an end", errPickle)
	}
	u.rest = u.rest[len(module)+len(name)+2:]
	g := global(module + "." + name)
	if !slices.Contains(known, g) {
		return fmt.Errorf("%w: it names %.60q, which no description of a tensor of numbers does", errPickle, g)
	}
	u.push(g)
	return nil
}

func (u *unpickler) text() error {
	length, err := u.bytes(4)
	if err != nil {
		return err
	}
	b, err := u.bytes(int(binary.LittleEndian.Uint32(length)))
	if err != nil {
		return err
	}
	u.push(string(b))
	return nil
}

// remember keeps the top of the stack under a number, or pushes what is kept there.
func (u *unpickler) remember(code byte) error {
	n := 1
	if code == 'r' || code == 'j' {
		n = 4
	}
	b, err := u.bytes(n)
	if err != nil {
		return err
	}
	number := binary.LittleEndian.Uint32(append(append([]byte(nil), b...), 0, 0, 0))
	if code == 'h' || code == 'j' {
		u.push(u.memo[number])
		return nil
	}
	v, err := u.pop()
	if err != nil {
		return err
	}
	u.memo[number] = v
	u.push(v)
	return nil
}

// tuple joins the n values on top.
func (u *unpickler) tuple(n int) error {
	start := len(u.stack) - n
	if start < 0 {
		return fmt.Errorf("%w: a tuple of %d values of %d", errPickle, n, len(u.stack))
	}
	t := append(tuple(nil), u.stack[start:]...)
	u.stack = append(u.stack[:start], t)
	return nil
}

// markedTuple joins the values above the last mark.
func (u *unpickler) markedTuple() error {
	for i := len(u.stack) - 1; i >= 0; i-- {
		if u.stack[i] == any(mark{}) {
			t := append(tuple(nil), u.stack[i+1:]...)
			u.stack = append(u.stack[:i], t)
			return nil
		}
	}
	return fmt.Errorf("%w: a tuple without a start", errPickle)
}

func (u *unpickler) reference() error {
	v, err := u.pop()
	if err != nil {
		return err
	}
	t, ok := v.(tuple)
	if !ok {
		return fmt.Errorf("%w: a reference that is no tuple", errPickle)
	}
	u.push(kept(t))
	return nil
}

func (u *unpickler) call() error {
	args, err := u.pop()
	if err != nil {
		return err
	}
	function, err := u.pop()
	if err != nil {
		return err
	}
	f, ok := function.(global)
	a, ok2 := args.(tuple)
	if !ok || !ok2 {
		return fmt.Errorf("%w: a call without a function or its arguments", errPickle)
	}
	u.push(called{f, a})
	return nil
}
