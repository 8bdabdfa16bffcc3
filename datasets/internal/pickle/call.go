package pickle

import (
	"errors"
	"fmt"
)

// runCall runs op if it names, calls or sets up an object. It reports whether it did.
func (m *pickleMachine) runCall(op byte) (bool, error) {
	switch op {
	case 'c':
		module, err := m.readLine()
		if err != nil {
			return true, err
		}
		name, err := m.readLine()
		if err != nil {
			return true, err
		}
		return true, m.pushGlobal(module, name)
	case 0x93:
		return true, m.stackGlobal()
	case 'Q':
		return true, m.pushPersistent()
	case 'R':
		return true, m.callFunction()
	case 'b':
		return true, m.setState()
	}
	return false, nil
}

// pushGlobal pushes a function or class. Names that the reader does not contain are errors.
func (m *pickleMachine) pushGlobal(module, name string) error {
	whole := module + "." + name
	if _, known := m.Names[whole]; !known {
		return fmt.Errorf("it names %.60q, which is no plain data", whole)
	}
	return m.push(NamedGlobal(whole))
}

func (m *pickleMachine) stackGlobal() error {
	items, err := m.popObjects(2)
	if err != nil {
		return err
	}
	module, ok := items[0].(string)
	name, also := items[1].(string)
	if !ok || !also {
		return fmt.Errorf("a function named by %T and %T, want strs", items[0], items[1])
	}
	return m.pushGlobal(module, name)
}

// pushPersistent pushes an object that is stored outside the pickle.
func (m *pickleMachine) pushPersistent() error {
	reference, err := m.pop()
	if err != nil {
		return err
	}
	if m.LoadPersistent == nil {
		return errors.New("a reference to something beside it")
	}
	v, err := m.LoadPersistent(reference)
	if err != nil {
		return err
	}
	return m.push(v)
}

// callFunction calls a function with a tuple of arguments from the stack.
func (m *pickleMachine) callFunction() error {
	items, err := m.popObjects(2)
	if err != nil {
		return err
	}
	function, ok := items[0].(NamedGlobal)
	arguments, also := items[1].(Tuple)
	if !ok || !also || m.Names[string(function)] == nil {
		return fmt.Errorf("a call of a %T with a %T, want a function and a tuple", items[0], items[1])
	}
	made, err := m.Names[string(function)](arguments)
	if err != nil {
		return err
	}
	if data, ok := made.([]byte); ok { // a str of the pickle is converted to bytes only once
		if m.encoded += len(data); m.encoded > len(m.data) {
			return errors.New("one str is made to bytes many times")
		}
	}
	return m.push(made)
}

// setState pops a state from the stack and sets it in the object below.
func (m *pickleMachine) setState() error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	top, err := m.peek()
	if err != nil {
		return err
	}
	fields, ok := state.(Tuple)
	object, also := top.(interface{ setState(fields Tuple) error })
	if !ok || !also {
		return fmt.Errorf("state %T for a %T, want that of an array or dtype", state, top)
	}
	return object.setState(fields)
}
